//! How a branch collects the answers of its islands and of the masters below. It polls while it
//! waits, so that new schedules and interrupts spread at once.

use super::above::{Above, look};
use super::branch::Branch;
use crate::comm::Communicator;
use crate::islands::SearchError;
use crate::islands::groups::{Answer, Decision, Early, FromGroups};
use crate::islands::protocol::{FromIsland, FromMaster, IslandMessage, MasterMessage, Report};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_engines::Method;
use ccsched_model::schedule::Plan;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The answers that have arrived.
pub struct Gathered {
    /// Of the islands of the groups, by number.
    pub words: Vec<Option<FromIsland>>,
    /// Of the masters below, in order.
    pub answers: Vec<Option<Answer>>,
    /// How many are missing.
    missing: usize,
}

impl Branch<'_> {
    /// Collects the answers of all islands and all masters below.
    pub(super) fn gather<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
    ) -> Result<Gathered, SearchError> {
        let words: Vec<_> = self.place.islands().map(|_| None).collect();
        let answers: Vec<_> = self.place.below.iter().map(|_| None).collect();
        let missing = words.len() + answers.len();
        let mut gathered = Gathered { words, answers, missing };
        self.leave_out_lost(&mut gathered);
        let mut is_broken = false;
        let mut over_since: Option<Instant> = None;
        let look = look(comm);
        while gathered.missing > 0 {
            if !is_broken && above.breaks(comm)? {
                is_broken = true;
                self.break_off(comm, &gathered)?;
            }
            if above.is_over() {
                let since = *over_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= self.patience && gathered.words[0].is_some() {
                    self.give_up(self.late(&gathered), self.patience);
                    self.leave_out_lost(&mut gathered);
                    break;
                }
            }
            let mut patience = look;
            if gathered.words[0].is_none() {
                let word = self.worker.wait(look)?;
                if let Some(word) = &word {
                    self.overhear(comm, above, word)?;
                    gathered.missing -= 1;
                }
                gathered.words[0] = word;
                patience = Duration::ZERO;
            }
            while gathered.missing > 0
                && let Some((rank, bytes)) = comm.receive(patience)?
            {
                self.sort(comm, above, &mut gathered, (rank, bytes))?;
                // The rest of what has arrived, then the next look at breaks.
                patience = Duration::ZERO;
            }
        }
        Ok(gathered)
    }

    /// The ranks that have not answered.
    fn late(&self, gathered: &Gathered) -> BTreeSet<usize> {
        let late = |(rank, has_answered): (usize, bool)| (!has_answered).then_some(rank);
        let islands = self.place.islands().zip(gathered.words.iter().map(Option::is_some));
        let below = self.place.below.iter().map(|&(rank, _)| rank);
        let masters = below.zip(gathered.answers.iter().map(Option::is_some));
        islands.chain(masters).filter_map(late).collect()
    }

    /// Expects nothing of the ranks that are lost.
    fn leave_out_lost(&self, gathered: &mut Gathered) {
        for (rank, word) in self.place.islands().zip(&mut gathered.words) {
            if self.lost.contains(&rank) && word.is_none() {
                *word = Some(FromIsland::Lost);
                gathered.missing -= 1;
            }
        }
        for (&(rank, _), answer) in self.place.below.iter().zip(&gathered.answers) {
            gathered.missing -= usize::from(self.lost.contains(&rank) && answer.is_none());
        }
    }

    /// Breaks off the islands that have not answered.
    fn break_off<C: Communicator>(
        &mut self,
        comm: &mut C,
        gathered: &Gathered,
    ) -> Result<(), SearchError> {
        // Even if the own island has answered: from now on its snapshot answers for it.
        self.worker.break_off();
        let late = |&(_, has_answered): &(usize, bool)| !has_answered;
        let words = self.place.islands().zip(gathered.words.iter().map(Option::is_some));
        let islands: Vec<usize> = words.skip(1).filter(late).map(|(rank, _)| rank).collect();
        MasterMessage::Order(FromMaster::Break).send(comm, islands)?;
        let below = self.place.below.iter().map(|&(rank, _)| rank);
        let answers = below.zip(gathered.answers.iter().map(Option::is_some));
        let masters: Vec<usize> = answers.filter(late).map(|(rank, _)| rank).collect();
        MasterMessage::Decide(Decision::Break, self.terms).send(comm, masters)
    }

    /// Passes on the schedule of a report if it is better than those before.
    fn overhear<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
        word: &FromIsland,
    ) -> Result<(), SearchError> {
        match word {
            FromIsland::Report(Report { plan: Some(found), .. }) => self.found(comm, above, found),
            _ => Ok(()),
        }
    }

    fn found<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
        (plan, method): &(Arc<Plan>, Method),
    ) -> Result<(), SearchError> {
        let is_better = self.shown.is_none_or(|shown| plan.rank() < shown);
        if !is_better || !self.search.wants(plan) {
            return Ok(());
        }
        self.shown = Some(plan.rank());
        above.hear(comm, Early::Found(plan.clone(), method.clone()))
    }

    /// Takes a message during a leg.
    fn sort<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
        gathered: &mut Gathered,
        (rank, bytes): (usize, Vec<u8>),
    ) -> Result<(), SearchError> {
        // What a lost rank says when it wakes up is too late.
        if self.lost.contains(&rank) {
            return Ok(());
        }
        let islands = self.place.islands();
        let below = self.place.below.iter().position(|&(below, _)| below == rank);
        if below.is_none() && !islands.contains(&rank) {
            return above.take(rank, &bytes);
        }
        match (codec::decode(&bytes)?, below) {
            (IslandMessage::Answer(FromIsland::Interrupted), None) => {
                above.hear(comm, Early::Interrupted)
            }
            (IslandMessage::Answer(word), None) => {
                self.overhear(comm, above, &word)?;
                gathered.missing -= 1;
                gathered.words[rank - islands.start] = Some(word);
                Ok(())
            }
            (IslandMessage::Groups(FromGroups::Early(Early::Found(plan, method))), Some(_)) => {
                self.found(comm, above, &(plan, method))
            }
            (IslandMessage::Groups(FromGroups::Early(news)), Some(_)) => above.hear(comm, news),
            (IslandMessage::Groups(FromGroups::Answer(answer)), Some(below)) => {
                gathered.missing -= 1;
                gathered.answers[below] = Some(answer);
                Ok(())
            }
            _ => Err(CommError::OutOfTurn(rank).into()),
        }
    }
}

//! A branch of the tree of masters: a rank that runs groups, with its own island, the islands of its
//! groups on other ranks, and the masters below it. The rank polls while it waits, so that new
//! schedules and interrupts spread at once.

use super::tree::Place;
use crate::comm::{Census, CommError, Communicator, codec};
use crate::engines::Method;
use crate::islands::groups::{Answer, Decision, Early, FromGroups, Group, Terms};
use crate::islands::island::thread::Worker;
use crate::islands::protocol::{FromIsland, FromMaster, IslandMessage, MasterMessage, Report};
use crate::islands::{Search, SearchError};
use crate::schedule::Plan;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The most ranks that lengthen the time between two polls: more than these do not share a machine.
const MOST_TOGETHER: usize = 1024;

/// Time between two polls; longer for many islands, so that polling does not slow them down.
pub fn look<C: Communicator>(comm: &C) -> Duration {
    Duration::from_millis(5) * (1 + comm.size().min(MOST_TOGETHER) as u32 / 64)
}

/// What is above a branch: the master of the search, or the master of other groups.
pub trait Above<C> {
    /// Whether to break off the current leg.
    ///
    /// # Errors
    /// The master above is gone.
    fn breaks(&mut self, comm: &mut C) -> Result<bool, SearchError>;

    /// Takes news at once.
    ///
    /// # Errors
    /// They cannot be passed on.
    fn hear(&mut self, comm: &mut C, news: Early) -> Result<(), SearchError>;

    /// A message in the middle of a leg, from a rank that is not below.
    ///
    /// # Errors
    /// Nobody else has anything to say.
    fn take(&mut self, rank: usize, bytes: &[u8]) -> Result<(), SearchError>;
}

/// A rank that runs groups.
pub struct Branch<'a> {
    place: Place,
    groups: Vec<Group>,
    worker: Worker<'a>,
    search: Search,
    /// Whether statistics of islands are wanted.
    counts: bool,
    terms: Terms,
    /// The rank of the best schedule that was passed on.
    shown: Option<(usize, usize, usize)>,
}

/// The answers that have arrived.
struct Gathered {
    /// Of the islands of the groups, by number.
    words: Vec<Option<FromIsland>>,
    /// Of the masters below, in order.
    answers: Vec<Option<Answer>>,
}

impl Gathered {
    fn is_complete(&self) -> bool {
        !self.words.contains(&None) && !self.answers.contains(&None)
    }
}

impl<'a> Branch<'a> {
    /// A branch at a place of the tree; `worker` runs its own island.
    pub fn new(place: Place, worker: Worker<'a>, search: Search, counts: bool) -> Self {
        let groups = place.groups.iter().map(|islands| Group::new(islands.clone(), search));
        let terms = Terms { best: None, is_between: false };
        Branch { groups: groups.collect(), place, worker, search, counts, terms, shown: None }
    }

    /// Carries out a decision; returns the answer of all its groups.
    ///
    /// # Errors
    /// A member is gone or out of turn, an island fails, or what is above fails.
    pub fn leg<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
        (decision, terms): (Decision, Terms),
    ) -> Result<Answer, SearchError> {
        (self.terms, self.shown) = (terms, terms.best);
        let own = self.pass_on(comm, decision)?;
        self.worker.order(own)?;
        let Gathered { words, answers } = self.gather(comm, above)?;
        let mut words = words.into_iter().flatten();
        let mut whole: Option<Answer> = None;
        let mut join = |rank: usize, answer: Answer| {
            let joined = match whole.take() {
                None => Some(answer),
                Some(before) => before.join(answer),
            };
            whole = Some(joined.ok_or(CommError::OutOfTurn(rank))?);
            Ok::<(), CommError>(())
        };
        for (group, islands) in self.groups.iter_mut().zip(&self.place.groups) {
            let words = words.by_ref().take(islands.len()).collect();
            join(islands.start, group.answer(words, &terms, self.counts)?)?;
        }
        for (&(rank, _), answer) in self.place.below.iter().zip(answers.into_iter().flatten()) {
            join(rank, answer)?;
        }
        Ok(whole.ok_or(CommError::OutOfTurn(comm.rank()))?)
    }

    /// Ends the search in this branch: afterwards no message of it is under way. Returns the counts
    /// of all members.
    ///
    /// # Errors
    /// A member is gone.
    pub fn end<C: Communicator>(&mut self, comm: &mut C) -> Result<Census, SearchError> {
        self.pass_on(comm, Decision::End)?;
        let mut left: BTreeSet<usize> = self.place.children().collect();
        let mut below = Census::default();
        while !left.is_empty() {
            let (rank, bytes) = match comm.receive(look(comm)) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                // Threads end as soon as they have sent their last message.
                Err(CommError::Lost(rank)) if rank != 0 && !left.contains(&rank) => continue,
                Err(why) => return Err(why.into()),
            };
            // Interrupts that are told now come too late.
            if let IslandMessage::Ended(census) = codec::decode(&bytes)? {
                below.add(census);
                left.remove(&rank);
            }
        }
        Ok(below)
    }

    /// Sends a decision to all islands of its groups and all masters below; returns the message to
    /// the own island.
    fn pass_on<C: Communicator>(
        &mut self,
        comm: &mut C,
        decision: Decision,
    ) -> Result<FromMaster, SearchError> {
        let Branch { place, groups, terms, .. } = self;
        let shares: Vec<usize> =
            groups.iter().map(|_| 1).chain(place.below.iter().map(|&(_, groups)| groups)).collect();
        let mut parts = decision.split(&shares).into_iter();
        let mut orders = Vec::with_capacity(place.islands().len());
        for (group, part) in groups.iter_mut().zip(parts.by_ref()) {
            orders.extend(group.orders(part)?);
        }
        let own = orders.remove(0);
        let orders = orders.into_iter().map(MasterMessage::Order);
        let parts = parts.map(|part| MasterMessage::Decide(part, *terms));
        let messages = place.children().zip(orders.chain(parts));
        let messages = messages.map(|(rank, message)| Ok((rank, codec::encode(&message)?)));
        comm.send(messages.collect::<Result<_, CommError>>()?)?;
        Ok(own)
    }

    /// Collects the answers of all islands and all masters below.
    fn gather<C: Communicator>(
        &mut self,
        comm: &mut C,
        above: &mut impl Above<C>,
    ) -> Result<Gathered, SearchError> {
        let mut gathered = Gathered {
            words: self.place.islands().map(|_| None).collect(),
            answers: self.place.below.iter().map(|_| None).collect(),
        };
        let mut is_broken = false;
        let look = look(comm);
        while !gathered.is_complete() {
            if !is_broken && above.breaks(comm)? {
                is_broken = true;
                self.break_off(comm, &gathered)?;
            }
            let mut patience = look;
            if gathered.words[0].is_none() {
                let word = self.worker.wait(look)?;
                if let Some(word) = &word {
                    self.overhear(comm, above, word)?;
                }
                gathered.words[0] = word;
                patience = Duration::ZERO;
            }
            while !gathered.is_complete()
                && let Some((rank, bytes)) = comm.receive(patience)?
            {
                self.sort(comm, above, &mut gathered, (rank, bytes))?;
                // A wait for the own island or for a break must not last until all have answered.
                patience = Duration::ZERO;
            }
        }
        Ok(gathered)
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
                gathered.words[rank - islands.start] = Some(word);
                Ok(())
            }
            (IslandMessage::Groups(FromGroups::Early(Early::Found(plan, method))), Some(_)) => {
                self.found(comm, above, &(plan, method))
            }
            (IslandMessage::Groups(FromGroups::Early(news)), Some(_)) => above.hear(comm, news),
            (IslandMessage::Groups(FromGroups::Answer(answer)), Some(below)) => {
                gathered.answers[below] = Some(answer);
                Ok(())
            }
            _ => Err(CommError::OutOfTurn(rank).into()),
        }
    }
}

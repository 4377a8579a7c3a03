//! A branch of the tree of masters: a rank that runs groups, with its own island, the islands of its
//! groups on other ranks, and the masters below it.

use super::above::{Above, look};
use super::gather::Gathered;
use super::tree::Place;
use crate::comm::{Census, Communicator};
use crate::islands::groups::{Answer, Decision, Group, Terms};
use crate::islands::island::thread::Worker;
use crate::islands::protocol::{FromMaster, IslandMessage, MasterMessage};
use crate::islands::{Search, SearchError};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_model::schedule::PlanRank;
use std::collections::BTreeSet;
use std::iter;
use std::time::{Duration, Instant};

/// A rank that runs groups.
pub struct Branch<'a> {
    pub(super) place: Place,
    groups: Vec<Group>,
    pub(super) worker: Worker<'a>,
    pub(super) search: Search,
    /// Whether statistics of islands are wanted.
    counts: bool,
    pub(super) terms: Terms,
    /// The rank of the best schedule that was passed on.
    pub(super) shown: Option<PlanRank>,
    /// The ranks below that were given up.
    pub(super) lost: BTreeSet<usize>,
    /// The time after the end of the search within which all ranks answer.
    pub(super) patience: Duration,
}

/// The time in which a rank answers after the end of a search: its exchange loop does nothing else,
/// but its processor may have other work.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5000 });
/// Longer by this where the result is known already, and the ranks have nothing else to do.
const AT_THE_END: u32 = 4;
/// Longer by the time for this number of deliveries, whose state takes time to copy.
const PER_DELIVERIES: (Duration, usize) = (Duration::from_secs(1), 1_000_000);

impl<'a> Branch<'a> {
    /// A branch at a place of the tree; `worker` runs its own island.
    pub fn new(place: Place, worker: Worker<'a>, search: Search, counts: bool) -> Self {
        let groups = place.groups.iter().map(|islands| Group::new(islands.clone(), search));
        let terms = Terms { best: None, is_between: false };
        Branch {
            groups: groups.collect(),
            place,
            worker,
            search,
            counts,
            terms,
            shown: None,
            lost: BTreeSet::new(),
            patience: Duration::MAX,
        }
    }

    /// Gives up ranks that do not answer; the more deliveries, the later. Threads always answer.
    pub fn of_ranks(self, deliveries: usize) -> Self {
        // A master below gives up its own ranks first.
        let patience = if self.place.below.is_empty() { PATIENCE } else { PATIENCE * 2 };
        let (longer, each) = PER_DELIVERIES;
        Branch { patience: patience + longer * (deliveries / each) as u32, ..self }
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
        let Gathered { words, answers, .. } = self.gather(comm, above)?;
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

    /// Ends the search in this branch: afterwards no message of it is under way, but from and to ranks
    /// that do not answer in time and are given up. Returns the counts of all members.
    ///
    /// # Errors
    /// A member is gone.
    pub fn end<C: Communicator>(&mut self, comm: &mut C) -> Result<Census, SearchError> {
        self.pass_on(comm, Decision::End)?;
        let mut left: BTreeSet<usize> = self.place.children().collect();
        left.retain(|rank| !self.lost.contains(rank));
        let mut below = Census::default();
        let (begin, patience) = (Instant::now(), self.patience.saturating_mul(AT_THE_END));
        while !left.is_empty() {
            if begin.elapsed() >= patience {
                self.give_up(left, patience);
                break;
            }
            let (rank, bytes) = match comm.receive(look(comm)) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                // Threads end as soon as they have sent their last message.
                Err(CommError::Lost(rank)) if rank != 0 && !left.contains(&rank) => continue,
                Err(why) => return Err(why.into()),
            };
            // Interrupts that are told now come too late.
            if let IslandMessage::Ended(census) = codec::decode(&bytes)?
                && left.remove(&rank)
            {
                below.add(census);
            }
        }
        below.lost += self.lost.len();
        Ok(below)
    }

    /// Expects nothing more of ranks that are silent long after the end of the search: they are
    /// stopped, or their host is gone.
    pub(super) fn give_up(&mut self, silent: BTreeSet<usize>, patience: Duration) {
        let names: Vec<String> = silent.iter().map(usize::to_string).collect();
        log::error!(
            "{} {} did not answer within {} s of the end of the search; continuing without",
            if names.len() == 1 { "rank" } else { "ranks" },
            names.join(", "),
            patience.as_secs()
        );
        self.lost.extend(silent);
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
        let mut messages = encoded(orders)?;
        for part in parts {
            messages.push(codec::encode(&MasterMessage::Decide(part, *terms))?);
        }
        comm.send(place.children().zip(messages).collect())?;
        Ok(own)
    }
}

/// Messages to islands, as bytes. Those to the islands of a team are equal and may be long; they are encoded
/// once.
fn encoded(orders: Vec<FromMaster>) -> Result<Vec<Vec<u8>>, CommError> {
    let repeated = orders.windows(2).map(|two| two[0] == two[1]);
    let repeated: Vec<bool> = iter::once(false).chain(repeated).collect();
    let mut messages: Vec<Vec<u8>> = Vec::with_capacity(orders.len());
    for (order, is_repeated) in orders.into_iter().zip(repeated) {
        let bytes = match messages.last() {
            Some(bytes) if is_repeated => bytes.clone(),
            _ => codec::encode(&MasterMessage::Order(order))?,
        };
        messages.push(bytes);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_messages_and_others_are_encoded() {
        let orders = [1, 1, 2, 1].map(|steps| FromMaster::Seek(steps, None));
        let bytes = encoded(orders.to_vec()).unwrap();
        let decoded = bytes.iter().map(|bytes| match codec::decode(bytes).unwrap() {
            MasterMessage::Order(order) => order,
            other => panic!("{other:?} is no order"),
        });
        assert!(decoded.eq(orders));
    }
}

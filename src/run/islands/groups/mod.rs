//! Exchange groups: islands exchange inside groups of a fixed size, and each tenth exchange is one
//! between groups. What a group does depends on its own reports, on its own random numbers and on
//! the decision of the search's master, so it is the same on whatever rank it is computed.

mod decision;
mod exchange;
mod partners;
mod roulette;
mod summary;

pub use decision::{Decision, Terms};
pub use exchange::Group;
pub use partners::chosen;
pub use summary::{Answer, Early, FromGroups, Summary};

use super::protocol::{FromMaster, IslandState, Report};
use ccsched_base::rng::{Rng, rng_of};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The purposes of random numbers: exchanges inside a group, by its first island, and exchanges
/// between groups, by island 0.
const INSIDE: usize = 1;
const BETWEEN: usize = 4;

/// Each exchange whose number is a multiple of this is one between groups.
const BETWEEN_EVERY: u64 = 10;

/// Whether an exchange, counted from 1, is one between groups.
pub fn is_between(exchange: u64, groups: usize) -> bool {
    groups > 1 && exchange.is_multiple_of(BETWEEN_EVERY)
}

/// The generator of exchanges between groups.
pub fn rng_between(seed: u64) -> Rng {
    rng_of(seed, 0, BETWEEN)
}

/// The islands of each group, if there are `islands` in groups of `size`.
pub fn ranges(islands: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    let size = size.max(1);
    (0..islands.div_ceil(size)).map(move |group| {
        let first = group * size;
        first..islands.min(first + size)
    })
}

/// The state of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupState {
    pub(super) rng: Rng,
    pub(super) islands: Vec<IslandState>,
    /// The next message to each island.
    pub(super) orders: Vec<FromMaster>,
    /// After an interrupt within a leg: the reports of the islands that had finished it.
    pub(super) reports: Vec<Option<Report>>,
}

/// The same states for groups that together have `islands` islands; a group that is new begins with
/// the generator of a new search. States beyond the last island are dropped.
pub fn regroup(states: Vec<GroupState>, islands: usize, size: usize, seed: u64) -> Vec<GroupState> {
    let rngs: Vec<Rng> = states.iter().map(|state| state.rng.clone()).collect();
    let mut kept = Vec::new();
    for GroupState { islands, orders, mut reports, .. } in states {
        reports.resize(islands.len(), None);
        kept.extend(islands.into_iter().zip(orders).zip(reports));
    }
    let mut kept = kept.into_iter();
    let group = |(number, range): (usize, Range<usize>)| {
        let fresh = || rng_of(seed, range.start, INSIDE);
        let rng = rngs.get(number).cloned().unwrap_or_else(fresh);
        let (states, reports): (Vec<_>, Vec<_>) = kept.by_ref().take(range.len()).unzip();
        let (islands, orders) = states.into_iter().unzip();
        GroupState { rng, islands, orders, reports }
    };
    ranges(islands, size).enumerate().map(group).collect()
}

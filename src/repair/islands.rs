//! The islands of a repair in a number of steps: rounds that begin with the old schedule, then passes
//! that send moved messages home in the best so far.

use crate::Options;
use crate::engines::search::scatter::{CHAIN, Repair, Repaired};
use crate::rng::rng_of;
use std::time::Instant;

/// Rounds of every island in a number of steps.
const ROUNDS: u64 = 6;
/// Passes of every island over the moved messages of its best round.
pub(super) const PASSES: u64 = 60;

/// A repair to make.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub steps: u32,
    /// A repair in as many or fewer steps.
    pub before: Option<&'w Repaired>,
    /// No repair moves fewer messages.
    pub least: usize,
    /// Passes over the moved messages; if none, any repair will do.
    pub passes: u64,
}

/// A repair, and when it was found.
pub(super) struct Found {
    pub repaired: Repaired,
    pub at: Instant,
}

/// A repair in a number of steps or some more, at once, with its number of steps.
pub(super) fn first(search: &mut Repair, steps: u32, seed: u64) -> Option<(u32, Repaired)> {
    let mut rng = rng_of(seed, 0, 1);
    let more = std::iter::successors(Some(1), |more| Some(2 * more)).take_while(|&m| m <= steps);
    let mut targets = std::iter::once(0).chain(more).map(|more| steps + more);
    targets.find_map(|steps| Some((steps, search.round(steps, &mut rng)?)))
}

/// The best repair of all islands; the same on any machine, unless it is over before. `is_over` is
/// asked whether rounds, or all, are over.
pub(super) fn repair(
    search: &Repair,
    work: Work<'_>,
    options: &Options,
    is_over: &(dyn Fn(bool) -> bool + Sync),
) -> Option<Found> {
    let found: Vec<Option<Found>> = std::thread::scope(|scope| {
        let of_island = |island: usize| {
            let search = search.clone();
            scope.spawn(move || of_island(search, work, (island, options.seed), is_over))
        };
        let threads: Vec<_> = (0..options.islands()).map(of_island).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(None)).collect()
    });
    found.into_iter().flatten().min_by_key(|found| found.repaired.moved)
}

fn of_island(
    mut search: Repair,
    work: Work<'_>,
    (island, seed): (usize, u64),
    is_over: &dyn Fn(bool) -> bool,
) -> Option<Found> {
    let Work { steps, least, .. } = work;
    let mut rng = rng_of(seed, island, 0);
    let found = |repaired: Repaired| Found { repaired, at: Instant::now() };
    let mut best = work.before.cloned().map(found);
    for round in 0..ROUNDS {
        let is_enough =
            best.as_ref().is_some_and(|best| best.repaired.moved == least || work.passes == 0);
        // One round is always made, unless there is a repair.
        if is_enough || ((round > 0 || best.is_some()) && is_over(best.is_some())) {
            break;
        }
        let Some(other) = search.round(steps, &mut rng) else { continue };
        if best.as_ref().is_none_or(|best| other.moved < best.repaired.moved) {
            best = Some(found(other));
        }
    }
    let mut best = best?;
    if work.passes > 0 && best.repaired.moved > least {
        search.adopt(steps, &best.repaired);
    }
    for _ in 0..work.passes {
        if best.repaired.moved == least || is_over(false) {
            break;
        }
        if search.send_home(CHAIN, &mut rng) {
            best = found(search.repaired());
        }
    }
    Some(best)
}

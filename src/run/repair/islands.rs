//! The islands of a repair in a number of steps: rounds that begin with the old schedule, then passes
//! that send moved messages home in the best so far.

use crate::Options;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_engines::search::scatter::{CHAIN, Repair, Repaired};
use ccsched_engines::sized::{TimedRepair, TimedRepaired};
use std::time::Instant;

/// Rounds of every island in a number of steps.
const ROUNDS: u64 = 6;
/// Passes of every island over the moved messages of its best round.
pub(super) const PASSES: u64 = 60;
/// The share of the time of a row that rounds from the old schedule have, before the best is improved.
const SHARE_OF_ROUNDS: u32 = 3;

/// When the rounds of a row end, and when all of it, if `rows` are to be made in what is left of the time
/// since `begin`.
pub(super) fn ends(options: &Options, begin: Instant, rows: u32) -> Option<[Instant; 2]> {
    let share = options.limits.time?.saturating_sub(begin.elapsed()) / rows.max(1);
    let now = Instant::now();
    Some([now + share / SHARE_OF_ROUNDS, now + share])
}

/// What makes repairs: a round begins with the old schedule, a pass goes on with a repair.
pub(super) trait Rounds: Clone + Send + Sync {
    type Repaired: Clone + Send + Sync;

    /// A repair within a number of steps, or before an end; `is_over` may end it without one.
    fn round(
        &mut self,
        within: u64,
        rng: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Self::Repaired>;

    fn adopt(&mut self, within: u64, from: &Self::Repaired);

    /// Sends moved messages home; whether fewer have moved than before.
    fn pass(&mut self, rng: &mut Rng, is_over: &dyn Fn() -> bool) -> bool;

    fn repaired(&self) -> Self::Repaired;

    fn moved(of: &Self::Repaired) -> usize;
}

impl Rounds for Repair {
    type Repaired = Repaired;

    fn round(&mut self, within: u64, rng: &mut Rng, _: &dyn Fn() -> bool) -> Option<Repaired> {
        self.round(within as u32, rng)
    }

    fn adopt(&mut self, within: u64, from: &Repaired) {
        self.adopt(within as u32, from);
    }

    fn pass(&mut self, rng: &mut Rng, _: &dyn Fn() -> bool) -> bool {
        self.send_home(CHAIN, rng)
    }

    fn repaired(&self) -> Repaired {
        self.repaired()
    }

    fn moved(of: &Repaired) -> usize {
        of.moved
    }
}

impl Rounds for TimedRepair<'_> {
    type Repaired = TimedRepaired;

    fn round(
        &mut self,
        within: u64,
        rng: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Option<TimedRepaired> {
        self.round(within, rng, is_over)
    }

    fn adopt(&mut self, within: u64, from: &TimedRepaired) {
        self.adopt(within, from);
    }

    fn pass(&mut self, rng: &mut Rng, is_over: &dyn Fn() -> bool) -> bool {
        self.send_home(CHAIN, rng, is_over)
    }

    fn repaired(&self) -> TimedRepaired {
        self.repaired()
    }

    fn moved(of: &TimedRepaired) -> usize {
        of.moved
    }
}

/// A repair to make.
#[derive(Clone, Copy)]
pub(super) struct Work<'w, R> {
    /// The number of steps, or the end.
    pub within: u64,
    /// A repair in as many or fewer steps.
    pub before: Option<&'w R>,
    /// No repair moves fewer messages.
    pub least: usize,
    /// Passes over the moved messages; if none, any repair will do.
    pub passes: u64,
}

/// A repair, and when it was found.
pub(super) struct Found<R> {
    pub repaired: R,
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
pub(super) fn repair<S: Rounds>(
    search: &S,
    work: Work<'_, S::Repaired>,
    options: &Options,
    is_over: &(dyn Fn(bool) -> bool + Sync),
) -> Option<Found<S::Repaired>> {
    let found: Vec<Option<Found<S::Repaired>>> = std::thread::scope(|scope| {
        let work = &work;
        let of_island = |island: usize| {
            let search = search.clone();
            scope.spawn(move || of_island(search, work, (island, options.seed), is_over))
        };
        let threads: Vec<_> = (0..options.islands()).map(of_island).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(None)).collect()
    });
    found.into_iter().flatten().min_by_key(|found| S::moved(&found.repaired))
}

fn of_island<S: Rounds>(
    mut search: S,
    work: &Work<'_, S::Repaired>,
    (island, seed): (usize, u64),
    is_over: &dyn Fn(bool) -> bool,
) -> Option<Found<S::Repaired>> {
    let Work { within, least, before, passes } = *work;
    let mut rng = rng_of(seed, island, 0);
    let found = |repaired: S::Repaired| Found { repaired, at: Instant::now() };
    let moved = |of: &Found<S::Repaired>| S::moved(&of.repaired);
    let mut best = before.cloned().map(found);
    for round in 0..ROUNDS {
        let is_enough = best.as_ref().is_some_and(|best| moved(best) == least || passes == 0);
        // One round is always made, unless there is a repair.
        let is_first = round == 0 && best.is_none();
        if is_enough || (!is_first && is_over(best.is_some())) {
            break;
        }
        let has_one = best.is_some();
        let cut = || is_over(has_one);
        let Some(other) = search.round(within, &mut rng, &cut).map(found) else { continue };
        if best.as_ref().is_none_or(|best| moved(&other) < moved(best)) {
            best = Some(other);
        }
    }
    let mut best = best?;
    if passes > 0 && moved(&best) > least {
        search.adopt(within, &best.repaired);
    }
    for _ in 0..passes {
        if moved(&best) == least || is_over(false) {
            break;
        }
        if search.pass(&mut rng, &|| is_over(false)) {
            best = found(search.repaired());
        }
    }
    Some(best)
}

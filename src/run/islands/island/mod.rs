//! An island: a walker that follows the messages of the master, one after the other.

mod snapshot;
pub(super) mod thread;

use super::Search;
use super::protocol::{FromIsland, FromMaster, Report};
use super::protocol::{IslandState, Leg};
use ccsched_base::caught::caught;
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_engines::{Genome, Method, Seat, Walker};
use ccsched_model::schedule::Plan;
use snapshot::{Copy, Snapshot};
use std::sync::Arc;

/// Iterations between two snapshots of an island that keeps them.
const COPY_EVERY: u64 = 10;

/// A walker with its random numbers and its leg.
pub struct Island<'a> {
    walker: Box<dyn Walker>,
    rng: Rng,
    leg: Leg,
    /// Iterations between two exchanges.
    leg_length: u64,
    /// Whether to break off; called between two iterations.
    breaks: Box<dyn Fn() -> bool + Send + 'a>,
    is_broken: bool,
    /// Whether it continues from a saved state.
    is_resumed: bool,
    /// The snapshot, if the search keeps states.
    snapshot: Option<Arc<Snapshot>>,
    rank: usize,
    /// What its best schedule cost that others know, if it improves one.
    told: u64,
    /// Ejection moves of all its legs, and evaluations.
    moves: (u64, u64),
    /// Whether its walker has panicked: nothing of it is used any more.
    has_failed: bool,
}

impl<'a> Island<'a> {
    /// Island number `rank` of `islands`, which breaks off between two iterations when `breaks`
    /// returns true.
    pub fn new(
        (rank, islands): (usize, usize),
        mut walker: Box<dyn Walker>,
        search: &Search,
        breaks: impl Fn() -> bool + Send + 'a,
    ) -> Self {
        let (group, seed, is_open) = (search.exchange_group, search.seed, search.goal.is_none());
        walker.settle(Seat { group, seed, is_open, ..Seat::among(rank, islands) });
        let rng = rng_of(search.seed, rank, 0);
        let (leg_length, breaks) = (search.exchange_every, Box::new(breaks));
        let leg = Leg::default();
        let (is_broken, is_resumed) = (false, false);
        let (snapshot, moves, has_failed) = (None, (0, 0), false);
        Island {
            walker,
            rng,
            leg,
            leg_length,
            breaks,
            is_broken,
            is_resumed,
            snapshot,
            rank,
            told: u64::MAX,
            moves,
            has_failed,
        }
    }

    /// Keeps a snapshot up to date.
    pub fn with_snapshot(self, snapshot: Arc<Snapshot>) -> Self {
        Island { snapshot: Some(snapshot), ..self }
    }

    /// Follows a message of the master; returns the answer. An island that panics is out of the search, which goes on with
    /// the others.
    pub fn obey(&mut self, orders: FromMaster) -> Result<FromIsland, CommError> {
        if self.has_failed {
            return Ok(out_of_search(orders == FromMaster::Save));
        }
        // A damaged state that its walker has not recognised is an input, and no reason to panic.
        let loads = matches!(orders, FromMaster::Load(..));
        let saves = orders == FromMaster::Save;
        match caught(|| self.follow(orders)) {
            Ok(word) => word,
            Err(_) if loads => Err(CommError::Unfit("parts of an island")),
            Err(why) => {
                self.has_failed = true;
                warn_of_failure(self.rank, &why);
                Ok(out_of_search(saves))
            }
        }
    }

    /// Moves of all legs so far: ejection moves, or evaluations of a search without.
    pub fn moves(&self) -> u64 {
        match self.moves {
            (0, evaluations) => evaluations,
            (ejections, _) => ejections,
        }
    }

    /// Whether it is out of the search.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn follow(&mut self, orders: FromMaster) -> Result<FromIsland, CommError> {
        let mut leg = Leg { left: self.leg_length, ..Leg::default() };
        match orders {
            FromMaster::Save => return self.save(),
            FromMaster::Load(state, then) => {
                self.is_resumed = true;
                if state.leg.left > self.leg_length {
                    return Err(CommError::Unsound("the iterations left must be those of a leg"));
                }
                self.walker.load(&state.walker)?;
                (self.rng, self.leg) = (state.rng, state.leg);
                return self.follow(*then);
            }
            FromMaster::Wait | FromMaster::Break | FromMaster::End => {
                return Ok(FromIsland::Report(Report::default()));
            }
            FromMaster::GoOn => leg = self.leg,
            FromMaster::Seek(goal, partner) => {
                // First, while the genes of both are for the same number of steps.
                leg.evaluations = self.cross_over(partner)?;
                leg.evaluations += self.walker.aim(goal, &mut self.rng);
            }
            FromMaster::CrossOver(partner) => leg.evaluations = self.cross_over(partner)?,
        }
        self.leg = leg;
        let report = self.search_on();
        self.moves.0 += report.tally.ejections;
        self.moves.1 += report.evaluations;
        Ok(FromIsland::Report(report))
    }

    fn cross_over(&mut self, partner: Option<Genome>) -> Result<u64, CommError> {
        let mut moves = 0;
        for genome in partner.iter().flat_map(Genome::each) {
            if self.is_resumed && !self.walker.can_meet(genome) {
                return Err(CommError::Unsound("the genome of a partner must be a solution"));
            }
            moves += self.walker.cross_over(genome, &mut self.rng);
        }
        // What it has taken over is known.
        self.told = self.told.min(self.walker.best().unwrap_or(u64::MAX));
        Ok(moves)
    }

    /// Runs the iterations left in the leg, fewer if the solution becomes a schedule.
    fn search_on(&mut self) -> Report {
        let mut is_due = false;
        while self.leg.left > 0 && self.walker.cost() > 0 && !is_due {
            if (self.breaks)() {
                self.is_broken = true;
                return Report { broken_off: true, plan: self.improved(), ..self.report() };
            }
            self.copy_now_and_then();
            self.leg.evaluations += self.walker.iterate_until(&mut self.rng, &self.breaks);
            let pause = self.walker.pause();
            self.leg.left = self.leg.left.saturating_sub(pause.iterations);
            is_due = pause.is_due;
        }
        self.count();
        let mut plan = self.improved();
        if self.walker.cost() == 0 && plan.is_none() {
            self.walker.polish(&mut self.rng);
            plan = self.walker.reported().map(|plan| (plan, self.walker.method()));
        }
        let report = self.report();
        let passed = if self.walker.pause().is_due { report.iterations } else { self.leg_length };
        Report { plan, genome: self.walker.genome(), passed, ..report }
    }

    /// The schedule of a walker that improves its best one, if others do not know it.
    fn improved(&mut self) -> Option<(Arc<Plan>, Method)> {
        let best = self.walker.best().filter(|&best| best < self.told)?;
        self.told = best;
        self.walker.reported().map(|plan| (plan, self.walker.method()))
    }

    /// Adds the counts of the walker to those of the leg.
    fn count(&mut self) {
        self.leg.tally += self.walker.tally();
    }

    /// Updates the snapshot by the number of iterations, not by a clock, so that copying takes the
    /// same share of time in any search. At the end of a leg the worker makes the copy.
    fn copy_now_and_then(&mut self) {
        let Some(snapshot) = self.snapshot.clone() else { return };
        let is_new = self.leg.left == self.leg_length;
        if self.leg.left.is_multiple_of(COPY_EVERY) && !is_new || snapshot.is_empty() {
            self.count();
            snapshot.put(self.copy(), FromMaster::GoOn);
        }
    }

    /// A copy of the present island.
    pub fn copy(&self) -> Copy {
        Copy { walker: self.walker.clone(), rng: self.rng.clone(), leg: self.leg }
    }

    fn save(&mut self) -> Result<FromIsland, CommError> {
        self.count();
        let (rng, walker, leg) = (self.rng.clone(), self.walker.save()?, self.leg);
        let next = if self.is_broken { FromMaster::GoOn } else { FromMaster::Wait };
        Ok(FromIsland::State(Some(Box::new((IslandState { rng, walker, leg }, next)))))
    }

    fn report(&self) -> Report {
        Report {
            cost: self.walker.cost(),
            mean_cost: self.walker.mean_cost(),
            plan: None,
            genome: Genome::Nothing,
            patience: self.walker.patience(),
            iterations: self.leg_length - self.leg.left,
            passed: 0,
            evaluations: self.leg.evaluations,
            temperature: self.walker.temperature(),
            tally: self.leg.tally,
            broken_off: false,
        }
    }
}

/// The answer of an island that is out of the search.
fn out_of_search(saves: bool) -> FromIsland {
    if saves { FromIsland::State(None) } else { FromIsland::Failed }
}

/// Says that an island is out of the search.
fn warn_of_failure(rank: usize, why: &str) {
    log::warn!(
        "internal error, please report it: island {rank} has failed, and the search goes on without it: {why}"
    );
}

//! The life of an island: it obeys the master, one order after the other.

mod snapshot;
pub(super) mod thread;

use super::Search;
use super::protocol::{FromIsland, FromMaster, Report};
use super::state::{IslandState, Leg};
use crate::comm::CommError;
use crate::engines::{Genome, Walker};
use crate::rng::{Rng, rng_of};
use snapshot::{Copy, Snapshot};
use std::sync::Arc;

/// Iterations after which an island that keeps copies of itself makes a new one.
const COPY_EVERY: u64 = 10;

/// A walker and what it needs to obey.
pub struct Island<'a> {
    walker: Box<dyn Walker>,
    rng: Rng,
    leg: Leg,
    /// Iterations between two exchanges.
    leg_length: u64,
    /// Whether to break off; asked between two iterations.
    breaks: Box<dyn Fn() -> bool + Send + 'a>,
    is_broken: bool,
    /// Where copies are kept, if any are wanted.
    snapshot: Option<Arc<Snapshot>>,
}

impl<'a> Island<'a> {
    /// Island number `rank`, which breaks off between two iterations when `breaks` says so.
    pub fn new(
        rank: usize,
        mut walker: Box<dyn Walker>,
        search: &Search,
        breaks: impl Fn() -> bool + Send + 'a,
    ) -> Self {
        walker.settle(rank);
        let rng = rng_of(search.seed, rank, 0);
        let (leg_length, breaks) = (search.exchange_every, Box::new(breaks));
        let leg = Leg::default();
        Island { walker, rng, leg, leg_length, breaks, is_broken: false, snapshot: None }
    }

    /// Keeps copies in a snapshot.
    pub fn with_snapshot(self, snapshot: Arc<Snapshot>) -> Self {
        Island { snapshot: Some(snapshot), ..self }
    }

    /// Does what the master wants, and answers.
    pub fn obey(&mut self, orders: FromMaster) -> Result<FromIsland, CommError> {
        let mut leg = Leg { left: self.leg_length, ..Leg::default() };
        match orders {
            FromMaster::Save => return self.save(),
            FromMaster::Load(state, then) => {
                self.walker.load(&state.walker)?;
                (self.rng, self.leg) = (state.rng, state.leg);
                return self.obey(*then);
            }
            FromMaster::Wait | FromMaster::Break | FromMaster::End => {
                return Ok(FromIsland::Report(Report::default()));
            }
            FromMaster::GoOn => leg = self.leg,
            FromMaster::Seek(steps) => leg.evaluations = self.walker.seek(steps, &mut self.rng),
            FromMaster::CrossOver(partner) => {
                if let Some(genome) = partner {
                    leg.evaluations += self.walker.cross_over(&genome, &mut self.rng);
                }
            }
        }
        self.leg = leg;
        Ok(FromIsland::Report(self.search_on()))
    }

    /// The iterations that are left, fewer if the solution becomes a schedule.
    fn search_on(&mut self) -> Report {
        while self.leg.left > 0 && self.walker.cost() > 0 {
            if (self.breaks)() {
                self.is_broken = true;
                return Report { broken_off: true, ..self.report() };
            }
            self.copy_now_and_then();
            self.leg.evaluations += self.walker.iterate(&mut self.rng);
            self.leg.left -= 1;
        }
        self.count();
        if self.walker.cost() > 0 {
            return Report { genome: self.walker.genome(), ..self.report() };
        }
        self.walker.polish(&mut self.rng);
        let plan = Some((self.walker.plan(), self.walker.method()));
        Report { plan, ..self.report() }
    }

    /// Takes over what the walker has counted.
    fn count(&mut self) {
        self.leg.tally += self.walker.tally();
    }

    /// By the number of iterations, not by a clock: copies cost the same share of the time of any
    /// search. The one at the end of a leg is the worker's.
    fn copy_now_and_then(&mut self) {
        let Some(snapshot) = self.snapshot.clone() else { return };
        let is_new = self.leg.left == self.leg_length;
        if self.leg.left.is_multiple_of(COPY_EVERY) && !is_new || snapshot.is_empty() {
            self.count();
            snapshot.put(self.copy(), FromMaster::GoOn);
        }
    }

    /// This island as it is now.
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
            plan: None,
            genome: Genome::Nothing,
            patience: self.walker.patience(),
            iterations: self.leg_length - self.leg.left,
            evaluations: self.leg.evaluations,
            temperature: self.walker.temperature(),
            tally: self.leg.tally,
            broken_off: false,
        }
    }
}

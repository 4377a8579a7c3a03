//! The life of an island: it obeys the master, one order after the other.

use super::Search;
use super::messages::{Orders, Report, Word};
use super::shelf::{Copy, Shelf};
use super::state::{IslandState, Leg};
use crate::comm::CommError;
use crate::engines::{Genome, Rng, Walker, rng_of};
use std::sync::Arc;

/// Iterations after which an island that keeps copies of itself makes a new one.
const COPY_EVERY: u64 = 10;

/// A walker and what it needs to obey.
pub struct Island<'a> {
    walker: Box<dyn Walker>,
    rng: Rng,
    leg: Leg,
    /// Iterations between two exchanges.
    stretch: u64,
    /// Whether to break off; asked between two iterations.
    breaks: Box<dyn Fn() -> bool + Send + 'a>,
    is_broken: bool,
    /// Where copies are kept, if any are wanted.
    shelf: Option<Arc<Shelf>>,
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
        let (stretch, breaks) = (search.exchange_every, Box::new(breaks));
        let leg = Leg::default();
        Island { walker, rng, leg, stretch, breaks, is_broken: false, shelf: None }
    }

    /// Keeps copies on a shelf.
    pub fn with_shelf(self, shelf: Arc<Shelf>) -> Self {
        Island { shelf: Some(shelf), ..self }
    }

    /// Does what the master wants, and answers.
    pub fn obey(&mut self, orders: Orders) -> Result<Word, CommError> {
        let mut leg = Leg { left: self.stretch, ..Leg::default() };
        match orders {
            Orders::Save => return self.save(),
            Orders::Load(state, then) => {
                self.walker.load(&state.walker)?;
                (self.rng, self.leg) = (state.rng, state.leg);
                return self.obey(*then);
            }
            Orders::Wait | Orders::Break | Orders::Stop => {
                return Ok(Word::Report(Report::default()));
            }
            Orders::GoOn => leg = self.leg,
            Orders::Seek(steps) => leg.evaluations = self.walker.seek(steps, &mut self.rng),
            Orders::Meet(partner) => {
                if let Some(genome) = partner {
                    self.walker.meet(&genome, &mut self.rng);
                }
            }
        }
        self.leg = leg;
        Ok(Word::Report(self.search_on()))
    }

    /// The iterations that are left, fewer if the solution becomes a schedule.
    fn search_on(&mut self) -> Report {
        while self.leg.left > 0 && self.walker.cost() > 0 {
            if (self.breaks)() {
                self.is_broken = true;
                return Report { broken_off: true, ..self.report() };
            }
            self.copy_now_and_then();
            self.leg.evaluations += self.walker.sweep(&mut self.rng);
            self.leg.left -= 1;
        }
        self.count();
        if self.walker.cost() > 0 {
            return Report { genome: self.walker.genome(), ..self.report() };
        }
        self.walker.polish(&mut self.rng);
        let plan = Some((self.walker.plan(), self.walker.way()));
        Report { plan, ..self.report() }
    }

    /// Takes over what the walker has counted.
    fn count(&mut self) {
        self.leg.tally += self.walker.tally();
    }

    /// By the number of iterations, not by a clock: copies cost the same share of the time of any
    /// search. The one at the end of a leg is the worker's.
    fn copy_now_and_then(&mut self) {
        let Some(shelf) = self.shelf.clone() else { return };
        let is_new = self.leg.left == self.stretch;
        if self.leg.left.is_multiple_of(COPY_EVERY) && !is_new || shelf.is_empty() {
            self.count();
            shelf.put(self.copy(), Orders::GoOn);
        }
    }

    /// This island as it is now.
    pub fn copy(&self) -> Copy {
        Copy { walker: self.walker.clone(), rng: self.rng.clone(), leg: self.leg }
    }

    fn save(&mut self) -> Result<Word, CommError> {
        self.count();
        let (rng, walker, leg) = (self.rng.clone(), self.walker.save()?, self.leg);
        let next = if self.is_broken { Orders::GoOn } else { Orders::Wait };
        Ok(Word::State(Some(Box::new((IslandState { rng, walker, leg }, next)))))
    }

    fn report(&self) -> Report {
        Report {
            cost: self.walker.cost(),
            plan: None,
            genome: Genome::Nothing,
            patience: self.walker.patience(),
            evaluations: self.leg.evaluations,
            temperature: self.walker.temperature(),
            tally: self.leg.tally,
            broken_off: false,
        }
    }
}

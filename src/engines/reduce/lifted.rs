//! The search for the inner problem of a reduction, as a [`Walker`] of the whole problem.

use super::Reduction;
use crate::{Genome, Method, Pause, Resume, Seat, Tally, Walker};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The search; islands show each other what it finds for the inner problem.
#[derive(Clone)]
pub struct Lifted {
    reduction: Arc<dyn Reduction>,
    search: Box<dyn Walker>,
}

impl Lifted {
    /// Carries back what a search for the inner problem finds.
    pub fn new(reduction: Arc<dyn Reduction>, search: Box<dyn Walker>) -> Self {
        Lifted { reduction, search }
    }
}

impl Walker for Lifted {
    fn settle(&mut self, seat: Seat) {
        self.search.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.search.seek(self.reduction.steps(steps), rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.search.iterate(rng)
    }

    fn pause(&self) -> Pause {
        self.search.pause()
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        self.search.cross_over(partner, rng)
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        self.search.can_meet(partner)
    }

    fn cost(&self) -> u64 {
        self.search.cost()
    }

    fn genome(&self) -> Genome {
        self.search.genome()
    }

    fn shows(&self) -> bool {
        self.search.shows()
    }

    fn temperature(&self) -> f64 {
        self.search.temperature()
    }

    fn polish(&mut self, rng: &mut Rng) {
        self.search.polish(rng);
    }

    fn patience(&self) -> u64 {
        self.search.patience()
    }

    fn tally(&mut self) -> Tally {
        self.search.tally()
    }

    fn method(&self) -> Method {
        self.reduction.method(self.search.method())
    }

    fn plan(&self) -> Plan {
        self.reduction.plan(self.search.plan())
    }
}

impl Resume for Lifted {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        self.search.save()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        self.search.load(state)
    }
}

//! A search for the problem of the switches, as a [`Walker`] of the problem of the hosts.

use super::Together;
use crate::comm::CommError;
use crate::engines::{Genome, Method, Resume, Tally, Walker};
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// The search; islands show each other what it finds for the switches.
#[derive(Clone)]
pub struct TogetherWalker {
    together: Arc<Together>,
    search: Box<dyn Walker>,
}

impl TogetherWalker {
    /// A search for [`Together::problem`].
    pub fn new(together: Together, search: Box<dyn Walker>) -> Self {
        TogetherWalker { together: Arc::new(together), search }
    }
}

impl Walker for TogetherWalker {
    fn settle(&mut self, island: usize, islands: usize) {
        self.search.settle(island, islands);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.search.seek(self.together.steps(steps), rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.search.iterate(rng)
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
        Method::Together(Box::new(self.search.method()))
    }

    fn plan(&self) -> Plan {
        self.together.apart(&self.search.plan())
    }
}

impl Resume for TogetherWalker {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        self.search.save()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        self.search.load(state)
    }
}

//! The search for the inner problem of a reduction, as a [`Walker`] of the whole problem.

use super::Reduction;
use crate::{Method, Resume, Walker};
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
    fn inner(&self) -> Option<&dyn Walker> {
        Some(&*self.search)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        Some(&mut *self.search)
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.search.seek(self.reduction.steps(steps), rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.search.iterate(rng)
    }

    fn cost(&self) -> u64 {
        self.search.cost()
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

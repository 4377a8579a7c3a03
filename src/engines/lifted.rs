//! A search for one problem, as a [`Walker`] of another one.

use super::{Genome, Method, Resume, Seat, Tally, Walker};
use crate::comm::CommError;
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// How schedules of a problem that is searched become schedules of the whole problem.
pub trait Lift: Send + Sync {
    /// The steps of the problem that is searched that stand for so many of the whole; at least 1.
    fn steps(&self, steps: u32) -> u32;

    /// The schedule of the whole problem.
    fn plan(&self, plan: &Plan) -> Plan;

    /// The method of the whole.
    fn method(&self, method: Method) -> Method;
}

/// The search; islands show each other what it finds for the problem that is searched.
#[derive(Clone)]
pub struct Lifted {
    lift: Arc<dyn Lift>,
    search: Box<dyn Walker>,
}

impl Lifted {
    /// Lifts what a search finds.
    pub fn new(lift: impl Lift + 'static, search: Box<dyn Walker>) -> Self {
        Lifted { lift: Arc::new(lift), search }
    }
}

impl Walker for Lifted {
    fn settle(&mut self, seat: Seat) {
        self.search.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.search.seek(self.lift.steps(steps), rng)
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
        self.lift.method(self.search.method())
    }

    fn plan(&self) -> Plan {
        self.lift.plan(&self.search.plan())
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

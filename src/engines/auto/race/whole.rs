//! The search for a large scatter on the whole network: step packing, and on networks with narrow
//! bottlenecks on some islands the search that schedules those first.

use crate::comm::CommError;
use crate::engines::policy::is_around_bottlenecks;
use crate::engines::search::narrow::Narrow;
use crate::engines::search::packing::Packing;
use crate::engines::{Genome, Method, Resume, Seat, Walker};
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// One of the two, as the island decides.
#[derive(Clone)]
pub struct Whole {
    packing: Packing,
    narrow: Option<Narrow>,
    is_narrow: bool,
}

impl Whole {
    /// Both searches, as far as they are for this problem.
    pub fn new(problem: &Arc<Problem>, seed: u64) -> Self {
        let narrow = Narrow::new(problem, seed);
        Whole { packing: Packing::new(problem.clone()), narrow, is_narrow: false }
    }

    fn now(&self) -> &dyn Walker {
        match &self.narrow {
            Some(narrow) if self.is_narrow => narrow,
            _ => &self.packing,
        }
    }

    fn now_mut(&mut self) -> &mut dyn Walker {
        match &mut self.narrow {
            Some(narrow) if self.is_narrow => narrow,
            _ => &mut self.packing,
        }
    }
}

impl Walker for Whole {
    fn settle(&mut self, mut seat: Seat) {
        if self.narrow.is_some() {
            seat = seat.with_team(|island| !is_around_bottlenecks(island));
        }
        self.is_narrow = is_around_bottlenecks(seat.island) && self.narrow.is_some();
        // Its tables are large.
        self.narrow.take_if(|_| !is_around_bottlenecks(seat.island));
        self.packing.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.now_mut().seek(steps, rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.now_mut().iterate(rng)
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        self.now_mut().cross_over(partner, rng)
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        self.now().can_meet(partner)
    }

    fn cost(&self) -> u64 {
        self.now().cost()
    }

    fn genome(&self) -> Genome {
        self.now().genome()
    }

    fn method(&self) -> Method {
        self.now().method()
    }

    fn plan(&self) -> Plan {
        self.now().plan()
    }
}

impl Resume for Whole {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        self.now().save()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        self.now_mut().load(state)
    }
}

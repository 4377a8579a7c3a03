//! Step packing as a [`Walker`]. It takes no notice of the number of steps sought: it shows every
//! schedule that is shorter than its last.

use super::{Packing, Phase};
use crate::engines::{Genome, Method, Walker};
use crate::rng::Rng;
use crate::schedule::Plan;

impl Walker for Packing {
    fn settle(&mut self, island: usize) {
        // Every other island starts with the longer second pass.
        self.pass = (island as u32 + 1) % 2;
    }

    fn seek(&mut self, _steps: u32, _rng: &mut Rng) -> u64 {
        self.is_new = false;
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.quiet = self.quiet.saturating_add(1);
        match self.phase {
            Phase::Plan(rounds, next) => self.plan_some(rounds, next, rng),
            Phase::Fill => self.fill_some(rng),
            Phase::Tail(without) => self.pack_tail(without, rng),
        }
    }

    fn cross_over(&mut self, _partner: &Genome, _rng: &mut Rng) -> u64 {
        0
    }

    fn cost(&self) -> u64 {
        match self.phase {
            _ if self.is_new => 0,
            Phase::Tail(_) => (self.tail.waiting() as u64).max(1),
            _ => self.messages.max(1),
        }
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn method(&self) -> Method {
        Method::StepPacking
    }

    fn plan(&self) -> Plan {
        self.best.plan(&self.ground)
    }
}

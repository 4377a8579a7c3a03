//! Searches side by side, where switches copy and add up: that over trees, and one that takes other schedules,
//! which are valid as well. The shorter schedule counts.

use crate::{Method, Resume, Seat, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;

/// Two searches.
#[derive(Clone)]
pub struct Beside {
    trees: Box<dyn Walker>,
    other: Box<dyn Walker>,
    /// The other one has no schedule of fewer steps.
    least: u32,
    /// Whether the other one seeks the goal.
    is_sought: bool,
}

impl Beside {
    /// A search over trees, and another one whose schedules have `least` steps or more.
    pub fn new(trees: Box<dyn Walker>, other: Box<dyn Walker>, least: u32) -> Self {
        Beside { trees, other, least, is_sought: false }
    }

    /// The cost of the other search; the largest number while it seeks nothing.
    fn of_other(&self) -> u64 {
        if self.is_sought { self.other.cost() } else { u64::MAX }
    }

    /// The one with the schedule, or the one that is nearer to it.
    fn better(&self) -> &dyn Walker {
        let [trees, other] = [self.trees.cost(), self.of_other()];
        let is_shorter = || self.other.plan().len() < self.trees.plan().len();
        match trees < other || trees == other && !is_shorter() {
            true => &*self.trees,
            false => &*self.other,
        }
    }
}

impl Walker for Beside {
    fn settle(&mut self, seat: Seat) {
        self.trees.settle(seat);
        self.other.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.is_sought = self.least <= steps;
        let mut moves = self.trees.seek(steps, rng);
        if self.is_sought && self.trees.cost() > 0 {
            moves += self.other.seek(steps, rng);
        } else {
            self.is_sought = false;
        }
        moves
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.cost() == 0 {
            return 0;
        }
        let mut moves = self.trees.iterate(rng);
        if self.is_sought && self.trees.cost() > 0 {
            moves += self.other.iterate(rng);
        }
        moves
    }

    fn cost(&self) -> u64 {
        self.trees.cost().min(self.of_other())
    }

    fn patience(&self) -> u64 {
        self.trees.patience()
    }

    fn method(&self) -> Method {
        self.better().method()
    }

    fn plan(&self) -> Plan {
        self.better().plan()
    }
}

impl Resume for Beside {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&(self.trees.save()?, self.other.save()?, self.is_sought))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (trees, other, is_sought): (Vec<u8>, Vec<u8>, bool) = codec::decode(state)?;
        self.is_sought = is_sought;
        self.trees.load(&trees)?;
        self.other.load(&other)
    }
}

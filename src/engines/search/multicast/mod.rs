//! Searches where switches copy messages and add up sums on their way: a transfer is a tree.

mod flood;
mod sums;
mod tree;

pub use flood::TreeFlood;
pub use sums::TreeSums;

use super::passes::Passes;
use crate::Seat;
use serde::{Deserialize, Serialize};

/// Passes at one number of steps.
const PATIENCE: u64 = 400;

/// The passes of a search that shows its first schedule whatever its length, unless a number of steps is asked
/// for: what is sought then begins near it, and not at a bound that may be far below.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shown {
    passes: Passes,
    is_open: bool,
    /// Whether the first schedule has just been found.
    is_first: bool,
}

impl Shown {
    fn new() -> Self {
        Shown { passes: Passes::new(None), is_open: false, is_first: false }
    }

    fn settle(&mut self, seat: Seat) {
        self.is_open = seat.is_open;
    }

    /// Seeks a number of steps; whether a first pass is due.
    fn seek(&mut self, steps: u32) -> bool {
        let is_due = self.passes.seek(steps);
        self.is_first = is_due && self.is_open;
        is_due
    }

    fn cost(&self) -> u64 {
        let is_shown = self.is_first && self.passes.best.is_some();
        if is_shown { 0 } else { self.passes.cost() }
    }
}

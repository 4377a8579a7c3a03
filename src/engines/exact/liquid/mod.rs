//! Liquid schedules (liquid-schedules): an exact search for a schedule as long as the load of the
//! bottleneck links, or a proof that there is none. It also takes larger numbers of steps: a frame
//! must use every link whose remaining load equals the steps left.

mod frame;
mod partial;
mod search;

pub use search::{Found, LiquidSearch};

use crate::ground::conflict_graph::Conflicts;

/// The duration of a traffic: the load of its bottlenecks. No schedule has fewer steps.
pub fn duration(conflicts: &Conflicts) -> u32 {
    partial::PartialSchedule::new(conflicts, 0).duration()
}

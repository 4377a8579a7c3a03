//! Schedules of messages of different lengths that take the least time, for scatters with wormhole
//! switching. In the timed form each transfer has a start; in the other one it has a step, which lasts as
//! long as its longest message. Both take their paths from one table, and start with routes that load all
//! links evenly.

mod ejection;
mod insertion;
mod kept;
mod line;
mod occupancy;
mod parked;
mod profile;
mod repair;
mod routes;
mod steps;
mod timed;
mod walker;

pub use repair::{Home, TimedRepair, TimedRepaired};
pub use timed::timed_plan;
pub use walker::{MANY_MESSAGES, walker};

pub use crate::ground::{Choices, FirstOrder, Form, Start, Timetable};
use crate::{Method, Seat};
use ccsched_model::routing::PathId;
use ccsched_model::schedule::Plan;
use kept::Kept;

/// A search that improves a schedule, iteration by iteration. It counts its iterations and reads no clock.
trait SizedSearch: Clone + Send {
    /// A search that has not begun. Islands differ in their random numbers.
    fn new(start: &Start, seat: Seat) -> Self;

    /// Whether the first schedule is left to another island, whose would be the same.
    fn waits(&self) -> bool;

    /// Begins with an order of messages, and routes for them.
    fn begin(&mut self, order: Vec<u32>, routes: Vec<PathId>);

    /// Makes the first schedule, or tries to find a better one; `is_over` may end it early. Whether the
    /// best schedule is better than before.
    fn iterate(&mut self, is_over: &dyn Fn() -> bool) -> bool;

    /// The cost of the best schedule so far; the largest number before the first.
    fn cost(&self) -> u64 {
        self.shown().map_or(u64::MAX, |table| table.end)
    }

    /// No schedule costs less.
    fn aim(&mut self, bound: u64);

    /// The best schedule by paths and starts, or steps, for other searches of the same choices.
    fn shown(&self) -> Option<&Timetable>;

    /// Goes on from a schedule that another search has shown.
    fn adopt(&mut self, table: &Timetable);

    /// The best schedule as a plan.
    fn plan(&self) -> Option<Plan>;

    /// What its schedules are called.
    fn method(&self) -> Method;

    /// The state between two iterations.
    fn keep(&self) -> Kept;

    /// Goes on from a state of such a search, which [`Kept::check`] has passed.
    fn resume(&mut self, kept: Kept);
}

//! Many tasks in parallel, one at a time on each rank: searches by one island, or whatever the ranks
//! agree on.

mod farm;
mod task;

pub use farm::{Done, Solve, run_tasks, work};
pub use task::{Solved, Task};

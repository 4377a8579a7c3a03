//! Many searches in parallel, each by one island.

mod farm;
mod task;

pub use farm::{run_tasks, work};
pub use task::{Solved, Task};

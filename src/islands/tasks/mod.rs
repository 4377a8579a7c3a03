//! Many searches by one island each, side by side.

mod farm;
mod task;

pub use farm::{run_tasks, work};
pub use task::{Solved, Task};

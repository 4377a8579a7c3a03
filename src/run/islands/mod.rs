//! Islands: walkers that search in parallel, cross over in groups and between groups, and share the
//! step target (hgsa-store-and-forward, section 3.2). The result depends only on the seed, the number
//! of islands and the size of groups, not on the back end, the tree of masters nor on speed, unless a
//! time limit ends the run.

mod aside;
mod assembly;
mod checking;
pub mod checkpoint;
mod cpu;
pub mod estimate;
mod groups;
mod inspector;
mod island;
mod job;
mod keeper;
mod least_time;
mod limits;
mod master;
pub mod memory;
mod migration;
mod observer;
mod opening;
mod protocol;
mod proven;
mod run;
mod solution;
mod state;
mod tasks;

pub use aside::{aside, in_time, wait};
pub use assembly::Prepared;
pub use ccsched_engines::sized::{FirstOrder, Form};
pub use cpu::{CpuClock, Effort};
pub use inspector::{Inspector, Watcher};
pub use job::{EXCHANGE_EVERY, EXCHANGE_GROUP, Job, SEED, Search};
pub use keeper::Keeper;
pub use least_time::{OfTime, check_sized, least_cost};
pub use limits::{Gap, ITERATIONS, Limits, StopCondition, StopReason, left_for_tables};
pub use master::{Master, Outcome};
pub use memory::fitting_islands;
pub use migration::{Choice, Graph, Migration, Word};
pub use observer::{IslandStats, Observer, Progress};
pub use proven::Proven;
pub use run::{
    Alone, Backend, FAN_OUT, RankGroup, Run, Threads, run_on_threads, serve, serve_tasks,
};
pub use solution::{Solution, provenance};
pub use state::State;
pub use tasks::{Done, Solve, Solved, Task};

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The problem cannot be posed, or the engine cannot schedule it.
    #[error(transparent)]
    Input(#[from] ccsched_base::Error),
    /// Islands could not communicate.
    #[error(transparent)]
    Comm(#[from] ccsched_base::codec::CommError),
    /// The observer refused a schedule, or the keeper could not save a state.
    #[error("{0}")]
    Observer(String),
    /// The operating system cannot start another thread.
    #[error("cannot start a thread for island {rank}: {why}; fewer islands may work")]
    Thread {
        /// The island.
        rank: usize,
        /// The error of the operating system.
        why: std::io::Error,
    },
    /// The thread of an island panicked.
    #[error("the thread of island {0} panicked")]
    Panicked(usize),
}

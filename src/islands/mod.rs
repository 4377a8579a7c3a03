//! Islands: walkers that search in parallel, cross over through a master, and share the step target
//! (hgsa-store-and-forward, section 3.2). The result depends only on the seed and the number of
//! islands, not on the back end nor on speed, unless a time limit ends the run.

mod assembly;
pub mod checkpoint;
mod cpu;
mod inspector;
mod island;
mod job;
mod keeper;
mod limits;
mod master;
mod observer;
mod opening;
mod protocol;
mod run;
mod solution;
mod state;
mod tasks;

pub use assembly::Prepared;
pub use cpu::CpuClock;
pub use inspector::{Inspector, Watcher};
pub use job::{Job, Search};
pub use keeper::Keeper;
pub use limits::{ITERATIONS, Limits, StopCondition, StopReason};
pub use master::{Master, Outcome};
pub use observer::{IslandStats, Observer, Progress};
pub use run::{Alone, Backend, RankGroup, Run, Threads, run_on_threads, serve};
pub use solution::{Solution, provenance};
pub use state::State;
pub use tasks::{Solved, Task};

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The problem cannot be posed, or the engine cannot schedule it.
    #[error(transparent)]
    Input(#[from] crate::Error),
    /// Islands could not communicate.
    #[error(transparent)]
    Comm(#[from] crate::comm::CommError),
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

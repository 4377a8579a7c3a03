//! Islands: walkers that search side by side, meet through a master, and agree on the number of
//! steps (hgsa-store-and-forward, section 3.2). The result depends on the seed and the number of
//! islands alone, not on what they run on nor how fast, unless a time limit cuts in.

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
pub use run::{Alone, Backend, RankGroup, Run, Threads, run_alone, run_on_threads, serve};
pub use solution::{Solution, provenance};
pub use state::State;
pub use tasks::{Solved, Task};

/// Why a search broke off.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The problem cannot be posed, or the engine cannot schedule it.
    #[error(transparent)]
    Input(#[from] crate::Error),
    /// Islands could not communicate.
    #[error(transparent)]
    Comm(#[from] crate::comm::CommError),
    /// The observer refused a schedule, or the keeper could not keep a state.
    #[error("{0}")]
    Observer(String),
    /// The machine has no room for another thread.
    #[error("island {rank} cannot have a thread of its own; fewer islands may work: {why}")]
    Thread {
        /// The island.
        rank: usize,
        /// The operating system's word.
        why: std::io::Error,
    },
    /// An island's thread has panicked.
    #[error("island {0} has panicked")]
    Panicked(usize),
}

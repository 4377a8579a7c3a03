//! Islands: walkers that search side by side, meet through a master, and agree on the number of
//! steps (hgsa-store-and-forward, section 3.2). The result depends on the seed and the number of
//! islands alone, not on what they run on nor how fast, unless a time limit cuts in.

pub mod checkpoint;
mod cpu;
mod inspector;
mod island;
mod limits;
mod master;
mod observer;
mod protocol;
pub mod run;
mod state;
mod tasks;

pub use cpu::CpuClock;
pub use inspector::Inspector;
pub use limits::{Limits, StopReason};
pub use master::{Master, Outcome};
pub use observer::{IslandStats, Observer, Progress};
pub use run::backend::{Alone, Backend, Group, Job, Threads, serve};
pub use run::threads::{run_alone, run_on_threads};
pub use state::State;
pub use tasks::task::{Solved, Task};

use serde::{Deserialize, Serialize};

/// What all islands of a search share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Where all random numbers come from.
    pub seed: u64,
    /// Iterations between two exchanges.
    pub exchange_every: u64,
    /// The number of steps asked for; the fewest if none.
    pub goal: Option<u32>,
}

/// Why a search broke off.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Islands could not talk.
    #[error(transparent)]
    Comm(#[from] crate::comm::CommError),
    /// The listener refused a schedule or could not write it.
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

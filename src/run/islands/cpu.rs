//! CPU time of a search. Wall time multiplied by cores is not CPU time: threads wait for each other
//! at exchanges, and other programs take cores away.

use crate::comm::Census;
use cpu_time::{ProcessTime, ThreadTime};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The most that a rank has spent on a search; the two may be of different ranks. Ranks on as many
/// processors would take as long as the one with the most CPU time, and the messages between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// CPU time of its threads: that of the island and that of the messages.
    pub cpu: Duration,
    /// Moves of its island: ejection moves, or evaluations of a search without.
    pub moves: u64,
}

impl Effort {
    /// The most of all ranks of a search.
    pub(super) fn of(census: &Census) -> Self {
        Effort { cpu: census.most_cpu, moves: census.most_moves }
    }
}

/// The clock of CPU time: of a thread or of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CpuClock {
    /// The calling thread: right for one island that runs on it, as in [`Alone`](super::Alone).
    Thread,
    /// The whole process: right for several islands while nothing else runs.
    Process,
}

impl CpuClock {
    /// The clock of a search with this number of islands.
    pub fn of(islands: usize) -> Self {
        if islands == 1 { CpuClock::Thread } else { CpuClock::Process }
    }

    /// CPU time used so far.
    pub fn now(self) -> Duration {
        match self {
            CpuClock::Thread => ThreadTime::now().as_duration(),
            CpuClock::Process => ProcessTime::now().as_duration(),
        }
    }
}

//! CPU time of a search. Wall time multiplied by cores is not CPU time: threads wait for each other
//! at exchanges, and other programs take cores away.

use cpu_time::{ProcessTime, ThreadTime};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Whose CPU time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CpuClock {
    /// The calling thread's: right for one island that works on it, as [`Alone`](super::Alone) has it.
    Thread,
    /// The whole process's: right for several islands while nothing else runs.
    Process,
}

impl CpuClock {
    /// The clock of a search on so many threads.
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

//! When a search ends. The only place that reads a clock.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The schedule has as few steps as the lower bound, or as few as asked for.
    Goal,
    /// The iterations allowed are over.
    Iterations,
    /// The time allowed is over.
    Time,
    /// The user has interrupted it.
    Interrupted,
}

/// The stop condition.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    iterations: u64,
    begin: Instant,
    time_limit: Option<Duration>,
    interrupted: &'a AtomicBool,
}

impl<'a> Stop<'a> {
    /// Stops after so many iterations of every island, after a time counted from now, or when the
    /// flag is raised.
    pub fn new(iterations: u64, time_limit: Option<Duration>, interrupted: &'a AtomicBool) -> Self {
        Stop { iterations, begin: Instant::now(), time_limit, interrupted }
    }

    /// Why to stop after so many iterations, if at all.
    pub fn check(&self, iterations: u64) -> Option<StopReason> {
        if self.interrupted.load(Ordering::Relaxed) {
            Some(StopReason::Interrupted)
        } else if self.time_limit.is_some_and(|limit| self.begin.elapsed() >= limit) {
            Some(StopReason::Time)
        } else if iterations >= self.iterations {
            Some(StopReason::Iterations)
        } else {
            None
        }
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}

//! When a search ends. The only place that reads a clock, with the CPU's beside it.

use super::CpuClock;
use super::master::refuter::Refuter;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long islands may go on when the time is over, to meet once more.
const GRACE: Duration = Duration::from_secs(1);

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The schedule has as few steps as the lower bound, or as few as asked for.
    Goal,
    /// It is proven that no schedule has so few steps.
    Exhausted,
    /// The iterations allowed are over.
    Iterations,
    /// The evaluations allowed are over.
    Evaluations,
    /// The time allowed is over.
    Time,
    /// The CPU time allowed is over.
    CpuTime,
    /// An exact search has shown that no schedule has fewer steps, or as few as asked for.
    Refuted,
    /// The user has interrupted it.
    Interrupted,
}

/// The stop condition.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    iterations: u64,
    evaluations: u64,
    begin: Instant,
    time_limit: Option<Duration>,
    cpu_limit: Option<(CpuClock, Duration)>,
    interrupted: &'a AtomicBool,
    refutes: Option<(&'a Arc<Problem>, bool)>,
}

impl<'a> Limits<'a> {
    /// Stops after so many iterations of every island, after a time counted from now, or when the
    /// flag is raised.
    pub fn new(iterations: u64, time_limit: Option<Duration>, interrupted: &'a AtomicBool) -> Self {
        Limits {
            iterations,
            evaluations: u64::MAX,
            begin: Instant::now(),
            time_limit,
            cpu_limit: None,
            interrupted,
            refutes: None,
        }
    }

    /// Stops also after so many evaluations of all islands together.
    pub fn with_evaluations(self, evaluations: u64) -> Self {
        Limits { evaluations, ..self }
    }

    /// Stops also after a CPU time counted from now. The clock must be the one of the thread, or
    /// of the process, that holds the search.
    pub fn with_cpu_limit(self, clock: CpuClock, limit: Duration) -> Self {
        Limits { cpu_limit: Some((clock, clock.now().saturating_add(limit))), ..self }
    }

    /// Stops also where no schedule of this problem can have fewer steps and a proof of that is in
    /// reach, which long attempts seek `aside`, on a thread of their own, or while the search waits.
    pub fn with_refutation(self, problem: &'a Arc<Problem>, aside: bool) -> Self {
        Limits { refutes: Some((problem, aside)), ..self }
    }

    /// Who proves that.
    pub(super) fn prover(&self) -> Option<Refuter> {
        self.refutes.map(|(problem, aside)| Refuter::new(problem.clone(), aside))
    }

    /// Why to break off in the middle of a stretch, if at all: because of an interrupt, or because
    /// the time is over and the end of the stretch is far.
    pub fn breaks(&self) -> Option<StopReason> {
        self.cuts_in(GRACE)
    }

    /// What may come at any time: an interrupt, or the end of the time and so much after it.
    fn cuts_in(&self, after: Duration) -> Option<StopReason> {
        let is_over = |limit: Duration| self.begin.elapsed() >= limit.saturating_add(after);
        if self.interrupted.load(Ordering::Relaxed) {
            Some(StopReason::Interrupted)
        } else if self.time_limit.is_some_and(is_over) {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    /// Why to stop after so many iterations of every island and evaluations of all, if at all.
    pub fn check(&self, iterations: u64, evaluations: u64) -> Option<StopReason> {
        let is_used_up = |(clock, end): (CpuClock, Duration)| clock.now() >= end;
        let cpu_time = || self.cpu_limit.is_some_and(is_used_up).then_some(StopReason::CpuTime);
        self.is_over(iterations, evaluations)
            .or_else(|| self.cuts_in(Duration::ZERO))
            .or_else(cpu_time)
    }

    /// Whether all that was allowed is used up, whatever the time.
    pub fn is_over(&self, iterations: u64, evaluations: u64) -> Option<StopReason> {
        if evaluations >= self.evaluations {
            Some(StopReason::Evaluations)
        } else if iterations >= self.iterations {
            Some(StopReason::Iterations)
        } else {
            None
        }
    }

    /// The flag that an interrupt raises.
    pub fn interrupted(&self) -> &'a AtomicBool {
        self.interrupted
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}

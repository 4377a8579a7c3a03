//! The limits of a search, and why it ends. Engines read no clock; they ask this.

use super::{CpuClock, memory};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that islands may use after the time limit, to reach one more exchange.
const GRACE: Duration = Duration::from_secs(1);

/// The default limit of iterations.
pub const ITERATIONS: u64 = 100_000;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The schedule has as few steps as the lower bound.
    Bound,
    /// The schedule has the requested number of steps, which exceeds the lower bound.
    Goal,
    /// An exact search is exhausted: no schedule has as few steps as asked for.
    Exhausted,
    /// The engine makes a single schedule, and it is made.
    Complete,
    /// No island has anything left to try for fewer steps, or for the requested number.
    Idle,
    /// The limit of iterations is reached.
    Iterations,
    /// The limit of evaluations is reached.
    Evaluations,
    /// The time limit is reached.
    Time,
    /// The limit of CPU time is reached.
    CpuTime,
    /// The schedule is as near to the lower bound as asked for.
    Gap,
    /// The limit of memory is reached.
    Memory,
    /// A refutation has proved that no schedule has fewer steps, or the requested number.
    Refuted,
    /// The search was interrupted.
    Interrupted,
    /// All islands have panicked.
    Failed,
}

impl StopReason {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            StopReason::Bound => "the lower bound is reached",
            StopReason::Goal => "the steps asked for are reached",
            StopReason::Exhausted => "the exact search is exhausted",
            StopReason::Complete => "the engine makes a single schedule",
            StopReason::Idle => "the search has nothing left to try",
            StopReason::Iterations => "the iteration limit is reached",
            StopReason::Evaluations => "the evaluation limit is reached",
            StopReason::Time => "the time limit is reached",
            StopReason::Gap => "the gap asked for is reached",
            StopReason::CpuTime => "the CPU time limit is reached",
            StopReason::Memory => "the memory limit is reached",
            StopReason::Refuted => "fewer steps are refuted",
            StopReason::Interrupted => "interrupted",
            StopReason::Failed => "all islands have failed",
        }
    }
}

/// How far above the lower bound a schedule may be that ends a search, in millionths of the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap(pub u32);

impl Gap {
    /// The most steps within the gap above a bound.
    pub fn steps(self, bound: u32) -> u32 {
        u32::try_from(self.of(u64::from(bound))).unwrap_or(u32::MAX)
    }

    /// The most steps or bytes within the gap above a bound.
    pub fn of(self, bound: u64) -> u64 {
        let above = u128::from(bound) * u128::from(self.0) / 1_000_000;
        bound.saturating_add(u64::try_from(above).unwrap_or(u64::MAX))
    }
}

/// The part of a time limit that tables of routes may take: what they are for must be scheduled too.
const TABLES: f64 = 1.0 / 3.0;

/// What is left for tables of routes after some of the time, from 1 down to 0.
pub fn left_for_tables(time: Option<Duration>, spent: Duration) -> f64 {
    let part = |time: Duration| 1.0 - spent.as_secs_f64() / (TABLES * time.as_secs_f64());
    time.map_or(1.0, |time| part(time).max(0.0))
}

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Iterations of every island.
    pub iterations: u64,
    /// Evaluations of all islands together.
    pub evaluations: u64,
    /// Wall time.
    pub time: Option<Duration>,
    /// A schedule within this gap above the lower bound ends the search.
    pub gap: Gap,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { iterations: ITERATIONS, evaluations: u64::MAX, time: None, gap: Gap::default() }
    }
}

/// Overrun that still counts as on time.
const HARDLY_MISSED: Duration = Duration::from_millis(500);

/// The stop condition of a search that has begun: its limits, and an interrupt.
#[derive(Clone, Copy, Debug)]
pub struct StopCondition<'a> {
    limits: Limits,
    begin: Instant,
    cpu_limit: Option<(CpuClock, Duration)>,
    memory: Option<u64>,
    /// The memory that is left at the end.
    spare: u64,
    interrupted: &'a AtomicBool,
}

impl<'a> StopCondition<'a> {
    /// Stops after this number of iterations of each island, after a time counted from now, or when
    /// the flag is set.
    pub fn new(iterations: u64, time: Option<Duration>, interrupted: &'a AtomicBool) -> Self {
        Self::of(Limits { iterations, time, ..Limits::default() }, interrupted)
    }

    /// Stops at the limits, with the time counted from now, or when the flag is set.
    pub fn of(limits: Limits, interrupted: &'a AtomicBool) -> Self {
        let begin = Instant::now();
        StopCondition { limits, begin, cpu_limit: None, memory: None, spare: 0, interrupted }
    }

    /// Counts a time already spent, on the preparation of the search.
    pub fn after(self, spent: Duration) -> Self {
        StopCondition { begin: self.begin.checked_sub(spent).unwrap_or(self.begin), ..self }
    }

    /// Reserves `reserve` before the deadline for verifying and writing: at most half of the
    /// remaining time, unless the overrun stays below 0.5 s.
    pub fn leaving(self, reserve: Duration) -> Self {
        let Some(left) = self.left() else { return self };
        let reserve = reserve.min((left / 2).max(reserve.saturating_sub(HARDLY_MISSED)));
        let time = self.limits.time.map(|time| time.saturating_sub(reserve));
        StopCondition { limits: Limits { time, ..self.limits }, ..self }
    }

    /// Leaves half of the time that is left for other work.
    pub fn leaving_half(self) -> Self {
        let half = self.left().map_or(Duration::ZERO, |left| left / 2);
        let time = self.limits.time.map(|time| time.saturating_sub(half));
        StopCondition { limits: Limits { time, ..self.limits }, ..self }
    }

    /// What is left for tables of routes, from 1 down to 0.
    pub fn left_for_tables(&self) -> f64 {
        match self.cuts() {
            Some(_) => 0.0,
            None => left_for_tables(self.limits.time, self.elapsed()),
        }
    }

    /// The time left before the limit.
    pub fn left(&self) -> Option<Duration> {
        Some(self.limits.time?.saturating_sub(self.elapsed()))
    }

    /// Stops also within this gap above the lower bound.
    pub fn within(self, gap: Gap) -> Self {
        StopCondition { limits: Limits { gap, ..self.limits }, ..self }
    }

    /// Stops also after this number of evaluations of all islands together.
    pub fn with_evaluations(self, evaluations: u64) -> Self {
        StopCondition { limits: Limits { evaluations, ..self.limits }, ..self }
    }

    /// Stops also after a CPU time counted from now. The clock must be that of the thread or
    /// process that runs the search.
    pub fn with_cpu_limit(self, clock: CpuClock, limit: Duration) -> Self {
        StopCondition { cpu_limit: Some((clock, clock.now().saturating_add(limit))), ..self }
    }

    /// Stops also when this process has more than `memory` bytes.
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        StopCondition { memory, ..self }
    }

    /// Stops when only this many bytes of the memory are left; `bytes` is called only if there is a
    /// limit.
    pub fn sparing(self, bytes: impl FnOnce() -> u64) -> Self {
        StopCondition { spare: self.memory.map_or(0, |_| bytes()), ..self }
    }

    /// The memory that is left before the limit, or, without one, before that of the system. None if the system does not tell.
    pub fn room(&self) -> Option<u64> {
        memory::left(self.memory.or_else(memory::most)?)
    }

    /// The reason to break off between two exchanges, if any: an interrupt, too much memory, or the
    /// time limit and its grace are past.
    pub fn breaks(&self) -> Option<StopReason> {
        self.cuts_in(GRACE)
    }

    /// Whether the time limit is past by more than a second and a tenth of it.
    pub fn is_missed(&self) -> bool {
        self.limits
            .time
            .is_some_and(|limit| self.elapsed() >= limit.saturating_add(GRACE.max(limit / 10)))
    }

    /// The reason to end now, whatever the number of iterations: an interrupt, too much memory, or
    /// the time limit.
    pub fn cuts(&self) -> Option<StopReason> {
        self.cuts_in(Duration::ZERO)
    }

    /// An interrupt, too much memory, or the time limit plus `after`.
    fn cuts_in(&self, after: Duration) -> Option<StopReason> {
        let is_over = |limit: Duration| self.begin.elapsed() >= limit.saturating_add(after);
        if self.interrupted.load(Ordering::Relaxed) {
            Some(StopReason::Interrupted)
        } else if self.limits.time.is_some_and(is_over) {
            Some(StopReason::Time)
        } else if self.memory.and_then(memory::left).is_some_and(|left| left < self.spare.max(1)) {
            Some(StopReason::Memory)
        } else {
            None
        }
    }

    /// The reason to stop after these iterations of each island and evaluations of all, if any.
    pub fn check(&self, iterations: u64, evaluations: u64) -> Option<StopReason> {
        let is_used_up = |(clock, end): (CpuClock, Duration)| clock.now() >= end;
        let cpu_time = || self.cpu_limit.is_some_and(is_used_up).then_some(StopReason::CpuTime);
        self.is_over(iterations, evaluations)
            .or_else(|| self.cuts_in(Duration::ZERO))
            .or_else(cpu_time)
    }

    /// The limit of iterations or evaluations that is reached, if any, whatever the time.
    pub fn is_over(&self, iterations: u64, evaluations: u64) -> Option<StopReason> {
        if evaluations >= self.limits.evaluations {
            Some(StopReason::Evaluations)
        } else if iterations >= self.limits.iterations {
            Some(StopReason::Iterations)
        } else {
            None
        }
    }

    /// The most that a schedule may cost that is as near to a bound as asked for.
    pub fn near(&self, bound: u64) -> u64 {
        self.limits.gap.of(bound)
    }

    /// Whether a schedule is as near to a bound as asked for, though not at it.
    pub fn is_near(&self, cost: u64, bound: u64) -> bool {
        self.limits.gap != Gap::default() && cost <= self.near(bound)
    }

    /// The flag that an interrupt sets.
    pub fn interrupted(&self) -> &'a AtomicBool {
        self.interrupted
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_a_share_of_the_bound() {
        let steps = |gap| [1, 99, 100, 1234].map(|bound| Gap(gap).steps(bound));
        assert_eq!(steps(0), [1, 99, 100, 1234]);
        assert_eq!(steps(10_000), [1, 99, 101, 1246]);
        assert_eq!(steps(u32::MAX)[0], 4295);
        assert_eq!(Gap(u32::MAX).steps(u32::MAX), u32::MAX);
    }

    #[test]
    fn tables_have_a_part_of_the_time() {
        let seconds = |s: u64| Duration::from_secs(s);
        assert_eq!(left_for_tables(None, seconds(1000)), 1.0);
        let left = [0, 5, 10, 25].map(|spent| left_for_tables(Some(seconds(30)), seconds(spent)));
        assert!((left[1] - 0.5).abs() < 1e-9, "{left:?}");
        assert_eq!([left[0], left[2], left[3]], [1.0, 0.0, 0.0]);
        assert_eq!(left_for_tables(Some(Duration::ZERO), seconds(1)), 0.0);
    }

    #[test]
    fn too_much_memory_ends_a_search() {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let stop = |most| StopCondition::new(10, None, &NEVER).with_memory(most);
        let reasons = |stop: StopCondition<'_>| [stop.cuts(), stop.breaks(), stop.check(1, 1)];
        assert_eq!(reasons(stop(None)), [None; 3]);
        let Some(used) = memory::used() else { return };
        assert_eq!(reasons(stop(Some(1))), [Some(StopReason::Memory); 3]);
        let much = used + (1 << 40);
        assert_eq!(reasons(stop(Some(much))), [None; 3]);
        assert_eq!(reasons(stop(Some(much)).sparing(|| much)), [Some(StopReason::Memory); 3]);
    }
}

//! Makes the runs: every configuration on every instance with every seed.
//!
//! Configurations alternate (seed 1: A, B; seed 2: A, B; ...), so that drift of the machine affects
//! all of them equally. Runs never share cores: runs of one island execute in parallel, one per
//! core; if any configuration has more islands, runs execute one after another.
//!
//! The target of an instance for which the user gave none is the fewest steps, or the least time, of all its
//! runs. Every run searches until its budget ends; then the time counts at which it first had a schedule as
//! short.

use super::{Budget, Busiest, Configuration, Instance, Moment, Point, Reached, Record};
use ccsched_model::schedule::{Plan, TimeModel};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{
    Alone, Backend, CpuClock, Gap, IslandStats, Progress, RankGroup, Search, SearchError,
    StopCondition, StopReason, Threads, Watcher,
};
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A run to make; instance and configuration by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The instance.
    pub instance: usize,
    /// The configuration.
    pub configuration: usize,
    /// The seed.
    pub seed: u64,
}

impl Task {
    /// A record of it that has no more than its time.
    fn record(self, seconds: f64, cpu_seconds: f64) -> Record {
        let Task { instance, configuration, seed } = self;
        let cpu_seconds = Some(cpu_seconds);
        Record { instance, configuration, seed, seconds, cpu_seconds, ..Record::default() }
    }
}

/// All runs, in the order in which they start.
pub fn order(instances: usize, configurations: usize, first_seed: u64, runs: u64) -> Vec<Task> {
    let seeds = move || (0..runs).map(move |i| first_seed.wrapping_add(i));
    let of_seed = move |instance, seed| {
        (0..configurations).map(move |configuration| Task { instance, configuration, seed })
    };
    (0..instances).flat_map(|i| seeds().flat_map(move |seed| of_seed(i, seed))).collect()
}

/// The number of parallel runs on a number of cores.
pub fn side_by_side(configurations: &[Configuration], cores: usize) -> usize {
    if configurations.iter().all(|c| c.islands == 1) { cores.max(1) } else { 1 }
}

/// A comparison to make.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The instances.
    pub instances: Vec<Instance>,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    /// The budget of every run.
    pub budget: Budget,
    /// By instance, what a step of a schedule costs.
    pub times: Vec<TimeModel>,
    /// Whether records have the costs of islands in the course of the run.
    pub keeps_history: bool,
}

impl Comparison {
    /// Makes the runs on parallel workers; calls `begun` before each. Returns the finished runs in
    /// the order of the tasks. After an interrupt running runs end and no new ones start.
    ///
    /// # Errors
    /// When an island fails, or an engine returns a schedule that is not valid.
    pub fn execute(
        &self,
        tasks: &[Task],
        (workers, interrupted): (usize, &AtomicBool),
        begun: &(dyn Fn(&Task) + Sync),
    ) -> Result<Vec<Record>, SearchError> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Record)>> = Mutex::default();
        let work = || {
            while !interrupted.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(index) else { break };
                begun(task);
                let record = self.run(*task, interrupted).inspect_err(|_| {
                    // The other workers start no more runs.
                    next.store(tasks.len(), Ordering::Relaxed);
                })?;
                let mut done = done.lock().unwrap_or_else(|broken| broken.into_inner());
                done.extend(record.map(|record| (index, record)));
            }
            Ok(())
        };
        if workers <= 1 {
            work()?;
        } else {
            thread::scope(|scope| {
                let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                let ended: Vec<_> = handles.into_iter().map(|handle| handle.join()).collect();
                let result = |(rank, ended): (usize, thread::Result<_>)| {
                    ended.unwrap_or(Err(SearchError::Panicked(rank)))
                };
                ended.into_iter().enumerate().try_for_each(result)
            })?;
        }
        let mut done = done.into_inner().unwrap_or_else(|broken| broken.into_inner());
        done.sort_by_key(|(index, _)| *index);
        let mut records: Vec<Record> = done.into_iter().map(|(_, record)| record).collect();
        self.judge(&mut records);
        Ok(records)
    }

    /// Makes the runs on all ranks of a group, one at a time on each; calls `done` after each. Returns
    /// also whether there was an interrupt.
    ///
    /// # Errors
    /// As [`Comparison::execute`], or when a rank is gone.
    pub fn share<C: Communicator>(
        &self,
        tasks: &[Task],
        (group, interrupted): (&mut RankGroup<'_, C>, &AtomicBool),
        done: &dyn Fn(&Task),
    ) -> Result<(Vec<Record>, bool), SearchError> {
        let mut records: Vec<Option<Record>> = vec![None; tasks.len()];
        let run = |task: &Task, stops: &AtomicBool| self.run(*task, stops);
        let is_interrupted = group.share((tasks, &run), interrupted, &mut |number, record| {
            done(&tasks[number]);
            records[number] = Some(record);
            Ok(())
        })?;
        let mut records: Vec<Record> = records.into_iter().flatten().collect();
        self.judge(&mut records);
        Ok((records, is_interrupted))
    }

    /// Measures the runs of instances without a target, and those for the least time, after all runs.
    fn judge(&self, records: &mut [Record]) {
        for (i, instance) in self.instances.iter().enumerate() {
            if instance.steps.is_none() {
                let target = instance.time.and_then(|time| time.bytes);
                judge(records, i, (self.budget, target));
            }
        }
    }

    /// One run; none if it was interrupted.
    ///
    /// # Errors
    /// As [`Comparison::execute`].
    pub fn run(&self, task: Task, interrupted: &AtomicBool) -> Result<Option<Record>, SearchError> {
        let instance = &self.instances[task.instance];
        let configuration = &self.configurations[task.configuration];
        let search = Search {
            seed: task.seed,
            exchange_every: configuration.exchange_every,
            migration: configuration.migration,
            goal: instance.steps,
            form: instance.time.map(|time| time.form),
            ..Search::default()
        };
        let islands = configuration.islands;
        let prepared = instance.prepared.again(configuration.engine, search, islands)?;
        let clock = CpuClock::of(configuration.islands);
        let before = clock.now();
        let gap = instance.time.map_or(Gap::default(), |time| time.gap);
        let stop = self.stop(clock, interrupted).within(gap);
        let spent = Meter { stop, clock, before };
        let history = self.keeps_history.then(Vec::new);
        let mut trace = Trace { spent, points: Vec::new(), reached: Vec::new(), history };
        let backend: &mut dyn Backend = match configuration.islands {
            1 => &mut Alone,
            islands => &mut Threads(islands),
        };
        let solution = prepared.run(backend, stop, &mut trace, None)?;
        let cost = solution.plan.as_deref().map(Plan::cost);
        trace.note(cost, &solution.progress);
        let (seconds, cpu_seconds) = spent.now();
        if solution.reason == StopReason::Interrupted {
            return Ok(None);
        }
        let (plan, lengths) = (solution.plan.as_deref(), solution.problem.lengths());
        let time = &self.times[task.instance].of_pieces(solution.problem.pieces());
        let mut record = Record {
            success: solution.plan.is_some(),
            evaluations: solution.progress.evaluations,
            iterations: solution.progress.iterations_done,
            busiest: Some(Busiest {
                cpu_seconds: solution.busiest.cpu.as_secs_f64(),
                moves: solution.busiest.moves,
            }),
            time_us: match instance.time {
                Some(_) => solution.schedule().map(|file| file.time_us(time)),
                None => plan.map(|plan| plan.time_us(solution.problem.network(), time, lengths)),
            },
            energy_nj: plan.and_then(|plan| plan.energy_nj(time, lengths)),
            reached: trace.reached,
            trace: trace.points,
            history: trace.history.unwrap_or_default(),
            ..task.record(seconds, cpu_seconds)
        };
        // Without a target the run is judged after all runs have finished.
        if instance.steps.is_some() {
            settle(&mut record, self.budget);
        }
        Ok(Some(record))
    }

    fn stop<'i>(&self, clock: CpuClock, interrupted: &'i AtomicBool) -> StopCondition<'i> {
        let limit = |seconds| Duration::from_secs_f64(seconds);
        match self.budget {
            Budget::Seconds(s) | Budget::Longest(s) => {
                StopCondition::new(u64::MAX, Some(limit(s)), interrupted)
            }
            Budget::CpuSeconds(s) => {
                StopCondition::new(u64::MAX, None, interrupted).with_cpu_limit(clock, limit(s))
            }
            Budget::Evaluations(n) => {
                StopCondition::new(u64::MAX, None, interrupted).with_evaluations(n)
            }
            Budget::Iterations(n) => StopCondition::new(n, None, interrupted),
        }
    }
}

/// A run ends at an exchange, so its last leg may exceed the budget. A target reached only then
/// does not count: otherwise configurations with rarer exchanges would have a larger budget.
fn settle(record: &mut Record, budget: Budget) {
    if record.spent(budget) > budget.amount() && record.success {
        record.success = false;
        record.trace.pop();
    }
    record.conflicts = record.trace.last().map(|p| p.conflicts);
}

/// A meter of time spent by a run.
#[derive(Clone, Copy)]
struct Meter<'a> {
    stop: StopCondition<'a>,
    clock: CpuClock,
    before: Duration,
}

impl Meter<'_> {
    /// Wall-clock seconds and CPU seconds.
    fn now(&self) -> (f64, f64) {
        let cpu = self.clock.now().saturating_sub(self.before);
        (self.stop.elapsed().as_secs_f64(), cpu.as_secs_f64())
    }
}

/// Records how the fewest conflicts and the steps fall.
struct Trace<'a> {
    spent: Meter<'a>,
    points: Vec<Point>,
    reached: Vec<Reached>,
    history: Option<Vec<Moment>>,
}

/// Evaluations between two moments of a history that differ in no other way, as a share of those
/// before.
const SHARE: f64 = 0.01;

impl Trace<'_> {
    /// Records the time of a schedule that is shorter than all before it.
    fn note(&mut self, best: Option<u64>, progress: &Progress) {
        let Some(length) = best else { return };
        if self.reached.last().is_none_or(|before| length < before.length) {
            let (seconds, cpu_seconds) = self.spent.now();
            let Progress { evaluations, iterations_done: iterations, .. } = *progress;
            self.reached.push(Reached { length, seconds, cpu_seconds, evaluations, iterations });
        }
    }
}

impl Watcher for Trace<'_> {
    fn wants_islands(&self) -> bool {
        self.history.is_some()
    }

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        let Some(history) = self.history.as_mut().filter(|_| !islands.is_empty()) else { return };
        let Progress { evaluations, seeking, best: steps, .. } = *progress;
        let best = islands.iter().map(|island| island.cost).min().unwrap_or_default();
        let mean =
            islands.iter().map(|island| island.mean_cost).sum::<f64>() / islands.len() as f64;
        let is_news = history.last().is_none_or(|last: &Moment| {
            let changed = (last.seeking, last.best, last.steps) != (seeking, best, steps);
            changed || evaluations as f64 >= last.evaluations as f64 * (1.0 + SHARE)
        });
        if is_news {
            history.push(Moment { evaluations, seeking, steps, best, mean });
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.note(progress.best, progress);
        let conflicts = self.points.last().map_or(u64::MAX, |p| p.conflicts);
        let conflicts = conflicts.min(progress.conflicts);
        let point = Point { evaluations: progress.evaluations, conflicts };
        // Of a run of equal points, the first and the last suffice.
        match self.points.as_mut_slice() {
            [.., a, b] if a.conflicts == conflicts && b.conflicts == conflicts => *b = point,
            _ => self.points.push(point),
        }
    }
}

/// The length of the shortest schedule that any run of an instance reached within the budget.
pub fn least(records: &[Record], instance: usize, budget: Budget) -> Option<u64> {
    let runs = records.iter().filter(|run| run.instance == instance);
    runs.flat_map(|run| &run.reached).filter(|r| is_within(r, budget)).map(|r| r.length).min()
}

/// Measures the runs of an instance against a target, or this one; what a run did later does not count.
/// Conflicts are not compared, because they belong to different numbers of steps.
fn judge(records: &mut [Record], instance: usize, (budget, given): (Budget, Option<u64>)) {
    let target = given.or_else(|| least(records, instance, budget));
    for run in records.iter_mut().filter(|run| run.instance == instance) {
        let is_there = |r: &&Reached| Some(r.length) <= target && is_within(r, budget);
        let reached = run.reached.iter().find(is_there).copied();
        run.success = reached.is_some();
        run.conflicts = run.success.then_some(0);
        run.trace.clear();
        // Of the time between, only the whole is known.
        run.busiest = None;
        if let Some(Reached { seconds, cpu_seconds, evaluations, iterations, .. }) = reached {
            (run.seconds, run.cpu_seconds) = (seconds, Some(cpu_seconds));
            (run.evaluations, run.iterations) = (evaluations, iterations);
        }
    }
}

fn is_within(reached: &Reached, budget: Budget) -> bool {
    reached.spent(budget) <= budget.amount()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_alternate() {
        let order = order(2, 2, 5, 2);
        let short: Vec<_> = order.iter().map(|t| (t.instance, t.seed, t.configuration)).collect();
        assert_eq!(
            short,
            [
                (0, 5, 0),
                (0, 5, 1),
                (0, 6, 0),
                (0, 6, 1),
                (1, 5, 0),
                (1, 5, 1),
                (1, 6, 0),
                (1, 6, 1)
            ]
        );
    }

    #[test]
    fn what_was_reached_beyond_the_budget_does_not_count() {
        let point = |evaluations, conflicts| Point { evaluations, conflicts };
        let record = Record {
            success: true,
            evaluations: 110,
            trace: vec![point(50, 3), point(110, 0)],
            ..Record::default()
        };
        let mut late = record.clone();
        settle(&mut late, Budget::Evaluations(100));
        assert_eq!((late.success, late.conflicts), (false, Some(3)));
        let mut timely = record;
        settle(&mut timely, Budget::Evaluations(110));
        assert_eq!((timely.success, timely.conflicts), (true, Some(0)));
    }

    fn run(instance: usize, reached: &[(u64, f64)]) -> Record {
        let reached = reached.iter().map(|&(length, seconds)| Reached {
            length,
            seconds,
            cpu_seconds: seconds,
            evaluations: 7,
            iterations: 1,
        });
        Record {
            instance,
            success: true,
            seconds: 10.0,
            cpu_seconds: Some(10.0),
            evaluations: 100,
            iterations: 2,
            conflicts: Some(3),
            reached: reached.collect(),
            ..Record::default()
        }
    }

    #[test]
    fn runs_are_held_against_the_best_of_them() {
        let budget = Budget::Seconds(5.0);
        let mut runs = [
            run(0, &[(9, 1.0), (8, 2.0)]),
            run(0, &[(9, 0.5)]),
            // Too late.
            run(0, &[(7, 6.0)]),
            run(1, &[(4, 1.0)]),
        ];
        assert_eq!(least(&runs, 0, budget), Some(8));
        judge(&mut runs, 0, (budget, None));
        assert_eq!(runs.each_ref().map(|run| run.success), [true, false, false, true]);
        assert_eq!(runs.each_ref().map(|run| run.seconds), [2.0, 10.0, 10.0, 10.0]);
        assert_eq!(runs[0].evaluations, 7);
    }

    #[test]
    fn a_target_may_be_longer() {
        let mut runs = [run(0, &[(9, 1.0), (8, 2.0)]), run(0, &[(10, 0.5)])];
        judge(&mut runs, 0, (Budget::Seconds(5.0), Some(9)));
        assert_eq!(
            runs.each_ref().map(|run| (run.success, run.seconds)),
            [(true, 1.0), (false, 10.0)]
        );
    }

    #[test]
    fn where_no_run_has_a_schedule_all_have_failed() {
        let mut runs = [run(0, &[])];
        judge(&mut runs, 0, (Budget::Evaluations(5), None));
        assert_eq!((least(&runs, 0, Budget::Evaluations(5)), runs[0].success), (None, false));
    }
}

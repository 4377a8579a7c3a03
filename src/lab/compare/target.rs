//! The target of an instance for which the user gave none: the fewest steps, or the least time, of all its
//! runs. Every run searches until its budget ends; then the time counts at which it first had a schedule as
//! short.

use super::{Budget, Reached, Record};

/// The length of the shortest schedule that any run of an instance reached within the budget.
pub fn least(records: &[Record], instance: usize, budget: Budget) -> Option<u64> {
    let runs = records.iter().filter(|run| run.instance == instance);
    runs.flat_map(|run| &run.reached).filter(|r| is_within(r, budget)).map(|r| r.length).min()
}

/// Measures the runs of an instance against a target, or this one; what a run did later does not count.
/// Conflicts are not compared, because they belong to different numbers of steps.
pub(super) fn judge(
    records: &mut [Record],
    instance: usize,
    (budget, given): (Budget, Option<u64>),
) {
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

//! The summary of a study: for each instance a row per configuration, and a test of every pair.

use super::parallel::{Parallel, parallel};
use super::statistics::{RankTest, expected_speedup, mann_whitney, median, wilson};
use super::to_target::{Median, median_of, to_target};
use super::{Budget, Record, Study};

/// Numbers of copies for which a speed-up is estimated.
pub(super) const COPIES: [u32; 4] = [2, 4, 8, 16];

/// The results on one instance.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The instance.
    pub instance: String,
    /// The budget of every run.
    pub budget: Budget,
    /// The configurations that have runs.
    pub rows: Vec<Row>,
}

/// One configuration on one instance.
#[derive(Clone, Debug)]
pub struct Row {
    /// The configuration.
    pub configuration: String,
    /// Runs made.
    pub runs: usize,
    /// Runs that reached the target.
    pub successes: usize,
    /// Interval of the success rate.
    pub rate: (f64, f64),
    /// Time to target on the wall clock.
    pub seconds: Median,
    /// CPU time to target, if measured.
    pub cpu_seconds: Option<Median>,
    /// Evaluations to target.
    pub evaluations: Median,
    /// Median of the conflicts left in the failed runs; none if unknown.
    pub conflicts_left: Option<f64>,
    /// Median of the modelled times of the schedules of the runs that reached the target.
    pub time_us: Option<f64>,
    /// Median of their energies.
    pub energy_nj: Option<f64>,
    /// Expected speed-up by number of independent copies; empty if no run has succeeded.
    pub speedups: Vec<(u32, f64)>,
    /// What its number of islands gains, if its family has several.
    pub parallel: Option<Parallel>,
    /// This configuration against all others.
    pub against: Vec<Against>,
}

/// The rank test between two configurations.
#[derive(Clone, Debug)]
pub struct Against {
    /// The other configuration.
    pub other: String,
    /// The result of the test; it counts the pairs in which the other is slower.
    pub test: RankTest,
}

/// Summarises a study; instances without runs are omitted.
pub fn summaries(study: &Study) -> Vec<Summary> {
    let of = |(i, name): (usize, &String)| Summary {
        instance: name.clone(),
        budget: study.budget,
        rows: rows(study, i),
    };
    let all = study.instances.iter().enumerate().map(of);
    all.filter(|summary| !summary.rows.is_empty()).collect()
}

fn rows(study: &Study, instance: usize) -> Vec<Row> {
    let all = (0..study.configurations.len()).map(|c| (c, study.runs(instance, c)));
    let groups: Vec<(usize, Vec<&Record>)> = all.filter(|(_, runs)| !runs.is_empty()).collect();
    let row = |(i, (c, runs)): (usize, &(usize, Vec<&Record>))| {
        let mut row = row(&study.configurations[*c], runs, study.budget)?;
        row.parallel = parallel(study, instance, *c);
        let spent = |runs: &[&Record]| to_target(runs, |r| r.spent(study.budget));
        let others = groups.iter().enumerate().filter(|(j, _)| *j != i);
        row.against = others
            .filter_map(|(_, (other, theirs))| {
                let test = mann_whitney(&spent(runs), &spent(theirs))?;
                Some(Against { other: study.configurations[*other].clone(), test })
            })
            .collect();
        Some(row)
    };
    groups.iter().enumerate().filter_map(row).collect()
}

fn row(name: &str, runs: &[&Record], budget: Budget) -> Option<Row> {
    let successes = runs.iter().filter(|r| r.success).count();
    let failed = runs.iter().filter(|r| !r.success);
    let left: Vec<f64> = failed.filter_map(|r| r.conflicts).map(|c| c as f64).collect();
    let reached = || runs.iter().filter(|r| r.success);
    let times: Vec<f64> = reached().filter_map(|r| r.time_us).collect();
    let energies: Vec<f64> = reached().filter_map(|r| r.energy_nj).collect();
    let measured = runs.iter().all(|r| r.cpu_seconds.is_some());
    let cpu = || median_of(&to_target(runs, |r| r.cpu_seconds.unwrap_or(f64::INFINITY)));
    // The time beyond the budget, up to an exchange, does not count.
    let spent: Vec<f64> = runs.iter().map(|r| r.spent(budget).min(budget.amount())).collect();
    let speedup = |&n: &u32| Some((n, expected_speedup(&spent, n)?));
    Some(Row {
        configuration: name.to_string(),
        runs: runs.len(),
        successes,
        rate: wilson(successes, runs.len()),
        seconds: median_of(&to_target(runs, |r| r.seconds))?,
        cpu_seconds: if measured { cpu() } else { None },
        evaluations: median_of(&to_target(runs, |r| r.evaluations as f64))?,
        conflicts_left: median(&left),
        time_us: median(&times),
        energy_nj: median(&energies),
        speedups: COPIES.iter().filter(|_| successes > 0).filter_map(speedup).collect(),
        parallel: None,
        against: Vec::new(),
    })
}

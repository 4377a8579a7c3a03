//! The summary of a study: for each instance a row per configuration, a test of every pair, and what a number of
//! islands gains: the CPU time of the busiest rank until the target is reached, as if each rank had a processor,
//! and the moves of the busiest island, which do not depend on the machine. Both against those of the fewest
//! islands.

use super::statistics::{
    RankTest, bootstrap_median, bootstrap_ratio, expected_speedup, mann_whitney, median, wilson,
};
use super::{Budget, Record, Study};

/// A median to target with its interval; infinite if the runs failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

/// The amount that each run needed to reach the target; infinite if it failed.
pub fn to_target(runs: &[&Record], spent: impl Fn(&Record) -> f64) -> Vec<f64> {
    runs.iter().map(|r| if r.success { spent(r) } else { f64::INFINITY }).collect()
}

/// The median of these amounts, with its interval; none without values.
pub fn median_of(values: &[f64]) -> Option<Median> {
    Some(Median { value: median(values)?, interval: bootstrap_median(values)? })
}

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

/// One number of islands of a configuration that ran with several, on one instance.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The configuration without the number of islands.
    pub family: String,
    /// The number of islands.
    pub islands: usize,
    /// CPU seconds of the busiest rank to the target.
    pub cpu_seconds: Median,
    /// Moves of the busiest island to the target.
    pub moves: Median,
    /// The fewest islands of the family.
    pub least: usize,
    /// Speed-up in CPU seconds over the fewest islands; none if one of the medians is infinite.
    pub speedup: Option<Median>,
    /// Speed-up in moves.
    pub speedup_in_moves: Option<Median>,
}

impl Parallel {
    /// Speed-up over the number of times that there are more islands.
    pub fn efficiency(&self) -> Option<f64> {
        Some(self.speedup?.value * self.least as f64 / self.islands as f64)
    }
}

/// The gain of a configuration on an instance; none if its family has one number of islands, or what the
/// ranks have spent is unknown.
pub fn parallel(study: &Study, instance: usize, configuration: usize) -> Option<Parallel> {
    let (family, islands) = study.families.get(configuration)?;
    let of_family = (0..study.families.len()).filter(|&c| study.families[c].0 == *family);
    let ran = of_family.filter(|&c| !study.runs(instance, c).is_empty());
    let first = ran.clone().min_by_key(|&c| study.families[c].1)?;
    let least = study.families[first].1;
    if ran.max_by_key(|&c| study.families[c].1).is_none_or(|c| study.families[c].1 == least) {
        return None;
    }
    let (runs, base) = (study.runs(instance, configuration), study.runs(instance, first));
    if !runs.iter().chain(&base).all(|run| run.busiest.is_some()) {
        return None;
    }
    let is_base = configuration == first;
    let gain = |(base, values): &(Vec<f64>, Vec<f64>)| match is_base {
        true => Some(Median { value: 1.0, interval: (1.0, 1.0) }),
        false => ratio(base, values),
    };
    let both = |spent: fn(&Record) -> f64| (to_target(&base, spent), to_target(&runs, spent));
    let cpu = both(|run| run.busiest.map_or(f64::INFINITY, |b| b.cpu_seconds));
    let moves = both(|run| run.busiest.map_or(f64::INFINITY, |b| b.moves as f64));
    Some(Parallel {
        family: family.clone(),
        islands: *islands,
        cpu_seconds: median_of(&cpu.1)?,
        moves: median_of(&moves.1)?,
        least,
        speedup: gain(&cpu),
        speedup_in_moves: gain(&moves),
    })
}

/// The ratio of the medians, if both are finite.
fn ratio(base: &[f64], values: &[f64]) -> Option<Median> {
    let value = median(base)? / median(values)?;
    let interval = bootstrap_ratio(base, values)?;
    (value.is_finite() && value > 0.0).then_some(Median { value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Budget, Busiest};

    fn run(configuration: usize, success: bool, moves: u64) -> Record {
        Record {
            configuration,
            seed: moves,
            success,
            seconds: 1.0,
            busiest: Some(Busiest { cpu_seconds: moves as f64 / 100.0, moves }),
            ..Record::default()
        }
    }

    fn study(records: Vec<Record>) -> Study {
        let families = [("auto", 1), ("auto", 4), ("hgsa", 4)];
        Study {
            instances: vec!["any".into()],
            configurations: families.map(|(name, islands)| format!("{name}, {islands}")).to_vec(),
            families: families.map(|(name, islands)| (name.to_string(), islands)).to_vec(),
            budget: Budget::Iterations(9),
            measure: "steps",
            records,
        }
    }

    #[test]
    fn islands_are_held_against_the_fewest() {
        let of = |configuration, moves: [u64; 3]| moves.map(|n| run(configuration, true, n));
        let all = [of(0, [800, 1200, 1000]), of(1, [500, 400, 600]), of(2, [7, 8, 9])].concat();
        let study = study(all);
        let one = parallel(&study, 0, 0).unwrap();
        assert_eq!((one.islands, one.efficiency()), (1, Some(1.0)));
        let four = parallel(&study, 0, 1).unwrap();
        assert_eq!((four.moves.value, four.cpu_seconds.value), (500.0, 5.0));
        assert_eq!((four.speedup.unwrap().value, four.efficiency()), (2.0, Some(0.5)));
        let (low, high) = four.speedup_in_moves.unwrap().interval;
        assert!(low >= 800.0 / 600.0 && high <= 3.0 && low < 2.0 && high > 2.0, "{low} {high}");
        assert!(parallel(&study, 0, 2).is_none(), "one number of islands");
    }

    #[test]
    fn nothing_is_said_of_runs_that_fail_or_are_unknown() {
        let failed = study(vec![run(0, false, 5), run(1, true, 4)]);
        let four = parallel(&failed, 0, 1).unwrap();
        assert_eq!((four.moves.value, four.speedup), (4.0, None));
        let unknown = Record { busiest: None, ..run(0, true, 5) };
        assert!(parallel(&study(vec![unknown, run(1, true, 4)]), 0, 1).is_none());
    }
}

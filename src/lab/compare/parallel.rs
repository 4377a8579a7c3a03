//! What a number of islands gains: the CPU time of the busiest rank until the target is reached, as if
//! each rank had a processor, and the moves of the busiest island, which do not depend on the machine.
//! Both against those of the fewest islands.

use super::statistics::{bootstrap_ratio, median};
use super::to_target::{Median, median_of, to_target};
use super::{Record, Study};

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

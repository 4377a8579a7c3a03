//! A study from earlier runs: the summary lines of `solve --json`, from threads or MPI jobs. Lines
//! of the same problem form an instance, lines of the same engine and number of islands form a
//! configuration. They have no CPU time, no conflicts and no history of the search.

use super::{Budget, Busiest, Record, Study};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, input};
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The keys read from a summary line.
#[derive(Deserialize)]
struct Line {
    topology: String,
    collective: String,
    switching: String,
    ports: String,
    routing: String,
    source: Option<String>,
    faults: Vec<Value>,
    steps: Option<u32>,
    engine: String,
    seed: u64,
    ranks: usize,
    iterations: u64,
    #[serde(default)]
    evaluations: u64,
    /// `time` in place of steps.
    minimize: Option<String>,
    timing: Option<String>,
    seconds: f64,
    time_us: Option<f64>,
    energy_nj: Option<f64>,
    rank_cpu_seconds: Option<f64>,
    rank_moves: Option<u64>,
}

impl Line {
    /// The problem in words, without the defaults.
    fn problem(&self) -> String {
        let mut words = vec![format!("{} {}", self.topology, self.collective.to_uppercase())];
        let unusual = [
            (&self.switching, "wormhole", ""),
            (&self.ports, "all", "ports "),
            (&self.routing, "minimal", "routing "),
        ];
        let unusual = unusual.iter().filter(|(value, usual, _)| value != usual);
        words.extend(unusual.map(|(value, _, what)| format!("{what}{value}")));
        words.extend(self.source.iter().map(|s| format!("source {s}")));
        if self.is_for_time() {
            words.push(format!("least time, {}", self.timing.as_deref().unwrap_or("steps")));
        }
        if !self.faults.is_empty() {
            words.push(format!("faults {}", Value::from(self.faults.clone())));
        }
        words.join(", ")
    }

    fn is_for_time(&self) -> bool {
        self.minimize.as_deref() == Some("time")
    }

    /// Its steps, or its time in picoseconds where that is to be the least.
    fn length(&self) -> Option<u64> {
        match self.is_for_time() {
            true => self.time_us.map(|us| (us * 1e6).round() as u64),
            false => self.steps.map(u64::from),
        }
    }

    fn family(&self) -> (String, usize) {
        (self.engine.clone(), self.ranks)
    }

    fn configuration(&self) -> String {
        format!("{}, {}", self.engine, counted(self.ranks, "island"))
    }
}

/// Reads a file of summary lines. The target is `steps`, or for each instance the fewest steps of
/// any run.
///
/// # Errors
/// A file that cannot be read, is empty, or contains other lines or the same run twice.
pub fn read(path: &Path, steps: Option<u32>) -> Result<Study> {
    let text = input::text(path)?;
    study(path, &text, steps)
}

fn study(path: &Path, text: &str, steps: Option<u32>) -> Result<Study> {
    let wrong = |line, why| Error::File { path: path.to_path_buf(), line, why };
    let mut problems: IndexSet<String> = IndexSet::new();
    let mut configurations: IndexMap<String, (String, usize)> = IndexMap::new();
    let mut seen: IndexMap<(usize, usize, u64), usize> = IndexMap::new();
    let mut runs: Vec<(usize, usize, Line)> = Vec::new();
    for (number, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let line: Line = serde_json::from_str(text)
            .map_err(|e| wrong(number, format!("not a summary line of `solve --json`: {e}")))?;
        if !(line.seconds >= 0.0 && line.seconds < f64::MAX) {
            return Err(wrong(number, format!("invalid seconds: {}", line.seconds)));
        }
        let (instance, _) = problems.insert_full(line.problem());
        let (configuration, _) = configurations.insert_full(line.configuration(), line.family());
        let run = (instance, configuration, line.seed);
        if let Some(before) = seen.insert(run, number) {
            let (what, seed) = (line.configuration(), line.seed);
            let why = format!(
                "{what} with seed {seed} is in line {before} already; runs to compare need \
                 different seeds"
            );
            return Err(wrong(number, why));
        }
        runs.push((instance, configuration, line));
    }
    if runs.is_empty() {
        return Err(wrong(1, "no runs in it; `solve --json` prints a line for each".into()));
    }
    let target = |i: usize| {
        let of = || runs.iter().filter(|r| r.0 == i).map(|r| &r.2);
        let is_for_time = of().any(Line::is_for_time);
        let given = steps.filter(|_| !is_for_time).map(u64::from);
        (given.or(of().filter_map(Line::length).min()), is_for_time)
    };
    let targets: Vec<(Option<u64>, bool)> = (0..problems.len()).map(target).collect();
    let longest = runs.iter().map(|r| r.2.seconds).fold(0.0, f64::max);
    let name = |(name, target): (String, &(Option<u64>, bool))| match *target {
        (Some(steps), false) => format!("{name} {steps}"),
        (Some(ps), true) => format!("{name}, {:.3} us", ps as f64 * 1e-6),
        (None, _) => name,
    };
    Ok(Study {
        instances: problems.into_iter().zip(&targets).map(name).collect(),
        configurations: configurations.keys().cloned().collect(),
        families: configurations.into_values().collect(),
        budget: Budget::Longest(longest),
        measure: "steps",
        records: runs.into_iter().map(|(i, c, line)| record(i, c, &line, targets[i].0)).collect(),
    })
}

fn record(instance: usize, configuration: usize, line: &Line, target: Option<u64>) -> Record {
    let reached = line.length().zip(target).is_some_and(|(length, target)| length <= target);
    Record {
        instance,
        configuration,
        seed: line.seed,
        success: reached,
        seconds: line.seconds,
        evaluations: line.evaluations,
        iterations: line.iterations,
        busiest: line
            .rank_cpu_seconds
            .zip(line.rank_moves)
            .map(|(cpu_seconds, moves)| Busiest { cpu_seconds, moves }),
        time_us: line.time_us,
        energy_nj: line.energy_nj,
        conflicts: reached.then_some(0),
        ..Record::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(engine: &str, ranks: usize, seed: u64, steps: &str, more: &str) -> String {
        format!(
            "{{\"topology\":\"ring:8\",\"collective\":\"aas\",\"switching\":\"wormhole\",\
             \"ports\":\"all\",\"routing\":\"minimal\",\"source\":null,\"faults\":[],\
             \"steps\":{steps},\"engine\":\"{engine}\",\"seed\":{seed},\"ranks\":{ranks},\
             \"iterations\":10,\"evaluations\":560,\"seconds\":{seed}.5{more}}}\n"
        )
    }

    fn read(text: &str, steps: Option<u32>) -> Result<Study> {
        study(Path::new("runs.jsonl"), text, steps)
    }

    #[test]
    fn lines_fall_into_groups() {
        let text = line("umda", 1, 1, "9", "")
            + &line("hgsa", 4, 1, "8", ",\"new_key\":1")
            + "\n"
            + &line("umda", 1, 2, "null", "");
        let fewest = read(&text, None).unwrap();
        assert_eq!(fewest.instances, ["ring:8 AAS 8"]);
        assert_eq!(fewest.configurations, ["umda, 1 island", "hgsa, 4 islands"]);
        assert_eq!(fewest.budget, Budget::Longest(2.5));
        let reached = |study: &Study| study.records.iter().map(|r| r.success).collect::<Vec<_>>();
        assert_eq!(reached(&fewest), [false, true, false]);
        assert_eq!(reached(&read(&text, Some(9)).unwrap()), [true, true, false]);
    }

    #[test]
    fn wrong_lines_are_told_by_number() {
        let good = line("umda", 1, 1, "9", "");
        let message = |text: &str| read(text, None).unwrap_err().to_string();
        assert!(message(&format!("{good}\n{{}}")).starts_with("runs.jsonl:3: not a summary line"));
        assert!(message(&format!("{good}{good}")).contains("line 1 already"));
        assert!(message("\n").contains("no runs"));
    }
}

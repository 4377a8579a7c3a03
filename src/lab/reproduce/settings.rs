//! The limits of a reproduction.

use super::printed::{CELLS, Cell, FIGURES, Figure, SETUPS};
use super::report::{Row, of_figure, read_lines};
use crate::compare::statistics::median;
use ccsched_base::{Error, Result};
use ccsched_network::spec;
use serde::Deserialize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The engines that are held against print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engines {
    /// `auto` alone
    Auto,
    /// The engine of each paper alone: umda, and hgsa with the moves of its paper
    Paper,
    /// Both
    Both,
}

impl Engines {
    /// Whether `auto` runs.
    pub fn has_auto(self) -> bool {
        self != Engines::Paper
    }

    /// Whether the engines of the papers run.
    pub fn has_faithful(self) -> bool {
        self != Engines::Auto
    }
}

/// The limits of all rows.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The engines.
    pub engines: Engines,
    /// Runs of the engine of the paper on every cell.
    pub runs: u32,
    /// CPU seconds of a run of the engine of the paper.
    pub cpu_limit: f64,
    /// CPU seconds of `auto` on a problem; it ends at a proof, and rarely needs them.
    pub auto_limit: f64,
    /// Whether the engines of the papers also run where the papers say that it takes long.
    pub full: bool,
    /// The first seed of the runs.
    pub seed: u64,
    /// Serial runs side by side.
    pub workers: usize,
    /// Measurements of replays, for the figures that need them.
    pub replays: Option<&'a [Play]>,
    /// When raised, the row that runs ends without a result.
    pub interrupted: &'a AtomicBool,
}

/// The longest printed time of a cell on which the engine of its paper runs by default, in seconds.
const QUICK_SECONDS: f64 = 10.0;

impl Settings<'_> {
    /// All settings that change a row, with a check sum of what is printed: rows of other settings
    /// are not mixed.
    pub fn told(&self) -> String {
        let Settings { engines, runs, cpu_limit, auto_limit, full, seed, .. } = self;
        let engines = match engines {
            Engines::Auto => "auto",
            Engines::Paper => "paper",
            Engines::Both => "both",
        };
        let mut sum = crc32fast::Hasher::new();
        CELLS.iter().for_each(|(_, text)| sum.update(text.as_bytes()));
        [FIGURES, SETUPS].iter().for_each(|text| sum.update(text.as_bytes()));
        self.replays.iter().for_each(|plays| sum.update(format!("{plays:?}").as_bytes()));
        let (version, sum) = (env!("CARGO_PKG_VERSION"), sum.finalize());
        let full = if *full { ", full" } else { "" };
        format!(
            "{version}, {engines} {auto_limit} s, {runs} runs of {cpu_limit} s from {seed}{full}, \
             {sum:08x}"
        )
    }

    /// Whether the engine of the paper runs on a cell: without `full`, where print gives a short
    /// time, or none for the network of such a cell.
    pub fn is_affordable(&self, cell: &Cell) -> bool {
        let is_quick = |cell: &Cell| match &cell.time {
            Some(time) => time.seconds <= QUICK_SECONDS,
            None => cell.switching.is_some(),
        };
        self.full || is_quick(cell)
    }
}

// Figures that only a measurement can be held against: liquid-schedules, figure 9. The measurements are
// the CSV of `ccsched-mpi replay`, or of several networks with a column `network` more, as
// `scripts/emulate.sh` writes it.

/// The name of round robin in the measurements.
const ROUND_ROBIN: &str = "round-robin";

/// A schedule as it was measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Play {
    /// The network, by its allocation of Swiss-T1 nodes; none if the file has one network.
    pub network: Option<String>,
    /// The schedule.
    pub schedule: String,
    /// The seconds of the model; none where the model has none.
    pub predicted_seconds: Option<f64>,
    /// The median of the measured seconds.
    pub seconds: f64,
    /// Measured seconds over those of the first schedule of the network.
    pub over_first: f64,
}

/// Reads measurements; those of other networks than the Swiss-T1 are left out.
///
/// # Errors
/// The file cannot be read, or has no such rows.
pub fn read_replays(path: &Path) -> Result<Vec<Play>> {
    let mut plays: Vec<Play> = read_lines(path, "name the CSV of a replay")?;
    let is_swiss = |name: &str| spec::parse(&format!("swiss-t1:{name}")).is_ok();
    plays.retain(|play| play.network.as_deref().is_none_or(is_swiss));
    if plays.is_empty() {
        let path = path.display();
        return Err(Error::problem(format!("{path}: no schedule of the Swiss-T1 was measured")));
    }
    Ok(plays)
}

/// The row of a figure.
pub fn row(figure: &Figure, plays: &[Play]) -> Row {
    let (values, of): (Vec<f64>, _) = match figure.quantity.as_str() {
        "replayed-of-predicted" => {
            let first = plays.iter().filter(|play| play.over_first == 1.0);
            let shares = first.filter_map(|play| Some(play.predicted_seconds? / play.seconds));
            (shares.collect(), "schedules")
        }
        _ => {
            let others = plays.iter().filter(|play| play.schedule == ROUND_ROBIN);
            (others.map(|play| play.over_first).collect(), "round robins")
        }
    };
    let value = match figure.quantity.as_str() {
        "replayed-of-predicted" => median(&values).unwrap_or(f64::NAN),
        _ => values.iter().copied().fold(f64::NAN, f64::max),
    };
    let percent = (100.0 * value).round();
    let span = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
    Row {
        experiment: figure.id.clone(),
        row: figure.row.clone(),
        paper: figure.value.clone(),
        ours: format!("{percent}"),
        verdict: Some(of_figure(figure, percent)),
        why: format!("{} {of}, {:.0} to {:.0} %", values.len(), 100.0 * span.0, 100.0 * span.1),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Printed, Verdict};
    use super::*;

    #[test]
    fn measurements_are_held_against_print() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plays.csv");
        let head = "network,schedule,seconds,predicted_seconds,over_first\n";
        let own =
            "\"2,0,2,0,2,0,2,0\",auto,2.0,1.9,1.0\n\"2,0,2,0,2,0,2,0\",round-robin,3.4,3.8,1.7\n";
        let other = "\"2 leaves\",auto,9.0,1.0,1.0\n";
        std::fs::write(&path, [head, own, other].concat()).unwrap();
        let plays = read_replays(&path).unwrap();
        assert_eq!(plays.len(), 2);
        let printed = Printed::all().unwrap();
        let rows: Vec<Row> = printed.figures_of("liq-f9").map(|f| row(f, &plays)).collect();
        let ours: Vec<&str> = rows.iter().map(|row| row.ours.as_str()).collect();
        assert_eq!(ours, ["95", "170"]);
        assert!(rows.iter().all(|row| row.verdict == Some(Verdict::Equal)), "{rows:?}");
        // Slow plays fail.
        let slow: Vec<Play> = plays
            .iter()
            .map(|play| Play { seconds: 2.0 * play.seconds, over_first: 1.0, ..play.clone() })
            .collect();
        let rows: Vec<Row> = printed.figures_of("liq-f9").map(|f| row(f, &slow)).collect();
        assert!(rows.iter().all(|row| row.verdict == Some(Verdict::Worse)), "{rows:?}");
        std::fs::write(&path, [head, other].concat()).unwrap();
        assert!(
            read_replays(&path).unwrap_err().to_string().contains("no schedule of the Swiss-T1")
        );
    }
}

//! One row of the output: print, the faithful engine, `auto`, the verdict.

use super::verdict::Verdict;
use crate::compare::statistics::wilson;
use serde::{Deserialize, Serialize};

/// A row. Its fields are the columns of the CSV, and the keys of a line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The experiment.
    pub experiment: String,
    /// The row and the column of the table.
    pub row: String,
    /// The printed figure.
    pub paper: String,
    /// The printed lower bound.
    pub paper_bound: Option<u32>,
    /// Printed: successful runs, per cent.
    pub paper_rate: Option<u32>,
    /// Printed: the mean time of successful runs in seconds.
    pub paper_seconds: Option<f64>,
    /// The engine of the paper.
    pub engine: Option<String>,
    /// Its runs.
    pub runs: u32,
    /// The runs that reached the printed figure within their limit.
    pub reached: u32,
    /// Their mean CPU seconds.
    pub run_seconds: Option<f64>,
    /// The CPU seconds of each of them, with blanks between.
    pub run_times: String,
    /// The comparison of those runs with print.
    pub faithful: Option<Verdict>,
    /// The result of `auto`, or the computed number.
    pub ours: String,
    /// The largest lower bound.
    pub bound: Option<u32>,
    /// The proof of the bound.
    pub proof: String,
    /// CPU seconds of `auto`, or of the computation.
    pub seconds: Option<f64>,
    /// The comparison of `auto` with print.
    pub verdict: Option<Verdict>,
    /// Why, and what the reader must know.
    pub why: String,
    /// The options of `ccsched solve` that repeat the row, if it is one problem.
    pub command: String,
    /// The settings under which the row was made, as [`Settings::told`](super::Settings::told).
    pub settings: String,
}

impl Row {
    /// The name of the row: it is unique.
    pub fn key(&self) -> (&str, &str) {
        (&self.experiment, &self.row)
    }

    /// The CPU seconds of the runs that reached the printed figure.
    pub fn times(&self) -> Vec<f64> {
        self.run_times.split_whitespace().filter_map(|time| time.parse().ok()).collect()
    }

    /// Adds runs, of which those that reached the figure took these CPU seconds.
    pub fn add_runs(&mut self, runs: usize, reached: &[f64]) {
        let all: Vec<f64> = self.times().into_iter().chain(reached.iter().copied()).collect();
        self.runs += runs as u32;
        self.reached = all.len() as u32;
        self.run_seconds = (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
        let words: Vec<String> = all.iter().map(|time| format!("{time:.6}")).collect();
        self.run_times = words.join(" ");
    }

    /// The 95 % interval of the success rate, in per cent; none without runs.
    pub fn rate(&self) -> Option<(f64, f64)> {
        let (low, high) = wilson(self.reached as usize, self.runs as usize);
        (self.runs > 0).then_some((100.0 * low, 100.0 * high))
    }

    /// Whether the row fails: `auto` is worse than print, or print is contradicted although the data
    /// names no slip.
    pub fn fails(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Worse))
    }

    /// Whether the engine of the paper falls short of the paper.
    pub fn fails_faithfully(&self) -> bool {
        matches!(self.faithful, Some(Verdict::Worse))
    }
}

/// The comparison of a success rate with print: worse or better where the 95 % intervals of both, of
/// ten printed runs, do not overlap; without a printed rate one success is enough.
pub fn rates(reached: u32, runs: u32, printed: Option<u32>) -> Verdict {
    let ours = wilson(reached as usize, runs as usize);
    let Some(printed) = printed else {
        return if reached > 0 { Verdict::Equal } else { Verdict::Worse };
    };
    let theirs = wilson(printed as usize / 10, 10);
    if ours.1 < theirs.0 {
        Verdict::Worse
    } else if ours.0 > theirs.1 {
        Verdict::Better
    } else {
        Verdict::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_compared_by_their_intervals() {
        assert_eq!(rates(10, 10, Some(100)), Verdict::Equal);
        assert_eq!(rates(7, 10, Some(100)), Verdict::Equal);
        assert_eq!(rates(0, 10, Some(100)), Verdict::Worse);
        assert_eq!(rates(10, 10, Some(10)), Verdict::Better);
        assert_eq!(rates(1, 10, None), Verdict::Equal);
        assert_eq!(rates(0, 10, None), Verdict::Worse);
    }
}

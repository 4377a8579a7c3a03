//! One row of the output: print, the faithful engine, `auto`, and the verdict: how a result compares with print,
//! and why.

use super::printed::Figure;
use crate::compare::statistics::wilson;
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// How a result compares with the printed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The printed figure.
    Equal,
    /// Better than the printed figure.
    Better,
    /// A proof contradicts the printed figure.
    Contradicted,
    /// Worse than the printed figure, and nothing is proved against it.
    Worse,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Equal => "equal",
            Verdict::Better => "better",
            Verdict::Contradicted => "contradicted",
            Verdict::Worse => "worse",
        })
    }
}

/// What is known of the steps of one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Steps of the best schedule, if one was found. It has been verified.
    pub steps: Option<u32>,
    /// The largest lower bound.
    pub bound: u32,
    /// Its name.
    pub proof: String,
    /// Whether the verifier has checked it; a refutation by search cannot be.
    pub is_certified: bool,
}

impl Known {
    /// The bound with its name, as a proof.
    pub fn proof(&self) -> String {
        let checked = if self.is_certified { ", verified" } else { ", by search" };
        format!("{} bound{checked}", self.proof)
    }

    /// Compares with a printed number of steps.
    pub fn against(&self, printed: u32) -> Verdict {
        match self.steps {
            _ if self.bound > printed => Verdict::Contradicted,
            Some(steps) if steps == printed => Verdict::Equal,
            Some(steps) if steps < printed => Verdict::Better,
            _ => Verdict::Worse,
        }
    }

    /// Compares with a printed lower bound: a larger one is better, and a schedule of fewer steps
    /// contradicts it.
    pub fn against_bound(&self, printed: u32) -> Verdict {
        match self.steps {
            Some(steps) if steps < printed => Verdict::Contradicted,
            _ if self.bound > printed => Verdict::Better,
            _ if self.bound == printed => Verdict::Equal,
            _ => Verdict::Worse,
        }
    }
}

/// The verdict on a row of several problems: the gravest.
pub fn gravest(verdicts: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
    let weight = |verdict: &Verdict| match verdict {
        Verdict::Equal => 0,
        Verdict::Better => 1,
        Verdict::Contradicted => 2,
        Verdict::Worse => 3,
    };
    verdicts.into_iter().max_by_key(weight)
}

/// The verdict on a computed number. Only a slip that the data names counts as contradicted:
/// otherwise a figure that was typed in wrongly would pass.
pub fn of_figure(figure: &Figure, computed: f64) -> Verdict {
    match figure.agrees(computed) {
        true => Verdict::Equal,
        false if figure.note.is_some() => Verdict::Contradicted,
        false => Verdict::Worse,
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

    fn known(steps: u32, bound: u32) -> Known {
        Known { steps: Some(steps), bound, proof: "ports".into(), is_certified: true }
    }

    #[test]
    fn steps_are_held_against_print() {
        let against = |steps, bound| known(steps, bound).against(7);
        assert_eq!(against(7, 7), Verdict::Equal);
        assert_eq!(against(6, 5), Verdict::Better);
        assert_eq!(against(8, 7), Verdict::Worse);
        assert_eq!(against(9, 8), Verdict::Contradicted);
        let none = Known { steps: None, ..known(0, 7) };
        assert_eq!(none.against(7), Verdict::Worse);
    }

    #[test]
    fn bounds_are_held_against_print() {
        let against = |steps, bound| known(steps, bound).against_bound(7);
        assert_eq!(against(9, 7), Verdict::Equal);
        assert_eq!(against(9, 8), Verdict::Better);
        assert_eq!(against(9, 6), Verdict::Worse);
        assert_eq!(against(6, 6), Verdict::Contradicted);
    }

    #[test]
    fn the_gravest_verdict_counts() {
        let all = [Verdict::Better, Verdict::Contradicted, Verdict::Equal];
        assert_eq!(gravest(all), Some(Verdict::Contradicted));
        assert_eq!(gravest([]), None);
    }
}

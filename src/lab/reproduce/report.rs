//! The report: a table for each experiment, and the totals, in Markdown and for terminals; all rows
//! as CSV, from which an interrupted reproduction continues.

use super::printed::{Content, EXPERIMENTS, Experiment, Figure, find};
use crate::compare::statistics::wilson;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, input};
use ccsched_tools::fold::{Numbers, table};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The report for a terminal of this many columns.
pub fn text(rows: &[Row], columns: Option<usize>) -> String {
    let sections = sections(rows).map(|(experiment, rows)| section(experiment, &rows, columns));
    sections.chain([totals(rows).join("\n")]).collect::<Vec<_>>().join("\n\n")
}

/// The report as a page of Markdown; `how` tells how the rows were made.
pub fn markdown(rows: &[Row], how: &[String]) -> String {
    let mut lines = vec!["# The papers' tables and figures, reproduced".to_string(), String::new()];
    lines.push("Written by `ccsched reproduce`; each row beside print. *Rate*: successful runs of the engine of".into());
    lines.push("the paper for the printed number of steps, with the 95 % Wilson interval in per cent; *seconds* are CPU seconds.".into());
    lines.push(String::new());
    lines.extend(how.iter().map(|line| format!("- {line}")));
    lines.push(String::new());
    lines.extend(totals(rows).into_iter().map(|line| format!("- {line}")));
    for (experiment, rows) in sections(rows) {
        let Experiment { id, paper, about, .. } = experiment;
        lines.extend([String::new(), format!("## {id}"), String::new()]);
        lines.push(format!("Paper {paper}, {about}."));
        lines.extend([String::new(), tabled(&rows, None)]);
    }
    lines.join("\n") + "\n"
}

/// The sums over all rows.
pub fn totals(rows: &[Row]) -> Vec<String> {
    let count = |verdict| rows.iter().filter(|row| row.verdict == Some(verdict)).count();
    let judged = rows.iter().filter(|row| row.verdict.is_some()).count();
    let mut lines = vec![format!(
        "{judged}: {} equal, {} better, {} contradicted by a proof, {} worse than print",
        count(Verdict::Equal),
        count(Verdict::Better),
        count(Verdict::Contradicted),
        count(Verdict::Worse),
        judged = counted(judged, "row")
    )];
    let timed = || rows.iter().filter(|row| row.paper_seconds.is_some() && row.verdict.is_some());
    let theirs: f64 = timed().filter_map(|row| row.paper_seconds).sum();
    let ours: f64 = timed().filter_map(|row| row.seconds).sum();
    if theirs > 0.0 {
        let theirs = match theirs / DAY {
            days if days >= 1.0 => format!("{days:.1} days"),
            _ => format!("{theirs} s"),
        };
        let cells = timed().count();
        lines.push(format!(
            "time of the {cells} cells for which a paper gives one: {theirs} in print, {ours:.1} CPU \
             seconds of auto"
        ));
    }
    let of_runs: Vec<&Row> = rows.iter().filter(|row| row.faithful.is_some()).collect();
    if !of_runs.is_empty() {
        let worse = of_runs.iter().filter(|row| row.fails_faithfully()).count();
        lines.push(format!(
            "engines of the papers: {}, {worse} of them below print",
            counted(of_runs.len(), "row")
        ));
    }
    lines
}

/// The CPU hours of the runs of the engines of the papers; a run that did not reach its figure took its
/// limit.
pub fn hours(rows: &[Row], cpu_limit: f64) -> f64 {
    // Rates and times show the runs of other rows.
    let is_own = |row: &&Row| {
        let experiment = find(&row.experiment);
        experiment.is_some_and(|e| matches!(e.content, Content::Cells | Content::Runs))
    };
    let seconds = |row: &Row| {
        row.times().iter().sum::<f64>()
            + f64::from(row.runs - row.reached.min(row.runs)) * cpu_limit
    };
    rows.iter().filter(is_own).map(seconds).sum::<f64>() / 3600.0
}

/// The rows by experiment.
fn sections(rows: &[Row]) -> impl Iterator<Item = (&'static Experiment, Vec<&Row>)> {
    EXPERIMENTS.iter().filter_map(move |experiment| {
        let of: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment.id).collect();
        (!of.is_empty()).then_some((experiment, of))
    })
}

fn section(experiment: &Experiment, rows: &[&Row], columns: Option<usize>) -> String {
    let Experiment { id, paper, about, .. } = experiment;
    format!("{id}  ({paper}) {about}\n\n{}", tabled(rows, columns))
}

/// The table of an experiment; columns without content are left out.
fn tabled(rows: &[&Row], columns: Option<usize>) -> String {
    let head = ["row", "paper", "rate", "seconds", "auto", "bound", "seconds", "verdict", "why"];
    let cells: Vec<[String; 9]> = rows.iter().map(|row| cells(row)).collect();
    let used: Vec<usize> =
        (0..head.len()).filter(|&c| cells.iter().any(|row| !row[c].is_empty())).collect();
    let head: Vec<String> = used.iter().map(|&c| head[c].to_string()).collect();
    let rows: Vec<Vec<String>> =
        cells.iter().map(|row| used.iter().map(|&c| row[c].clone()).collect()).collect();
    table(&head, &rows, Numbers::Left, columns)
}

fn cells(row: &Row) -> [String; 9] {
    let seconds = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.2}"));
    let bound = |steps: &u32| *steps > 0 && row.paper != steps.to_string();
    let rate =
        |(low, high): (f64, f64)| format!("{} of {} [{low:.0}, {high:.0}]", row.reached, row.runs);
    [
        row.row.clone(),
        match row.paper_bound.filter(bound) {
            Some(bound) => format!("{bound}/{}", row.paper),
            None => row.paper.clone(),
        },
        row.rate().map_or(String::new(), rate),
        seconds(row.run_seconds),
        row.ours.clone(),
        row.bound.map_or(String::new(), |bound| format!("{bound} {}", row.proof)),
        seconds(row.seconds),
        match (row.verdict, row.faithful) {
            (Some(verdict), _) => verdict.to_string(),
            (None, Some(faithful)) => faithful.to_string(),
            (None, None) => String::new(),
        },
        row.why.clone(),
    ]
}

/// The rows of a CSV file.
///
/// # Errors
/// A file that cannot be read, or is no file of rows.
pub fn read_csv(path: &Path) -> Result<Vec<Row>> {
    read_lines(path, "name another file, or remove this one to begin anew")
}

/// The lines of a CSV file; `advice` says what to do if it is wrong.
///
/// # Errors
/// A file that cannot be read, or has other columns.
pub(super) fn read_lines<T: DeserializeOwned>(path: &Path, advice: &str) -> Result<Vec<T>> {
    let text = input::text(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for row in reader.deserialize() {
        let wrong = |e: csv::Error| Error::File {
            path: path.into(),
            line: e.position().map_or(1, |place| place.line() as usize),
            why: format!("{e}; {advice}"),
        };
        rows.push(row.map_err(wrong)?);
    }
    Ok(rows)
}

// One row of the output: print, the faithful engine, `auto`, and the verdict: how a result compares with print,
// and why.

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

    fn rows() -> Vec<Row> {
        let equal = Row {
            experiment: "dd-t6".into(),
            row: "Levi 30 AAS".into(),
            paper: "31".into(),
            paper_bound: Some(28),
            paper_seconds: Some(108_000.0),
            ours: "28".into(),
            bound: Some(28),
            proof: "distance bound, verified".into(),
            seconds: Some(0.2),
            verdict: Some(Verdict::Better),
            runs: 10,
            reached: 7,
            run_seconds: Some(1.5),
            faithful: Some(Verdict::Equal),
            ..Row::default()
        };
        let other = Row { row: "Heawood, \"AAS\"".into(), why: "a, b".into(), ..equal.clone() };
        vec![equal, other]
    }

    #[test]
    fn csv_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, crate::rows::csv(rows()).unwrap()).unwrap();
        assert_eq!(read_csv(&path).unwrap(), rows());
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let why = read_csv(&path).unwrap_err().to_string();
        assert!(why.contains("rows.csv:2: ") && why.contains("name another"), "{why}");
    }

    #[test]
    fn the_report_has_rows_and_sums() {
        let page = markdown(&rows(), &["on a machine".into()]);
        for word in ["## dd-t6", "28/31", "7 of 10 [40, 89]", "better", "2.5 days", "2 better"] {
            assert!(page.contains(word), "no '{word}' in {page}");
        }
    }

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

//! The report: a table for each experiment, and the totals, in Markdown and for terminals; all rows
//! as CSV, from which an interrupted reproduction continues.

use super::printed::{Content, EXPERIMENTS, Experiment, find};
use super::row::Row;
use super::row::Verdict;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, input};
use ccsched_tools::fold::{Numbers, table};
use serde::de::DeserializeOwned;
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
}

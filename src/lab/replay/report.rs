//! The results of a replay: a row for each schedule and size, as a table, CSV, and lines of JSON.

use super::run::{Measurement, Replay};
use super::script::Script;
use crate::compare::statistics::{bootstrap_median, median};
use crate::rows::{known, table};
use ccsched_base::Result;
use ccsched_model::schedule::TimeModel;
use ccsched_model::schedule::cells::cell;
use ccsched_tools::fold::Numbers;
use serde::Serialize;

/// One schedule at one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayRow {
    /// The length of messages.
    pub bytes: u64,
    /// The schedule, or the library's exchange.
    pub schedule: String,
    /// Its steps; none of a timed one.
    pub steps: Option<usize>,
    /// Plays measured.
    pub repetitions: usize,
    /// The median of their seconds.
    pub seconds: f64,
    /// The interval of the median.
    pub seconds_low: f64,
    /// Its end.
    pub seconds_high: f64,
    /// Megabytes (10^6 bytes) that all receivers get in a second.
    pub megabytes_per_second: f64,
    /// The same for one receiver, on the mean.
    pub megabytes_per_second_and_node: f64,
    /// The seconds of the model.
    pub predicted_seconds: Option<f64>,
    /// Measured over predicted seconds.
    pub measured_over_predicted: Option<f64>,
    /// Its seconds over those of the first schedule.
    pub over_first: f64,
}

/// The rows of a replay; `model` gives what a step of a schedule costs, if its time is predicted.
pub fn rows(
    replay: &Replay,
    measured: &[Measurement],
    model: &dyn Fn(&Script) -> Option<TimeModel>,
) -> Vec<ReplayRow> {
    let first = &replay.scripts[0];
    let nodes = first.receives.iter().filter(|&&receives| receives).count().max(1) as f64;
    let row = |m: &Measurement| {
        let seconds = median(&m.seconds)?;
        let (seconds_low, seconds_high) = bootstrap_median(&m.seconds)?;
        let base = measured.iter().find(|base| base.contender == 0 && base.bytes == m.bytes)?;
        let script = replay.scripts.get(m.contender);
        let predicted = script.and_then(|script| {
            let model = model(script)?;
            Some(script.predicted(&TimeModel { message_bytes: m.bytes, ..model }))
        });
        let rate = script.unwrap_or(first).delivered(m.bytes) as f64 * 1e-6 / seconds;
        Some(ReplayRow {
            bytes: m.bytes,
            schedule: replay.name(m.contender).into(),
            steps: script.filter(|script| !script.is_timed()).map(|script| script.steps.len()),
            repetitions: m.seconds.len(),
            seconds,
            seconds_low,
            seconds_high,
            megabytes_per_second: rate,
            megabytes_per_second_and_node: rate / nodes,
            predicted_seconds: predicted,
            measured_over_predicted: predicted.map(|predicted| seconds / predicted),
            over_first: seconds / median(&base.seconds)?,
        })
    };
    measured.iter().filter_map(row).collect()
}

/// A table.
pub fn text(rows: &[ReplayRow], columns: Option<usize>) -> String {
    let line = |row: &ReplayRow| {
        [
            row.schedule.clone(),
            row.bytes.to_string(),
            known(row.steps),
            time(row.seconds),
            format!("{} .. {}", time(row.seconds_low), time(row.seconds_high)),
            rate(row.megabytes_per_second),
            rate(row.megabytes_per_second_and_node),
            format!("{:.2}", row.over_first),
        ]
    };
    let head = "schedule|bytes|steps|median|95 % interval|MB/s|a node|time / first";
    if rows.iter().all(|row| row.predicted_seconds.is_none()) {
        return table(head, rows.iter().map(line), Numbers::Right, columns);
    }
    let predicted = |row: &ReplayRow| {
        let [a, b, c, d, e, f, g, h] = line(row);
        let ratio = row.measured_over_predicted.map(|ratio| format!("{ratio:.2}"));
        [a, b, c, d, e, f, g, h, known(row.predicted_seconds.map(time)), known(ratio)]
    };
    let head = format!("{head}|predicted|measured / predicted");
    table(&head, rows.iter().map(predicted), Numbers::Right, columns)
}

/// Three digits and a unit.
fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 0.9995 => format!("{s:.2} s"),
        s if s >= 0.9995e-3 => format!("{} ms", rate(s * 1e3)),
        s => format!("{} us", rate(s * 1e6)),
    }
}

/// A number with three digits that count.
fn rate(number: f64) -> String {
    match number {
        n if n >= 99.95 => format!("{n:.0}"),
        n if n >= 9.995 => format!("{n:.1}"),
        n if n >= 0.9995 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}

/// A line for every row.
///
/// # Errors
/// As [`rows::csv`](crate::rows::csv).
pub fn csv(rows: &[ReplayRow]) -> Result<String> {
    let named = |row: &ReplayRow| ReplayRow { schedule: cell(&row.schedule).into(), ..row.clone() };
    crate::rows::csv(rows.iter().map(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [1.234, 0.9996, 0.123456, 0.01234, 0.0012345, 0.00099951, 1.5e-5];
        let told = times.map(time);
        assert_eq!(
            told,
            ["1.23 s", "1.00 s", "123 ms", "12.3 ms", "1.23 ms", "1.00 ms", "15.0 us"]
        );
    }
}

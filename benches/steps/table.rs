//! Runs as a row of a table.

use crate::child::Run;
use ccsched::experiments::compare::statistics::median;
use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;

/// Shorter total times are too short to measure speed.
const SHORTEST_SECONDS: f64 = 0.05;

/// The heads of the columns.
const HEAD: [&str; 10] = [
    "topology",
    "collective",
    "options",
    "steps",
    "bound",
    "optimal",
    "engine: method",
    "seconds",
    "million moves/s",
    "peak MiB",
];

/// A table in Markdown, a row for the runs of each cell.
pub fn markdown(rows: &[(&str, Vec<Run>)]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(HEAD);
    for (cell, runs) in rows {
        table.add_row(row(cell, runs));
    }
    table.to_string()
}

fn row(cell: &str, runs: &[Run]) -> Vec<String> {
    let mut words = cell.split_whitespace();
    let mut word = || words.next().unwrap_or_default().to_string();
    let (topology, collective) = (word(), word());
    let options = words.collect::<Vec<_>>().join(" ");
    let (bound, name) = runs.first().map_or((0, ""), |run| (run.bound, &run.bound_name));
    let optimal = runs.iter().filter(|run| run.steps == Some(run.bound as usize)).count();
    vec![
        topology,
        collective,
        options,
        steps(runs),
        format!("{bound} ({name})"),
        format!("{optimal} of {}", runs.len()),
        methods(runs),
        seconds(runs),
        speed(runs),
        peak(runs),
    ]
}

/// The fewest and the most steps of the runs.
fn steps(runs: &[Run]) -> String {
    let mut found: Vec<usize> = runs.iter().filter_map(|run| run.steps).collect();
    found.sort_unstable();
    let some = match &found[..] {
        [] => return "none".into(),
        [first, .., last] if first != last => format!("{first}-{last}"),
        [first, ..] => first.to_string(),
    };
    let lost = runs.len() - found.len();
    if lost == 0 { some } else { format!("{some} (none: {lost})") }
}

/// The engine, and the methods that found the schedules.
fn methods(runs: &[Run]) -> String {
    let mut methods: Vec<&str> = runs.iter().map(|run| run.method.as_str()).collect();
    methods.sort_unstable();
    methods.dedup();
    let engine = runs.first().map_or("", |run| &run.engine);
    format!("{engine}: {}", methods.join("; "))
}

/// Median, least and greatest.
fn seconds(runs: &[Run]) -> String {
    let all: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(0.0, f64::max);
    optional(median(&all), |median| format!("{median:.3} ({least:.3}-{most:.3})"))
}

/// Million moves per second, all islands together.
fn speed(runs: &[Run]) -> String {
    let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    let moves: u64 = runs.iter().map(|run| run.evaluations).sum();
    if seconds < SHORTEST_SECONDS {
        "-".into()
    } else {
        format!("{:.2}", moves as f64 / seconds / 1e6)
    }
}

fn peak(runs: &[Run]) -> String {
    let most = runs.iter().filter_map(|run| run.peak_kib).max();
    optional(most, |kib| format!("{:.1}", kib as f64 / 1024.0))
}

/// A cell for an optional value.
pub fn optional<T>(value: Option<T>, tell: impl FnOnce(T) -> String) -> String {
    value.map_or("-".into(), tell)
}

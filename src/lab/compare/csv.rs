//! Every run as a line of CSV, for other statistics, and the course of every run.

use super::{Moment, Study};
use ccsched_base::{Error, Result};
use ccsched_model::schedule::cells::cell;
use serde::Serialize;
use std::borrow::Cow;

/// The columns.
#[derive(Serialize)]
struct Line<'a> {
    instance: Cow<'a, str>,
    configuration: Cow<'a, str>,
    seed: u64,
    success: bool,
    seconds: f64,
    cpu_seconds: Option<f64>,
    evaluations: u64,
    iterations: u64,
    conflicts: Option<u64>,
    time_us: Option<f64>,
    energy_nj: Option<f64>,
    rank_cpu_seconds: Option<f64>,
    rank_moves: Option<u64>,
}

/// The whole file.
///
/// # Errors
/// Errors of the CSV writer, none of which is expected.
pub fn csv(study: &Study) -> Result<String> {
    written(
        "csv",
        study.records.iter().map(|r| Line {
            instance: cell(&study.instances[r.instance]),
            configuration: cell(&study.configurations[r.configuration]),
            seed: r.seed,
            success: r.success,
            seconds: r.seconds,
            cpu_seconds: r.cpu_seconds,
            evaluations: r.evaluations,
            iterations: r.iterations,
            conflicts: r.conflicts,
            time_us: r.time_us,
            energy_nj: r.energy_nj,
            rank_cpu_seconds: r.busiest.map(|b| b.cpu_seconds),
            rank_moves: r.busiest.map(|b| b.moves),
        }),
    )
}

/// The columns of the course of a run.
#[derive(Serialize)]
struct Costs<'a> {
    instance: Cow<'a, str>,
    configuration: Cow<'a, str>,
    seed: u64,
    seeking: u32,
    steps: Option<usize>,
    evaluations: u64,
    best: u64,
    mean: f64,
}

/// The costs of the islands of all runs, over their evaluations.
///
/// # Errors
/// As [`csv()`].
pub fn history(study: &Study) -> Result<String> {
    let lines = study.records.iter().flat_map(|r| {
        r.history.iter().map(|&Moment { evaluations, seeking, steps, best, mean }| Costs {
            instance: cell(&study.instances[r.instance]),
            configuration: cell(&study.configurations[r.configuration]),
            seed: r.seed,
            seeking,
            steps,
            evaluations,
            best,
            mean,
        })
    });
    written("history", lines)
}

/// Lines with a head.
fn written(field: &'static str, lines: impl Iterator<Item = impl Serialize>) -> Result<String> {
    let broken = |e: String| Error::field(field, e);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(|e| broken(e.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|e| broken(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| broken(e.to_string()))
}

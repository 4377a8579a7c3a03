//! A study for programs: every run as a line of CSV, for other statistics, the course of every run, and the
//! summary, one line of JSON per configuration and instance. Null means unknown; in times to target, not reached
//! within the budget.

use super::statistics::magnitude;
use super::{Median, Moment, Row, Study, Summary};
use crate::rows;
use ccsched_base::Result;
use ccsched_model::schedule::cells::cell;
use serde::Serialize;
use serde_json::{Value, json};
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
    rows::csv(study.records.iter().map(|r| Line {
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
    }))
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
    rows::csv(lines)
}

/// One row as one line.
pub fn json_line(summary: &Summary, row: &Row) -> Value {
    let against = row.against.iter().map(|a| {
        json!({ "configuration": a.other, "test": "mann-whitney", "u": a.test.u,
                "faster_in": a.test.share, "p": a.test.p, "a12": a.test.share,
                "effect": magnitude(a.test.share) })
    });
    let speedups = row.speedups.iter().map(|(n, s)| json!({ "copies": n, "speedup": s }));
    let parallel = row.parallel.as_ref().map(|p| {
        json!({ "family": p.family, "islands": p.islands,
                "rank_cpu_seconds": median(p.cpu_seconds), "rank_moves": median(p.moves),
                "speedup": p.speedup.map(median), "efficiency": p.efficiency(),
                "speedup_in_moves": p.speedup_in_moves.map(median) })
    });
    json!({
        "instance": summary.instance,
        "configuration": row.configuration,
        "budget": summary.budget.amount(),
        "budget_unit": summary.budget.unit(),
        "runs": row.runs,
        "successes": row.successes,
        "rate": row.successes as f64 / row.runs as f64,
        "rate_interval": [row.rate.0, row.rate.1],
        "seconds": median(row.seconds),
        "cpu_seconds": row.cpu_seconds.map(median),
        "evaluations": median(row.evaluations),
        "conflicts_left": row.conflicts_left,
        "time_us": row.time_us,
        "energy_nj": row.energy_nj,
        "speedups": speedups.collect::<Vec<_>>(),
        "parallel": parallel,
        "against": against.collect::<Vec<_>>(),
    })
}

fn median(m: Median) -> Value {
    json!({ "median": m.value, "interval": [m.interval.0, m.interval.1] })
}

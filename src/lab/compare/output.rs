//! A study for programs: every run as a line of CSV, for other statistics, the course of every run, and the
//! summary, one line of JSON per configuration and instance. Null means unknown; in times to target, not reached
//! within the budget.

use super::statistics::magnitude;
use super::{Median, Moment, Record, Row, Study, Summary};
use crate::rows::csv_below;
use ccsched_base::Result;
use ccsched_model::schedule::cells::cell;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Every run.
///
/// # Errors
/// As [`csv_below`].
pub fn csv(study: &Study) -> Result<String> {
    let head = "instance,configuration,seed,success,seconds,cpu_seconds,evaluations,iterations,\
                conflicts,time_us,energy_nj,rank_cpu_seconds,rank_moves";
    let line = |r: &Record| {
        let rank = (r.busiest.map(|b| b.cpu_seconds), r.busiest.map(|b| b.moves));
        let spent = (r.seconds, r.cpu_seconds, r.evaluations, r.iterations);
        (names(study, r), r.seed, r.success, spent, r.conflicts, r.time_us, r.energy_nj, rank)
    };
    csv_below(head, study.records.iter().map(line))
}

/// The costs of the islands of all runs, over their evaluations.
///
/// # Errors
/// As [`csv()`].
pub fn history(study: &Study) -> Result<String> {
    let head = "instance,configuration,seed,seeking,steps,evaluations,best,mean";
    let mut lines = study.records.iter().flat_map(|r| {
        let of = move |m: &Moment| {
            (names(study, r), r.seed, m.seeking, m.steps, m.evaluations, m.best, m.mean)
        };
        r.history.iter().map(of)
    });
    // Where no run has a course, there is no head either.
    let Some(first) = lines.next() else { return Ok(String::new()) };
    csv_below(head, std::iter::once(first).chain(lines))
}

/// The instance and the configuration of a run.
fn names<'s>(study: &'s Study, r: &Record) -> [Cow<'s, str>; 2] {
    [cell(&study.instances[r.instance]), cell(&study.configurations[r.configuration])]
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

//! The summary for programs: one line of JSON per configuration and instance. Null means unknown;
//! in times to target, not reached within the budget.

use super::statistics::magnitude;
use super::{Median, Row, Summary};
use serde_json::{Value, json};

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

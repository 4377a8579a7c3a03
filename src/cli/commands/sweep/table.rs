//! The two tables of a sweep: a row for each different set of faults, and a summary with a row for
//! each collective.

use crate::stdout;
use crate::terminal;
use ccsched_base::counted::counted;
use ccsched_lab::fault_sweep::{Row, Summary, degradation};
use ccsched_model::problem::Collective;
use ccsched_tools::fold::{Numbers, table};
use std::io::Write;

/// Head of the table of different sets of faults.
const EACH: [&str; 6] =
    ["collective", "fault", "equal to it", "steps", "lower bound", "degradation, %"];
/// Head of the summary.
const ALL: [&str; 11] = [
    "collective",
    "sets",
    "solved",
    "no faults",
    "fewest",
    "mean",
    "most",
    "mean degradation, %",
    "greatest, %",
    "optimal",
    "impossible",
];

/// Prints the rows as lines of JSON, or the two tables.
pub fn print(rows: &[&Row], collectives: &[Collective], json: bool) -> anyhow::Result<()> {
    if json {
        let mut out = stdout::stdout();
        for row in rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        return Ok(());
    }
    let (mut each, mut all) = (Vec::new(), Vec::new());
    for collective in collectives {
        let name = collective.to_string();
        let of: Vec<&Row> = rows.iter().copied().filter(|row| row.collective == name).collect();
        let healthy = of.iter().find(|row| row.is_healthy()).and_then(|row| row.steps);
        for row in of.iter().filter(|row| row.like.is_none()) {
            let like = of.iter().filter(|r| r.like.as_ref() == Some(&row.fault)).count();
            let steps = row.steps.map_or_else(
                || if row.impossible.is_some() { "impossible".into() } else { "none found".into() },
                |s| s.to_string(),
            );
            each.push(vec![
                name.clone(),
                row.fault.clone(),
                like.to_string(),
                steps,
                row.lower_bound.map_or(String::new(), |b| b.to_string()),
                percent(degradation(row.steps, healthy)),
            ]);
        }
        all.push(summary(&name, &of));
    }
    let fold = |head: &[&str], rows: &[Vec<String>]| {
        let head: Vec<String> = head.iter().map(|text| text.to_string()).collect();
        table(&head, rows, Numbers::Right, terminal::columns())
    };
    let mut out = stdout::text();
    writeln!(out, "{}\n\n{}", fold(&EACH, &each), fold(&ALL, &all))?;
    let carried = rows.iter().filter(|row| row.like.is_some()).count();
    if carried > 0 {
        writeln!(
            out,
            "\nequal to others under symmetry, and not solved again: {} of faults",
            counted(carried, "set")
        )?;
    }
    Ok(())
}

fn summary(name: &str, rows: &[&Row]) -> Vec<String> {
    let summary = Summary::new(rows);
    let number = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
    vec![
        name.to_string(),
        summary.sets.to_string(),
        summary.solved.to_string(),
        number(summary.healthy),
        number(summary.fewest),
        summary.mean.map_or(String::new(), |mean| format!("{mean:.2}")),
        number(summary.most),
        percent(summary.mean_degradation),
        percent(summary.greatest_degradation),
        format!("{} of {}", summary.optimal, summary.scheduled),
        summary.impossible.to_string(),
    ]
}

fn percent(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.1}"))
}

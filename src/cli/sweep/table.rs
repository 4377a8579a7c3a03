//! The table of a sweep: for every collective the different sets of faults, and what they cost
//! against the network without any (umda-fault-tolerance, tables 3 to 5).

use super::results::Row;
use crate::cli::stdout::stdout;
use crate::cli::terminal;
use crate::experiments::fold::{Numbers, table};
use crate::problem::Collective;
use std::io::Write;

/// Of the table of different sets of faults.
const EACH: [&str; 6] =
    ["collective", "fault", "equal to it", "steps", "lower bound", "degradation, %"];
/// Of the summary.
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

/// Prints the rows, as lines of JSON or as two tables: the different sets of faults, and a summary.
pub fn print(rows: &[&Row], collectives: &[Collective], json: bool) -> anyhow::Result<()> {
    let mut out = stdout();
    if json {
        for row in rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        return Ok(());
    }
    let (mut each, mut all) = (Vec::new(), Vec::new());
    for collective in collectives {
        let name = collective.to_string();
        let of: Vec<&Row> = rows.iter().copied().filter(|row| row.collective == name).collect();
        let healthy = of.iter().find(|row| row.fault == "none").and_then(|row| row.steps);
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
        all.push(summary(&name, &of, healthy));
    }
    let fold = |head: &[&str], rows: &[Vec<String>]| {
        let head: Vec<String> = head.iter().map(|text| text.to_string()).collect();
        table(&head, rows, Numbers::Right, terminal::columns())
    };
    writeln!(out, "{}\n\n{}", fold(&EACH, &each), fold(&ALL, &all))?;
    let carried = rows.iter().filter(|row| row.like.is_some()).count();
    if carried > 0 {
        writeln!(
            out,
            "\n{carried} sets of faults are equal to others under symmetry and were not solved \
             again"
        )?;
    }
    Ok(())
}

fn summary(name: &str, rows: &[&Row], healthy: Option<usize>) -> Vec<String> {
    let faulty: Vec<&&Row> = rows.iter().filter(|row| row.fault != "none").collect();
    let steps: Vec<usize> = faulty.iter().filter_map(|row| row.steps).collect();
    let count = |what: fn(&Row) -> bool| faulty.iter().filter(|row| what(row)).count();
    let worse: Vec<f64> = steps.iter().filter_map(|&s| degradation(Some(s), healthy)).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>, n: usize| {
        (n > 0).then(|| values.sum::<f64>() / n as f64)
    };
    let number = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
    vec![
        name.to_string(),
        faulty.len().to_string(),
        count(|row| row.like.is_none()).to_string(),
        number(healthy),
        number(steps.iter().copied().min()),
        mean(&mut steps.iter().map(|&s| s as f64), steps.len())
            .map_or(String::new(), |m| format!("{m:.2}")),
        number(steps.iter().copied().max()),
        percent(mean(&mut worse.iter().copied(), worse.len())),
        percent(worse.iter().copied().reduce(f64::max)),
        format!("{} of {}", count(|row| row.optimal), steps.len()),
        count(|row| row.impossible.is_some()).to_string(),
    ]
}

/// By how many per cent a number of steps is above that without faults.
fn degradation(steps: Option<usize>, healthy: Option<usize>) -> Option<f64> {
    let healthy = healthy? as f64;
    Some((steps? as f64 - healthy) / healthy * 100.0)
}

fn percent(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.1}"))
}

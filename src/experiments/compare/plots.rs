//! Pictures (SVG): the share of runs at the target over the budget spent, and the fewest conflicts
//! over the evaluations, median and quartiles. Both have a logarithmic axis, because run times
//! spread over orders of magnitude.

use super::statistics::quantile;
use super::{Record, Study};
use crate::experiments::pictures::{
    Area, CAPTION, Chart, Drawn, FRAME, LABEL, SIZE, chart, colour, curve, names, picture,
};
use plotters::coord::combinators::LogCoord;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// Points of a curve of conflicts.
const GRID: usize = 160;

/// The share of runs that have reached the target, over the budget spent.
///
/// # Errors
/// The drawing library's.
pub fn time_to_target(study: &Study, instance: usize) -> Drawn<String> {
    let groups: Vec<Vec<&Record>> =
        (0..study.configurations.len()).map(|c| study.runs(instance, c)).collect();
    let spent = |r: &&Record| r.spent(study.budget);
    let reached: Vec<Vec<f64>> =
        groups.iter().map(|runs| sorted(runs.iter().filter(|r| r.success).map(spent))).collect();
    let first = reached.iter().flatten().copied().fold(study.budget.amount(), f64::min);
    // If all runs have succeeded, the curve ends at the last of them.
    let failed = study.records.iter().any(|r| r.instance == instance && !r.success);
    let last = reached.iter().flatten().copied().fold(0.0, f64::max);
    let range = span(first, if failed { study.budget.amount() } else { last });
    let caption = format!("{}: time to target", study.instances[instance]);
    picture(SIZE, |area| {
        let axes = [study.budget.unit(), "runs at the target, %"];
        let mut chart = logarithmic(area, &caption, axes, range, 100.0)?;
        for (c, (times, runs)) in reached.iter().zip(&groups).enumerate() {
            if runs.is_empty() {
                continue;
            }
            let (name, style) = (&study.configurations[c], colour(c).stroke_width(2));
            curve(&mut chart, name, style, staircase(times, runs.len(), range))?;
        }
        names(&mut chart, SeriesLabelPosition::LowerRight, FRAME)
    })
}

/// The fewest conflicts over evaluations: median and quartiles. None if they were not recorded.
///
/// # Errors
/// The drawing library's.
pub fn conflicts(study: &Study, instance: usize) -> Drawn<Option<String>> {
    let quartiles: Vec<Vec<[f64; 4]>> =
        (0..study.configurations.len()).map(|c| quartiles(&study.runs(instance, c))).collect();
    let points = || quartiles.iter().flatten();
    if points().next().is_none() {
        return Ok(None);
    }
    let first = points().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let last = points().map(|p| p[0]).fold(0.0, f64::max);
    let highest = points().map(|p| p[3]).fold(1.0, f64::max);
    let range = span(first, last);
    let caption = format!("{}: fewest conflicts", study.instances[instance]);
    picture(SIZE, |area| {
        let axes = ["evaluations", "fewest conflicts so far"];
        let mut chart = logarithmic(area, &caption, axes, range, highest * 1.05)?;
        for (c, points) in quartiles.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
            let band = points.iter().map(|p| (p[0], p[1]));
            let band = band.chain(points.iter().rev().map(|p| (p[0], p[3])));
            let fill = colour(c).mix(0.15).filled();
            chart.draw_series([Polygon::new(band.collect::<Vec<_>>(), fill)])?;
            let (name, style) = (&study.configurations[c], colour(c).stroke_width(2));
            curve(&mut chart, name, style, points.iter().map(|p| (p[0], p[2])))?;
        }
        names(&mut chart, SeriesLabelPosition::UpperRight, FRAME)
    })
    .map(Some)
}

/// A chart with a logarithmic x axis and labels of both axes; the y axis ends at `highest`.
fn logarithmic<'a, 'p>(
    area: &Area<'p>,
    caption: &str,
    [x_means, y_means]: [&str; 2],
    range: (f64, f64),
    highest: f64,
) -> Drawn<Chart<'a, 'p, LogCoord<f64>, RangedCoordf64>> {
    let mut chart = chart(area)
        .caption(caption, CAPTION)
        .build_cartesian_2d((range.0..range.1).log_scale(), 0.0..highest)?;
    chart
        .configure_mesh()
        .x_desc(x_means)
        .y_desc(y_means)
        .x_label_formatter(&|x| sparse(*x))
        .y_label_formatter(&|y| short(*y))
        .light_line_style(WHITE)
        .label_style(LABEL)
        .axis_desc_style(LABEL)
        .draw()?;
    Ok(chart)
}

/// The empirical distribution, in per cent of all runs, over the whole range.
fn staircase(times: &[f64], runs: usize, range: (f64, f64)) -> Vec<(f64, f64)> {
    let share = |n: usize| 100.0 * n as f64 / runs as f64;
    let steps = times.iter().enumerate().flat_map(|(i, &t)| [(t, share(i)), (t, share(i + 1))]);
    let ends = ((range.0, 0.0), (range.1, share(times.len())));
    [ends.0].into_iter().chain(steps).chain([ends.1]).collect()
}

/// Evaluations, lower quartile, median, upper quartile of the fewest conflicts. The curve begins
/// where all runs have a value and ends where the first run failed: there the value is unknown.
fn quartiles(runs: &[&Record]) -> Vec<[f64; 4]> {
    let ends = |at: fn(&&Record) -> Option<f64>| runs.iter().filter_map(at);
    let first = ends(|r| r.trace.first().map(|p| p.evaluations as f64)).fold(0.0, f64::max);
    let last = ends(|r| r.trace.last().map(|p| p.evaluations as f64)).fold(0.0, f64::max);
    let failed = ends(|r| if r.success { None } else { Some(r.trace.last()?.evaluations as f64) });
    let (first, last) = (first.max(1.0), failed.fold(last, f64::min));
    if runs.is_empty() || last < first {
        return Vec::new();
    }
    let at = |i: usize| first * (last / first).powf(i as f64 / (GRID - 1) as f64);
    // The last point is exact: rounding must not lose the end of the longest run.
    let grid = (0..GRID).map(|i| if i + 1 == GRID { last } else { at(i) });
    grid.filter_map(|x| {
        let known = |r: &&Record| r.conflicts_at(x).map(|c| c as f64);
        let values: Vec<f64> = runs.iter().filter_map(known).collect();
        let share = |s| quantile(&values, s);
        Some([x, share(0.25)?, share(0.5)?, share(0.75)?])
    })
    .collect()
}

/// A range for a logarithmic axis.
fn span(first: f64, last: f64) -> (f64, f64) {
    let last = last.max(1e-6);
    let first = first.clamp(1e-6, last) * 0.8;
    (first, last * 1.1)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// A label of the logarithmic axis; those of 6 to 9 would overlap.
fn sparse(x: f64) -> String {
    let digit = (x / 10f64.powf((x.log10() + 1e-9).floor())).round() as u32;
    if [1, 2, 3, 5].contains(&digit) { short(x) } else { String::new() }
}

/// A label of an axis.
fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{} M", (x / 1e4).round() / 1e2),
        x if x >= 1e3 => format!("{} k", (x / 1e1).round() / 1e2),
        x if x >= 1.0 => format!("{}", (x * 1e2).round() / 1e2),
        x => format!("{}", (x * 1e5).round() / 1e5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::compare::Point;

    #[test]
    fn labels_are_short_and_sparse() {
        assert_eq!([0.01, 0.05, 1.0, 2e3, 3e6].map(sparse), ["0.01", "0.05", "1", "2 k", "3 M"]);
        assert_eq!([0.04, 0.9, 7.0, 8e4].map(sparse), [""; 4]);
    }

    #[test]
    fn a_staircase_counts_failures() {
        let steps = staircase(&[1.0, 2.0], 4, (0.5, 8.0));
        assert_eq!(
            steps,
            [(0.5, 0.0), (1.0, 0.0), (1.0, 25.0), (2.0, 25.0), (2.0, 50.0), (8.0, 50.0)]
        );
    }

    #[test]
    fn a_curve_ends_where_the_first_run_failed() {
        let run = |success, points: &[(u64, u64)]| Record {
            instance: 0,
            configuration: 0,
            seed: 1,
            success,
            seconds: 1.0,
            cpu_seconds: None,
            evaluations: 0,
            iterations: 0,
            time_us: None,
            energy_nj: None,
            conflicts: None,
            reached: Vec::new(),
            trace: points
                .iter()
                .map(|&(evaluations, conflicts)| Point { evaluations, conflicts })
                .collect(),
        };
        let (a, b) = (run(true, &[(10, 6), (20, 0)]), run(false, &[(10, 8), (90, 4)]));
        let c = run(true, &[(10, 4), (500, 0)]);
        let curve = quartiles(&[&a, &b, &c]);
        assert_eq!(curve.first(), Some(&[10.0, 5.0, 6.0, 7.0]));
        assert_eq!(curve.last(), Some(&[90.0, 2.0, 4.0, 4.0]));
    }
}

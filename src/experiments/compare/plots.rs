//! Pictures (SVG): the share of runs at the target over the budget spent, and the fewest conflicts
//! over the evaluations, median and quartiles. Both have a logarithmic axis, because run times
//! spread over orders of magnitude.

use super::statistics::quantile;
use super::{Median, Parallel, Record, RunTimes, Study, Summary, run_times};
use crate::experiments::pictures::{
    Drawn, FRAME, SIZE, colour, curve, logarithmic, names, picture, span,
};
use indexmap::IndexSet;
use plotters::prelude::*;

/// Points of a curve of conflicts.
const GRID: usize = 160;

/// The share of runs that have reached the target, over the budget spent.
///
/// # Errors
/// The drawing library's.
pub fn time_to_target(study: &Study, instance: usize) -> Drawn<String> {
    let of = |configuration: usize| {
        let runs = study.runs(instance, configuration);
        let reached = runs.iter().filter(|run| run.success).map(|run| run.spent(study.budget));
        let name = study.configurations[configuration].clone();
        RunTimes { name, reached: reached.collect(), runs: runs.len() }
    };
    let groups: Vec<RunTimes> = (0..study.configurations.len()).map(of).collect();
    run_times::curves(&study.instances[instance], &groups, study.budget)
}

/// The speed-up over the number of islands, in CPU seconds of the busiest rank and in moves of the
/// busiest island, with intervals. None if no configuration has several numbers of islands.
///
/// # Errors
/// The drawing library's.
pub fn speedups(summary: &Summary) -> Drawn<Option<String>> {
    let all = || summary.rows.iter().filter_map(|row| row.parallel.as_ref());
    let families: IndexSet<&str> = all().map(|gain| gain.family.as_str()).collect();
    let of = |is_moves, gain: &Parallel| match is_moves {
        true => gain.speedup_in_moves,
        false => gain.speedup,
    };
    let curves = families.iter().flat_map(|&family| {
        [("CPU seconds", false), ("moves", true)].map(|(what, is_moves)| {
            let points = all().filter(|gain| gain.family == family);
            let points = points.filter_map(|gain| Some((gain.islands as f64, of(is_moves, gain)?)));
            let mut points: Vec<(f64, Median)> = points.collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            (format!("{family}, {what}"), points)
        })
    });
    let curves: Vec<_> = curves.filter(|(_, points)| points.len() > 1).collect();
    let most = all().map(|gain| gain.islands as f64).fold(1.0, f64::max);
    let least = all().map(|gain| gain.least as f64).fold(most, f64::min);
    if curves.is_empty() {
        return Ok(None);
    }
    let values = curves.iter().flat_map(|(_, points)| points).map(|(_, gain)| gain.value);
    let highest = values.fold(most / least, f64::max) * 1.1;
    let caption = format!("{}: speed-up by islands", summary.instance);
    picture(SIZE, |area| {
        let axes = ["islands", "speed-up"];
        let mut chart = logarithmic(area, &caption, axes, (least, most * 1.05), highest)?;
        let ideal = (0..=GRID).map(|i| least * (most / least).powf(i as f64 / GRID as f64));
        let grey = RGBColor(160, 160, 160).stroke_width(1);
        curve(&mut chart, "as many times as islands", grey, ideal.map(|n| (n, n / least)))?;
        for (c, (name, points)) in curves.iter().enumerate() {
            let style = colour(c).stroke_width(2);
            let ends = points.iter().map(|&(n, gain)| (n, gain.interval));
            let bars = ends.map(|(n, (low, high))| {
                PathElement::new(vec![(n, low.min(highest)), (n, high.min(highest))], colour(c))
            });
            chart.draw_series(bars)?;
            curve(&mut chart, name, style, points.iter().map(|&(n, gain)| (n, gain.value)))?;
        }
        names(&mut chart, SeriesLabelPosition::UpperLeft, FRAME)
    })
    .map(Some)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::compare::Point;

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
            busiest: None,
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

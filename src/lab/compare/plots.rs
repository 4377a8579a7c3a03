//! Pictures (SVG): the share of runs at the target over the budget spent; the fewest conflicts over
//! the evaluations, and the fewest steps over the budget, each with median and quartiles. All have a
//! logarithmic axis, because run times spread over orders of magnitude.

use super::statistics::quantile;
use super::{Budget, Median, Parallel, Reached, Record, Study, Summary};
use crate::pictures::{Drawn, SIZE, band, colour, curve, logarithmic, picture, span};
use indexmap::IndexSet;
use plotters::prelude::*;

/// Points of a curve of conflicts or steps.
const GRID: usize = 160;
/// A curve of steps spans at most this factor of the budget spent.
const DECADES: f64 = 1e4;

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
    curves(&study.instances[instance], &groups, study.budget)
}

/// Runs of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTimes {
    /// The name of the curve.
    pub name: String,
    /// What the successful ones spent, in units of the budget.
    pub reached: Vec<f64>,
    /// All runs.
    pub runs: usize,
}

/// The curves of runs on an instance, each of which had this budget.
///
/// # Errors
/// The drawing library's.
pub fn curves(instance: &str, groups: &[RunTimes], budget: Budget) -> Drawn<String> {
    let reached = || groups.iter().flat_map(|group| group.reached.iter().copied());
    let first = reached().fold(budget.amount(), f64::min);
    // If all runs have succeeded, the curve ends at the last of them.
    let failed = groups.iter().any(|group| group.reached.len() < group.runs);
    let last = reached().fold(0.0, f64::max);
    let range = span(first, if failed { budget.amount() } else { last });
    picture(SIZE, |sheet| {
        let axes = [budget.unit(), "runs at the target, %"];
        let caption = format!("{instance}: time to target");
        let mut chart = logarithmic(&sheet.area, &caption, axes, range, 100.0)?;
        for (c, group) in groups.iter().enumerate().filter(|(_, group)| group.runs > 0) {
            let mut times = group.reached.clone();
            times.sort_by(f64::total_cmp);
            let style = colour(c).stroke_width(2);
            curve(sheet, &mut chart, &group.name, style, staircase(&times, group.runs, range))?;
        }
        Ok(())
    })
}

/// The empirical distribution, in per cent of all runs, over the whole range.
fn staircase(times: &[f64], runs: usize, range: (f64, f64)) -> Vec<(f64, f64)> {
    let share = |n: usize| 100.0 * n as f64 / runs as f64;
    let steps = times.iter().enumerate().flat_map(|(i, &t)| [(t, share(i)), (t, share(i + 1))]);
    let ends = ((range.0, 0.0), (range.1, share(times.len())));
    [ends.0].into_iter().chain(steps).chain([ends.1]).collect()
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
    picture(SIZE, |sheet| {
        let axes = ["islands", "speed-up"];
        let mut chart = logarithmic(&sheet.area, &caption, axes, (least, most * 1.05), highest)?;
        let ideal = (0..=GRID).map(|i| least * (most / least).powf(i as f64 / GRID as f64));
        let grey = RGBColor(160, 160, 160).stroke_width(1);
        curve(sheet, &mut chart, "as many times as islands", grey, ideal.map(|n| (n, n / least)))?;
        for (c, (name, points)) in curves.iter().enumerate() {
            let style = colour(c).stroke_width(2);
            let ends = points.iter().map(|&(n, gain)| (n, gain.interval));
            let bars = ends.map(|(n, (low, high))| {
                PathElement::new(vec![(n, low.min(highest)), (n, high.min(highest))], colour(c))
            });
            chart.draw_series(bars)?;
            curve(sheet, &mut chart, name, style, points.iter().map(|&(n, gain)| (n, gain.value)))?;
        }
        Ok(())
    })
    .map(Some)
}

/// The fewest conflicts over evaluations: median and quartiles. None if they were not recorded.
///
/// # Errors
/// The drawing library's.
pub fn conflicts(study: &Study, instance: usize) -> Drawn<Option<String>> {
    let of = |c| conflict_quartiles(&study.runs(instance, c));
    let axes = ["evaluations", "fewest conflicts so far"];
    let caption = format!("{}: fewest conflicts", study.instances[instance]);
    bands(study, &caption, axes, of)
}

/// The steps, or the bytes, of the best schedule over the budget spent: median and quartiles. None if no
/// configuration has a schedule in all its runs, or the course of the runs is unknown.
///
/// # Errors
/// The drawing library's.
pub fn steps(study: &Study, instance: usize) -> Drawn<Option<String>> {
    let budget = study.budget;
    let spent = |r: &Reached| r.spent(budget);
    let all = (0..study.configurations.len()).flat_map(|c| study.runs(instance, c));
    // Beyond the last schedule nothing changes.
    let last = all.filter_map(|r| r.reached.last().map(spent)).fold(0.0, f64::max);
    let last = (last * 1.5).min(budget.amount());
    let of = |c| {
        let runs = study.runs(instance, c);
        let first = |r: &&Record| r.reached.first().map_or(f64::INFINITY, spent);
        // A construction costs nothing, for which a logarithmic axis has no place.
        let first = runs.iter().map(first).fold(last / DECADES, f64::max);
        quartiles(&runs, (first, last), &|r, spent| r.length_at(spent, budget))
    };
    let caption = format!("{}: {} of the best schedule", study.instances[instance], study.measure);
    bands(study, &caption, [budget.unit(), study.measure], of)
}

/// Medians as curves and quartiles as bands, by configuration; none if no configuration has any.
fn bands(
    study: &Study,
    caption: &str,
    axes: [&str; 2],
    of: impl Fn(usize) -> Vec<[f64; 4]>,
) -> Drawn<Option<String>> {
    let quartiles: Vec<Vec<[f64; 4]>> = (0..study.configurations.len()).map(of).collect();
    let points = || quartiles.iter().flatten();
    if points().next().is_none() {
        return Ok(None);
    }
    let first = points().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let last = points().map(|p| p[0]).fold(0.0, f64::max);
    let highest = points().map(|p| p[3]).fold(1.0, f64::max);
    let range = span(first, last);
    picture(SIZE, |sheet| {
        let mut chart = logarithmic(&sheet.area, caption, axes, range, highest * 1.05)?;
        for (c, points) in quartiles.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
            let edges = points.iter().map(|p| (p[0], [p[1], p[3]]));
            band(&mut chart, edges, colour(c).mix(0.15).filled())?;
            let (name, style) = (&study.configurations[c], colour(c).stroke_width(2));
            curve(sheet, &mut chart, name, style, points.iter().map(|p| (p[0], p[2])))?;
        }
        Ok(())
    })
    .map(Some)
}

/// Quartiles of the fewest conflicts. The curve begins where all runs have a value and ends where the
/// first run failed: there the value is unknown.
fn conflict_quartiles(runs: &[&Record]) -> Vec<[f64; 4]> {
    let ends = |at: fn(&&Record) -> Option<f64>| runs.iter().filter_map(at);
    let first = ends(|r| r.trace.first().map(|p| p.evaluations as f64)).fold(0.0, f64::max);
    let last = ends(|r| r.trace.last().map(|p| p.evaluations as f64)).fold(0.0, f64::max);
    let failed = ends(|r| if r.success { None } else { Some(r.trace.last()?.evaluations as f64) });
    let ends = (first.max(1.0), failed.fold(last, f64::min));
    quartiles(runs, ends, &|r, x| r.conflicts_at(x).map(|c| c as f64))
}

/// Amount spent, lower quartile, median, upper quartile of a value of the runs, between two amounts.
fn quartiles(
    runs: &[&Record],
    (first, last): (f64, f64),
    value: &dyn Fn(&Record, f64) -> Option<f64>,
) -> Vec<[f64; 4]> {
    if runs.is_empty() || last < first || first <= 0.0 {
        return Vec::new();
    }
    let at = |i: usize| first * (last / first).powf(i as f64 / (GRID - 1) as f64);
    // The ends are exact: rounding must not lose the first value or the end of the longest run.
    let grid = (0..GRID).map(|i| match i {
        0 => first,
        _ if i + 1 == GRID => last,
        _ => at(i),
    });
    grid.filter_map(|x| {
        let values: Vec<f64> = runs.iter().filter_map(|r| value(r, x)).collect();
        let share = |s| quantile(&values, s);
        Some([x, share(0.25)?, share(0.5)?, share(0.75)?])
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Point;

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
            success,
            trace: points
                .iter()
                .map(|&(evaluations, conflicts)| Point { evaluations, conflicts })
                .collect(),
            ..Record::default()
        };
        let (a, b) = (run(true, &[(10, 6), (20, 0)]), run(false, &[(10, 8), (90, 4)]));
        let c = run(true, &[(10, 4), (500, 0)]);
        let curve = conflict_quartiles(&[&a, &b, &c]);
        assert_eq!(curve.first(), Some(&[10.0, 5.0, 6.0, 7.0]));
        assert_eq!(curve.last(), Some(&[90.0, 2.0, 4.0, 4.0]));
    }

    #[test]
    fn a_curve_of_steps_begins_with_the_last_first_schedule() {
        let run = |reached: &[(u64, u64)]| Record {
            reached: reached
                .iter()
                .map(|&(length, evaluations)| Reached {
                    length,
                    seconds: 1.0,
                    cpu_seconds: 1.0,
                    evaluations,
                    iterations: 1,
                })
                .collect(),
            ..Record::default()
        };
        let runs = [run(&[(9, 10), (7, 100)]), run(&[(11, 20), (10, 30)])];
        let budget = Budget::Evaluations(500);
        let curve = quartiles(&runs.each_ref(), (20.0, 100.0), &|r, x| r.length_at(x, budget));
        assert_eq!(curve.first(), Some(&[20.0, 9.5, 10.0, 10.5]));
        assert_eq!(curve.last(), Some(&[100.0, 7.75, 8.5, 9.25]));
        let study = Study {
            instances: vec!["any".into()],
            configurations: vec!["one".into()],
            families: vec![],
            budget,
            measure: "steps",
            records: runs.to_vec(),
        };
        assert!(steps(&study, 0).unwrap().unwrap().contains("any: steps of the best schedule"));
        assert!(conflicts(&study, 0).unwrap().is_none());
    }
}

//! Run-time distributions as curves: the share of runs that have reached their target, over the
//! budget spent. The axis of the budget is logarithmic, because run times spread over orders of
//! magnitude.

use super::Budget;
use crate::pictures::{Drawn, SIZE, colour, curve, logarithmic, picture, span};
use plotters::prelude::*;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_counts_failures() {
        let steps = staircase(&[1.0, 2.0], 4, (0.5, 8.0));
        assert_eq!(
            steps,
            [(0.5, 0.0), (1.0, 0.0), (1.0, 25.0), (2.0, 25.0), (2.0, 50.0), (8.0, 50.0)]
        );
    }
}

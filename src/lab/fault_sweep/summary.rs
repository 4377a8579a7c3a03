//! What a collective costs under faults, against the network without the sweep's faults
//! (umda-fault-tolerance, tables 3 to 5).

use super::Row;

/// All fault sets under one collective. The empty set is the reference, and is not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Fault sets.
    pub sets: usize,
    /// Fault sets that were solved; the others are equal to one of these.
    pub solved: usize,
    /// Steps without faults.
    pub healthy: Option<usize>,
    /// Fewest steps under faults.
    pub fewest: Option<usize>,
    /// Mean of the steps under faults.
    pub mean: Option<f64>,
    /// Most steps under faults.
    pub most: Option<usize>,
    /// Mean degradation, in per cent.
    pub mean_degradation: Option<f64>,
    /// Greatest degradation, in per cent.
    pub greatest_degradation: Option<f64>,
    /// Fault sets with a schedule.
    pub scheduled: usize,
    /// Fault sets with a schedule that meets its lower bound.
    pub optimal: usize,
    /// Fault sets under which the problem cannot be posed.
    pub impossible: usize,
}

impl Summary {
    /// The summary of a collective's rows.
    pub fn new(rows: &[&Row]) -> Self {
        let healthy = rows.iter().find(|row| row.is_healthy()).and_then(|row| row.steps);
        let faulty: Vec<&&Row> = rows.iter().filter(|row| !row.is_healthy()).collect();
        let steps: Vec<usize> = faulty.iter().filter_map(|row| row.steps).collect();
        let worse: Vec<f64> =
            steps.iter().filter_map(|&steps| degradation(Some(steps), healthy)).collect();
        let count = |is: fn(&Row) -> bool| faulty.iter().filter(|row| is(row)).count();
        Summary {
            sets: faulty.len(),
            solved: count(|row| row.like.is_none()),
            healthy,
            fewest: steps.iter().copied().min(),
            mean: mean(&steps.iter().map(|&steps| steps as f64).collect::<Vec<_>>()),
            most: steps.iter().copied().max(),
            mean_degradation: mean(&worse),
            greatest_degradation: worse.iter().copied().reduce(f64::max),
            scheduled: steps.len(),
            optimal: count(|row| row.optimal),
            impossible: count(|row| row.impossible.is_some()),
        }
    }
}

/// By how many per cent a number of steps exceeds that without faults.
pub fn degradation(steps: Option<usize>, healthy: Option<usize>) -> Option<f64> {
    let healthy = healthy? as f64;
    Some((steps? as f64 - healthy) / healthy * 100.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

//! What runs needed to reach the target, and its median.

use super::Record;
use super::statistics::{bootstrap_median, median};

/// A median to target with its interval; infinite if the runs failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

/// The amount that each run needed to reach the target; infinite if it failed.
pub fn to_target(runs: &[&Record], spent: impl Fn(&Record) -> f64) -> Vec<f64> {
    runs.iter().map(|r| if r.success { spent(r) } else { f64::INFINITY }).collect()
}

/// The median of these amounts, with its interval; none without values.
pub fn median_of(values: &[f64]) -> Option<Median> {
    Some(Median { value: median(values)?, interval: bootstrap_median(values)? })
}

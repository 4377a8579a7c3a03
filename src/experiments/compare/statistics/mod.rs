//! The statistics of runs that may fail: intervals, a rank test, and what parallel copies promise.
//! Distributions are those of a statistics library.

mod median;
mod proportion;
mod rank_test;
mod speedup;

pub use median::{bootstrap_median, median, quantile};
pub use proportion::wilson;
pub use rank_test::{RankTest, mann_whitney};
pub use speedup::{expected_median_speedup, expected_speedup};

use statrs::distribution::{ContinuousCDF, Normal};

/// How sure all intervals are.
pub const CONFIDENCE: f64 = 0.95;

/// The standard normal distribution.
fn normal() -> Normal {
    Normal::standard()
}

/// The number of standard deviations that [`CONFIDENCE`] stands for.
fn z() -> f64 {
    normal().inverse_cdf(0.5 + CONFIDENCE / 2.0)
}

//! The statistics of runs that may fail: intervals, a rank test, and the expected speed-up of
//! parallel copies. Distributions come from a statistics library.

mod median;
mod proportion;
mod rank_test;
mod speedup;

pub use median::{bootstrap_median, bootstrap_ratio, median, quantile};
pub use proportion::wilson;
pub use rank_test::{RankTest, magnitude, mann_whitney};
pub use speedup::{expected_median_speedup, expected_speedup};

use statrs::distribution::{ContinuousCDF, Normal};

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The standard normal distribution.
fn normal() -> Normal {
    Normal::standard()
}

/// The standard deviations that correspond to [`CONFIDENCE`].
fn z() -> f64 {
    normal().inverse_cdf(0.5 + CONFIDENCE / 2.0)
}

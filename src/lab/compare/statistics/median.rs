//! Medians with confidence intervals by the percentile bootstrap. A failed run has an infinite time
//! to target; a median, unlike a mean, tolerates that.

use super::CONFIDENCE;
use ccsched_base::rng::rng_of;
use rand::RngExt;

/// Samples drawn for an interval.
const RESAMPLES: usize = 2000;
/// Fixed, so that the same data have the same interval.
const SEED: u64 = 1;

/// The median; none without values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The quantile of a share, interpolated linearly between neighbours.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted_quantile(&sorted, share)
}

fn sorted_quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let at = share * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    // Equal neighbours need no interpolation, which fails if both are infinite.
    Some(if low == high { low } else { low + (high - low) * at.fract() })
}

/// The interval of the median.
pub fn bootstrap_median(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let mut rng = rng_of(SEED, 0, 0);
    let mut sample = vec![0.0; values.len()];
    let medians = (0..RESAMPLES).filter_map(|_| {
        sample.fill_with(|| values[rng.random_range(0..values.len())]);
        sample.sort_by(f64::total_cmp);
        sorted_quantile(&sample, 0.5)
    });
    percentiles(medians.collect())
}

/// The interval of the ratio of two medians, the numerator's first. Samples in which both are
/// infinite say nothing.
pub fn bootstrap_ratio(above: &[f64], below: &[f64]) -> Option<(f64, f64)> {
    if above.is_empty() || below.is_empty() {
        return None;
    }
    let mut rng = rng_of(SEED, 0, 0);
    let mut drawn = |values: &[f64]| {
        let sample: Vec<f64> =
            values.iter().map(|_| values[rng.random_range(0..values.len())]).collect();
        median(&sample).unwrap_or(f64::NAN)
    };
    let ratios = (0..RESAMPLES).map(|_| drawn(above) / drawn(below));
    percentiles(ratios.filter(|ratio| !ratio.is_nan()).collect())
}

/// The ends of the middle part that is the confidence. Percentiles without interpolation: nothing
/// lies between a finite value and infinity.
fn percentiles(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let at = |share: f64| values[(share * last as f64).round() as usize];
    Some((at(tail), at(1.0 - tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), Some(2.0));
    }

    #[test]
    fn failures_are_infinite() {
        let never = f64::INFINITY;
        assert_eq!(median(&[1.0, 2.0, never]), Some(2.0));
        assert_eq!(median(&[1.0, never, never]), Some(never));
        assert_eq!(median(&[1.0, never]), Some(never));
        assert_eq!(bootstrap_median(&[never; 5]), Some((never, never)));
        let (low, high) = bootstrap_median(&[1.0, 2.0, 3.0, never, never]).unwrap();
        assert!(low <= 2.0 && high == never);
    }

    #[test]
    fn ratios_of_medians() {
        let (slow, fast) = ([8.0, 9.0, 10.0, 11.0, 12.0], [1.0, 1.0, 1.0, 1.0, 1.0]);
        let (low, high) = bootstrap_ratio(&slow, &fast).unwrap();
        assert!((8.0..10.0).contains(&low) && (10.0..=12.0).contains(&high), "{low} {high}");
        let never = f64::INFINITY;
        assert_eq!(bootstrap_ratio(&[never; 3], &fast), Some((never, never)));
        assert_eq!(bootstrap_ratio(&fast, &[never; 3]), Some((0.0, 0.0)));
        assert_eq!(bootstrap_ratio(&[never; 3], &[never; 3]), None);
        assert_eq!(bootstrap_ratio(&[], &fast), None);
    }

    #[test]
    fn intervals_hold_the_median_and_shrink() {
        let values = |n: u32| (1..=n).map(f64::from).collect::<Vec<_>>();
        let (low, high) = bootstrap_median(&values(11)).unwrap();
        // By order statistics of 11 values the interval is about that of ranks 2 and 10.
        assert!((2.0..=4.0).contains(&low) && (8.0..=10.0).contains(&high), "{low} {high}");
        let (low, high) = bootstrap_median(&values(1001)).unwrap();
        // 1.96 standard errors of 1001 / (2 * sqrt(1001)).
        assert!((low - 470.0).abs() < 6.0 && (high - 532.0).abs() < 6.0, "{low} {high}");
        assert_eq!(bootstrap_median(&values(11)), bootstrap_median(&values(11)));
    }
}

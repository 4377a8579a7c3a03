//! The statistics of runs that may fail: medians with intervals, the interval of a rate, a rank test, and the
//! expected speed-up of parallel copies. Distributions come from a statistics library. A failed run has an
//! infinite time to target; a median, unlike a mean, tolerates that.

use ccsched_base::rng::rng_of;
use rand::RngExt;
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

/// The confidence of a success rate: Wilson's score interval, which also holds for few runs and for
/// rates of 0 and 1, where the usual interval has width 0. The interval of the rate behind `successes` out of `runs`; 0 to 1 if there are no runs.
pub fn wilson(successes: usize, runs: usize) -> (f64, f64) {
    if runs == 0 {
        return (0.0, 1.0);
    }
    let (n, z2) = (runs as f64, z() * z());
    let rate = successes as f64 / n;
    let middle = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z() / (1.0 + z2 / n) * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1 up to rounding.
    let low = if successes == 0 { 0.0 } else { middle - half };
    let high = if successes == runs { 1.0 } else { middle + half };
    (low, high)
}

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// Pairs in which the first has the smaller value; ties count one half.
    pub u: f64,
    /// The share of such pairs, the effect size A12 of Vargha and Delaney (2000): one half if neither
    /// is faster.
    pub share: f64,
    /// The probability of a difference this large or larger if the configurations are equal.
    pub p: f64,
}

/// The size of an effect in words, by the limits of Vargha and Delaney for a share of pairs above one
/// half.
pub fn magnitude(share: f64) -> &'static str {
    match share.max(1.0 - share) {
        share if share < 0.56 => "negligible",
        share if share < 0.64 => "small",
        share if share < 0.71 => "medium",
        _ => "large",
    }
}

/// Whether one sample has smaller values than another: the Mann-Whitney U test, two-sided, by the normal
/// approximation with corrections for ties and continuity. It assumes no distribution; failed runs rank
/// last, tied with each other. None if a sample is empty.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<RankTest> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|&v| (v, true)).chain(b.iter().map(|&v| (v, false))).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut rank, mut ranks_of_a, mut ties) = (0.0, 0.0, 0.0);
    for tied in all.chunk_by(|x, y| x.0 == y.0) {
        let t = tied.len() as f64;
        let middle = rank + (t + 1.0) / 2.0;
        ranks_of_a += middle * tied.iter().filter(|(_, of_a)| *of_a).count() as f64;
        ties += t * t * t - t;
        rank += t;
    }
    // Low ranks are small values: U is the highest possible sum of ranks minus the actual one.
    let u = n * m - (ranks_of_a - n * (n + 1.0) / 2.0);
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    // All values equal: the samples do not differ.
    let p = if variance > 0.0 { 2.0 * normal().sf(distance / variance.sqrt()) } else { 1.0 };
    Some(RankTest { u, share: u / (n * m), p: p.min(1.0) })
}

/// The expected speed-up of independent copies, by the times observed: if n copies with different seeds run
/// in parallel and the first success ends them all, the time is the minimum of n draws from the distribution
/// of run times. The speed-up is the mean time over the mean of that minimum: n for exponential times, 1 for
/// times that hardly vary. An island model is worth its exchanges if its speed-up is higher.
///
/// A failed run has the time at
/// which it gave up; the speed-up is then usually an underestimate.
pub fn expected_speedup(times: &[f64], copies: u32) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    // All copies draw one of the times from the i-th on.
    let from = |i: usize| ((n - i as f64) / n).powi(copies as i32);
    let least: f64 = sorted.iter().enumerate().map(|(i, t)| t * (from(i) - from(i + 1))).sum();
    let mean = sorted.iter().sum::<f64>() / n;
    (least > 0.0).then(|| mean / least)
}

/// As [`expected_speedup`], but of medians: the minimum of n draws exceeds t with probability
/// P(T > t)^n, so its median is the time that a single draw exceeds with the n-th root of one half.
/// A failed run has an infinite time; if half of the runs fail, the speed-up is infinite too.
pub fn expected_median_speedup(times: &[f64], copies: u32) -> Option<f64> {
    let least = quantile(times, 1.0 - 0.5_f64.powf(1.0 / f64::from(copies)))?;
    (least > 0.0 && least < f64::INFINITY).then_some(median(times)? / least)
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

    fn close(interval: (f64, f64), expected: (f64, f64)) {
        let near = |a: f64, b: f64| (a - b).abs() < 5e-5;
        assert!(near(interval.0, expected.0) && near(interval.1, expected.1), "{interval:?}");
    }

    #[test]
    fn known_values() {
        close(wilson(8, 10), (0.4902, 0.9433));
        close(wilson(0, 10), (0.0, 0.2775));
        close(wilson(10, 10), (0.7225, 1.0));
        assert_eq!((wilson(0, 2).0, wilson(3, 3).1), (0.0, 1.0));
        close(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn more_runs_are_surer() {
        let width = |(low, high)| high - low;
        assert!(width(wilson(80, 100)) < width(wilson(8, 10)) / 2.0);
    }

    #[test]
    fn by_hand_with_a_tie() {
        // Ranks 1, 2.5, 4 and 2.5, 5, 6: the sum 7.5 of the first leaves 1.5 of 9 pairs to the
        // second. Variance 9/12 (7 - 6/30) = 5.1, z = (3 - 0.5) / 2.2583 = 1.1070.
        let test = mann_whitney(&[1.0, 2.0, 3.0], &[2.0, 4.0, 5.0]).unwrap();
        assert_eq!(test.u, 7.5);
        assert!((test.p - 0.2683).abs() < 1e-4, "{test:?}");
    }

    #[test]
    fn tortoises_and_hares() {
        // The order T H H H H H T T T T T H: U is 11 for tortoises, 25 for hares.
        let tortoises = [1.0, 7.0, 8.0, 9.0, 10.0, 11.0];
        let hares = [2.0, 3.0, 4.0, 5.0, 6.0, 12.0];
        let (test, back) =
            (mann_whitney(&tortoises, &hares).unwrap(), mann_whitney(&hares, &tortoises).unwrap());
        assert_eq!((test.u, back.u), (11.0, 25.0));
        // z = (7 - 0.5) / sqrt(39) = 1.0408.
        assert!((test.p - 0.2980).abs() < 1e-4 && test.p == back.p, "{test:?}");
    }

    #[test]
    fn effects_have_names() {
        let names = [0.5, 0.56, 0.63, 0.65, 0.71, 1.0, 0.44, 0.3].map(magnitude);
        let [no, large] = ["negligible", "large"];
        assert_eq!(names, [no, "small", "small", "medium", large, large, "small", "medium"]);
    }

    #[test]
    fn failures_rank_last_and_equal() {
        let never = f64::INFINITY;
        let test = mann_whitney(&[1.0, never], &[never, never]).unwrap();
        assert_eq!((test.u, test.share), (3.0, 0.75));
        assert_eq!(mann_whitney(&[never; 3], &[never; 4]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn by_hand() {
        // The least of two draws from {1, 3} is 3 in one of four cases: 1.5 in the mean.
        assert!((expected_speedup(&[3.0, 1.0], 2).unwrap() - 2.0 / 1.5).abs() < 1e-12);
        assert_eq!(expected_speedup(&[3.0, 1.0], 1), Some(1.0));
        assert!((expected_speedup(&[5.0; 7], 16).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(expected_speedup(&[], 2), None);
    }

    #[test]
    fn exponential_times_speed_up_linearly() {
        let count = 100_000;
        let quantile = |i| -(1.0 - (f64::from(i) + 0.5) / f64::from(count)).ln();
        let times: Vec<f64> = (0..count).map(quantile).collect();
        for copies in [2, 8, 16] {
            let mean = expected_speedup(&times, copies).unwrap();
            let median = expected_median_speedup(&times, copies).unwrap();
            for speedup in [mean, median] {
                assert!((speedup / f64::from(copies) - 1.0).abs() < 0.01, "{copies}: {speedup}");
            }
        }
    }

    #[test]
    fn medians_of_the_least() {
        // All pairs of 0 to 10000: more than 1 - 1/sqrt(2) of them all, 2928.9, in half the pairs.
        let times: Vec<f64> = (0..=10_000).map(f64::from).collect();
        let speedup = expected_median_speedup(&times, 2).unwrap();
        assert!((speedup - 5000.0 / 2928.93).abs() < 1e-4, "{speedup}");
        let pairs = times.len() as f64 * times.len() as f64;
        let longer = times.iter().filter(|&&t| t > 5000.0 / speedup).count() as f64;
        assert!((longer * longer / pairs - 0.5).abs() < 1e-3);
        assert_eq!(expected_median_speedup(&[3.0, 1.0, 2.0], 1), Some(1.0));
        assert_eq!(expected_median_speedup(&[5.0; 7], 16), Some(1.0));
        assert_eq!(expected_median_speedup(&[], 2), None);
    }

    #[test]
    fn medians_live_with_failures() {
        let never = f64::INFINITY;
        // Rank 0.293 * 4 = 1.17 of 0 to 4.
        let least = 2.0 + 4.0 * (1.0 - 0.5_f64.sqrt()) - 1.0;
        let speedup = expected_median_speedup(&[1.0, 2.0, 3.0, never, never], 2).unwrap();
        assert!((speedup - 3.0 / least).abs() < 1e-12, "{speedup}");
        assert_eq!(expected_median_speedup(&[1.0, 1.0, never, never, never], 2), None);
        assert_eq!(expected_median_speedup(&[1.0, 1.0, 1.0, never, never, never], 2), Some(never));
        assert_eq!(expected_median_speedup(&[never; 3], 2), None);
    }
}

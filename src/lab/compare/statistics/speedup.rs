//! The expected speed-up of independent copies: if n copies with different seeds run in parallel
//! and the first success ends them all, the time is the minimum of n draws from the distribution of
//! run times. The speed-up is the mean time over the mean of that minimum: n for exponential times,
//! 1 for times that hardly vary. An island model is worth its exchanges if its speed-up is higher.
//! The same holds for medians, which tolerate runs that never end.

use super::{median, quantile};

/// The expected speed-up of a number of copies, by the times observed. A failed run has the time at
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

//! What independent copies promise: if n copies with other seeds run side by side and the first
//! success ends them all, the time is the least of n draws from the distribution of run times. The
//! speed-up is the mean time over the mean of that least one; for exponential times it is n, for
//! times that hardly vary it is 1. An island model is worth its exchanges if it does better.

/// The expected speed-up of so many copies, by the times observed. A run that failed has the time
/// at which it gave up; the speed-up is then, as a rule, an underestimate.
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
            let speedup = expected_speedup(&times, copies).unwrap();
            assert!((speedup / f64::from(copies) - 1.0).abs() < 0.01, "{copies}: {speedup}");
        }
    }
}

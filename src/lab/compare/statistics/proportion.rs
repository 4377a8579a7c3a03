//! The confidence of a success rate: Wilson's score interval, which also holds for few runs and for
//! rates of 0 and 1, where the usual interval has width 0.

use super::z;

/// The interval of the rate behind `successes` out of `runs`; 0 to 1 if there are no runs.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}

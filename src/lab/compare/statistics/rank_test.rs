//! Whether one configuration is faster than another: the Mann-Whitney U test, two-sided, by the
//! normal approximation with corrections for ties and continuity. It assumes no distribution;
//! failed runs rank last, tied with each other.

use super::normal;
use statrs::distribution::ContinuousCDF;

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

/// Compares two samples; none if one is empty.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! The roulette wheel: solutions with fewer conflicts are chosen more often
//! (hgsa-store-and-forward, section 3.2).

use crate::rng::Rng;
use rand::RngExt;

/// The scale of fitness: a solution of cost c has fitness SCALE / (1 + c), but never zero.
const SCALE: u64 = 1 << 32;

/// A random index of `costs` other than `not`, by fitness; none if there is no other.
pub fn spin(costs: &[u64], not: usize, rng: &mut Rng) -> Option<usize> {
    let fitness = |i: usize| if i == not { 0 } else { (SCALE / (1 + costs[i])).max(1) };
    let total: u64 = (0..costs.len()).map(fitness).sum();
    if total == 0 {
        return None;
    }
    let mut ball = rng.random_range(0..total);
    (0..costs.len()).find(|&i| {
        let hit = ball < fitness(i);
        ball = ball.wrapping_sub(fitness(i));
        hit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::rng_of;

    /// Chi-square of the hits against the shares of fitness, 1 / (1 + cost), of all but `not`.
    fn chi_square(costs: &[u64], not: usize, seed: u64) -> f64 {
        const SPINS: u64 = 60_000;
        let mut rng = rng_of(seed, 0, 0);
        let mut hits = vec![0u64; costs.len()];
        for _ in 0..SPINS {
            hits[spin(costs, not, &mut rng).unwrap()] += 1;
        }
        assert_eq!(hits[not], 0, "an island meets itself");
        let fitness = |i: usize| if i == not { 0.0 } else { 1.0 / (1.0 + costs[i] as f64) };
        let total: f64 = (0..costs.len()).map(fitness).sum();
        let of = |i: usize| {
            let expected = SPINS as f64 * fitness(i) / total;
            (hits[i] as f64 - expected).powi(2) / expected
        };
        (0..costs.len()).filter(|&i| i != not).map(of).sum()
    }

    #[test]
    fn chances_follow_fitness_and_exclude_oneself() {
        // 99.9 % quantiles of chi-square with 2, 5 and 30 degrees of freedom.
        assert!(chi_square(&[0, 1, 0, 3], 2, 1) < 13.82);
        assert!(chi_square(&[7, 2, 19, 1, 40, 5, 100], 0, 2) < 20.52);
        let costs: Vec<u64> = (0..32).map(|i| i * i % 23).collect();
        assert!(chi_square(&costs, 31, 3) < 59.70);
    }

    #[test]
    fn equal_costs_have_equal_chances() {
        assert!(chi_square(&[9; 9], 4, 4) < 24.32);
    }

    #[test]
    fn an_island_alone_has_no_partner() {
        assert_eq!(spin(&[3], 0, &mut rng_of(1, 0, 0)), None);
    }
}

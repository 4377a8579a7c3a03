//! The roulette wheel: solutions with fewer conflicts are chosen more often
//! (hgsa-store-and-forward, section 3.2).

use ccsched_base::rng::Rng;
use rand::RngExt;

/// The scale of fitness: a solution of cost c has fitness SCALE / (1 + c), but never zero.
const SCALE: u64 = 1 << 32;

/// A random index of `costs`, by fitness; none if there is none.
pub fn spin(costs: &[u64], rng: &mut Rng) -> Option<usize> {
    let fitness = |cost: &u64| (SCALE / (1 + cost)).max(1);
    let total: u64 = costs.iter().map(fitness).sum();
    if total == 0 {
        return None;
    }
    let mut ball = rng.random_range(0..total);
    costs.iter().map(fitness).position(|fitness| {
        let hit = ball < fitness;
        ball = ball.wrapping_sub(fitness);
        hit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;

    /// Chi-square of the hits against the shares of fitness, 1 / (1 + cost).
    fn chi_square(costs: &[u64], seed: u64) -> f64 {
        const SPINS: u64 = 60_000;
        let mut rng = rng_of(seed, 0, 0);
        let mut hits = vec![0u64; costs.len()];
        for _ in 0..SPINS {
            hits[spin(costs, &mut rng).unwrap()] += 1;
        }
        let fitness = |&cost: &u64| 1.0 / (1.0 + cost as f64);
        let total: f64 = costs.iter().map(fitness).sum();
        let of = |(hits, cost)| {
            let expected = SPINS as f64 * fitness(cost) / total;
            (hits as f64 - expected).powi(2) / expected
        };
        hits.into_iter().zip(costs).map(of).sum()
    }

    #[test]
    fn chances_follow_fitness() {
        // 99.9 % quantiles of chi-square with 2, 5 and 30 degrees of freedom.
        assert!(chi_square(&[0, 1, 3], 1) < 13.82);
        assert!(chi_square(&[2, 19, 1, 40, 5, 100], 2) < 20.52);
        let costs: Vec<u64> = (0..31).map(|i| i * i % 23).collect();
        assert!(chi_square(&costs, 3) < 59.70);
    }

    #[test]
    fn equal_costs_have_equal_chances() {
        assert!(chi_square(&[9; 8], 4) < 24.32);
    }

    #[test]
    fn without_others_there_is_no_partner() {
        assert_eq!(spin(&[], &mut rng_of(1, 0, 0)), None);
    }
}

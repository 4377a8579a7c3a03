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

    #[test]
    fn chances_follow_fitness_and_exclude_oneself() {
        let mut rng = rng_of(1, 0, 0);
        let mut hits = [0; 4];
        for _ in 0..30_000 {
            hits[spin(&[0, 1, 0, 3], 2, &mut rng).unwrap()] += 1;
        }
        // Fitness 1 : 1/2 : - : 1/4.
        let expected = [30_000.0 * 4.0 / 7.0, 30_000.0 * 2.0 / 7.0, 0.0, 30_000.0 / 7.0];
        for (hit, expected) in hits.iter().zip(expected) {
            assert!((f64::from(*hit) - expected).abs() < 500.0, "{hits:?}");
        }
    }

    #[test]
    fn nobody_to_meet() {
        assert_eq!(spin(&[3], 0, &mut rng_of(1, 0, 0)), None);
    }
}

//! Metropolis acceptance with integer costs: a rise by d is accepted with probability exp(-d/T).

use crate::engines::Rng;
use rand::RngExt;

/// Rises beyond this are never accepted; at the temperatures in use they are far below 2^-64.
const MOST_RISE: usize = 64;

/// Acceptance at one temperature.
#[derive(Clone, Debug)]
pub struct Metropolis {
    /// `thresholds[d - 1]`: a rise by `d` is accepted if 64 random bits are below it. Decreasing.
    thresholds: Vec<u64>,
}

impl Metropolis {
    /// Acceptance that never happens for a rise.
    pub fn new() -> Self {
        Metropolis { thresholds: Vec::with_capacity(MOST_RISE) }
    }

    /// Sets the temperature.
    pub fn set(&mut self, temperature: f64) {
        self.thresholds.clear();
        // One factor a conflict, so a temperature costs one exponential.
        let factor = libm::exp(-1.0 / temperature);
        let mut probability = factor;
        while self.thresholds.len() < MOST_RISE && probability > 1e-12 {
            self.thresholds.push((probability * u64::MAX as f64) as u64);
            probability *= factor;
        }
    }

    /// Draws how much the cost of the next move may rise.
    pub fn budget(&self, rng: &mut Rng) -> i64 {
        let bits: u64 = rng.random();
        self.thresholds.iter().take_while(|&&threshold| bits < threshold).count() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::rng_of;

    #[test]
    fn rises_are_accepted_as_often_as_boltzmann_says() {
        let mut metropolis = Metropolis::new();
        metropolis.set(0.7);
        let mut rng = rng_of(5, 0, 0);
        let draws = 200_000;
        let budgets: Vec<i64> = (0..draws).map(|_| metropolis.budget(&mut rng)).collect();
        for rise in 1..=4 {
            let accepted = budgets.iter().filter(|&&b| b >= rise).count() as f64 / draws as f64;
            let expected = (-(rise as f64) / 0.7).exp();
            assert!((accepted - expected).abs() < 0.005, "{rise}: {accepted} {expected}");
        }
    }
}

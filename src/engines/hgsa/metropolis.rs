//! Metropolis acceptance with integer costs: a rise by d is accepted with probability exp(-d/T).

use super::cooling::Thermostat;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rises less likely than this are never accepted.
const LEAST_PROBABILITY: f64 = 1e-9;
/// A relative change of temperature up to this keeps the thresholds as they are.
const SAME: f64 = 0.02;

/// Acceptance at one temperature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Metropolis {
    /// `thresholds[d - 1]`: a rise by `d` is accepted if 64 random bits are below it. Decreasing.
    thresholds: Vec<u64>,
    temperature: f64,
}

impl Metropolis {
    /// Metropolis at temperature 0: accepts no rise.
    pub fn new() -> Self {
        Metropolis { thresholds: Vec::new(), temperature: 0.0 }
    }

    /// Sets the temperature, in units of cost.
    pub fn set(&mut self, temperature: f64) {
        if (temperature - self.temperature).abs() <= SAME * self.temperature {
            return;
        }
        self.temperature = temperature;
        self.thresholds.clear();
        // One factor per unit of cost, so a temperature takes one exponential.
        let factor = libm::exp(-1.0 / temperature);
        let mut probability = factor;
        while probability > LEAST_PROBABILITY {
            self.thresholds.push((probability * u64::MAX as f64) as u64);
            probability *= factor;
        }
    }

    /// Checks that the thresholds are those of the temperature, which is one of the thermostat's or
    /// the first.
    ///
    /// # Errors
    /// The field that cannot be.
    pub fn check(&self, thermostat: &Thermostat) -> Result<(), CommError> {
        let mut right = Metropolis::new();
        if self.temperature != 0.0 {
            if !thermostat.has(self.temperature) {
                return Err(CommError::Unsound("the temperature of its moves must be its own"));
            }
            right.set(self.temperature);
        }
        match self.thresholds == right.thresholds {
            true => Ok(()),
            false => {
                Err(CommError::Unsound("the thresholds of its moves must be its temperature's"))
            }
        }
    }

    /// Draws the largest rise in cost that the next move may make.
    pub fn budget(&self, rng: &mut Rng) -> i64 {
        let bits: u64 = rng.random();
        self.thresholds.iter().take_while(|&&threshold| bits < threshold).count() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;

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

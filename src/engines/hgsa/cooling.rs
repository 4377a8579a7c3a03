//! The cooling schedule: rounds of geometric cooling from hot to cold, each longer than the last.

use serde::{Deserialize, Serialize};

/// Temperatures and lengths of the rounds. Temperatures are in conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cooling {
    /// Temperature at the beginning of a round.
    pub hot: f64,
    /// Temperature at the end of a round.
    pub cold: f64,
    /// Iterations of the first round.
    pub first_round: u64,
    /// Length of a round over that of the one before.
    pub growth: f64,
}

impl Default for Cooling {
    fn default() -> Self {
        Cooling { hot: 0.8, cold: 0.12, first_round: 500, growth: 1.5 }
    }
}

/// The position of a search on its cooling schedule.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Thermostat {
    cooling: Cooling,
    temperature: f64,
    /// Factor by which the temperature falls in an iteration of the present round.
    factor: f64,
    round: u64,
    left: u64,
}

impl Thermostat {
    pub fn new(cooling: Cooling) -> Self {
        let mut thermostat =
            Thermostat { cooling, temperature: 0.0, factor: 1.0, round: 0, left: 0 };
        thermostat.start_round(cooling.first_round);
        thermostat
    }

    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Cools by one iteration. Returns whether a new round begins.
    pub fn cool(&mut self) -> bool {
        if self.left == 0 {
            self.start_round((self.round as f64 * self.cooling.growth) as u64);
            return true;
        }
        self.left -= 1;
        self.temperature *= self.factor;
        false
    }

    fn start_round(&mut self, iterations: u64) {
        let Cooling { hot, cold, .. } = self.cooling;
        self.round = iterations.max(1);
        self.left = self.round;
        self.temperature = hot;
        // libm, not the system's library: results are the same on every machine.
        self.factor = libm::exp(libm::log(cold / hot) / self.round as f64);
    }
}

//! The cooling schedule: rounds of geometric cooling from hot to cold, each longer than the last.
//!
//! One island cools through the whole range of temperatures in a round. Several islands share the
//! range out (parallel tempering): each cools through a rung of its own. So there is always an
//! island near the temperature at which the problem freezes, which differs from problem to problem,
//! and exchange takes solutions from one temperature to the next.

use serde::{Deserialize, Serialize};

/// Most rungs of a ladder: islands beyond this number share the rungs of the first ones.
const MOST_RUNGS: usize = 64;

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

impl Cooling {
    /// The part of this schedule that an island goes through if the islands share it out: rung
    /// number `island` of as many equal ones, in logarithms, as there are islands.
    #[must_use]
    pub fn rung(self, island: usize, islands: usize) -> Cooling {
        let rungs = islands.clamp(1, MOST_RUNGS);
        // libm, not the system's library: results are the same on every machine.
        let fall = libm::log(self.cold / self.hot) / rungs as f64;
        let at = |boundary: usize| self.hot * libm::exp(fall * boundary as f64);
        let rung = island % rungs;
        let (hot, cold) = match rungs {
            1 => (self.hot, self.cold),
            _ => (at(rung), at(rung + 1)),
        };
        // Rounds end at different times: where they begin anew, some island keeps what was learnt.
        let first_round = self.first_round + self.first_round * rung as u64 / rungs as u64;
        Cooling { hot, cold, first_round, ..self }
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
        self.factor = libm::exp(libm::log(cold / hot) / self.round as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOLING: Cooling = Cooling { hot: 0.8, cold: 0.1, first_round: 500, growth: 1.5 };

    #[test]
    fn rungs_tile_the_range() {
        assert_eq!(COOLING.rung(0, 1), COOLING);
        for islands in [2, 3, 8, 64] {
            let rungs: Vec<Cooling> = (0..islands).map(|i| COOLING.rung(i, islands)).collect();
            assert!((rungs[0].hot - 0.8).abs() < 1e-12);
            assert!((rungs[islands - 1].cold - 0.1).abs() < 1e-12);
            for pair in rungs.windows(2) {
                assert!((pair[0].cold - pair[1].hot).abs() < 1e-12, "{pair:?}");
                assert!(pair[0].first_round < pair[1].first_round, "{pair:?}");
            }
        }
        assert_eq!(COOLING.rung(70, 100), COOLING.rung(6, 64));
    }

    #[test]
    fn a_round_falls_from_hot_to_cold_and_the_next_is_longer() {
        let mut thermostat = Thermostat::new(COOLING.rung(3, 8));
        let Cooling { hot, cold, first_round, .. } = COOLING.rung(3, 8);
        assert!((thermostat.temperature() - hot).abs() < 1e-12);
        for _ in 0..first_round {
            let before = thermostat.temperature();
            assert!(!thermostat.cool());
            assert!(thermostat.temperature() < before);
        }
        assert!((thermostat.temperature() - cold).abs() < 1e-9);
        assert!(thermostat.cool());
        assert!((thermostat.temperature() - hot).abs() < 1e-12);
        let longer = (0..).take_while(|_| !thermostat.cool()).count();
        assert_eq!(longer, (first_round as f64 * 1.5) as usize);
    }
}

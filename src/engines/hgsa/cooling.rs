//! The cooling schedule: rounds of geometric cooling from hot to cold, each longer than the last.
//!
//! One island cools through the whole range of temperatures in a round. Several islands share the
//! range out (parallel tempering): each cools through a rung of its own. So there is always an
//! island near the temperature at which the problem freezes, which differs from problem to problem,
//! and exchange takes solutions from one temperature to the next.

use ccsched_base::codec::CommError;
use serde::{Deserialize, Serialize};

/// Most rungs of a ladder: islands beyond this number share the rungs of the first ones.
const MOST_RUNGS: usize = 64;

/// Temperatures that differ by this share may be equal but for roundings.
const ROUNDING: f64 = 1e-3;

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

    /// Whether a temperature is one of this schedule.
    pub fn has(&self, temperature: f64) -> bool {
        let Cooling { hot, cold, .. } = self.cooling;
        (cold * (1.0 - ROUNDING)..=hot * (1.0 + ROUNDING)).contains(&temperature)
    }

    /// Checks that this is the thermostat of an island on a rung of a whole schedule.
    ///
    /// # Errors
    /// The field that cannot be.
    pub fn check(&self, whole: &Cooling) -> Result<(), CommError> {
        let Thermostat { cooling: Cooling { hot, cold, first_round, growth }, .. } = *self;
        // What is no number is in no range.
        let range = whole.cold * (1.0 - ROUNDING)..=whole.hot * (1.0 + ROUNDING);
        let is_in = |t: f64| range.contains(&t);
        let rounds = whole.first_round..=whole.first_round.saturating_mul(2);
        if !(is_in(hot) && is_in(cold) && cold <= hot * (1.0 + ROUNDING)) {
            return Err(CommError::Unsound("the ends of its cooling must be those of a rung"));
        }
        if !rounds.contains(&first_round) || growth != whole.growth {
            return Err(CommError::Unsound("the rounds of its cooling must be those of a rung"));
        }
        if !self.has(self.temperature) {
            return Err(CommError::Unsound("its temperature must be between hot and cold"));
        }
        if !(self.factor > 0.0 && self.factor <= 1.0 + ROUNDING) {
            return Err(CommError::Unsound("the factor of its temperature must be from 0 to 1"));
        }
        if self.round == 0 || self.left > self.round {
            return Err(CommError::Unsound("the iterations left must be those of a round"));
        }
        Ok(())
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
    fn a_thermostat_that_cannot_be_is_refused() {
        let mut right = Thermostat::new(COOLING.rung(3, 8));
        for _ in 0..2000 {
            right.check(&COOLING).unwrap();
            right.cool();
        }
        let refused = |forge: &dyn Fn(&mut Thermostat), part: &str| {
            let mut forged = right;
            forge(&mut forged);
            let why = forged.check(&COOLING).unwrap_err().to_string();
            assert!(why.contains(part), "{part}: {why}");
        };
        for t in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
            refused(&|forged| forged.temperature = t, "its temperature");
            refused(&|forged| forged.cooling.hot = t, "ends of its cooling");
        }
        refused(&|forged| forged.cooling.cold = f64::NAN, "ends of its cooling");
        refused(&|forged| forged.cooling.growth = 1e9, "rounds of its cooling");
        refused(&|forged| forged.cooling.first_round = u64::MAX, "rounds of its cooling");
        refused(&|forged| forged.factor = 2.0, "factor");
        refused(&|forged| forged.left = forged.round + 1, "iterations left");
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

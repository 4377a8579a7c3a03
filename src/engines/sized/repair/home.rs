//! Moved messages are sent home: what is in the way gets another place, or all is put back.

use super::{LOOK, TimedRepair};
use ccsched_base::rng::Rng;
use rand::seq::SliceRandom;

/// Messages that may be moved more than before within a chain of ejections.
const DEBT: usize = 1;
/// What a message that drives out others counts for in a chain.
const FAILURE: u32 = 12;

impl TimedRepair<'_> {
    /// Sends the moved messages home in random order, each with at most `chain` ejections; whether fewer
    /// have moved than before.
    pub fn send_home(&mut self, chain: usize, rng: &mut Rng, is_over: &dyn Fn() -> bool) -> bool {
        let is_moved = |&m: &u32| !self.is_home(m) && self.home[m as usize].is_some();
        let mut moved: Vec<u32> = (0..self.home.len() as u32).filter(is_moved).collect();
        moved.shuffle(rng);
        let mut any = false;
        for (number, m) in moved.into_iter().enumerate() {
            if number % LOOK == LOOK - 1 && is_over() {
                break;
            }
            any |= !self.is_home(m) && self.send(m, chain, rng);
        }
        any
    }

    /// Sends one message home; whether fewer have moved than before.
    fn send(&mut self, m: u32, chain: usize, rng: &mut Rng) -> bool {
        let Some((path, start)) = self.home[m as usize] else { return false };
        if self.last(m, path).is_none_or(|last| start > last) {
            return false;
        }
        let before = self.away;
        self.log.clear();
        self.lift(m);
        self.clear_for(m, path, start);
        self.put(m, path, start);
        let is_better = match self.settle_all(chain, before, rng) {
            true => self.away < before,
            false => {
                self.undo();
                false
            }
        };
        for &(m, _) in &self.log {
            self.failures[m as usize] = 0;
        }
        is_better
    }

    /// Gives what waits a place, with at most `chain` ejections; whether no more have moved than before.
    fn settle_all(&mut self, chain: usize, before: usize, rng: &mut Rng) -> bool {
        let mut left = chain;
        while self.away <= before + DEBT {
            let Some(m) = self.waiting.pop() else { return self.away <= before };
            if self.settle_free(m, rng) {
                continue;
            }
            if left == 0 {
                self.waiting.push(m);
                return false;
            }
            left -= 1;
            self.eject_for(m, FAILURE, rng);
        }
        false
    }

    /// Takes back what the log says.
    fn undo(&mut self) {
        self.waiting.clear();
        let log = std::mem::take(&mut self.log);
        for &(m, from) in log.iter().rev() {
            match from {
                Some((path, start)) => self.put(m, path, start),
                None => self.lift(m),
            }
        }
        self.log = log;
    }
}

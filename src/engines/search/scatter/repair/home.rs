//! Moved messages are sent home, one by one. What is in the way goes home as well, or to another place;
//! it may eject others there, which go on in the same way. If more messages have moved after that
//! than before, or the chain becomes too long, all are put back. If as many have moved, the new
//! schedule counts: so the moved messages wander until one of them finds its home free.

use super::Repair;
use crate::search::scatter::places::{Crossing, uses};
use ccsched_base::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Ejections after a message is sent home, at most.
pub const CHAIN: usize = 12;
/// Messages that may be moved more than before within a chain.
const DEBT: isize = 1;
/// What a message becomes more expensive by within a chain whenever it ejects others.
const FAILURE: i16 = 12;

impl Repair {
    /// Sends the moved messages home in random order, each with at most `chain` ejections; whether
    /// fewer have moved than before.
    pub fn send_home(&mut self, chain: usize, rng: &mut Rng) -> bool {
        let is_moved = |t: &u32| self.home.is_placed(*t) && !self.is_home(*t);
        let mut moved: Vec<u32> = (0..self.home.len() as u32).filter(is_moved).collect();
        moved.shuffle(rng);
        let mut any = false;
        for t in moved {
            any |= !self.is_home(t) && self.send(t, chain, rng);
        }
        any
    }

    /// Sends one message home; whether fewer have moved than before.
    fn send(&mut self, t: u32, chain: usize, rng: &mut Rng) -> bool {
        let home = self.home.clone();
        let home = home.of(t);
        if home.last().is_none_or(|&(_, step)| step >= self.search.steps) {
            return false;
        }
        self.search.begin_log();
        self.search.lift(t);
        let is_sent = self.clear(home) && {
            self.search.put(t, home);
            self.reprice(t);
            self.settle(chain, rng)
        };
        let gained = is_sent && self.debt() < 0;
        if !is_sent {
            self.search.waiting.clear();
            self.search.undo();
        }
        let log = self.search.log.take();
        for &t in log.iter().flat_map(|log| log.before.transfers()) {
            self.failures[t as usize] = 0;
            self.reprice(t);
        }
        self.search.log = log;
        gained
    }

    /// Lifts what is in the way of a place; false if something of it has not moved.
    fn clear(&mut self, place: &[Crossing]) -> bool {
        let problem = self.search.problem.clone();
        for (r, step) in uses(&problem, place) {
            while let Some(owner) = self.search.board.occupant(r, step, &self.search.price) {
                if self.is_home(owner) {
                    return false;
                }
                self.search.lift(owner);
                self.search.waiting.push(owner);
            }
        }
        true
    }

    /// Gives all that was lifted a place; whether no more messages have moved than before.
    fn settle(&mut self, chain: usize, rng: &mut Rng) -> bool {
        let mut left = chain;
        while !self.search.waiting.is_empty() {
            let i = rng.random_range(0..self.search.waiting.len());
            let t = self.search.waiting.swap_remove(i);
            if self.return_home(t) {
                continue;
            }
            let cost = self.search.cheapest(t, rng);
            if cost == i16::MAX || (cost > 0 && left == 0) {
                return false;
            }
            self.eject_for(t, cost, FAILURE);
            if cost > 0 {
                left -= 1;
                if self.debt() > DEBT {
                    return false;
                }
            }
        }
        self.debt() <= 0
    }

    /// How many more messages have moved than at the beginning of the log.
    fn debt(&self) -> isize {
        let before = self.search.log.iter().flat_map(|log| log.before.iter());
        before.fold(0, |sum, (t, _, place)| {
            let was_home = self.home.is_placed(t) && place == self.home.of(t);
            sum + isize::from(was_home) - isize::from(self.is_home(t))
        })
    }
}

//! The end of a pass of step packing: the last steps are packed together into fewer, the more at once
//! the easier that is. Then the next pass begins.

use super::packed::Packed;
use super::state::Phase;
use super::tail::{self, Tail};
use super::{Packing, rounds};
use crate::rng::Rng;

/// Moves in an iteration on the last steps.
const MOVES: u64 = 100_000;
/// The share of the steps that are packed together at the end, in percent: after first fit, which
/// leaves room in all steps, and after filling, which leaves it in the last ones.
const TAIL: (usize, usize) = (100, 30);
/// Moves for every transfer within which it is easy to drop steps. Then twice as many are dropped next,
/// at most one of so many, else half as many.
const EASY: u64 = 10;
const MOST_DROPPED: usize = 16;
/// Moves on the last steps without progress before fewer are dropped or the pass ends: for every
/// transfer, and at least.
const PATIENCE: (u64, u64) = (400, 200_000);
/// Iterations between two schedules that the search shows.
const SHOWN_EVERY: u32 = 10;

impl Packing {
    /// Begins to pack the last steps of the schedule of this pass.
    pub(super) fn begin_tail(&mut self) {
        self.offer();
        let share = if self.state.phase == Phase::Fit { TAIL.0 } else { TAIL.1 };
        let steps = (self.state.packed.len() * share / 100).min(tail::most_steps(&self.ground));
        self.state.first = self.state.packed.len() - steps;
        self.state.tail = Tail::new(&self.ground, &self.state.packed, self.state.first);
        self.shrink(1);
        log::debug!("pass {}: {} steps filled", self.state.pass, self.state.packed.len());
    }

    /// Drops this number of the last steps.
    fn shrink(&mut self, drops: usize) {
        self.state.drops = drops.clamp(1, self.state.tail.steps().max(1));
        self.state.tail.shrink(&self.ground, self.state.drops);
        self.state.phase = Phase::Tail(0);
    }

    /// Makes moves on the last steps. Returns their number.
    pub(super) fn pack_tail(&mut self, without: u64, rng: &mut Rng) -> u64 {
        let before = self.state.tail.fewest();
        let made = self.state.tail.search(&self.ground, MOVES, rng);
        let transfers = self.state.tail.len() as u64;
        let limit = (PATIENCE.0 * transfers).max(PATIENCE.1);
        if self.state.tail.is_complete() {
            self.state.tail.write(&mut self.state.packed, self.state.first);
            let (steps, drops) = (self.state.tail.steps(), self.state.drops);
            // More steps at once while that is easy.
            let is_easy = self.state.tail.moves() < EASY * transfers;
            match steps {
                0 | 1 => self.end_pass(),
                _ if is_easy => self.shrink((2 * drops).min(steps / MOST_DROPPED)),
                _ => self.shrink(drops / 2),
            }
        } else if self.state.tail.fewest() < before {
            self.state.phase = Phase::Tail(0);
        } else if without + made < limit {
            self.state.phase = Phase::Tail(without + made);
        } else if self.state.drops > 1 {
            self.state.tail = Tail::new(&self.ground, &self.state.packed, self.state.first);
            self.shrink(1);
        } else {
            self.end_pass();
        }
        if self.state.quiet >= SHOWN_EVERY && matches!(self.state.phase, Phase::Tail(_)) {
            self.offer();
        }
        made
    }

    /// Keeps the schedule of this pass if it is the best so far.
    fn offer(&mut self) {
        if self.state.best.len() == 0 || self.state.packed.len() < self.state.best.len() {
            self.state.best = self.state.packed.clone();
            self.state.is_new = true;
            self.state.quiet = 0;
        }
    }

    /// Ends this pass and begins the next one.
    fn end_pass(&mut self) {
        log::debug!("pass {}: {} steps", self.state.pass, self.state.packed.len());
        self.offer();
        self.state.pass += 1;
        self.state.packed = Packed::default();
        self.state.tail = Tail::default();
        self.state.routes.restore(&self.ground);
        self.state.routes.sharpen(1, 1);
        let messages = self.state.left.iter_mut().zip(&self.ground.pairs);
        messages.for_each(|(left, pair)| *left = pair.messages);
        self.state.messages = self.ground.problem.demands.len() as u64;
        self.state.phase = Phase::Plan(rounds(&self.ground), 0);
    }
}

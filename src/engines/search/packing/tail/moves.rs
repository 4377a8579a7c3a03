//! The moves on the last steps, and the prices that decide on them.

use super::{MOST_EJECTED, Tail};
use crate::engines::search::packing::ground::{Ground, NONE};
use crate::network::ChannelId;
use crate::problem::ResourceId;
use crate::rng::Rng;
use rand::RngExt;

/// Places that an ejection compares.
const COMPARED: usize = 2;
/// Relocations for each ejection.
const RELOCATIONS: u32 = 3;
/// The temperature of ejections, and that of relocations. The price of a full resource is about 1.
const TEMPERATURE: f32 = 0.25;
const RELOCATING: f32 = 0.5;
/// The price of a resource that is hardly used.
const LEAST: f32 = 0.2;
/// The share of free steps at which the rest of the price is down to 1/e, as a divisor.
const DECAY: f32 = 40.0;

/// The price of a resource, by the number of its steps that are free.
#[derive(Clone, Debug, Default)]
pub(super) struct Prices(Vec<f32>);

impl Prices {
    /// For a number of steps.
    pub fn new(steps: usize) -> Self {
        let price = |free| LEAST + libm::expf(-DECAY * free as f32 / steps.max(1) as f32);
        Prices((0..=steps).map(price).collect())
    }
}

impl Tail {
    /// Makes moves until every transfer has a place, at most this number. Returns the number made.
    pub fn search(&mut self, ground: &Ground, most: u64, rng: &mut Rng) -> u64 {
        let mut made = 0;
        while made < most && !self.waiting.is_empty() {
            if rng.random_range(0..=RELOCATIONS) == 0 {
                self.eject(ground, rng);
                self.fewest = self.fewest.min(self.waiting.len());
            } else {
                self.relocate(ground, rng);
            }
            made += 1;
        }
        self.moves += made;
        made
    }

    /// Gives a random waiting transfer a place.
    fn eject(&mut self, ground: &Ground, rng: &mut Rng) {
        let i = rng.random_range(0..self.waiting.len());
        let t = self.waiting[i];
        let pair = self.pairs[t as usize];
        self.scan.spread::<{ MOST_EJECTED + 1 }>(ground, &self.board, pair, rng);
        let Some(level) = (0..=MOST_EJECTED).find(|&level| self.scan.has_steps(level)) else {
            return;
        };
        let mut best = None;
        for _ in 0..if level == 0 { 1 } else { COMPARED } {
            let step = self.scan.any_step(level, rng);
            self.scan.trace(ground, &self.board, (pair, step, level), rng);
            let energy: f32 = self.scan.ejected.iter().map(|&o| self.energy(ground, o)).sum();
            if best.is_none_or(|(least, _)| energy < least) {
                best = Some((energy, step));
                std::mem::swap(&mut self.scan.path, &mut self.best.0);
                std::mem::swap(&mut self.scan.ejected, &mut self.best.1);
            }
        }
        let Some((energy, step)) = best else { return };
        if level > 0 && !accepts(energy - self.energy(ground, t), TEMPERATURE, rng) {
            return;
        }
        self.waiting.swap_remove(i);
        while let Some(owner) = self.best.1.pop() {
            self.vacate(ground, owner);
            self.step[owner as usize] = NONE;
            self.waiting.push(owner);
        }
        let path = std::mem::take(&mut self.best.0);
        self.put(ground, t, step, &path);
        self.best.0 = path;
    }

    /// Moves a random placed transfer to a random free place, if there is one.
    fn relocate(&mut self, ground: &Ground, rng: &mut Rng) {
        let t = rng.random_range(0..self.pairs.len()) as u32;
        if self.step[t as usize] == NONE {
            return;
        }
        let pair = self.pairs[t as usize];
        self.scan.spread::<1>(ground, &self.board, pair, rng);
        if !self.scan.has_steps(0) {
            return;
        }
        let step = self.scan.any_step(0, rng);
        self.scan.trace(ground, &self.board, (pair, step, 0), rng);
        let price = |path| self.price(ground, pair, path);
        if !accepts(price(&self.scan.path) - price(self.path(t)), RELOCATING, rng) {
            return;
        }
        self.vacate(ground, t);
        let path = std::mem::take(&mut self.scan.path);
        self.put(ground, t, step, &path);
        self.scan.path = path;
    }

    /// The energy of a transfer that waits: the price of the path that it had last.
    fn energy(&self, ground: &Ground, t: u32) -> f32 {
        self.price(ground, self.pairs[t as usize], self.path(t))
    }

    fn price(&self, ground: &Ground, pair: u32, path: &[ChannelId]) -> f32 {
        let mut sum = 0.0;
        let price = |r: ResourceId| self.prices.0[self.board.left(r) as usize];
        ground.uses(pair, path, |r| sum += price(r));
        sum
    }
}

/// The Metropolis rule.
fn accepts(rise: f32, temperature: f32, rng: &mut Rng) -> bool {
    rise <= 0.0 || rng.random::<f32>() < libm::expf(-rise / temperature)
}

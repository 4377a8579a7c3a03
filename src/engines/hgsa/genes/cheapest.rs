//! The cheapest of the values of a gene. Every examined path has a row of prices, one a step, so
//! that prices are added up and compared in rows.

use ccsched_base::rng::Rng;
use rand::RngExt;

/// Most paths of a gene whose prices are compared; where there are more, as many neighbours in the
/// table are drawn.
const MOST_PATHS: u32 = 32;
/// The price of a value that is not to be taken.
const NEVER: u32 = u32::MAX;

/// Some of the paths of a gene: consecutive ones in its range of the table, which is a ring here.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    first: u32,
    count: u32,
    begin: u32,
    /// Number of paths in the window.
    pub len: u32,
}

impl Window {
    /// A window on `count` paths from `first` on.
    pub fn draw((first, count): (u32, u32), rng: &mut Rng) -> Self {
        let len = count.min(MOST_PATHS);
        let begin = if len < count { rng.random_range(0..count) } else { 0 };
        Window { first, count, begin, len }
    }

    /// The path at an index of the window.
    pub fn path(&self, index: u32) -> u32 {
        self.first + (self.begin + index) % self.count
    }
}

/// Prices of values: a row of steps for each path. Kept to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    steps: usize,
    rows: Vec<u32>,
    /// Values that have a price.
    priced: u64,
}

impl Prices {
    /// Forgets all prices; rows have `steps` steps from now on.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps as usize;
        self.rows.clear();
        self.priced = 0;
    }

    /// Adds the row of a path that takes `duration` steps, filled by `price`; `present` is the step
    /// that is not to be taken. Returns the prices of the steps in which the path can start.
    pub fn add(
        &mut self,
        duration: u32,
        present: Option<u32>,
        price: impl FnOnce(&mut [u32]),
    ) -> &mut [u32] {
        let first = self.rows.len();
        let starts = (self.steps + 1).saturating_sub(duration as usize);
        self.rows.resize(first + starts, 0);
        self.rows.resize(first + self.steps, NEVER);
        self.priced += starts as u64;
        let row = &mut self.rows[first..first + starts];
        price(row);
        if let Some(step) = present {
            row[step as usize] = NEVER;
        }
        row
    }

    /// Raises the prices of this and all later steps.
    pub fn raise_from(&mut self, step: u32, by: u32) {
        for row in self.rows.chunks_exact_mut(self.steps) {
            row[step as usize..].iter_mut().for_each(|price| *price = price.saturating_add(by));
        }
    }

    /// A random one of the least prices, as row and step, and the number of values priced.
    pub fn least(&self, rng: &mut Rng) -> (Option<(u32, u32)>, u64) {
        let least = self.rows.iter().copied().min().unwrap_or(NEVER);
        if least == NEVER {
            return (None, self.priced);
        }
        let equal = self.rows.iter().filter(|&&price| price == least).count();
        let chosen = if equal > 1 { rng.random_range(0..equal) } else { 0 };
        let mut places = (0..self.rows.len()).filter(|&place| self.rows[place] == least);
        let place = places.nth(chosen).map(|p| ((p / self.steps) as u32, (p % self.steps) as u32));
        (place, self.priced)
    }
}

//! Conflict bookkeeping: the number of uses of each resource in each step.
//!
//! The cost of a cell (resource, step) with n uses and capacity c is the number of pairs among the
//! uses beyond c - 1, which for channels (c = 1) is the number of pairs of transfers in conflict
//! (umda-diameter-degree-networks, section 4.3; hgsa-store-and-forward, section 3.2).

use super::routes::Use;

/// Use counts of every (resource, step).
#[derive(Clone, Debug)]
pub struct Occupancy {
    steps: usize,
    /// `counts[resource * steps + step]`.
    counts: Vec<u32>,
    capacity: Vec<u32>,
}

impl Occupancy {
    /// No uses.
    pub fn new(capacity: &[u32], steps: u32) -> Self {
        let steps = steps as usize;
        Occupancy { steps, counts: vec![0; steps * capacity.len()], capacity: capacity.to_vec() }
    }

    /// Forgets all uses.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The cost that uses starting at `step` would add.
    pub fn price(&self, uses: &[Use], step: u32) -> u64 {
        uses.iter().map(|u| u64::from(self.excess(self.cell(u, step), u))).sum()
    }

    /// Adds to each price the cost that uses would add if they started in the step of its index.
    pub fn price_starts(&self, uses: &[Use], prices: &mut [u32]) {
        for u in uses {
            let first = self.cell(u, 0);
            let capacity = self.capacity[u.resource as usize];
            let counts = &self.counts[first..first + prices.len()];
            for (price, count) in prices.iter_mut().zip(counts) {
                // A value that is not to be taken keeps its price.
                *price = price.saturating_add((count + 1).saturating_sub(capacity));
            }
        }
    }

    /// The cost that removing uses, which are counted here, would save.
    pub fn relief(&self, uses: &[Use], step: u32) -> u64 {
        let relief = |u: &Use| {
            let count = self.counts[self.cell(u, step)];
            u64::from(count.saturating_sub(self.capacity[u.resource as usize]))
        };
        uses.iter().map(relief).sum()
    }

    /// Counts uses; returns the cost they add.
    pub fn add(&mut self, uses: &[Use], step: u32) -> u64 {
        let mut cost = 0;
        for u in uses {
            let cell = self.cell(u, step);
            cost += u64::from(self.excess(cell, u));
            self.counts[cell] += 1;
        }
        cost
    }

    /// Removes uses; returns the cost saved.
    pub fn remove(&mut self, uses: &[Use], step: u32) -> u64 {
        let mut cost = 0;
        for u in uses {
            let cell = self.cell(u, step);
            self.counts[cell] -= 1;
            cost += u64::from(self.excess(cell, u));
        }
        cost
    }

    fn cell(&self, u: &Use, step: u32) -> usize {
        u.resource as usize * self.steps + (step + u.delay) as usize
    }

    /// The cost of one more use of the cell.
    fn excess(&self, cell: usize, u: &Use) -> u32 {
        (self.counts[cell] + 1).saturating_sub(self.capacity[u.resource as usize])
    }
}

//! Scatters whose transfers eject each other: a gene is (path, step) of one delivery, as in the
//! papers, but no two transfers hold one place. A transfer that takes a place ejects its holders,
//! which wait: they keep their genes with the step [`WAITS`], and occupy nothing. The cost is the
//! number of transfers that wait. A swap would eject the holders of both places, and could not be undone, so none is
//! proposed.
//!
//! Where all channels are full, this landscape is smoother than the count of conflicts: a transfer
//! that has lost one channel of its path does not block the others. (The state and the ejections
//! are those of guided ejection, [`crate::search`], after Nagata and Bräysy; there prices
//! decide, here Metropolis.)

use super::{Choices, Frame, Genes, Prices, Window};
use crate::{Gene, Routes, Use, WAITS};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, places};
use rand::RngExt;
use std::sync::Arc;

/// The share of focused moves that look for a place with a wait on the way.
const SHARE_OF_WAITS: f64 = 0.25;
/// What the saved list must be.
const LIST: &str = "each gene that waits must be once in the list of those";

/// The genes of a scatter, gather or all-to-all.
#[derive(Clone)]
pub struct Ejecting {
    frame: Frame,
    holders: Holders,
    /// The genes that wait, in the order in which moves left them.
    waiting: Vec<u32>,
    /// Index in `waiting` of each gene, if it waits.
    index: Vec<u32>,
    choices: Choices,
    prices: Prices,
    /// The transfers that a move ejects; kept to avoid allocation.
    ejected: Vec<u32>,
}

impl Ejecting {
    /// No genes yet of a problem.
    pub fn new(problem: Arc<Problem>, seed: u64) -> Self {
        let slack = problem.routing().listed_slack();
        Ejecting {
            holders: Holders::new(problem.resources().capacities(), 0),
            waiting: Vec::new(),
            index: Vec::new(),
            choices: Choices::default(),
            prices: Prices::default(),
            ejected: Vec::new(),
            frame: Frame::of_demands(problem, slack, seed),
        }
    }

    /// Lets messages wait on their way, where they are stored.
    pub fn waiting(mut self) -> Self {
        let routes = Routes::clone(&self.frame.routes);
        self.frame.routes =
            Arc::new(routes.with_waits(&self.frame.problem, self.frame.problem.demands().len()));
        self
    }
}

impl Genes for Ejecting {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn resize(&mut self, steps: u32) {
        self.frame.steps = steps;
        self.holders = Holders::new(self.frame.problem.resources().capacities(), steps);
        self.frame.genes.clear();
        self.waiting.clear();
        self.choices = Choices::new(&self.frame.routes, self.frame.problem.demands().len(), steps);
    }

    /// Of genes that contend for a place, the first ones get it.
    fn load(&mut self, genes: &[Gene]) {
        self.holders.clear();
        self.frame.genes.clear();
        self.frame.genes.extend_from_slice(genes);
        self.waiting.clear();
        self.index.clear();
        self.index.resize(genes.len(), 0);
        for (g, &gene) in genes.iter().enumerate() {
            let uses = self.frame.routes.uses(gene.path);
            if gene.step != WAITS && self.holders.is_free(uses, gene.step) {
                self.holders.put(uses, gene.step, g as u32);
            } else {
                self.frame.genes[g].step = WAITS;
                self.wait(g);
            }
        }
    }

    /// The transfers that wait, whose order depends on past moves.
    fn memory(&self) -> Vec<u32> {
        self.waiting.clone()
    }

    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        let (mut given, mut own) = (memory.to_vec(), self.waiting.clone());
        given.sort_unstable();
        own.sort_unstable();
        if given != own {
            return Err(CommError::Unsound(LIST));
        }
        self.waiting.copy_from_slice(memory);
        for (at, &g) in (0..).zip(memory) {
            self.index[g as usize] = at;
        }
        Ok(())
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        self.choices.gene(&self.frame.routes, g, rng)
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        self.frame.genes[g].step == WAITS
    }

    fn draw(&self, rng: &mut Rng) -> usize {
        match self.waiting.len() {
            0 => rng.random_range(0..self.frame.genes.len()),
            waiting => self.waiting[rng.random_range(0..waiting)] as usize,
        }
    }

    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let old = self.frame.genes[g];
        let waiting = self.choices.waiting(g);
        let waits = waiting.1 > 0 && rng.random_bool(SHARE_OF_WAITS);
        let range = if waits { waiting } else { self.choices.range(g) };
        let window = Window::draw(range, rng);
        if old.step != WAITS {
            self.lift(g);
        }
        self.prices.clear(self.frame.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path && old.step != WAITS).then_some(old.step);
            let (uses, duration) = (self.frame.routes.uses(path), self.frame.routes.duration(path));
            let price = |row: &mut [u32]| self.holders.price_starts(uses, row);
            self.prices.add(duration, present, price);
        }
        if old.step != WAITS {
            self.put(g, old);
        }
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    fn relocate(&mut self, rng: &mut Rng) -> u64 {
        (0..RELOCATIONS).for_each(|_| self.relocate_one(rng));
        RELOCATIONS
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.frame.genes[g];
        let before = self.cost() as i64;
        if old.step != WAITS {
            self.lift(g);
        }
        self.ejected.clear();
        if gene.step != WAITS {
            self.list_ejected(gene);
        }
        let waits = i64::from(gene.step == WAITS);
        let after = self.cost() as i64 - 1 + waits + self.ejected.len() as i64;
        if after - before > budget {
            if old.step != WAITS {
                self.put(g, old);
            }
            return false;
        }
        self.frame.genes[g] = gene;
        for i in 0..self.ejected.len() {
            self.lift(self.ejected[i] as usize);
        }
        if gene.step != WAITS {
            self.put(g, gene);
        }
        true
    }

    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let is_own = self.frame.routes.table().of_pair(g).contains(&gene.path);
        is_own && (gene.step == WAITS || gene.step < self.frame.steps && self.fits(gene))
    }

    fn fits(&self, gene: Gene) -> bool {
        gene.step != WAITS && gene.step + self.frame.routes.duration(gene.path) <= self.frame.steps
    }

    fn end(&self, g: usize) -> u32 {
        let gene = self.frame.genes[g];
        if gene.step == WAITS { 0 } else { gene.step + self.frame.routes.duration(gene.path) }
    }
}

// The transfers that hold each place of each resource in each step. A resource of capacity c has c
// places in a step. Where all are held, a transfer that comes ejects one of their holders.

/// No transfer.
const NO_HOLDER: u32 = u32::MAX;

/// The holders of all places.
#[derive(Clone, Debug)]
struct Holders {
    steps: usize,
    /// First place of each resource, and the end of the last.
    places: Vec<u32>,
    /// By resource, then step, then place: held places first, their holders ascending, so that the
    /// order of past moves does not count.
    holders: Vec<u32>,
    /// By resource, then step: the holder that a transfer would eject; none if a place is free. A
    /// copy for the prices, which are added up in rows.
    ejectable: Vec<u32>,
}

impl Holders {
    /// Free places of resources of these capacities.
    fn new(capacities: &[u32], steps: u32) -> Self {
        let (steps, places) = (steps as usize, places(capacities));
        let all = places.last().map_or(0, |&end| end as usize);
        Holders {
            steps,
            holders: vec![NO_HOLDER; all * steps],
            ejectable: vec![NO_HOLDER; capacities.len() * steps],
            places,
        }
    }

    /// Frees all places.
    fn clear(&mut self) {
        self.holders.fill(NO_HOLDER);
        self.ejectable.fill(NO_HOLDER);
    }

    /// The holder that a transfer would eject by a use; none if a place is free.
    #[inline]
    fn ejectable(&self, u: &Use, step: u32) -> u32 {
        self.ejectable[self.cell(u, step)]
    }

    /// Whether a transfer with these uses would eject no other.
    fn is_free(&self, uses: &[Use], step: u32) -> bool {
        uses.iter().all(|u| self.ejectable(u, step) == NO_HOLDER)
    }

    /// Adds to each price the number of transfers that uses would eject if they started in the step
    /// of its index. A holder of several uses in a row counts once.
    fn price_starts(&self, uses: &[Use], prices: &mut [u32]) {
        let starts = prices.len();
        let of = |u: &Use| &self.ejectable[self.cell(u, 0)..][..starts];
        let rows = uses.iter().map(of);
        let Some(first) = rows.clone().next() else { return };
        let held = |holder: u32| u32::from(holder != NO_HOLDER);
        prices.iter_mut().zip(first).for_each(|(price, &holder)| *price += held(holder));
        for (before, row) in rows.clone().zip(rows.skip(1)) {
            for ((price, &holder), &paid) in prices.iter_mut().zip(row).zip(before) {
                *price += held(holder) & u32::from(holder != paid);
            }
        }
    }

    /// Gives a free place of each use to a transfer.
    fn put(&mut self, uses: &[Use], step: u32, transfer: u32) {
        self.change(uses, step, |held| {
            let at = held.iter().position(|&h| transfer < h).unwrap_or(held.len() - 1);
            held[at..].rotate_right(1);
            held[at] = transfer;
        });
    }

    /// Frees the place of each use that a transfer holds.
    fn take(&mut self, uses: &[Use], step: u32, transfer: u32) {
        self.change(uses, step, |held| {
            if let Some(at) = held.iter().position(|&h| h == transfer) {
                held[at] = NO_HOLDER;
                held[at..].rotate_left(1);
            }
        });
    }

    fn change(&mut self, uses: &[Use], step: u32, with: impl Fn(&mut [u32])) {
        for u in uses {
            let resource = u.resource as usize;
            let cell = self.cell(u, step);
            let (first, end) = (self.places[resource] as usize, self.places[resource + 1] as usize);
            let capacity = end - first;
            let at = first * self.steps + (step + u.delay) as usize * capacity;
            let held = &mut self.holders[at..at + capacity];
            with(held);
            // Another holder in each step, so that it is not always the same.
            self.ejectable[cell] = match held[capacity - 1] {
                NO_HOLDER => NO_HOLDER,
                _ => held[cell % capacity],
            };
        }
    }

    fn cell(&self, u: &Use, step: u32) -> usize {
        u.resource as usize * self.steps + (step + u.delay) as usize
    }
}

// What moves do to places: a transfer takes places, loses them, or moves to free ones.

/// Attempts to move a random transfer to a free place after each focused move. They move the free
/// places around for the waiting transfers.
const RELOCATIONS: u64 = 12;

impl Ejecting {
    /// Gives gene `g`, which must wait, a value whose places are free.
    fn put(&mut self, g: usize, gene: Gene) {
        self.holders.put(self.frame.routes.uses(gene.path), gene.step, g as u32);
        self.frame.genes[g] = gene;
        let at = self.index[g];
        self.waiting.swap_remove(at as usize);
        if let Some(&moved) = self.waiting.get(at as usize) {
            self.index[moved as usize] = at;
        }
    }

    /// Lets gene `g`, which has a place, wait.
    fn lift(&mut self, g: usize) {
        let gene = &mut self.frame.genes[g];
        self.holders.take(self.frame.routes.uses(gene.path), gene.step, g as u32);
        gene.step = WAITS;
        self.wait(g);
    }

    fn wait(&mut self, g: usize) {
        self.index[g] = self.waiting.len() as u32;
        self.waiting.push(g as u32);
    }

    /// Lists the transfers that would be ejected by one with this value.
    fn list_ejected(&mut self, gene: Gene) {
        self.ejected.clear();
        for u in self.frame.routes.uses(gene.path) {
            let holder = self.holders.ejectable(u, gene.step);
            if holder != NO_HOLDER && !self.ejected.contains(&holder) {
                self.ejected.push(holder);
            }
        }
    }

    /// Moves a random transfer that has a place to a random path, in the first step with free places
    /// from a random one on.
    fn relocate_one(&mut self, rng: &mut Rng) {
        let g = rng.random_range(0..self.frame.genes.len());
        if self.frame.genes[g].step == WAITS {
            return;
        }
        let path = self.choices.path(g, rng);
        let uses = self.frame.routes.uses(path);
        let starts = self.frame.steps - self.frame.routes.duration(path) + 1;
        let first = rng.random_range(0..starts);
        let mut steps = (first..starts).chain(0..first);
        if let Some(step) = steps.find(|&step| self.holders.is_free(uses, step)) {
            self.lift(g);
            self.put(g, Gene { path, step });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Use = Use { resource: 1, delay: 1 };
    const NARROW: Use = Use { resource: 0, delay: 0 };

    #[test]
    fn a_place_is_free_until_the_capacity_is_held() {
        let mut holders = Holders::new(&[1, 3], 4);
        for transfer in [7, 2, 5] {
            assert!(holders.is_free(&[WIDE], 2));
            holders.put(&[WIDE], 2, transfer);
        }
        assert!([2, 5, 7].contains(&holders.ejectable(&WIDE, 2)));
        assert!(holders.is_free(&[WIDE], 1) && holders.is_free(&[NARROW], 2));
        let mut in_order = Holders::new(&[1, 3], 4);
        [2, 5, 7].into_iter().for_each(|transfer| in_order.put(&[WIDE], 2, transfer));
        assert_eq!(in_order.ejectable, holders.ejectable);
        holders.take(&[WIDE], 2, 5);
        assert!(holders.is_free(&[WIDE], 2));
        holders.put(&[WIDE], 2, 9);
        assert!([2, 7, 9].contains(&holders.ejectable(&WIDE, 2)));
    }

    #[test]
    fn a_holder_of_two_uses_in_a_row_is_paid_once() {
        let mut holders = Holders::new(&[1, 1, 1], 3);
        let uses = |resources: &[u32]| -> Vec<Use> {
            resources.iter().map(|&resource| Use { resource, delay: 0 }).collect()
        };
        holders.put(&uses(&[0, 1]), 1, 4);
        holders.put(&uses(&[2]), 1, 6);
        holders.put(&uses(&[2]), 2, 4);
        let mut prices = [0; 3];
        holders.price_starts(&uses(&[0, 1, 2]), &mut prices);
        assert_eq!(prices, [0, 2, 1]);
        // Not in a row: an upper limit.
        let mut prices = [0; 3];
        holders.put(&uses(&[2]), 0, 8);
        holders.put(&uses(&[0]), 0, 9);
        holders.put(&uses(&[1]), 0, 8);
        holders.price_starts(&uses(&[2, 0, 1]), &mut prices);
        assert_eq!(prices, [3, 2, 1]);
    }
}

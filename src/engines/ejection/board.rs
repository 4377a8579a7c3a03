//! Who occupies what: a partial schedule without a conflict, ever.

use crate::engines::Gene;
use crate::engines::assignment::{Routes, Use};

/// Nobody.
pub const FREE: u32 = u32::MAX;

/// The transfers that occupy every place of every resource in every step. A resource of capacity c
/// has c places.
#[derive(Clone)]
pub struct Board {
    steps: usize,
    /// First place of every resource, and one after the last; times `steps`.
    places: Vec<u32>,
    /// `owners[place * steps + step]`.
    owners: Vec<u32>,
}

impl Board {
    /// An empty board.
    pub fn new(capacity: &[u32], steps: u32) -> Self {
        let steps = steps as usize;
        let mut places = vec![0];
        let mut next = 0;
        for c in capacity {
            next += c * steps as u32;
            places.push(next);
        }
        Board { steps, owners: vec![FREE; next as usize], places }
    }

    /// The places of a resource in one step.
    fn cells(&self, u: &Use, step: u32) -> impl Iterator<Item = usize> + use<> {
        let r = u.resource as usize;
        let first = self.places[r] as usize + (step + u.delay) as usize;
        (first..self.places[r + 1] as usize).step_by(self.steps)
    }

    /// Whether a transfer along these uses from `step` finds a place everywhere; places of `own`
    /// count as free.
    pub fn is_free(&self, uses: &[Use], step: u32, own: u32) -> bool {
        let has_place = |u: &Use| {
            self.cells(u, step).any(|cell| matches!(self.owners[cell], o if o == FREE || o == own))
        };
        uses.iter().all(has_place)
    }

    /// The owner to eject from a resource so that it has a place: none if it has one already.
    /// `weight` says how dear an owner is; one that is ejected anyway costs nothing more.
    pub fn in_the_way(&self, u: &Use, step: u32, weight: impl Fn(u32) -> u32) -> Option<u32> {
        let mut cheapest = FREE;
        let mut least = u32::MAX;
        for cell in self.cells(u, step) {
            let owner = self.owners[cell];
            if owner == FREE {
                return None;
            }
            let w = weight(owner);
            if w < least {
                (cheapest, least) = (owner, w);
            }
        }
        Some(cheapest)
    }

    /// Puts a transfer onto free places.
    pub fn place(&mut self, routes: &Routes, transfer: u32, gene: Gene) {
        self.replace(routes, gene, FREE, transfer);
    }

    /// Takes a transfer from its places.
    pub fn lift(&mut self, routes: &Routes, transfer: u32, gene: Gene) {
        self.replace(routes, gene, transfer, FREE);
    }

    fn replace(&mut self, routes: &Routes, gene: Gene, old: u32, new: u32) {
        for u in routes.uses(gene.path) {
            let cell = self.cells(u, gene.step).find(|&cell| self.owners[cell] == old);
            let cell = cell.expect("the board is kept in step with the genes");
            self.owners[cell] = new;
        }
    }
}

//! The occupancy of the last steps.

use super::BLOCK;
use crate::engines::search::packing::ground::{Ground, NONE};
use crate::problem::{ResourceId, places};

/// The owners of every resource in every step.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub words: usize,
    /// The steps that there are, in bits.
    pub all: Vec<u64>,
    /// By resource: its free steps in bits.
    pub free: Vec<u64>,
    /// By place, then step: the transfer, or [`NONE`].
    pub owners: Vec<u32>,
    /// By resource: its first place. It has as many as its capacity.
    places: Vec<u32>,
    /// By resource: its free places in all steps.
    left: Vec<u32>,
}

impl Board {
    /// A board of empty steps.
    pub fn new(ground: &Ground, steps: usize) -> Self {
        let capacities = ground.problem.resources.capacities();
        // A block always fits.
        let words = steps.div_ceil(64).max(BLOCK);
        let places = places(capacities);
        let bits = |left: usize| if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        let all: Vec<u64> = (0..words).map(|w| bits(steps.saturating_sub(64 * w))).collect();
        let free = all.repeat(capacities.len());
        let owners = vec![NONE; *places.last().expect("never empty") as usize * words * 64];
        let left = capacities.iter().map(|&capacity| capacity * steps as u32).collect();
        Board { words, all, free, owners, places, left }
    }

    /// The free steps of a resource in a block that begins with this word.
    #[inline]
    pub fn block(&self, r: ResourceId, first: usize) -> &[u64] {
        &self.free[r as usize * self.words + first..][..BLOCK]
    }

    /// Whether a resource has room in a step.
    #[inline]
    pub fn is_free(&self, r: ResourceId, step: u32) -> bool {
        self.free[r as usize * self.words + step as usize / 64] >> (step % 64) & 1 == 1
    }

    /// The owners of a resource in a step.
    pub fn cells(&self, r: ResourceId, step: u32) -> impl Iterator<Item = usize> + use<> {
        let width = self.words * 64;
        let places = self.places[r as usize] as usize..self.places[r as usize + 1] as usize;
        places.map(move |place| place * width + step as usize)
    }

    /// Free steps of a resource, as a mean over its places.
    #[inline]
    pub fn left(&self, r: ResourceId) -> u32 {
        let capacity = self.places[r as usize + 1] - self.places[r as usize];
        self.left[r as usize] / capacity
    }

    /// Replaces an owner of a resource in a step.
    pub fn replace(&mut self, r: ResourceId, step: u32, old: u32, new: u32) {
        let cell = self.cells(r, step).find(|&cell| self.owners[cell] == old);
        self.owners[cell.expect("owners and places agree")] = new;
        let left = &mut self.left[r as usize];
        *left = *left + u32::from(new == NONE) - u32::from(old == NONE);
        let has_room = self.cells(r, step).any(|cell| self.owners[cell] == NONE);
        let word = &mut self.free[r as usize * self.words + step as usize / 64];
        *word = *word & !(1 << (step % 64)) | u64::from(has_room) << (step % 64);
    }
}

//! The occupancy of all steps.

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
}

impl Board {
    /// A board of empty steps.
    pub fn new(ground: &Ground, steps: usize) -> Self {
        let capacities = ground.problem.resources().capacities();
        let words = steps.div_ceil(64).max(1);
        let places = places(capacities);
        let bits = |left: usize| if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        let all: Vec<u64> = (0..words).map(|w| bits(steps.saturating_sub(64 * w))).collect();
        let free = all.repeat(capacities.len());
        let owners = vec![NONE; *places.last().expect("never empty") as usize * words * 64];
        Board { words, all, free, owners, places }
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

    /// Replaces an owner of a resource in a step.
    pub fn replace(&mut self, r: ResourceId, step: u32, old: u32, new: u32) {
        let cell = self.cells(r, step).find(|&cell| self.owners[cell] == old);
        self.owners[cell.expect("owners and places agree")] = new;
        let has_room = self.cells(r, step).any(|cell| self.owners[cell] == NONE);
        let word = &mut self.free[r as usize * self.words + step as usize / 64];
        *word = *word & !(1 << (step % 64)) | u64::from(has_room) << (step % 64);
    }
}

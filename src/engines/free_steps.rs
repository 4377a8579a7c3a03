//! The free steps of every resource, as rows of bits. Steps past the end of the rows are free; the
//! rows grow when a transfer takes such a step.

use crate::problem::{ResourceId, Resources};

/// The free steps of all resources.
#[derive(Clone, Debug)]
pub struct FreeSteps {
    words: usize,
    free: Vec<u64>,
    /// By resource: its first word with a free step.
    first: Vec<u32>,
    capacity: Vec<u32>,
    /// By resource, then step: the transfers that use it, if its capacity is above 1.
    taken: Vec<Vec<u32>>,
}

impl FreeSteps {
    /// All steps are free.
    pub fn new(resources: &Resources) -> Self {
        let capacity = resources.capacities().to_vec();
        let taken = vec![Vec::new(); capacity.len()];
        let first = vec![0; capacity.len()];
        FreeSteps { words: 0, free: Vec::new(), first, capacity, taken }
    }

    /// Words of a row; later steps are all free.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The first word of a resource that has a free step.
    #[inline]
    pub fn first(&self, resource: ResourceId) -> usize {
        self.first[resource as usize] as usize
    }

    /// A word of the row of a resource.
    #[inline]
    pub fn word(&self, resource: ResourceId, word: usize) -> u64 {
        self.free[resource as usize * self.words + word]
    }

    /// The words of the row of a resource.
    #[inline]
    pub fn row(&self, resource: ResourceId) -> &[u64] {
        &self.free[resource as usize * self.words..][..self.words]
    }

    /// Takes a resource in a step.
    pub fn take(&mut self, resource: ResourceId, step: u32) {
        let step = step as usize;
        while step >= self.words * 64 {
            self.grow();
        }
        let capacity = self.capacity[resource as usize];
        if capacity > 1 {
            let row = &mut self.taken[resource as usize];
            row.resize(row.len().max(step + 1), 0);
            row[step] += 1;
            if row[step] < capacity {
                return;
            }
        }
        let row = &mut self.free[resource as usize * self.words..][..self.words];
        row[step / 64] &= !(1 << (step % 64));
        let first = &mut self.first[resource as usize];
        while row.get(*first as usize) == Some(&0) {
            *first += 1;
        }
    }

    fn grow(&mut self) {
        let words = (2 * self.words).max(4);
        let mut free = vec![u64::MAX; self.capacity.len() * words];
        if self.words > 0 {
            for (to, from) in free.chunks_mut(words).zip(self.free.chunks(self.words)) {
                to[..self.words].copy_from_slice(from);
            }
        }
        (self.words, self.free) = (words, free);
    }
}

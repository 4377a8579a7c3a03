//! The free steps of every resource, as rows of bits. Steps past the end of the rows are free; the
//! rows grow when a transfer takes such a step.

use ccsched_base::{bits, cores};
use ccsched_model::problem::{ResourceId, Resources};

/// Words between the end of a row and the next one: without them, the same step of thousands of rows would stand in a
/// few lines of the processor's caches, which drop each other.
const APART: usize = 8;

/// The free steps of all resources.
#[derive(Clone, Debug)]
pub struct FreeSteps {
    words: usize,
    /// From the beginning of a row to that of the next one.
    stride: usize,
    free: Vec<u64>,
    /// By resource, a row of bits for its words: those that have a free step. A row may be full for
    /// thousands of words between a gap at its beginning, which no message can use, and its end.
    open: Vec<u64>,
    /// By resource: its first word with a free step.
    first: Vec<u32>,
    capacity: Vec<u32>,
    /// By resource, then step: the transfers that use it, if its capacity is above 1.
    taken: Vec<Vec<u32>>,
}

impl FreeSteps {
    /// All steps are free.
    pub fn new(resources: &Resources) -> Self {
        Self::of_capacities(resources.capacities().to_vec())
    }

    /// The same for resources of these capacities.
    pub fn of_capacities(capacity: Vec<u32>) -> Self {
        let taken = vec![Vec::new(); capacity.len()];
        let first = vec![0; capacity.len()];
        let (free, open) = Default::default();
        FreeSteps { words: 0, stride: 0, free, open, first, capacity, taken }
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

    /// The first word of a resource, from `word` on, that has a free step; `words` if none has.
    #[inline]
    fn next(&self, resource: ResourceId, word: usize) -> usize {
        let blocks = bits::words(self.words);
        let row = &self.open[resource as usize * blocks..][..blocks];
        let mut mask = u64::MAX << (word % 64);
        for (block, &open) in row.iter().enumerate().skip(word / 64) {
            if open & mask != 0 {
                return (64 * block + (open & mask).trailing_zeros() as usize).min(self.words);
            }
            mask = u64::MAX;
        }
        self.words
    }

    /// The first step, from `from` on, in which all of some resources are free.
    #[inline]
    pub fn earliest<const N: usize>(&self, resources: [ResourceId; N], from: u32) -> u32 {
        let blocks = bits::words(self.words);
        let opens = resources.map(|r| &self.open[r as usize * blocks..][..blocks]);
        let rows = resources.map(|r| self.row(r));
        let full = resources.map(|r| self.first(r)).into_iter().max().unwrap_or(0);
        let begin = from as usize / 64;
        let first = begin.max(full);
        let mut mask = u64::MAX << (first % 64);
        for block in first / 64..blocks {
            let mut open = opens.iter().fold(mask, |open, row| open & row[block]);
            while open != 0 {
                let word = 64 * block + open.trailing_zeros() as usize;
                open &= open - 1;
                // Words past the end of a row count as open.
                if word >= self.words {
                    break;
                }
                let later = if word == begin { u64::MAX << (from % 64) } else { u64::MAX };
                let steps = rows.iter().fold(later, |steps, row| steps & row[word]);
                if steps != 0 {
                    return 64 * word as u32 + steps.trailing_zeros();
                }
            }
            mask = u64::MAX;
        }
        (64 * self.words as u32).max(from)
    }

    /// A word of the row of a resource.
    #[inline]
    pub fn word(&self, resource: ResourceId, word: usize) -> u64 {
        self.free[resource as usize * self.stride + word]
    }

    /// The words of the row of a resource.
    #[inline]
    pub fn row(&self, resource: ResourceId) -> &[u64] {
        &self.free[resource as usize * self.stride..][..self.words]
    }

    /// Takes a resource in a step.
    #[inline]
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
        let word = &mut self.free[resource as usize * self.stride + step / 64];
        *word &= !(1 << (step % 64));
        if *word == 0 {
            let blocks = bits::words(self.words);
            bits::remove(
                &mut self.open[resource as usize * blocks..][..blocks],
                (step / 64) as u32,
            );
            let first = self.first(resource);
            if step / 64 == first {
                self.first[resource as usize] = self.next(resource, first) as u32;
            }
        }
    }

    /// Takes what is used in the first steps: `list` takes the resources of a step. By step, `ends` is about how many are
    /// taken up to there. Millions are taken word by word, in memory that is near, by all cores.
    pub fn take_all(
        &mut self,
        ends: &[usize],
        list: impl Fn(usize, &mut dyn FnMut(ResourceId)) + Sync,
    ) {
        let is_wide = self.capacity.iter().any(|&capacity| capacity > 1);
        if self.words > 0 || is_wide || ends.is_empty() {
            (0..ends.len()).for_each(|step| list(step, &mut |r| self.take(r, step as u32)));
            return;
        }
        let (count, words) = (self.capacity.len(), bits::words(ends.len()));
        let steps = |word: usize| 64 * word..(64 * (word + 1)).min(ends.len());
        let parts = cores::parts(words, |word| ends[steps(word).end - 1]);
        let columns = cores::each(parts.clone(), |part| {
            let mut columns = vec![u64::MAX; part.len() * count];
            for (column, word) in columns.chunks_mut(count).zip(part) {
                for step in steps(word) {
                    let bit = 1 << (step % 64);
                    list(step, &mut |r| column[r as usize] &= !bit);
                }
            }
            columns
        });
        while self.words < words {
            self.grow();
        }
        for (part, columns) in parts.into_iter().zip(columns) {
            self.lay(part.start, &columns);
        }
        for r in 0..count as ResourceId {
            let blocks = bits::words(self.words);
            for word in 0..words {
                if self.word(r, word) == 0 {
                    bits::remove(&mut self.open[r as usize * blocks..][..blocks], word as u32);
                }
            }
            self.first[r as usize] = self.next(r, 0) as u32;
        }
    }

    /// Lays columns into the rows, each a word of every resource, from `word` on.
    fn lay(&mut self, word: usize, columns: &[u64]) {
        let count = self.capacity.len();
        // Some rows at a time, as their words of a column are read together.
        for first in (0..count).step_by(APART) {
            let rows = first..(first + APART).min(count);
            for (at, column) in (word..).zip(columns.chunks(count)) {
                rows.clone().for_each(|r| self.free[r * self.stride + at] = column[r]);
            }
        }
    }

    fn grow(&mut self) {
        let words = (2 * self.words).max(4);
        let stride = words + APART;
        self.free = widened(&self.free, self.capacity.len(), (self.stride, stride));
        let blocks = [self.words, words].map(bits::words);
        self.open = widened(&self.open, self.capacity.len(), (blocks[0], blocks[1]));
        (self.words, self.stride) = (words, stride);
    }
}

/// Rows with more words, whose bits are set.
fn widened(rows: &[u64], count: usize, (before, after): (usize, usize)) -> Vec<u64> {
    let mut wider = vec![u64::MAX; count * after];
    if before > 0 {
        for (to, from) in wider.chunks_mut(after).zip(rows.chunks(before)) {
            to[..before].copy_from_slice(from);
        }
    }
    wider
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use rand::RngExt;

    #[test]
    fn full_words_are_passed_over() {
        let problem = Request::new(Collective::Aas).pose(spec::parse("ring:4").unwrap(), vec![]);
        let mut free = FreeSteps::new(problem.unwrap().resources());
        assert_eq!((free.words(), free.next(1, 0)), (0, 0));
        // A gap at the beginning, then full to the end of a word.
        (7..64 * 200).for_each(|step| free.take(1, step));
        free.take(2, 3);
        assert_eq!((free.first(1), free.next(1, 0), free.next(1, 1)), (0, 0, 200));
        assert_eq!((free.next(1, 200), free.next(2, 1), free.words()), (200, 1, 256));
        (0..7).for_each(|step| free.take(1, step));
        assert_eq!((free.first(1), free.first(2)), (200, 0));
        // Up to the last word.
        (64 * 200..64 * 256).for_each(|step| free.take(1, step));
        assert_eq!((free.first(1), free.next(1, 0), free.next(1, 255)), (256, 256, 256));
        free.take(1, 64 * 256);
        assert_eq!((free.next(1, 0), free.first(1), free.words()), (256, 256, 512));
    }

    #[test]
    fn all_at_once_is_as_one_after_the_other() {
        let rng = &mut rng_of(3, 0, 0);
        for (count, steps) in [(3, 0), (1, 64), (20, 300), (17, 1000)] {
            let used: Vec<Vec<u32>> = (0..steps)
                .map(|step| (0..count).filter(|_| step < 70 || rng.random_bool(0.9)).collect())
                .collect();
            let ends = cores::ends(used.iter().map(Vec::len));
            for capacity in [1, 2] {
                let of = || FreeSteps::of_capacities(vec![capacity; count as usize]);
                let (mut at_once, mut others) = (of(), of());
                at_once.take_all(&ends, |step, take| used[step].iter().for_each(|&r| take(r)));
                for (step, used) in (0..).zip(&used) {
                    used.iter().for_each(|&r| others.take(r, step));
                }
                for r in 0..count {
                    assert_eq!(at_once.first(r), others.first(r));
                    for from in 0..steps as u32 + 70 {
                        assert_eq!(at_once.earliest([r], from), others.earliest([r], from));
                    }
                }
            }
        }
    }

    #[test]
    fn the_earliest_common_step_is_that_of_a_plain_search() {
        let ring = spec::parse("ring:4").unwrap();
        let problem = Request::new(Collective::Aas).pose(ring, vec![]).unwrap();
        let resources = problem.resources();
        let mut rng = rng_of(1, 0, 0);
        for trial in 0..20 {
            let mut free = FreeSteps::new(resources);
            // From nearly empty rows to full ones with a few gaps.
            let share = f64::from(trial) / 20.0;
            let taken = [0; 3].map(|_| {
                (0..1000).map(|step| step % 128 > 100 || rng.random_bool(share)).collect::<Vec<_>>()
            });
            for (resource, taken) in (0..).zip(&taken) {
                let steps = (0..1000).filter(|&step| taken[step as usize]);
                steps.for_each(|step| free.take(resource, step));
            }
            let is_free = |r: u32, step: u32| taken[r as usize].get(step as usize) != Some(&true);
            for from in (0..1100).step_by(13) {
                let of = |resources: &[u32]| {
                    (from..).find(|&step| resources.iter().all(|&r| is_free(r, step))).unwrap()
                };
                assert_eq!(free.earliest([0], from), of(&[0]));
                assert_eq!(free.earliest([1, 2], from), of(&[1, 2]));
                assert_eq!(free.earliest([0, 1, 2], from), of(&[0, 1, 2]));
            }
        }
        assert_eq!(FreeSteps::new(resources).earliest([0, 1], 77), 77);
    }
}

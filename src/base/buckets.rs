//! Counting sort: millions of items by small keys in two passes.

use crate::cores;
use std::ops::Range;

/// Sorts items by their keys, those of one key in the order given: calls `place` with each item's number,
/// in that order, and with where it goes. Returns the end of every key's items.
pub fn sort(
    keys: impl Iterator<Item = u32> + Clone,
    mut place: impl FnMut(usize, usize),
) -> Vec<u32> {
    let ends = ends(keys.clone());
    let mut next = Next::new(&ends, 0..ends.len());
    for (item, key) in keys.enumerate() {
        if let Some(at) = next.place(key) {
            place(item, at);
        }
    }
    ends
}

/// The items of pairs of a key and an item, in the order of their keys, those of one key in the order given; and the
/// end of every key's items. All cores work on it; each goes through the pairs.
pub fn sorted<T>(pairs: impl Iterator<Item = (u32, T)> + Clone + Sync) -> (Vec<T>, Vec<u32>)
where
    T: Copy + Default + Send,
{
    let ends = ends(pairs.clone().map(|(key, _)| key));
    let end = |key: usize| ends[key] as usize;
    let mut sorted = vec![T::default(); ends.last().map_or(0, |&all| all as usize)];
    let ranges = cores::parts(ends.len(), end);
    let places = ranges.iter().map(|keys| keys.end.checked_sub(1).map_or(0, end));
    let parts = ranges.iter().cloned().zip(cores::cut(&mut sorted, places)).collect();
    cores::each(parts, |(range, sorted): (Range<usize>, &mut [T])| {
        let mut next = Next::new(&ends, range);
        // Pairs may come out of nested iterators, which go faster from within.
        pairs.clone().for_each(|(key, item)| {
            if let Some(at) = next.place(key) {
                sorted[at] = item;
            }
        });
    });
    (sorted, ends)
}

/// By key, the end of its items.
fn ends(keys: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ends: Vec<u32> = Vec::new();
    keys.for_each(|key| {
        let key = key as usize;
        if key >= ends.len() {
            ends.resize(key + 1, 0);
        }
        ends[key] += 1;
    });
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    ends
}

/// Where the next item of each key in a range goes, counted from the first item of the range.
struct Next {
    first: u32,
    next: Vec<u32>,
}

impl Next {
    fn new(ends: &[u32], keys: Range<usize>) -> Self {
        let start = |key: usize| key.checked_sub(1).map_or(0, |before| ends[before]);
        let base = start(keys.start);
        Next { first: keys.start as u32, next: keys.map(|key| start(key) - base).collect() }
    }

    /// The place of the next item of a key; none if the key is not in the range.
    fn place(&mut self, key: u32) -> Option<usize> {
        let next = self.next.get_mut(key.wrapping_sub(self.first) as usize)?;
        *next += 1;
        Some(*next as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_key_stay_in_their_order() {
        let keys = [3, 0, 3, 1, 0, 3];
        let mut sorted = [0; 6];
        let ends = sort(keys.iter().copied(), |item, place| sorted[place] = item);
        assert_eq!((sorted, ends), ([1, 4, 3, 0, 2, 5], vec![2, 3, 3, 6]));
        assert!(sort([].into_iter(), |_, _| ()).is_empty());
    }

    #[test]
    fn millions_are_sorted_as_few() {
        for items in [0, 7, 1_000_000_u32] {
            let items: Vec<u32> = (0..items).collect();
            let keys: Vec<u32> =
                items.iter().map(|item| item.wrapping_mul(0x9e37_79b9) >> 22).collect();
            let mut few = vec![0; items.len()];
            let ends = sort(keys.iter().copied(), |item, place| few[place] = items[item]);
            assert!(sorted(keys.iter().copied().zip(items.iter().copied())) == (few, ends));
        }
    }
}

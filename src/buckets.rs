//! Counting sort: millions of items by small keys in two passes.

/// Sorts items by their keys, those of one key in the order given: calls `place` with each item's number,
/// in that order, and with where it goes. Returns the end of every key's items.
pub fn sort(
    keys: impl Iterator<Item = u32> + Clone,
    mut place: impl FnMut(usize, usize),
) -> Vec<u32> {
    let mut ends: Vec<u32> = Vec::new();
    for key in keys.clone() {
        let key = key as usize;
        if key >= ends.len() {
            ends.resize(key + 1, 0);
        }
        ends[key] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    // Where the next item of each key goes; at last, the end of the key's.
    for (item, key) in keys.enumerate() {
        let at = &mut ends[key as usize];
        place(item, *at as usize);
        *at += 1;
    }
    ends
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
}

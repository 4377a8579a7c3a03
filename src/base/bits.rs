//! Sets of small numbers as rows of bits: the inner loops of the exact searches.

/// Number of 64-bit words for numbers below `n`.
#[inline]
pub fn words(n: usize) -> usize {
    n.div_ceil(64)
}

/// Adds a number.
#[inline]
pub fn insert(set: &mut [u64], i: u32) {
    set[i as usize / 64] |= 1 << (i % 64);
}

/// Removes a number.
#[inline]
pub fn remove(set: &mut [u64], i: u32) {
    set[i as usize / 64] &= !(1 << (i % 64));
}

/// Whether the set contains a number.
#[inline]
pub fn contains(set: &[u64], i: u32) -> bool {
    set[i as usize / 64] & (1 << (i % 64)) != 0
}

/// Whether two sets have a number in common.
#[inline]
pub fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// How many numbers two sets have in common.
#[inline]
pub fn common(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

/// How many numbers the set has.
#[inline]
pub fn count(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// The number of the set that has `n` smaller ones in it, if there is one.
#[inline]
pub fn nth(set: &[u64], mut n: u32) -> Option<u32> {
    for (i, &word) in (0..).zip(set) {
        let ones = word.count_ones();
        if n < ones {
            let rest = (0..n).fold(word, |word, _| word & (word - 1));
            return Some(64 * i + rest.trailing_zeros());
        }
        n -= ones;
    }
    None
}

/// Removes all of `b` from `a`.
#[inline]
pub fn subtract(a: &mut [u64], b: &[u64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= !b);
}

/// Whether the set is empty.
#[inline]
pub fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|&word| word == 0)
}

/// The numbers in both sets, ascending.
#[inline]
pub fn both<'s>(a: &'s [u64], b: &'s [u64]) -> impl Iterator<Item = u32> + 's {
    (0..).zip(a.iter().zip(b)).flat_map(|(i, (a, b))| ones(i, a & b))
}

/// The numbers of a set, ascending.
#[inline]
pub fn all(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(set).flat_map(|(i, &word)| ones(i, word))
}

fn ones(i: u32, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros();
        word &= word - 1;
        Some(64 * i + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_number_follows_n_others() {
        let mut set = vec![0; words(200)];
        let numbers = [0, 1, 63, 64, 130, 199];
        numbers.iter().for_each(|&i| insert(&mut set, i));
        assert_eq!(count(&set), 6);
        let found: Vec<_> = (0..6).filter_map(|n| nth(&set, n)).collect();
        assert_eq!(found, numbers);
        assert_eq!(nth(&set, 6), None);
    }
}

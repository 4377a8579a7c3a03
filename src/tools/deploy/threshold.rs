//! From which length of calls on a schedule is used.

/// The least length from which `is_faster` holds for all of `sizes`, which ascend. Between the last of
/// them where it does not hold and the next, it is found to the byte; none is below the first.
pub fn threshold(sizes: &[u64], is_faster: impl Fn(u64) -> bool) -> Option<u64> {
    let Some(slow) = sizes.iter().rposition(|&bytes| !is_faster(bytes)) else {
        return sizes.first().copied();
    };
    let (mut slow, mut fast) = (sizes[slow], *sizes.get(slow + 1)?);
    while fast - slow > 1 {
        let middle = slow + (fast - slow) / 2;
        *(if is_faster(middle) { &mut fast } else { &mut slow }) = middle;
    }
    Some(fast)
}

#[cfg(test)]
mod tests {
    use super::threshold;

    #[test]
    fn the_turn_is_found_to_the_byte() {
        let sizes = [1024, 2048, 65536];
        let from = |least: u64| move |bytes: u64| bytes >= least;
        assert_eq!(threshold(&sizes, from(10_001)), Some(10_001));
        assert_eq!(threshold(&sizes, from(2049)), Some(2049));
        assert_eq!(threshold(&sizes, from(65_536)), Some(65_536));
        assert_eq!(threshold(&sizes, from(3)), Some(1024));
        assert_eq!(threshold(&sizes, from(65_537)), None);
        // Where it turns back, the last turn counts.
        assert_eq!(threshold(&sizes, |bytes| !(1500..=5000).contains(&bytes)), Some(5001));
        assert_eq!(threshold(&[], |_| true), None);
    }
}

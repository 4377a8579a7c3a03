//! Speeds of links as capacities, and what capacity 1 stands for then.

use super::Notices;
use crate::network::{MAX_CAPACITY, Rate};

/// The capacity of every link. The greatest common divisor of all speeds is capacity 1. A link of
/// unknown speed is as fast as the slowest one that is known.
pub fn capacities(speeds: &[Option<u64>], equal: bool) -> Vec<u32> {
    let known = || speeds.iter().flatten().copied().filter(|&speed| speed > 0);
    let (Some(slowest), Some(fastest)) = (known().min(), known().max()) else {
        return vec![1; speeds.len()];
    };
    if equal {
        return vec![1; speeds.len()];
    }
    let unit = known().fold(0, gcd);
    let most = u64::from(MAX_CAPACITY);
    let capacity = |speed: u64| match fastest / unit <= most {
        true => speed / unit,
        // Speeds that hardly have a common part: the slowest is capacity 1, the others are
        // rounded down.
        false => (speed / slowest).min(most),
    };
    let of = |speed: &Option<u64>| capacity(speed.filter(|&s| s > 0).unwrap_or(slowest)) as u32;
    speeds.iter().map(of).collect()
}

/// Tells that speeds have become capacities.
pub fn tell(notices: &Notices, at: usize, capacities: &[u32]) {
    let most = capacities.iter().copied().max().unwrap_or(1);
    if most > 1 {
        notices.add("divided", at, || {
            format!(
                "speeds are divided by their greatest common divisor: links have capacities up to {most}, \
                 messages a step; `equal_links` has 1 for all"
            )
        });
    }
}

/// What capacity 1 stands for on links of these rates and capacities: the least that a link has for
/// each transfer.
pub fn of_one(links: impl Iterator<Item = (Rate, u32)>) -> Option<Rate> {
    let share = |(rate, capacity): &(Rate, u32)| rate.bytes_per_second / f64::from(*capacity);
    let least = links.min_by(|a, b| share(a).total_cmp(&share(b)).then(a.1.cmp(&b.1)))?;
    let bytes_per_second = share(&least);
    let (rate, capacity) = least;
    let name = match capacity {
        1 => rate.name,
        _ => format!("1/{capacity} of {}", rate.name).into(),
    };
    Some(Rate { name, bytes_per_second })
}

/// The greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

//! Speeds of links as capacities, and what capacity 1 stands for then.

use super::Notices;
use crate::{MAX_CAPACITY, Rate};

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

/// The rate of this many bits a second.
pub fn named(bits: u64) -> Rate {
    let (unit, size) = match bits {
        1_000_000_000.. => ("Gbps", 1e9),
        1_000_000.. => ("Mbps", 1e6),
        1_000.. => ("kbps", 1e3),
        _ => ("bps", 1.0),
    };
    let name = format!("{}{unit}", bits as f64 / size).into();
    Rate { name, bytes_per_second: bits as f64 / 8.0 }
}

/// The bits a second of a rate with its unit: `100Gbps`, `2.5 Gbit/s`, `400MB/s`, `100G`, `10GbE`,
/// `100GBASE-LR4`. A capital `B` is a byte where `/s` or `ps` follows.
pub fn bits(word: &str) -> Option<u64> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = word.split_at(end);
    let unit = unit.trim_start();
    let (prefix, rest) = match unit.chars().next()? {
        // The names of Ethernet have megabits without a prefix: 1000BASE-T.
        'b' | 'B' if is_base(unit) => ('m', ""),
        'b' | 'B' => (' ', unit),
        prefix => (prefix, &unit[prefix.len_utf8()..]),
    };
    let (rest, base) = match rest.strip_prefix('i') {
        Some(rest) => (rest, 1024f64),
        None => (rest, 1000f64),
    };
    let of_bytes = match rest {
        // `5m` and `3k` are lengths and counts for most people.
        "" if ['K', 'M', 'G', 'T', 'g'].contains(&prefix) || is_base(unit) => 1.0,
        "b" | "bps" | "b/s" | "bit" | "bits" | "bit/s" | "bits/s" | "bE" | "E" | "bit/sec" => 1.0,
        "Bps" | "B/s" | "Byte/s" | "Bytes/s" => 8.0,
        _ if is_base(rest) => 1.0,
        _ => return None,
    };
    let power = [' ', 'k', 'm', 'g', 't'].iter().position(|p| prefix.eq_ignore_ascii_case(p))?;
    let rate = number.parse::<f64>().ok()? * of_bytes * base.powi(power as i32);
    (1.0..=1e18).contains(&rate).then_some(rate.round() as u64)
}

/// Whether a word goes on like a name of Ethernet, `BASE-T`.
fn is_base(rest: &str) -> bool {
    rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("base"))
}

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_units() {
        for (word, rate) in [
            ("100Gbps", 100_000_000_000),
            ("2.5Gb/s", 2_500_000_000),
            ("400MBps", 3_200_000_000),
            ("1Kibps", 1024),
            ("9bps", 9),
            ("100G", 100_000_000_000),
            ("25 Gbit/s", 25_000_000_000),
            ("10GbE", 10_000_000_000),
            ("10GE", 10_000_000_000),
            ("100gbase-x-qsfp28", 100_000_000_000),
            ("1000BASE-T", 1_000_000_000),
            ("50GB/s", 400_000_000_000),
        ] {
            assert_eq!(bits(word), Some(rate), "{word}");
        }
        for word in [
            "100",
            "Gbps",
            "1.2.3Gbps",
            "0Gbps",
            "1Xbps",
            "0.001ms",
            "1ebps",
            "",
            "5m",
            "3k",
            "100GB",
            "7b9",
            "1Ä",
        ] {
            assert_eq!(bits(word), None, "{word}");
        }
        assert_eq!(named(2_500_000_000).to_string(), "2.5Gbps, 312.5 MB/s");
    }
}

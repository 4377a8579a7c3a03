//! What capacity 1 stands for on a machine: how much a channel of capacity 1 carries in a second.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The rates that are believed, in bytes a second.
const RANGE: std::ops::RangeInclusive<f64> = 1.0..=1e18;

/// The rate of a channel of capacity 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// What people call it: `4xHDR`, `100Gbps`; may be empty.
    pub name: Box<str>,
    /// The bytes of messages that it carries in a second.
    pub bytes_per_second: f64,
}

impl Rate {
    /// The time of a byte in nanoseconds.
    pub fn byte_ns(&self) -> f64 {
        1e9 / self.bytes_per_second
    }

    /// What is wrong with it, if anything is.
    pub(super) fn flaw(&self) -> Option<String> {
        if !RANGE.contains(&self.bytes_per_second) {
            let (least, most) = (RANGE.start(), RANGE.end());
            let rate = self.bytes_per_second;
            return Some(format!("{rate} bytes a second; a rate is from {least} to {most:e}"));
        }
        let is_odd = self.name.contains(char::is_control);
        is_odd.then(|| "the name of a rate has characters that cannot be printed".into())
    }
}

/// The bits a second of a rate with its unit: `100Gbps`, `2.5Gb/s`, `100Gbit/s`, `400MBps`.
pub fn bits(word: &str) -> Option<u64> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = word.split_at(end);
    let unit = unit.strip_suffix("ps").or(unit.strip_suffix("/s"))?;
    let (prefix, of_bytes) = match unit.strip_suffix("bit").or(unit.strip_suffix('b')) {
        Some(prefix) => (prefix, 1.0),
        None => (unit.strip_suffix('B')?, 8.0),
    };
    let (prefix, base) = match prefix.strip_suffix('i') {
        Some(prefix) => (prefix, 1024f64),
        None => (prefix, 1000f64),
    };
    let power = ["", "k", "m", "g", "t"].iter().position(|p| prefix.eq_ignore_ascii_case(p))?;
    let rate = number.parse::<f64>().ok()? * of_bytes * base.powi(power as i32);
    (1.0..=1e18).contains(&rate).then_some(rate.round() as u64)
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (unit, size) = match self.bytes_per_second {
            rate if rate >= 1e9 => ("GB/s", 1e9),
            rate if rate >= 1e6 => ("MB/s", 1e6),
            _ => ("kB/s", 1e3),
        };
        let number = (self.bytes_per_second / size * 1e3).round() / 1e3;
        let comma = if self.name.is_empty() { "" } else { ", " };
        write!(f, "{}{comma}{number} {unit}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_told_by_name_and_size() {
        let rate = |name: &str, bytes_per_second| Rate { name: name.into(), bytes_per_second };
        assert_eq!(rate("4xHDR", 25e9).to_string(), "4xHDR, 25 GB/s");
        assert_eq!(rate("", 1.25e6).to_string(), "1.25 MB/s");
        assert_eq!(rate("slow", 999.0).to_string(), "slow, 0.999 kB/s");
        assert!((rate("4xHDR", 25e9).byte_ns() - 0.04).abs() < 1e-12);
        for wrong in [rate("x", 0.0), rate("x", f64::NAN), rate("x", 1e19), rate("\n", 1e9)] {
            assert!(wrong.flaw().is_some(), "{wrong:?}");
        }
        assert_eq!(rate("x", 1e9).flaw(), None);
    }

    #[test]
    fn rates_of_files_have_units() {
        for (word, rate) in [
            ("100Gbps", 100_000_000_000),
            ("100Gbit/s", 100_000_000_000),
            ("2.5Gb/s", 2_500_000_000),
            ("400MBps", 3_200_000_000),
            ("1Kibps", 1024),
            ("9bps", 9),
        ] {
            assert_eq!(bits(word), Some(rate), "{word}");
        }
        for word in ["100", "Gbps", "1.2.3Gbps", "0Gbps", "1Xbps", "0.001ms", "1ebps", ""] {
            assert_eq!(bits(word), None, "{word}");
        }
    }
}

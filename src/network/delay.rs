//! The delay of a channel: how long the head of a message takes along it, as a cable of some length has it. It
//! is the routing delay, tr, of that channel alone; channels without one have the tr of the cost model.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

/// Bytes a second on a channel of capacity 1 where a network does not say them: 0.5 ns a byte.
pub const UNKNOWN_RATE: f64 = 2e9;

/// Nanoseconds of a second.
const SECOND: u128 = 1_000_000_000;

/// The units of delays, each in nanoseconds; those that end as others do come first.
const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// A delay in whole nanoseconds, up to some four seconds.
// One more than the nanoseconds, so that a channel without a delay takes no place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Delay(NonZeroU32);

impl Delay {
    /// The most nanoseconds.
    pub const MOST: u64 = u32::MAX as u64 - 1;

    /// A delay of some nanoseconds; none beyond [`Delay::MOST`].
    pub fn of_ns(ns: u64) -> Option<Delay> {
        let ns = u32::try_from(ns).ok()?;
        Some(Delay(NonZeroU32::new(ns.checked_add(1)?)?))
    }

    /// Its nanoseconds.
    pub fn ns(self) -> u64 {
        u64::from(self.0.get() - 1)
    }

    /// Its microseconds.
    pub fn us(self) -> f64 {
        self.ns() as f64 * 1e-3
    }

    /// The bytes that a channel of this rate carries meanwhile, rounded up.
    pub fn in_bytes(self, bytes_per_second: f64) -> u64 {
        let bytes = u128::from(self.ns()).saturating_mul(bytes_per_second.round() as u128);
        u64::try_from(bytes.div_ceil(SECOND)).unwrap_or(u64::MAX)
    }

    /// Reads `5us`, `200ns`, `1.5ms`, `0.1s`. A number alone has the unit of the caller; without one it is none.
    /// Rounded to whole nanoseconds.
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Delay> {
        let text = text.trim();
        let known = |(name, ns): &(&'static str, f64)| {
            let number = text.strip_suffix(name)?;
            (!number.ends_with(char::is_alphabetic)).then_some((number, *ns))
        };
        let of_caller = || {
            let unit = UNITS.iter().find(|(name, _)| Some(*name) == unit)?;
            Some((text, unit.1))
        };
        let (number, ns) = UNITS.iter().find_map(known).or_else(of_caller)?;
        let ns = number.trim().parse::<f64>().ok().filter(|n| *n >= 0.0)? * ns;
        if ns > Delay::MOST as f64 { None } else { Delay::of_ns(ns.round() as u64) }
    }

    /// What a text must be to be read.
    pub fn hint() -> String {
        "a delay is like 5us, 200ns or 1.5ms, from 0 to 4s".into()
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ns() {
            ns @ 0..1000 => write!(f, "{ns}ns"),
            ns @ 1000..1_000_000 => write!(f, "{}us", ns as f64 / 1e3),
            ns => write!(f, "{}ms", ns as f64 / 1e6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_have_units() {
        let ns = |text: &str, unit| Delay::parse(text, unit).map(Delay::ns);
        for (text, number) in [
            ("5us", 5000),
            ("5 µs", 5000),
            ("200ns", 200),
            ("1.5ms", 1_500_000),
            ("0.1s", 100_000_000),
        ] {
            assert_eq!(ns(text, None), Some(number), "{text}");
        }
        assert_eq!((ns("3", Some("us")), ns("3", None)), (Some(3000), None));
        assert_eq!((ns("0", Some("ns")), ns("3ms", Some("ns"))), (Some(0), Some(3_000_000)));
        for text in ["", "us", "-1us", "NaNus", "5s", "5 cables", "1e99ms", "5kus"] {
            assert_eq!(ns(text, Some("us")), None, "{text}");
        }
        let told = [0, 999, 1500, 2_000_000].map(|ns| Delay::of_ns(ns).unwrap().to_string());
        assert_eq!(told, ["0ns", "999ns", "1.5us", "2ms"]);
        assert_eq!(Delay::of_ns(Delay::MOST + 1), None);
        assert_eq!(size_of::<Option<Delay>>(), 4);
    }
}

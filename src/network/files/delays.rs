//! How long a file says that its links are, in one place for all formats: attributes and columns named `delay`
//! or `latency`, and `length`, with a unit in the value, `5us`, or at the end of the name, `length_km`. A signal
//! takes 5 ns for a metre of a cable. A number without a unit says nothing: what it counts differs from file to
//! file.

use super::Source;
use super::lines::short;
use super::mistake::{Wrong, wrong};
use super::widths;
use crate::Delay;

/// The names.
const NAMES: [&str; 2] = ["delay", "latency"];

/// Units at the end of a name, and how a value has them.
const UNITS: [(&str, &str); 9] = [
    ("nanoseconds", "ns"),
    ("microseconds", "us"),
    ("milliseconds", "ms"),
    ("ns", "ns"),
    ("us", "us"),
    ("µs", "us"),
    ("ms", "ms"),
    ("seconds", "s"),
    ("s", "s"),
];

/// Units of lengths, each with the nanoseconds of a signal; those that end as others do come first.
const LENGTHS: [(&str, f64); 4] = [("km", 5e3), ("cm", 0.05), ("m", 5.0), ("ft", 1.524)];

/// The name of a column of lengths.
const LENGTH: &str = "length";

/// What a name stands for, with the unit; that is empty where the values have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Delay(&'static str),
    Length(&'static str),
}

/// What a name says, if it is about the delay of a link.
pub fn key(name: &str) -> Option<Key> {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name] if NAMES.contains(&name) => Some(Key::Delay("")),
        [name, unit] if NAMES.contains(&name) => {
            UNITS.iter().find(|(known, _)| *known == unit).map(|(_, unit)| Key::Delay(unit))
        }
        [LENGTH] => Some(Key::Length("")),
        [LENGTH, unit] => {
            LENGTHS.iter().find(|(known, _)| *known == unit).map(|(unit, _)| Key::Length(unit))
        }
        _ => None,
    }
}

/// Whether a name says something of a link that counts: its width or its delay.
pub fn is_known(name: &str) -> bool {
    widths::key(name).is_some() || key(name).is_some()
}

/// The delay that a value of this name stands for; none, with a notice, where it has no unit.
pub fn delay(key: Key, text: &str, at: usize, source: &Source) -> Result<Option<Delay>, Wrong> {
    let (Key::Delay(unit) | Key::Length(unit)) = key;
    let unit = Some(unit).filter(|unit| !unit.is_empty());
    let (read, what, like) = match key {
        Key::Delay(_) => (Delay::parse(text, unit), "delay", "5us, or name it latency_us"),
        Key::Length(_) => (along(text, unit), "length", "20m, or name it length_m"),
    };
    match read {
        Some(delay) => Ok(Some(delay)),
        None if unit.is_none() && text.trim().parse::<f64>().is_ok() => {
            source.notices.add("delay", at, || {
                format!("the {what} '{}' has no unit and is left out: write {like}", short(text))
            });
            Ok(None)
        }
        None if what == "length" => {
            wrong(at, format!("'{}': a length is like 20m or 1.5km, up to 800,000 km", short(text)))
        }
        None => wrong(at, format!("'{}': {}", short(text), Delay::hint())),
    }
}

/// The delay of a cable of some length.
fn along(text: &str, unit: Option<&str>) -> Option<Delay> {
    let text = text.trim();
    let with_unit = |(name, ns): &(&'static str, f64)| Some((text.strip_suffix(name)?, *ns));
    let of_name = || Some((text, LENGTHS.iter().find(|(name, _)| Some(*name) == unit)?.1));
    let (number, ns) = LENGTHS.iter().find_map(with_unit).or_else(of_name)?;
    let ns = number.trim().parse::<f64>().ok().filter(|n| *n >= 0.0)? * ns;
    if ns > Delay::MOST as f64 { None } else { Delay::of_ns(ns.round() as u64) }
}

/// The delay that the attributes of a link stand for, that of the first of such names. The attributes are names,
/// values and places.
pub fn of_attributes<'a>(
    mut all: impl Iterator<Item = (&'a str, &'a str, usize)>,
    source: &Source,
) -> Result<Option<Delay>, Wrong> {
    let first = all.find_map(|(name, value, at)| Some((key(name)?, value, at)));
    first.map_or(Ok(None), |(key, value, at)| delay(key, value, at, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_their_unit() {
        for (name, unit) in [
            ("delay", Key::Delay("")),
            ("Latency", Key::Delay("")),
            ("latency_us", Key::Delay("us")),
            ("Delay (ms)", Key::Delay("ms")),
            ("latency [ns]", Key::Delay("ns")),
            ("delay seconds", Key::Delay("s")),
            ("Length", Key::Length("")),
            ("length_km", Key::Length("km")),
        ] {
            assert_eq!(key(name), Some(unit), "{name}");
        }
        for name in ["", "us", "latency_cycles", "delay_us_max", "speed_us", "length_cables"] {
            assert_eq!(key(name), None, "{name}");
        }
        let ns = |text: &str, unit| along(text, unit).map(Delay::ns);
        assert_eq!(
            (ns("20m", None), ns("1.5 km", None), ns("10", Some("km"))),
            (Some(100), Some(7500), Some(50_000))
        );
        assert_eq!((ns("20", None), ns("-1m", None), ns("1e9km", None)), (None, None, None));
    }
}

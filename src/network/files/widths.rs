//! How wide a file says that its links are, in one place for all formats: capacities, which count as
//! they stand, or speeds, which are divided by their greatest common divisor. One table has the names
//! of attributes and columns that say so.

use super::lines::short;
use super::mistake::{Wrong, wrong};
use super::{Source, rates};
use crate::{MAX_CAPACITY, Rate};
use std::collections::HashMap;

/// The names, those first that count where a link has several.
const KEYS: [(&str, Kind); 9] = [
    ("capacity", Kind::Capacity),
    ("width", Kind::Capacity),
    ("speed", Kind::Speed),
    ("bandwidth", Kind::Speed),
    ("bw", Kind::Speed),
    ("rate", Kind::Speed),
    ("datarate", Kind::Speed),
    ("bitrate", Kind::Speed),
    ("weight", Kind::Weight),
];

/// Units at the end of a name, `speed_gbps`, and how a value has them. Only the first three tell bytes
/// from bits by a capital letter.
const UNITS: [(&str, &str); 13] = [
    ("GBps", "GBps"),
    ("GB/s", "GBps"),
    ("MB/s", "MBps"),
    ("tbps", "Tbps"),
    ("gbps", "Gbps"),
    ("mbps", "Mbps"),
    ("kbps", "Kbps"),
    ("gb/s", "Gbps"),
    ("mb/s", "Mbps"),
    ("gbit/s", "Gbps"),
    ("mbit/s", "Mbps"),
    ("gbit", "Gbps"),
    ("mbit", "Mbps"),
];
/// The first of them that are read in any case.
const ANY_CASE: usize = 3;

/// What a name says of the numbers that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Messages a step.
    Capacity,
    /// Messages a second, in a unit or none.
    Speed,
    /// A capacity for some, a length or a cost for others.
    Weight,
}

/// A name of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The place in the table: of several names of a link the least counts.
    pub rank: usize,
    pub kind: Kind,
    /// The unit of all values.
    unit: &'static str,
    /// How a notice names it.
    name: &'static str,
}

/// The third word of a line without a name.
pub const THIRD: Key =
    Key { rank: KEYS.len(), kind: Kind::Weight, unit: "", name: "the third word of a line" };

/// What a name says, if it is about the width of a link.
pub fn key(name: &str) -> Option<Key> {
    let name = name.trim().trim_end_matches([')', ']']);
    let with = |&(suffix, unit): &(&str, &'static str), any_case: bool| {
        let start = name.len().checked_sub(suffix.len())?;
        let end = name.get(start..)?;
        let is = if any_case { end.eq_ignore_ascii_case(suffix) } else { end == suffix };
        is.then(|| (&name[..start], unit))
    };
    let (exact, any) = UNITS.split_at(ANY_CASE);
    let unit = exact
        .iter()
        .find_map(|u| with(u, false))
        .or_else(|| any.iter().find_map(|u| with(u, true)));
    let (base, unit) = unit.unwrap_or((name, ""));
    let base: String =
        base.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // A column that is called by its unit alone.
    let base = if base.is_empty() && !unit.is_empty() { "speed" } else { &base };
    let rank = KEYS.iter().position(|(known, _)| *known == base)?;
    let (name, kind) = KEYS[rank];
    Some(Key { rank, kind, unit, name })
}

/// The width of a link, as its line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Nothing is said.
    Unsaid,
    /// Messages a step.
    Capacity(u32),
    /// Bits a second.
    Bits(u64),
    /// Thousandths of a unit that the file does not tell.
    Speed(u64),
}

/// The width that a value of this name stands for.
pub fn width(key: Key, text: &str, at: usize, source: &Source) -> Result<Width, Wrong> {
    let text = text.trim();
    let bits = match key.unit {
        "" => rates::bits(text),
        unit => rates::bits(&format!("{text}{unit}")).or_else(|| rates::bits(text)),
    };
    if let Some(bits) = bits {
        return Ok(Width::Bits(bits));
    }
    if source.how.equal_links {
        return Ok(Width::Unsaid);
    }
    if key.kind == Kind::Speed {
        let number = text.parse::<f64>().ok().filter(|number| (0.001..=1e12).contains(number));
        return match number {
            Some(number) => Ok(Width::Speed((number * 1000.0).round() as u64)),
            None => wrong(
                at,
                format!(
                    "'{}' is no speed; speeds are like 100G or 25Gbps (or have all links alike)",
                    short(text)
                ),
            ),
        };
    }
    let capacity = capacity(at, text, false)?;
    if key.kind == Kind::Weight && capacity != 1 {
        let quote = if key == THIRD { "" } else { "'" };
        source.notices.add("weight", at, || {
            format!(
                "{quote}{}{quote} is taken as the capacity of a link, messages a step; if it is a \
                 length or a cost, `equal_links` ignores it",
                key.name
            )
        });
    }
    Ok(Width::Capacity(capacity))
}

/// The width that the attributes of a link stand for: that of the first name in the table. The
/// attributes are names, values and places.
pub fn of_attributes<'a>(
    all: impl Iterator<Item = (&'a str, &'a str, usize)>,
    source: &Source,
) -> Result<Width, Wrong> {
    let known = all.filter_map(|(name, value, at)| Some((key(name)?, value, at)));
    let first = known.min_by_key(|(key, ..)| key.rank);
    first.map_or(Ok(Width::Unsaid), |(key, value, at)| width(key, value, at, source))
}

/// The capacity that a file gives to a link.
pub fn capacity(at: usize, text: &str, equal: bool) -> Result<u32, Wrong> {
    // Programs that keep weights as real numbers write 3 as 3.0.
    let number = text.trim();
    let whole = number.split_once('.').filter(|(_, rest)| rest.bytes().all(|b| b == b'0'));
    match whole
        .map_or(number, |(whole, _)| whole)
        .parse::<u32>()
        .ok()
        .filter(|n| (1..=MAX_CAPACITY).contains(n))
    {
        _ if equal => Ok(1),
        Some(capacity) => Ok(capacity),
        None => {
            let why = format!(
                "'{}' is no capacity; capacities are whole numbers from 1 to {MAX_CAPACITY}, or \
                 speeds such as 100G (or have all links alike)",
                short(text)
            );
            wrong(at, why)
        }
    }
}

/// The different widths of a file, each with the place where it comes first. A link has the number of
/// its width until all are known.
#[derive(Default)]
pub struct Widths {
    list: Vec<(Width, usize)>,
    numbers: HashMap<Width, u32>,
}

impl Widths {
    /// The number of a width.
    pub fn number(&mut self, width: Width, at: usize) -> u32 {
        *self.numbers.entry(width).or_insert_with(|| {
            self.list.push((width, at));
            self.list.len() as u32 - 1
        })
    }

    /// The capacities by number, and what capacity 1 stands for.
    ///
    /// # Errors
    /// Some links have speeds, others capacities.
    pub fn capacities(&self, source: &Source) -> Result<(Vec<u32>, Option<Rate>), Wrong> {
        let first = |is: fn(&Width) -> bool| self.list.iter().find(|(width, _)| is(width));
        let bits = first(|width| matches!(width, Width::Bits(_)));
        let speed = first(|width| matches!(width, Width::Speed(_)));
        let capacity = first(|width| matches!(width, Width::Capacity(_)));
        let equal = source.how.equal_links;
        let Some((_, at)) = bits.or(speed) else { return Ok((self.plain(source), None)) };
        if let (Some((_, other)), false) = (capacity.or(bits.and(speed)), equal) {
            let (with, without) = match (bits, speed) {
                (Some(_), _) => ("a speed with a unit", "a number without"),
                _ => ("a speed", "a capacity"),
            };
            let why = format!(
                "some links have {with}, others {without}: write all alike, such as 100G and 25G"
            );
            return wrong(*(other.max(at)), why);
        }
        let speeds: Vec<Option<u64>> = self.list.iter().map(|(width, _)| width.speed()).collect();
        let capacities = rates::capacities(&speeds, equal);
        rates::tell(&source.notices, *at, &capacities);
        if let Some((_, at)) = first(|width| *width == Width::Unsaid).filter(|_| !equal) {
            let told = || "a link without a speed counts as the slowest one of the file".into();
            source.notices.add("no speed", *at, told);
        }
        let known = speeds.iter().zip(&capacities).filter(|_| bits.is_some());
        let known = known.filter_map(|(&speed, &capacity)| Some((rates::named(speed?), capacity)));
        let rate = rates::of_one(known);
        Ok((capacities, rate))
    }

    /// The capacities of a file without speeds.
    fn plain(&self, source: &Source) -> Vec<u32> {
        let capacity = |width: &Width| match width {
            Width::Capacity(capacity) => *capacity,
            _ => 1,
        };
        let all: Vec<u32> = self.list.iter().map(|(width, _)| capacity(width)).collect();
        let common = all.iter().fold(0, |common, &n| rates::gcd(common, n.into()));
        let (least, most) = (all.iter().min(), all.iter().max());
        if let (Some(least), Some(most), true) = (least, most, common > 1)
            && *most >= LARGE
        {
            source.notices.add("common", self.list[0].1, || {
                format!(
                    "the capacities, {least} to {most}, have the common divisor {common} and are taken \
                     as they stand, messages a step; speeds are divided by it if they have a unit, \
                     such as {common}G"
                )
            });
        }
        all
    }
}

/// From this capacity on a common divisor is suspect.
const LARGE: u32 = 10;

impl Width {
    /// The speed, in the unit of the file.
    fn speed(self) -> Option<u64> {
        match self {
            Width::Bits(speed) | Width::Speed(speed) => Some(speed),
            Width::Unsaid | Width::Capacity(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;
    use std::path::Path;

    #[test]
    fn names_may_have_their_unit() {
        for (name, base, unit) in [
            ("Capacity", "capacity", ""),
            ("speed_gbps", "speed", "Gbps"),
            ("Bandwidth (GB/s)", "bandwidth", "GBps"),
            ("Speed (Kbps)", "speed", "Kbps"),
            ("data rate", "datarate", ""),
            ("Gbps", "speed", "Gbps"),
            ("bw", "bw", ""),
        ] {
            let key = key(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((key.name, key.unit), (base, unit), "{name}");
        }
        for name in ["latency", "LinkSpeed", "weights", "", "b/s", "length", "gbit name"] {
            assert_eq!(key(name), None, "{name}");
        }
    }

    /// The capacities of values under a name, and what capacity 1 is.
    fn all(name: &str, values: &[&str], equal: bool) -> Result<(Vec<u32>, String), String> {
        let how = Reading { equal_links: equal, ..Reading::default() };
        let source = Source::new(Path::new("x"), "", &how);
        let mut widths = Widths::default();
        let key = key(name).unwrap_or(THIRD);
        let numbers: Result<Vec<u32>, Wrong> = values
            .iter()
            .map(|value| Ok(widths.number(width(key, value, 0, &source)?, 0)))
            .collect();
        let told = numbers.and_then(|numbers| Ok((numbers, widths.capacities(&source)?)));
        let (numbers, (of, rate)) = told.map_err(|wrong| wrong.why)?;
        let rate = rate.map_or(String::new(), |rate| rate.to_string());
        Ok((numbers.iter().map(|&n| of[n as usize]).collect(), rate))
    }

    #[test]
    fn speeds_are_divided_and_capacities_are_not() {
        let read = |name, values: &[&str]| all(name, values, false).unwrap();
        assert_eq!(read("capacity", &["4", "2", "4"]), (vec![4, 2, 4], String::new()));
        assert_eq!(
            read("capacity", &["100G", "25Gbps", "50 Gbit/s"]),
            (vec![4, 1, 2], "25Gbps, 3.125 GB/s".into())
        );
        assert_eq!(read("speed", &["100", "2.5"]), (vec![40, 1], String::new()));
        assert_eq!(read("speed_gbps", &["100", "50"]), (vec![2, 1], "50Gbps, 6.25 GB/s".into()));
        assert_eq!(read("", &["3", "1"]).0, [3, 1]);
        assert_eq!(all("", &["long", "9999"], true).unwrap().0, [1, 1]);
        assert_eq!(all("speed", &["1G", "9G"], true).unwrap().0, [1, 1]);
        for (name, values, part) in [
            ("capacity", &["100G", "400"][..], "without"),
            ("speed", &["100", "4G"], "with a unit"),
            ("speed", &["fast"], "no speed"),
            ("weight", &["0.5"], "no capacity"),
        ] {
            let why = all(name, values, false).unwrap_err();
            assert!(why.contains(part), "{name} {values:?}: {why}");
        }
    }

    #[test]
    fn capacities_are_checked_unless_links_are_alike() {
        assert_eq!(capacity(0, " 7 ", false).unwrap(), 7);
        assert_eq!(capacity(0, "fast", true).unwrap(), 1);
        for text in ["0", "1001", "-1", "1.5", ""] {
            assert!(capacity(3, text, false).is_err_and(|wrong| wrong.at == 3), "{text}");
        }
    }
}

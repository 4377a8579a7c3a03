//! Matrix Market: a banner, a line `rows columns entries`, then `row column [value]` a line. The first
//! number is 1. The entries of a square matrix are links; what is symmetric has each of them once. Values are
//! capacities, as weights of other formats are.

use super::Source;
use super::lines::{lines, short};
use super::mistake::{Wrong, place, wrong};
use super::plain::{Plain, Way};
use super::widths::{self, Width};
use crate::Network;
use ccsched_base::Result;
use ccsched_base::limits::VERTICES;
use std::borrow::Cow;

const BANNER: &str = "%%matrixmarket";

/// Whether a text has the banner.
pub fn recognises(text: &str) -> bool {
    text.get(..BANNER.len()).is_some_and(|head| head.eq_ignore_ascii_case(BANNER))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let banner = text.lines().next().unwrap_or("").to_lowercase();
    let words: Vec<&str> = banner.split_whitespace().skip(1).collect();
    let ["matrix", "coordinate", field, symmetry] = words[..] else {
        return wrong(
            0,
            "read is: %%MatrixMarket matrix coordinate, then the kind of values, then of symmetry",
        );
    };
    let has_values = match field {
        "pattern" => false,
        "integer" | "real" => true,
        _ => {
            return wrong(
                0,
                format!("values are pattern, integer or real, not '{}'", short(field)),
            );
        }
    };
    let way = match symmetry {
        "symmetric" => Way::Both,
        "general" => Way::Listed,
        _ => {
            return wrong(
                0,
                format!("a network is symmetric or general, not '{}'", short(symmetry)),
            );
        }
    };
    let mut rows =
        lines(text).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%'));
    let size = rows.next().unwrap_or("");
    let numbers: Option<Vec<usize>> =
        size.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some([n, columns, entries]) =
        numbers.as_deref().and_then(|all| <[usize; 3]>::try_from(all).ok())
    else {
        return wrong(place(text, size), "after the comments comes a line: rows columns entries");
    };
    if n != columns {
        let why = format!("{n} rows and {columns} columns; the matrix of a network is square");
        return wrong(place(text, size), why);
    }
    // Every vertex needs an entry, or no message gets to it.
    if n > 2 * entries.max(1) || n > VERTICES {
        return wrong(place(text, size), format!("{n} vertices, but only {entries} entries"));
    }
    let mut graph = Plain::default();
    for number in 1..=n {
        graph.vertex(Cow::Owned(number.to_string()));
    }
    let mut there = 0usize;
    let key = widths::key("weight");
    for row in rows {
        there += 1;
        let at = place(text, row);
        let mut words = row.split_whitespace();
        let mut vertex = || {
            let number = words.next()?.parse::<u32>().ok()?;
            (1..=n).contains(&(number as usize)).then(|| number - 1)
        };
        let (Some(a), Some(b)) = (vertex(), vertex()) else {
            return wrong(
                at,
                format!("'{}': an entry begins with two numbers from 1 to {n}", short(row)),
            );
        };
        let width = match (words.next(), has_values, key) {
            (None, false, _) => Width::Unsaid,
            (Some(value), true, Some(key)) => widths::width(key, value, at, source)?,
            _ => return wrong(at, format!("'{}': values are {field}", short(row))),
        };
        graph.will_have(1, at)?;
        graph.edge(a, b, way, width, 1);
    }
    if there != entries {
        return wrong(
            text.len(),
            format!("the file has {there} entries, but its size says {entries}"),
        );
    }
    graph.build(source.name(), source)
}

//! Edge lists: a link a line, two names with blanks between, and the link's capacity if there is a
//! third word. The lists of the Graph Golf competition are of this kind: its graphs (`0 1`), its
//! grids (`0,0 1,0`), and its host-switch graphs, which begin with a line of three numbers: hosts,
//! switches, degree. NetworkX has a dictionary of attributes in place of the capacity: `a b {}`.

use super::Source;
use super::lines::{full, lines, short};
use super::looks;
use super::mistake::{Wrong, place, wrong};
use super::plain::{Plain, Way, capacity};
use super::python;
use crate::Result;
use crate::network::Network;
use std::borrow::Cow;

/// The signs at the beginning of a comment.
const COMMENTS: &[char] = &['#', '%'];

/// Whether the first line is two or three words without signs that other formats need.
pub fn recognises(text: &str) -> bool {
    let foreign = |c: char| "=\"'{}[]<>();".contains(c) || c.is_control();
    let is_row = |line: &str| {
        let words = line.split_whitespace().count();
        (2..=3).contains(&words) && !line.replace('\t', " ").contains(foreign)
    };
    let first = full(text, COMMENTS).next();
    let ends = |row| python::split(row).map_or(row, |(ends, _)| ends);
    first.map(ends).is_some_and(is_row)
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let mut graph = Plain::default();
    let mut rows = full(text, COMMENTS).peekable();
    let hosts = hosts(text);
    if let Some([hosts, switches]) = hosts {
        rows.next();
        number_vertices(&mut graph, hosts, switches);
    }
    for row in rows {
        let at = place(text, row);
        let (row, dictionary) = match python::split(row) {
            Some((row, dictionary)) => (row, Some(dictionary)),
            None => (row, None),
        };
        let mut words = row.split_whitespace();
        let ends = (words.next(), words.next());
        let (width, more) = (words.next(), words.next());
        let (Some(a), Some(b), None) = (ends.0, ends.1, more) else {
            let why =
                format!("'{}': a line is two vertices, and a capacity if need be", short(row));
            return wrong(at, why);
        };
        let width = match dictionary {
            Some(dictionary) => attribute(source, dictionary)?.or(width),
            None => width,
        };
        let capacity = width
            .map_or(Ok(1), |width| capacity(place(text, width), width, source.how.equal_links))?;
        for name in [a, b] {
            looks::name(name).map_err(|why| Wrong { at: place(text, name), why })?;
        }
        let ends = match hosts {
            None => [a, b].map(|name| graph.vertex(Cow::Borrowed(name))),
            Some([h, s]) => {
                let known = [a, b].map(|name| canonical(name).and_then(|name| graph.find(name)));
                let [Some(a), Some(b)] = known else {
                    let why = format!(
                        "'{}': by the first line there are vertices 0 to {}",
                        short(row),
                        h + s - 1
                    );
                    return wrong(at, why);
                };
                [a, b]
            }
        };
        graph.will_have(1, at)?;
        graph.edge(ends[0], ends[1], Way::Listed, capacity, 1);
    }
    graph.tell_numbers(&source.notices);
    graph.build(source.name(), source)
}

/// The capacity in a dictionary of attributes.
fn attribute<'t>(source: &Source<'t>, dictionary: &'t str) -> Result<Option<&'t str>, Wrong> {
    let at = place(source.text, dictionary);
    let Some(pairs) = python::pairs(dictionary) else {
        let why = format!("'{}': attributes are like {{'weight': 3}}", short(dictionary));
        return wrong(at, why);
    };
    let mut width = None;
    for (key, value) in pairs {
        if ["capacity", "width", "weight"].contains(&key) {
            width = width.or(Some(value));
        } else {
            source.notices.add("attribute", at, || {
                format!("'{}': of edges capacity, width and weight count, no more", short(key))
            });
        }
    }
    Ok(width)
}

/// Hosts and switches of a host-switch graph: its first line has three numbers, the others two.
fn hosts(text: &str) -> Option<[u64; 2]> {
    let mut rows = full(text, COMMENTS);
    let first: Vec<u64> =
        rows.next()?.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [hosts, switches, _] = first[..] else { return None };
    let pairs = rows.next()?.split_whitespace().count() == 2;
    // Every host and every switch has a line of its own at least, so there are not more of them.
    let fits = hosts.checked_add(switches)? <= 2 * lines(text).count() as u64;
    (pairs && fits && hosts > 0 && switches > 0).then_some([hosts, switches])
}

/// Adds the vertices of a host-switch graph: hosts first, then switches.
fn number_vertices(graph: &mut Plain, hosts: u64, switches: u64) {
    for number in 0..hosts + switches {
        let v = graph.vertex(Cow::Owned(number.to_string()));
        graph.terminal(v, number < hosts);
    }
}

/// A number without zeros before it.
fn canonical(name: &str) -> Option<&str> {
    let digits = name.bytes().all(|b| b.is_ascii_digit());
    let rest = name.trim_start_matches('0');
    digits.then_some(if rest.is_empty() { "0" } else { rest })
}

//! Edge lists: a link a line, two names with blanks between, and the link's capacity if there is a
//! third word. The lists of the Graph Golf competition are of this kind: its graphs (`0 1`), its
//! grids (`0,0 1,0`), and its host-switch graphs, which begin with a line of three numbers: hosts,
//! switches, degree. NetworkX has a dictionary of attributes in place of the capacity: `a b {}`.
//! `gate` decides whether the first line is a link.

use super::Source;
use super::lines::{lines, short};
use super::list::List;
use super::mistake::{Wrong, place, wrong};
use super::plain::Plain;
use super::{delays, gate, python, widths};
use crate::{Delay, Network};
use ccsched_base::Result;
use ccsched_base::table;
use std::borrow::Cow;

/// The lines that hold something, without comments: those that begin with one of these signs, and the
/// ends of lines after them.
pub(super) fn rows(text: &str) -> impl Iterator<Item = &str> + Clone {
    let begins = |line: &str| line.starts_with(['#', '%', ';']) || line.starts_with("//");
    lines(text).map(table::trim).filter(move |line| !line.is_empty() && !begins(line)).map(|line| {
        let ends = [" #", "\t#", " //", "\t//"].iter().filter_map(|sign| line.find(sign)).min();
        ends.map_or(line, |end| line[..end].trim_end())
    })
}

/// Whether a line is one number, as counts of vertices are written.
fn is_count(row: &&str) -> bool {
    row.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the first line is two or three words without signs that other formats need. A number alone,
/// or two, may stand before it.
pub fn recognises(text: &str) -> bool {
    let foreign = |c: char| "=\"'{}[]<>();".contains(c) || c.is_control();
    let is_row = |line: &str| {
        let words = line.split_whitespace().count();
        (2..=3).contains(&words) && !line.replace('\t', " ").contains(foreign)
    };
    let first = rows(text).enumerate().find(|(i, row)| *i > 1 || !is_count(row));
    let ends = |row| python::split(row).map_or(row, |(ends, _)| ends);
    first.map(|(_, row)| ends(row)).is_some_and(is_row)
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let (mut graph, mut list) = (Plain::default(), List::default());
    let mut all = rows(text).peekable();
    while let Some(row) = all.next_if(|row| list.counts.len() < 2 && is_count(row)) {
        list.counts.push((row, place(text, row)));
    }
    if let Some([hosts, switches]) = hosts(text)? {
        all.next();
        number_vertices(&mut graph, hosts, switches);
    }
    for row in all {
        let at = place(text, row);
        let (row, dictionary) = match python::split(row) {
            Some((row, dictionary)) => (row, Some(dictionary)),
            None => (row, None),
        };
        let mut words = row.split_whitespace().map(table::trim).filter(|word| !word.is_empty());
        let ends = (words.next(), words.next());
        let (third, more) = (words.next(), words.next());
        let (Some(a), Some(b), None) = (ends.0, ends.1, more) else {
            let why =
                format!("'{}': a line is two vertices, and a capacity if need be", short(row));
            return wrong(at, why);
        };
        let (width, delay) = match dictionary {
            Some(dictionary) => attribute(source, dictionary, &mut list)?,
            None => (None, None),
        };
        let third = width.or(third);
        list.row([a, b].map(Cow::Borrowed), third.map(Cow::Borrowed), (1, delay), at)?;
    }
    gate::graph(list, graph, source)?.build(source.name(), source)
}

/// The width and the delay in a dictionary of attributes. The list takes the name of the first one; another name in a
/// later line is refused.
fn attribute<'t>(
    source: &Source<'t>,
    dictionary: &'t str,
    list: &mut List<'t>,
) -> Result<(Option<&'t str>, Option<Delay>), Wrong> {
    let at = place(source.text, dictionary);
    let Some(pairs) = python::pairs(dictionary) else {
        let why = format!("'{}': attributes are like {{'weight': 3}}", short(dictionary));
        return wrong(at, why);
    };
    let known = pairs.iter().filter_map(|(name, value)| Some((widths::key(name)?, *value)));
    let first = known.min_by_key(|(key, _)| key.rank);
    for (key, _) in pairs.iter().filter(|(name, _)| !delays::is_known(name)) {
        source.notices.add("attribute", at, || {
            format!("'{}': of edges capacity, speed, weight and delay count, no more", short(key))
        });
    }
    let delay =
        delays::of_attributes(pairs.iter().map(|&(name, value)| (name, value, at)), source)?;
    let Some((key, value)) = first else { return Ok((None, delay)) };
    if *list.key.get_or_insert(key) != key {
        return wrong(at, "the lines have different attributes for capacities; one name is enough");
    }
    Ok((Some(value), delay))
}

/// Hosts and switches of a host-switch graph: its first line has three numbers, the others two.
///
/// # Errors
/// The first line is such a one, and the links are not: a host has one link, to a switch.
fn hosts(text: &str) -> Result<Option<[u64; 2]>, Wrong> {
    let mut all = rows(text);
    let Some(first) = all.next() else { return Ok(None) };
    let numbers = |row: &str| -> Option<Vec<u64>> {
        row.split_whitespace().map(|word| word.parse().ok()).collect()
    };
    let Some([hosts, switches, ports]) =
        numbers(first).and_then(|all| <[u64; 3]>::try_from(all).ok())
    else {
        return Ok(None);
    };
    let pairs = all.clone().next().is_some_and(|row| row.split_whitespace().count() == 2);
    // Every host and every switch has a line of its own at least, so there are not more of them.
    let fits = hosts.saturating_add(switches) <= 2 * lines(text).count() as u64;
    if !pairs || !fits || hosts == 0 || switches == 0 {
        return Ok(None);
    }
    let mut links = vec![0u64; (hosts + switches) as usize];
    let mut rows = 0;
    let mut odd = None;
    for row in all {
        rows += 1;
        let Some([a, b]) = numbers(row).and_then(|all| <[u64; 2]>::try_from(all).ok()) else {
            continue;
        };
        for end in [a, b] {
            if let Some(links) = links.get_mut(end as usize) {
                *links += 1;
                if *links > if end < hosts { 1 } else { ports } {
                    odd = odd.or(Some((end, *links)));
                }
            }
        }
    }
    let Some((end, links)) = odd else { return Ok(Some([hosts, switches])) };
    // The numbers of vertices and links with a third one, or the size of a matrix.
    if switches == rows || ports == rows {
        return Ok(None);
    }
    let why = format!(
        "the first line says {hosts} hosts, {switches} switches and {ports} ports of a switch, as in Graph \
         Golf, but vertex {end} has {links} links; leave it out if it says something else"
    );
    wrong(place(text, first), why)
}

/// Adds the vertices of a host-switch graph: hosts first, then switches.
fn number_vertices(graph: &mut Plain, hosts: u64, switches: u64) {
    for number in 0..hosts + switches {
        let v = graph.vertex(Cow::Owned(number.to_string()));
        graph.terminal(v, number < hosts);
    }
}

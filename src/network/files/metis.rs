//! METIS files: a line `vertices edges [fmt [constraints]]`, then a line for every vertex with its
//! neighbours, numbered from 1. `fmt` is three digits: whether vertices have sizes, vertices have
//! weights, edges have weights. Weights of edges are capacities; the rest is left out.

use super::Source;
use super::lines::{lines, short};
use super::mistake::{Wrong, place, wrong};
use super::widths::capacity;
use crate::{LinkKind, Network, NetworkBuilder};
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_base::limits::{CHANNELS, VERTICES};
use std::collections::HashSet;

/// The weights that a vertex may have.
const MOST_WEIGHTS: usize = 100;

/// The lines that are no comments.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(str::trim).filter(|line| !line.starts_with('%'))
}

/// What the first line says.
struct Head {
    vertices: usize,
    edges: usize,
    sizes: bool,
    /// The weights of a vertex.
    weights: usize,
    widths: bool,
}

/// The first line.
fn head(line: &str) -> Option<Head> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |i: usize| words.get(i).map(|word| word.parse::<usize>());
    let (Some(Ok(vertices)), Some(Ok(edges))) = (number(0), number(1)) else { return None };
    let format = words.get(2).copied().unwrap_or("0");
    let binary = format.len() <= 3 && format.bytes().all(|b| b == b'0' || b == b'1');
    let flag = |from_end: usize| format.as_bytes().iter().rev().nth(from_end) == Some(&b'1');
    let constraints = number(3).unwrap_or(Ok(1)).ok()?;
    let weights = if flag(1) { constraints } else { 0 };
    let head = Head { vertices, edges, sizes: flag(2), weights, widths: flag(0) };
    let weighed = (1..=MOST_WEIGHTS).contains(&constraints);
    (binary && words.len() <= 4 && vertices > 0 && weighed).then_some(head)
}

/// Whether the first line is one of sizes and the other lines are as many as it says; a list of
/// edges has two words in every line instead.
pub fn recognises(text: &str) -> bool {
    let mut all = rows(text).skip_while(|line| line.is_empty());
    let first = all.next().unwrap_or("");
    let Some(head) = head(first) else { return false };
    let columns = first.split_whitespace().count();
    let (mut number, mut words, mut odd) = (0usize, 0usize, false);
    let mut empty = 0;
    for row in all {
        let here = row.split_whitespace().count();
        if !row.split_whitespace().all(|word| word.bytes().all(|b| b.is_ascii_digit())) {
            return false;
        }
        // Empty lines at the end are no vertices.
        empty = if here == 0 { empty + 1 } else { 0 };
        // The rows of a list of edges are alike.
        odd |= here > 3 || here == 1 || (here > 0 && here != columns);
        number += 1;
        words += here;
    }
    let exact = (number - empty..=number).contains(&head.vertices);
    let per_edge = if head.widths { 4 } else { 2 };
    let beside = number * (usize::from(head.sizes) + head.weights);
    let fits =
        exact && (odd || Some(words) == head.edges.checked_mul(per_edge).map(|n| n + beside));
    // As many rows as edges, all with two words or all with three, may be a list of links below its
    // counts. Neighbours are those of each other.
    fits && (!is_list(text, &head) || is_symmetric(text, &head))
}

/// Whether all lines after the first have two words, or three, and are as many as the edges.
fn is_list(text: &str, head: &Head) -> bool {
    let all = rows(text).filter(|line| !line.is_empty()).skip(1);
    let words: Vec<usize> = all.map(|row| row.split_whitespace().count()).collect();
    words.len() == head.edges && [2, 3].iter().any(|n| words.iter().all(|here| here == n))
}

/// Whether each neighbour of a vertex has the vertex as its own.
fn is_symmetric(text: &str, head: &Head) -> bool {
    let mut pairs: HashSet<(usize, usize)> = HashSet::new();
    for (v, row) in rows(text).skip_while(|line| line.is_empty()).skip(1).enumerate() {
        let words = row.split_whitespace().skip(usize::from(head.sizes) + head.weights);
        let step = if head.widths { 2 } else { 1 };
        pairs.extend(words.step_by(step).filter_map(|word| Some((v + 1, word.parse().ok()?))));
    }
    pairs.iter().all(|&(a, b)| a != b && pairs.contains(&(b, a)))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let mut all = rows(text).skip_while(|line| line.is_empty());
    let first = all.next().unwrap_or("");
    let Some(head) = head(first) else {
        return wrong(place(text, first), "the first line is: vertices edges [fmt [constraints]]");
    };
    if head.vertices > VERTICES || head.edges > CHANNELS / 2 {
        let why = format!(
            "{} and {}, at most {VERTICES} and {} are read",
            counted(head.vertices, "vertex"),
            counted(head.edges, "edge"),
            CHANNELS / 2
        );
        return wrong(place(text, first), why);
    }
    if head.sizes || head.weights > 0 {
        let told = || "sizes and weights of vertices are left out".into();
        source.notices.add("vertex weights", place(text, first), told);
    }
    if head.widths && !source.how.equal_links {
        source.notices.add("weight", place(text, first), || {
            "weights of edges are taken as capacities, messages a step; `equal_links` ignores them"
                .into()
        });
    }
    let vertices: Vec<&str> = all.take(head.vertices).collect();
    if vertices.len() < head.vertices {
        let why = format!(
            "{}, but {} after the first",
            counted(head.vertices, "vertex"),
            counted(vertices.len(), "line")
        );
        return wrong(place(text, first), why);
    }
    let mut listed =
        Vec::with_capacity(head.edges.min(text.len()).saturating_mul(2).min(text.len()));
    for (v, row) in vertices.iter().enumerate() {
        for entry in entries(source, &head, row) {
            let (at, other, width) = entry?;
            if other == v {
                return wrong(at, format!("vertex {} is its own neighbour", v + 1));
            }
            let (low, high) = (v.min(other) as u32, v.max(other) as u32);
            listed.push(Listed { low, high, by_high: v > other, width: width as u16 });
        }
    }
    listed.sort_unstable();
    for edge in listed.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        if !matches!(edge, [a, b] if !a.by_high && b.by_high && a.width == b.width) {
            return Err(uneven(source, &head, &vertices, edge));
        }
    }
    drop(vertices);
    if listed.len() / 2 != head.edges {
        let why =
            format!("{}, but the lines have {}", counted(head.edges, "edge"), listed.len() / 2);
        return wrong(place(text, first), why);
    }
    let mut net = NetworkBuilder::new(source.name());
    net.reserve(head.vertices, listed.len());
    for number in 1..=head.vertices {
        net.terminal(number.to_string());
    }
    for edge in listed.iter().step_by(2) {
        net.wide_link(edge.low, edge.high, LinkKind::FullDuplex, edge.width.into());
    }
    drop(listed);
    net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
}

/// An edge as the line of one of its ends has it. There are twice as many as edges, so it is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    low: u32,
    high: u32,
    /// Whether it is the line of the higher end.
    by_high: bool,
    /// At most [`MAX_CAPACITY`](crate::MAX_CAPACITY).
    width: u16,
}

/// The entries of a line: place in the file, neighbour from 0, width.
fn entries<'t>(
    source: &'t Source,
    head: &'t Head,
    row: &'t str,
) -> impl Iterator<Item = Result<(usize, usize, u32), Wrong>> + 't {
    let text = source.text;
    let mut words = row.split_whitespace().skip(usize::from(head.sizes) + head.weights);
    std::iter::from_fn(move || {
        let word = words.next()?;
        let at = place(text, word);
        let other = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let Some(other) = other.filter(|&other| other < head.vertices) else {
            let why = format!("'{}' is no vertex from 1 to {}", short(word), head.vertices);
            return Some(wrong(at, why));
        };
        let width = match head.widths.then(|| words.next()) {
            None => Ok(1),
            Some(Some(width)) => capacity(place(text, width), width, source.how.equal_links),
            Some(None) => wrong(at, "the weight of the last edge is missing"),
        };
        Some(width.map(|width| (at, other, width)))
    })
}

/// The mistake of an edge that the lines of its ends have differently.
fn uneven(source: &Source, head: &Head, vertices: &[&str], edge: &[Listed]) -> Wrong {
    let (a, b) = (edge[0].low as usize, edge[0].high as usize);
    if let [only] = edge {
        let why = format!("the edge of {} and {} is in the line of one of them only", a + 1, b + 1);
        return Wrong { at: place(source.text, vertices[if only.by_high { b } else { a }]), why };
    }
    let why = format!(
        "the edge of {} and {} must be in the lines of both, once, with one weight",
        a + 1,
        b + 1
    );
    // The first line that has it twice, else the later one, whose weight differs.
    let twice = edge.windows(2).find(|two| two[0].by_high == two[1].by_high);
    let by_high = twice.is_none_or(|two| two[0].by_high);
    let (line, other) = if by_high { (b, a) } else { (a, b) };
    let last = entries(source, head, vertices[line]).flatten().filter(|e| e.1 == other).last();
    Wrong { at: last.map_or(0, |(at, ..)| at), why }
}

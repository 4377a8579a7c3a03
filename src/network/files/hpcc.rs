//! The networks of HPCC, SimAI and ASTRA-sim for the simulator ns-3: a line `nodes switches links`, the
//! numbers of the switches, then a link a line, `source destination 100Gbps 0.001ms 0`, with its rate,
//! its delay and its rate of errors. Nodes are numbered from 0. The first line of SimAI has more numbers:
//! `nodes gpus_per_server nvswitches switches links GPU`. Rates are capacities; errors do not matter to steps.

use super::lines::{full, short};
use super::mistake::{Wrong, place, wrong};
use super::plain::{Plain, Way};
use super::widths::Width;
use super::{Source, rates};
use crate::{Delay, Network};
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_base::limits::VERTICES;
use std::borrow::Cow;
use std::collections::HashSet;

/// The signs at the beginning of a comment.
const COMMENTS: &[char] = &['#'];

/// The numbers of the first line.
struct Head {
    nodes: u32,
    switches: u64,
    links: u64,
    /// Whether it has those of SimAI, too.
    is_long: bool,
}

/// A link whose capacity is not known yet.
struct Link {
    ends: [u32; 2],
    /// Bits a second.
    rate: u64,
    delay: Option<Delay>,
    at: usize,
}

/// Whether the first line has the numbers, and the first line that is not of numbers alone is a link with
/// a rate.
pub fn recognises(text: &str) -> bool {
    let mut rows = full(text, COMMENTS);
    let is_head = rows.next().and_then(head).is_some();
    is_head
        && rows.find(|row| !row.split_whitespace().all(is_number)).is_some_and(|row| {
            let mut words = row.split_whitespace();
            [words.next(), words.next()].into_iter().all(|word| word.is_some_and(is_number))
                && words.next().and_then(rate).is_some()
        })
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let mut rows = full(text, COMMENTS).peekable();
    let first = rows.next().unwrap_or("");
    let Some(head) = head(first) else {
        return wrong(place(text, first), "the first line has three numbers: nodes switches links");
    };
    if u64::from(head.nodes) > 2 * head.links || head.nodes as usize > VERTICES {
        let why =
            format!("{}, but only {}", counted(head.nodes, "node"), counted(head.links, "link"));
        return wrong(place(text, first), why);
    }
    let mut switches: HashSet<u32> = HashSet::new();
    while let Some(row) = rows.next_if(|row| row.split_whitespace().all(is_number)) {
        for word in row.split_whitespace() {
            let number = node(word, &head, text)?;
            if !switches.insert(number) {
                return wrong(place(text, word), format!("switch {number} is named twice"));
            }
        }
    }
    let links: Vec<Link> = rows.map(|row| link(row, &head, text)).collect::<Result<_, _>>()?;
    let counts = [
        ("switches", switches.len() as u64, head.switches),
        ("links", links.len() as u64, head.links),
    ];
    if let Some((what, there, said)) = counts.into_iter().find(|(_, there, said)| there != said) {
        let why = format!("the file has {there} {what}, but its first line says {said}");
        return wrong(text.len(), why);
    }
    network(source, &head, &switches, &links)
}

/// The network of the links.
fn network(
    source: &Source,
    head: &Head,
    switches: &HashSet<u32>,
    links: &[Link],
) -> Result<Network, Wrong> {
    let mut graph = Plain::default();
    for number in 0..head.nodes {
        let v = graph.vertex(Cow::Owned(number.to_string()));
        graph.terminal(v, !switches.contains(&number));
    }
    for Link { ends: [a, b], rate, delay, at } in links {
        graph.will_have(1, *at)?;
        graph.delay(*delay);
        graph.edge(*a, *b, Way::Both, Width::Bits(*rate), 1);
    }
    let places = links.first().map_or(0, |link| link.at);
    source.notices.add("errors", places, || {
        let more =
            if head.is_long { ", and what the first line says of servers and GPUs," } else { "" };
        format!("rates of errors{more} are left out: steps do not depend on them")
    });
    graph.build(source.name(), source)
}

/// Whether a word is a whole number.
fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

/// The numbers of a first line.
fn head(row: &str) -> Option<Head> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let number = |word: &&str| word.parse::<u64>().ok();
    let (counts, is_long) = match &words[..] {
        [_, _, _] => (words.iter().map(number).collect::<Option<Vec<u64>>>()?, false),
        [numbers @ .., _] if numbers.len() == 5 => {
            let all: Vec<u64> = numbers.iter().map(number).collect::<Option<_>>()?;
            (vec![all[0], all[2].checked_add(all[3])?, all[4]], true)
        }
        _ => return None,
    };
    let nodes = u32::try_from(counts[0]).ok()?;
    Some(Head { nodes, switches: counts[1], links: counts[2], is_long })
}

/// The number of a node.
fn node(word: &str, head: &Head, text: &str) -> Result<u32, Wrong> {
    let last = head.nodes.saturating_sub(1);
    match word.parse::<u32>() {
        Ok(number) if number <= last => Ok(number),
        _ => {
            let why = format!("'{}': by the first line nodes are 0 to {last}", short(word));
            wrong(place(text, word), why)
        }
    }
}

/// The bits a second of a rate as ns-3 writes it, with all of its unit.
fn rate(word: &str) -> Option<u64> {
    rates::bits(word).filter(|_| word.ends_with("ps") || word.ends_with("/s"))
}

/// A link.
fn link(row: &str, head: &Head, text: &str) -> Result<Link, Wrong> {
    let at = place(text, row);
    let mut words = row.split_whitespace();
    let (Some(a), Some(b), Some(name)) = (words.next(), words.next(), words.next()) else {
        return wrong(at, format!("'{}': a link is like 0 4 100Gbps 0.001ms 0", short(row)));
    };
    let ends = [node(a, head, text)?, node(b, head, text)?];
    let delay = match words.next() {
        None => None,
        Some(word) => match Delay::parse(word, Some("s")) {
            Some(delay) => Some(delay),
            None => {
                return wrong(place(text, word), format!("'{}': {}", short(word), Delay::hint()));
            }
        },
    };
    match rate(name) {
        Some(rate) => Ok(Link { ends, rate, delay, at }),
        None => wrong(place(text, name), format!("'{}' is no rate, such as 100Gbps", short(name))),
    }
}

//! Faults: broken links and vertices, named as on the command line, and the network without them
//! (umda-fault-tolerance, section 4).

use super::{ChannelId, LinkKind, Network, NetworkBuilder, VertexId};
use ccsched_base::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// A broken link or vertex, by name, as schedule files store it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// The channel from the first to the second vertex is gone.
    Link(String, String),
    /// The vertex and all its channels are gone.
    Vertex(String),
    /// A channel from the first to the second vertex is gone, and others parallel to it are left; or a unit
    /// of the width of one, and the rest of it is left. The number tells which of them it was before all
    /// faults; older files do not have it.
    #[serde(with = "parallel")]
    Parallel(String, String, Option<u32>),
}

/// The record of a broken channel, if `gone` are all that are broken with it.
pub fn record(net: &Network, channel: ChannelId, gone: &[ChannelId]) -> Fault {
    let ends = net.channel(channel);
    let parallel = between(net, ends.from, ends.to);
    let [from, to] = [ends.from, ends.to].map(|v| net.vertex_name(v).to_string());
    let number = (1..).zip(&parallel).find(|&(_, &c)| c == channel).map(|(number, _)| number);
    match parallel.iter().any(|c| !gone.contains(c)) {
        true => Fault::Parallel(from, to, number),
        false => Fault::Link(from, to),
    }
}

/// Later faults after earlier ones. The numbers of later ones are those in the network that the earlier
/// ones have left, and become those before all faults.
pub fn after(earlier: &[Fault], later: impl IntoIterator<Item = Fault>) -> Vec<Fault> {
    let mut all = earlier.to_vec();
    for fault in later {
        all.push(match fault {
            Fault::Parallel(a, b, Some(number)) => {
                let before = earlier.iter().filter_map(|fault| match fault {
                    Fault::Parallel(c, d, number) if (c, d) == (&a, &b) => Some(*number),
                    _ => None,
                });
                let before: Option<Vec<u32>> = before.collect();
                let is_left = |n: &u32| before.as_ref().is_some_and(|before| !before.contains(n));
                let number = before
                    .as_ref()
                    .and_then(|_| (1..).filter(is_left).nth(number.saturating_sub(1) as usize));
                Fault::Parallel(a, b, number)
            }
            other => other,
        });
    }
    all
}

/// A fault of one of parallel channels in a file: two names, and a number if it is known.
mod parallel {
    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};
    use std::fmt;

    type Fields = (String, String, Option<u32>);

    pub fn serialize<S: Serializer>(
        from: &str,
        to: &str,
        number: &Option<u32>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        match number {
            None if out.is_human_readable() => (from, to).serialize(out),
            Some(number) if out.is_human_readable() => (from, to, number).serialize(out),
            number => (from, to, number).serialize(out),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Fields, D::Error> {
        match from.is_human_readable() {
            true => from.deserialize_seq(Words),
            false => serde::Deserialize::deserialize(from),
        }
    }

    struct Words;

    impl<'de> Visitor<'de> for Words {
        type Value = Fields;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("two names, and the number of one of parallel channels")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Fields, A::Error> {
            let mut name = |place| {
                let name: Option<String> = list.next_element()?;
                name.ok_or_else(|| A::Error::invalid_length(place, &Words))
            };
            Ok((name(0)?, name(1)?, list.next_element()?))
        }
    }
}

/// The vertex of this name.
///
/// # Errors
/// No vertex has this name; the message lists similar names.
pub fn parse_vertex(net: &Network, text: &str) -> Result<VertexId> {
    net.find(text).ok_or_else(|| Error::problem(unknown(net, text)))
}

/// The channels that `text` names: `A-B` is the arc from A to B of a one-way link and both
/// directions of a two-way link, `A:B` is always the one arc, `#2` at the end selects one of
/// parallel links. Names may contain dashes: the split that yields two neighbours is used.
///
/// # Errors
/// Unknown vertices, vertices that are no neighbours, parallel links without a number; a unit of a
/// wide link.
pub fn parse_link(net: &Network, text: &str) -> Result<Vec<ChannelId>> {
    match parse_part(net, text)? {
        (channels, None) => Ok(channels),
        (..) => {
            let why = format!("link '{text}': this is a unit of a wide link; name the whole link");
            Err(Error::problem(why))
        }
    }
}

/// The same, or where `text` names a vertex the channels of all of its links.
///
/// # Errors
/// As [`parse_link`].
pub fn parse_links(net: &Network, text: &str) -> Result<Vec<ChannelId>> {
    match net.find(text) {
        Some(v) => Ok(net.outgoing(v).iter().chain(net.incoming(v)).copied().collect()),
        None => parse_link(net, text),
    }
}

/// As [`parse_link`]; where `#2` selects a unit of the width of one link, its channels and the number.
///
/// # Errors
/// As [`parse_link`], but for the last.
pub fn parse_part(net: &Network, text: &str) -> Result<(Vec<ChannelId>, Option<u32>)> {
    let numbered = match text.rsplit_once('#') {
        Some((body, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some((body, Some(digits.parse::<usize>().unwrap_or(0))))
        }
        _ => None,
    };
    let mut ends = Vec::new();
    // A name may end like a number: `a-x#1` is the link to `x#1` where there is one.
    for (body, number) in [(text, None)].into_iter().chain(numbered) {
        for (a, b, arc) in splits(body, ':').chain(splits(body, '-')) {
            if let (Some(from), Some(to)) = (net.find(a), net.find(b)) {
                let parallel = between(net, from, to);
                if !parallel.is_empty() {
                    return pick(net, text, &parallel, number, arc);
                }
                ends.push((from, to));
            }
        }
    }
    let body = numbered.map_or(text, |(body, _)| body);
    Err(Error::problem(no_link(net, body, text, ends.first().copied())))
}

/// All ways to read a text as two names with a mark between them; whether it names one arc.
fn splits(text: &str, mark: char) -> impl Iterator<Item = (&str, &str, bool)> {
    text.match_indices(mark).map(move |(at, _)| (&text[..at], &text[at + 1..], mark == ':'))
}

/// All channels from one vertex to another.
fn between(net: &Network, from: VertexId, to: VertexId) -> Vec<ChannelId> {
    net.outgoing(from).iter().copied().filter(|&c| net.channel(c).to == to).collect()
}

/// One of parallel channels, and its reverse unless `text` names only the `arc`.
fn pick(
    net: &Network,
    text: &str,
    parallel: &[ChannelId],
    number: Option<usize>,
    arc: bool,
) -> Result<(Vec<ChannelId>, Option<u32>)> {
    let n = parallel.len();
    let link = |channel: ChannelId| {
        let reverse = net.channel(channel).reverse.filter(|_| !arc);
        std::iter::once(channel).chain(reverse).collect()
    };
    if let ([channel], Some(number)) = (parallel, number) {
        let wide = net.channel(*channel);
        let unit = u32::try_from(number).ok().filter(|unit| (1..=wide.capacity).contains(unit));
        match unit {
            Some(_) if wide.capacity == 1 => {}
            Some(_) if arc && wide.reverse.is_some() => {
                let why = format!(
                    "link '{text}': the two directions of a link are of one width; A-B#{number} takes a \
                     unit of both"
                );
                return Err(Error::problem(why));
            }
            Some(unit) => return Ok((link(*channel), Some(unit))),
            None if wide.capacity > 1 => {
                let why = format!(
                    "link '{text}': there is no such number; the link is {} wide, in units #1 to #{}",
                    wide.capacity, wide.capacity
                );
                return Err(Error::problem(why));
            }
            None => {}
        }
    }
    let chosen = match number {
        None if n > 1 => {
            let why =
                format!("link '{text}': there are {n} in parallel; add #1 to #{n} to say which");
            return Err(Error::problem(why));
        }
        number => number.unwrap_or(1),
    };
    let Some(&channel) = chosen.checked_sub(1).and_then(|i| parallel.get(i)) else {
        let right =
            if n == 1 { "the one link is #1".into() } else { format!("there are #1 to #{n}") };
        return Err(Error::problem(format!("link '{text}': there is no such number; {right}")));
    };
    Ok((link(channel), None))
}

/// The reason why `body` names no link.
fn no_link(net: &Network, body: &str, text: &str, ends: Option<(VertexId, VertexId)>) -> String {
    if let Some((from, to)) = ends {
        let mut neighbours: Vec<VertexId> = net.heads(from).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let [from, to] = [from, to].map(|v| net.vertex_name(v));
        let neighbours = net.names(&neighbours);
        return format!(
            "link '{text}': no channel leads from {from} to {to}; neighbours of {from}: {neighbours}"
        );
    }
    match body.split_once([':', '-']) {
        Some((a, b)) => {
            let name = if net.find(a).is_none() { a } else { b };
            format!("link '{text}': {}", unknown(net, name))
        }
        None => format!("link '{text}': a link is two names, A-B or A:B (the one direction)"),
    }
}

/// The message about an unknown vertex, with similar names.
pub fn unknown(net: &Network, name: &str) -> String {
    let mut near: Vec<&str> = net.vertices().iter().map(|v| &*v.name).collect();
    near.sort_by_cached_key(|other| strsim::damerau_levenshtein(name, other));
    near.truncate(5);
    let all = if near.len() < net.vertices().len() { ", .." } else { "" };
    format!("{} has no vertex '{name}'; it has {}{all}", net.name(), near.join(", "))
}

/// The network without some channels and vertices. A vertex is removed with all its channels; a
/// two-way link that lost one channel keeps the other as a one-way link. The name and the order of
/// the remaining parts stay. Static routes over removed parts are broken and not replaced. The rest
/// remembers the network before all faults.
///
/// # Errors
/// No terminal remains.
pub fn apply(net: &Network, channels: &[ChannelId], vertices: &[VertexId]) -> Result<Network> {
    apply_narrowed(net, (channels, &BTreeMap::new()), vertices)
}

/// The same, where some channels also lose units of their width, both of a two-way link as many.
///
/// # Errors
/// No terminal remains.
pub fn apply_narrowed(
    net: &Network,
    (channels, lost): (&[ChannelId], &BTreeMap<ChannelId, u32>),
    vertices: &[VertexId],
) -> Result<Network> {
    let gone: HashSet<ChannelId> = channels.iter().copied().collect();
    let broken: HashSet<VertexId> = vertices.iter().copied().collect();
    let mut rest = NetworkBuilder::new(net.name());
    rest.rate(net.rate().cloned());
    let mut ids = vec![None; net.vertices().len()];
    for (v, vertex) in net.vertices().iter().enumerate() {
        if !broken.contains(&(v as VertexId)) {
            let id = rest.vertex(vertex.name.clone(), vertex.terminal);
            ids[v] = Some(id);
            if let Some((x, y)) = net.coordinates(v as VertexId) {
                rest.place(id, x, y);
            }
        }
    }
    let mut new_ids = vec![None; net.channels().len()];
    for (c, channel) in net.channels().iter().enumerate() {
        let c = c as ChannelId;
        let next = rest.channels();
        let (Some(from), Some(to)) = (ids[channel.from as usize], ids[channel.to as usize]) else {
            continue;
        };
        let lost = lost.get(&c).copied().unwrap_or(0);
        let capacity = channel.capacity.saturating_sub(lost).max(1);
        match channel.reverse.filter(|reverse| !gone.contains(reverse)) {
            _ if gone.contains(&c) => continue,
            None => rest.wide_link(from, to, LinkKind::OneWay, capacity),
            Some(reverse) if reverse < c => continue, // Added together with its reverse.
            Some(reverse) => {
                rest.wide_link(from, to, channel.kind(), capacity);
                new_ids[reverse as usize] = Some(next + 1);
            }
        }
        rest.delay(net.delays_of(c));
        new_ids[c as usize] = Some(next);
    }
    for (alias, v) in net.aliases() {
        if let Some(v) = ids[v as usize] {
            rest.alias(alias, v);
        }
    }
    for (from, to, route) in net.routes().iter() {
        if let (Some(from), Some(to)) = (ids[from as usize], ids[to as usize]) {
            let left: Option<Vec<ChannelId>> = route.iter().map(|&c| new_ids[c as usize]).collect();
            rest.route(from, to, &left.unwrap_or_default());
        }
    }
    Ok(rest.build()?.broken_from(net, new_ids))
}

//! Writing a network as a TOML file for `read`. A network of a family, or from a file, is read back
//! exactly; other networks may get their channels in another order.

use super::read::LINKS;
use crate::{Channel, ChannelId, LinkKind, Network, Rate, VertexId};
use ccsched_base::{Error, Result};
use std::collections::HashSet;
use std::fmt::Write;
use toml_writer::{ToTomlKey, ToTomlValue, TomlKeyBuilder, TomlStringBuilder};

/// The network as TOML.
///
/// # Errors
/// The format has one kind of links for the whole network; a network with several kinds, such as
/// one with faults removed, cannot be written.
pub fn to_toml(net: &Network) -> Result<String> {
    let kind = kind(net).ok_or_else(|| Error::Network {
        network: net.name().to_string(),
        why: "its links are of different kinds; a TOML file has one kind for all links".into(),
    })?;
    let is_odd = |&c: &ChannelId| {
        let [own, back] = net.delays_of(c);
        own.is_none() && back.is_some()
    };
    if let Some(c) = (0..net.channels().len() as ChannelId).find(is_odd) {
        let [from, to] = [net.channel(c).from, net.channel(c).to].map(|v| net.vertex_name(v));
        return Err(Error::Network {
            network: net.name().to_string(),
            why: format!("'{to}'-'{from}' has a delay in one direction alone; give it one in both"),
        });
    }
    let links = LINKS.iter().find(|(_, k)| *k == kind).map_or("", |(word, _)| word);
    let mut out = format!("name = {}\nlinks = {}\n", quoted(net.name()), quoted(links));
    if let Some(Rate { name, bytes_per_second }) = net.rate() {
        let name = match &**name {
            "" => String::new(),
            name => format!("name = {}, ", quoted(name)),
        };
        let _ = writeln!(out, "rate = {{ {name}bytes_per_second = {bytes_per_second:?} }}");
    }
    let uniform = net.uniform_capacity();
    // Writing to a string cannot fail.
    if let Some(width) = uniform.filter(|&width| width > 1) {
        let _ = writeln!(out, "width = {width}");
    }
    let delay = net.channels().first().and_then(|c| c.delay);
    let delay = delay.filter(|_| net.channels().iter().all(|c| c.delay == delay));
    if let Some(delay) = delay {
        let _ = writeln!(out, "delay = \"{delay}\"");
    }
    let names = net.vertices().iter().map(|v| &*v.name);
    let numbered: HashSet<&str> = names.filter(|name| name.contains('#')).collect();
    let ids = 0..net.vertices().len() as VertexId;
    let switches: Vec<VertexId> = ids.clone().filter(|&v| !net.is_terminal(v)).collect();
    if !switches.is_empty() {
        let _ = writeln!(out, "switches = {}", list(net, switches.iter().copied()));
    }
    out.push_str("\n[neighbours]\n");
    for v in ids.clone() {
        let neighbours = net.heads(v);
        let _ = writeln!(out, "{} = {}", key(net, v), list(net, neighbours));
    }
    if uniform.is_none() {
        out.push_str("\n[width]\n");
        for v in ids.clone() {
            let widths = widths_from(net, &numbered, v);
            if !widths.is_empty() {
                let _ = writeln!(out, "{} = {{ {} }}", key(net, v), widths.join(", "));
            }
        }
    }
    if delay.is_none() && net.has_delays() {
        out.push_str("\n[delay]\n");
        for v in ids.clone() {
            let delays = delays_from(net, &numbered, v);
            if !delays.is_empty() {
                let _ = writeln!(out, "{} = {{ {} }}", key(net, v), delays.join(", "));
            }
        }
    }
    if ids.clone().any(|v| net.coordinates(v).is_some()) {
        out.push_str("\n[coordinates]\n");
    }
    for v in ids.clone() {
        if let Some((x, y)) = net.coordinates(v) {
            let _ = writeln!(out, "{} = [{x:?}, {y:?}]", key(net, v));
        }
    }
    let mut aliases = net.aliases().peekable();
    if aliases.peek().is_some() {
        out.push_str("\n[aliases]\n");
    }
    for (alias, v) in aliases {
        let _ = writeln!(out, "{} = {}", toml_key(alias), quoted(net.vertex_name(v)));
    }
    if !net.routes().is_empty() {
        out.push_str("\n[routes]\n");
    }
    for v in ids.filter(|&v| net.routes().starts_at(v)) {
        let _ = writeln!(out, "{} = {{ {} }}", key(net, v), routes_from(net, &numbered, v));
    }
    Ok(out)
}

/// The wide links of a vertex; a link of two channels is written where its first channel starts.
fn widths_from(net: &Network, numbered: &HashSet<&str>, v: VertexId) -> Vec<String> {
    let is_first = |&c: &ChannelId| net.channel(c).reverse.is_none_or(|reverse| c < reverse);
    let of_vertex = net.outgoing(v).iter().copied().filter(is_first);
    let wide = of_vertex.filter(|&c| net.channel(c).capacity > 1);
    let entry = |c| format!("{} = {}", toml_key(&stop(net, numbered, c)), net.channel(c).capacity);
    wide.map(entry).collect()
}

/// The delays of the channels of a vertex; those of a link that are alike are written where its first channel starts.
fn delays_from(net: &Network, numbered: &HashSet<&str>, v: VertexId) -> Vec<String> {
    let is_new = |&c: &ChannelId| {
        let [own, back] = net.delays_of(c);
        own != back || net.channel(c).reverse.is_none_or(|reverse| c < reverse)
    };
    let entry = |c| {
        let delay = net.channel(c).delay?;
        Some(format!("{} = \"{delay}\"", toml_key(&stop(net, numbered, c))))
    };
    net.outgoing(v).iter().copied().filter(is_new).filter_map(entry).collect()
}

/// The routes of one source, without those that a fault has broken.
fn routes_from(net: &Network, numbered: &HashSet<&str>, source: VertexId) -> String {
    let whole = net.routes().of(source).filter(|(_, route)| !route.is_empty());
    let entry = |(to, route): (VertexId, &[ChannelId])| {
        let stops: Vec<String> = route.iter().map(|&c| quoted(&stop(net, numbered, c))).collect();
        format!("{} = [{}]", key(net, to), stops.join(", "))
    };
    whole.map(entry).collect::<Vec<_>>().join(", ")
}

/// The end of a channel, with its number unless it is the first of parallel channels. `numbered` are
/// the names of vertices with a number sign: where one of them looks like a numbered end, the number
/// begins with a zero.
fn stop(net: &Network, numbered: &HashSet<&str>, c: ChannelId) -> String {
    let ends = net.channel(c);
    let parallel = net.outgoing(ends.from).iter().filter(|&&d| net.channel(d).to == ends.to);
    let name = net.vertex_name(ends.to);
    match parallel.take_while(|&&d| d != c).count() {
        0 => name.to_string(),
        before => {
            let with = |zeros: usize| format!("{name}#{}{}", "0".repeat(zeros), before + 1);
            let is_free = |text: &String| !numbered.contains(text.as_str());
            (0..).map(with).find(is_free).expect("names are finite")
        }
    }
}

/// The kind of all links of the network, if they are of one kind.
pub fn kind(net: &Network) -> Option<LinkKind> {
    let first = net.channels().first().map_or(LinkKind::FullDuplex, Channel::kind);
    net.channels().iter().all(|c| c.kind() == first).then_some(first)
}

fn list(net: &Network, ids: impl Iterator<Item = VertexId>) -> String {
    let names: Vec<String> = ids.map(|v| quoted(net.vertex_name(v))).collect();
    format!("[{}]", names.join(", "))
}

fn key(net: &Network, v: VertexId) -> String {
    toml_key(net.vertex_name(v))
}

fn toml_key(text: &str) -> String {
    TomlKeyBuilder::new(text).as_default().to_toml_key()
}

fn quoted(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}

//! Reading a network from a TOML file: a neighbour list for every vertex, as the papers print
//! them. `topologies/example.toml` explains the format, `write` writes it. Vertices are numbered in
//! the order of the lists, channels in the order of their start vertices (a two-way link follows
//! its earlier end).
//!
//! The file is parsed to a tree with positions, not to a struct, so that mistakes have their line.

use super::aliases::aliases;
use super::delays::delays;
use super::links::links;
use super::routes::routes;
use super::values::{Lists, Value, number, word};
use super::widths::widths;
use crate::files::mistake::{Wrong, wrong};
use crate::{LinkKind, Network, NetworkBuilder, Rate};
use ccsched_base::{Result, input, similar};
use std::collections::HashMap;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of a file.
const KEYS: [&str; 10] = [
    "name",
    "links",
    "rate",
    "width",
    "delay",
    "switches",
    "coordinates",
    "neighbours",
    "aliases",
    "routes",
];

/// The values of `links`.
pub(super) const LINKS: [(&str, LinkKind); 3] = [
    ("full-duplex", LinkKind::FullDuplex),
    ("half-duplex", LinkKind::HalfDuplex),
    ("one-way", LinkKind::OneWay),
];

/// Reads a file.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
///
/// [`Error::Io`]: ccsched_base::Error::Io
/// [`Error::File`]: ccsched_base::Error::File
pub fn read(path: &Path) -> Result<Network> {
    parse(path, &input::text(path)?)
}

/// Reads the text of a file; `path` is for messages.
///
/// # Errors
/// [`Error::File`] with the line of the first mistake.
///
/// [`Error::File`]: ccsched_base::Error::File
pub fn parse(path: &Path, text: &str) -> Result<Network> {
    network(text).map_err(|wrong| wrong.in_file(path, text))
}

/// Whether a text is of this format: some line has one of its keys or tables.
pub(in crate::files) fn recognises(text: &str) -> bool {
    let is_ours = |line: &str| {
        let line = line.trim_start();
        let key = line.split(['=', ']']).next().unwrap_or("").trim_start_matches('[').trim();
        line.contains(['=', ']']) && KEYS.contains(&key)
    };
    text.lines().any(is_ours)
}

/// The values of the keys.
#[derive(Default)]
struct Keys<'t> {
    name: Option<&'t Value<'t>>,
    links: Option<&'t Value<'t>>,
    rate: Option<&'t Value<'t>>,
    width: Option<&'t Value<'t>>,
    delay: Option<&'t Value<'t>>,
    switches: Option<&'t Value<'t>>,
    coordinates: Option<&'t Value<'t>>,
    neighbours: Option<&'t Value<'t>>,
    aliases: Option<&'t Value<'t>>,
    routes: Option<&'t Value<'t>>,
}

fn network(text: &str) -> Result<Network, Wrong> {
    let tree = DeTable::parse(text).map_err(|e| Wrong {
        at: e.span().map_or(text.len(), |span| span.start),
        why: e.message().to_string(),
    })?;
    let keys = keys(tree.get_ref())?;
    let Some(name) = keys.name else {
        return wrong(0, "the network has no name; add name = \"...\" before the tables");
    };
    let Some(neighbours) = keys.neighbours else {
        return wrong(text.len(), "there is no table [neighbours] with a list for every vertex");
    };
    let kind = keys.links.map_or(Ok(LinkKind::FullDuplex), kind)?;
    let lists = lists(neighbours)?;
    let ids: HashMap<&str, u32> =
        lists.iter().enumerate().map(|(i, (v, _))| (v.get_ref().as_ref(), i as u32)).collect();

    let mut net = NetworkBuilder::new(word(name, "the name")?);
    net.rate(keys.rate.map(rate).transpose()?);
    let switches = switches(keys.switches, &ids)?;
    for (v, _) in &lists {
        net.vertex(v.get_ref().as_ref(), !switches.contains_key(v.get_ref().as_ref()));
    }
    let links = links(&lists, &ids, kind)?;
    if switches.len() == lists.len() {
        let at = keys.switches.unwrap_or(neighbours).span().start;
        return wrong(
            at,
            "every vertex is a switch; a network needs terminals to send and receive",
        );
    }
    let widths = widths(keys.width, &ids, &links, kind)?;
    let delays = delays(keys.delay, &ids, &links, kind)?;
    for (&(from, to), (capacity, delays)) in links.iter().zip(widths.into_iter().zip(delays)) {
        net.wide_link(from, to, kind, capacity);
        net.delay(delays);
    }
    for (v, x, y) in coordinates(keys.coordinates, &ids)? {
        net.place(v, x, y);
    }
    for (alias, v) in aliases(keys.aliases, &ids)? {
        net.alias(alias, v);
    }
    let between = net.between();
    for (from, to, channels) in routes(keys.routes, &ids, &between)? {
        net.route(from, to, &channels);
    }
    net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
}

fn keys<'t>(table: &'t DeTable<'t>) -> Result<Keys<'t>, Wrong> {
    let mut keys = Keys::default();
    for (key, value) in table {
        let place = match key.get_ref().as_ref() {
            "name" => &mut keys.name,
            "links" => &mut keys.links,
            "rate" => &mut keys.rate,
            "width" => &mut keys.width,
            "delay" => &mut keys.delay,
            "switches" => &mut keys.switches,
            "coordinates" => &mut keys.coordinates,
            "neighbours" => &mut keys.neighbours,
            "aliases" => &mut keys.aliases,
            "routes" => &mut keys.routes,
            other => {
                let (known, meant) = (KEYS.join(", "), similar::hint(other, KEYS));
                let why = format!("unknown key '{other}'; known: {known}{meant}");
                return wrong(key.span().start, why);
            }
        };
        *place = Some(value);
    }
    Ok(keys)
}

fn kind(value: &Value) -> Result<LinkKind, Wrong> {
    let given = value.get_ref().as_str();
    match LINKS.iter().find(|(word, _)| Some(*word) == given) {
        Some((_, kind)) => Ok(*kind),
        None => {
            let known = LINKS.map(|(word, _)| format!("\"{word}\"")).join(", ");
            wrong(value.span().start, format!("links must be one of {known}"))
        }
    }
}

/// What capacity 1 stands for.
fn rate(value: &Value) -> Result<Rate, Wrong> {
    let at = value.span().start;
    let mut rate = Rate { name: "".into(), bytes_per_second: f64::NAN };
    for (key, value) in value.get_ref().as_table().into_iter().flatten() {
        match key.get_ref().as_ref() {
            "name" => rate.name = word(value, "the name of a rate")?.into(),
            "bytes_per_second" => rate.bytes_per_second = number(value).unwrap_or(f64::NAN),
            other => {
                let why = format!("unknown key '{other}'; known: name, bytes_per_second");
                return wrong(key.span().start, why);
            }
        }
    }
    match rate.flaw() {
        None => Ok(rate),
        Some(_) => {
            wrong(at, "a rate is like: rate = { name = \"4xHDR\", bytes_per_second = 25e9 }")
        }
    }
}

/// The vertices and their lists of neighbours.
fn lists<'t>(neighbours: &'t Value<'t>) -> Result<Lists<'t>, Wrong> {
    let at = neighbours.span().start;
    let Some(table) = neighbours.get_ref().as_table() else {
        return wrong(at, "neighbours must be a table: [neighbours], then a list for every vertex");
    };
    if table.is_empty() {
        return wrong(at, "[neighbours] is empty; it needs a list for every vertex");
    }
    let list = |(name, value): (&'t Spanned<_>, &'t Value<'t>)| {
        let text: &std::borrow::Cow<str> = name.get_ref();
        if text.is_empty() || text.contains(char::is_control) {
            return wrong(name.span().start, "a vertex needs a name of printable characters");
        }
        match value.get_ref() {
            DeValue::Array(list) => Ok((name, list)),
            DeValue::Table(_) => {
                let why = format!("names with dots need quotes: \"{text}.x\" = [..]");
                wrong(name.span().start, why)
            }
            _ => wrong(value.span().start, format!("'{text}' needs a list: {text} = [\"..\"]")),
        }
    };
    table.iter().map(list).collect()
}

/// The switches, with the positions of their names in the file.
fn switches<'t>(
    value: Option<&'t Value<'t>>,
    ids: &HashMap<&str, u32>,
) -> Result<HashMap<&'t str, usize>, Wrong> {
    let mut switches = HashMap::new();
    let Some(value) = value else { return Ok(switches) };
    let Some(list) = value.get_ref().as_array() else {
        return wrong(value.span().start, "switches must be a list: switches = [\"s0\"]");
    };
    for entry in list {
        let (name, at) = (word(entry, "a switch")?, entry.span().start);
        if !ids.contains_key(name) {
            return wrong(at, format!("switch '{name}' has no list of neighbours"));
        }
        if switches.insert(name, at).is_some() {
            return wrong(at, format!("switch '{name}' is named twice"));
        }
    }
    Ok(switches)
}

/// The coordinates of vertices.
fn coordinates(
    value: Option<&Value>,
    ids: &HashMap<&str, u32>,
) -> Result<Vec<(u32, f64, f64)>, Wrong> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let Some(table) = value.get_ref().as_table() else {
        return wrong(value.span().start, "coordinates must be a table: [coordinates]");
    };
    let mut places = Vec::new();
    for (name, value) in table {
        let name_at = name.span().start;
        let name = name.get_ref().as_ref();
        let Some(&v) = ids.get(name) else {
            return wrong(name_at, format!("'{name}' has coordinates but no list of neighbours"));
        };
        let pair = value.get_ref().as_array().map(|a| a.iter().map(number).collect::<Vec<_>>());
        match pair.as_deref() {
            Some([Some(x), Some(y)]) => places.push((v, *x, *y)),
            _ => {
                let why = format!("'{name}' needs two finite numbers: [x, y]");
                return wrong(value.span().start, why);
            }
        }
    }
    Ok(places)
}

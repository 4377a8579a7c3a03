//! GML: `graph [ directed 0 node [ id 1 label "a" ] edge [ source 1 target 2 ] ]`. Attributes of
//! other names are left out, whatever they hold.
//!
//! yEd says `directed 1` of every graph, so that word counts in files of others only. Its labels stand
//! in `LabelGraphics [ text ".." ]`; a node with `isGroup 1` is a frame around others, and no vertex.

use super::Source;
use super::lines::short;
use super::mistake::{Wrong, place, wrong};
use super::plain::{Plain, Way};
use super::{delays, entities, widths};
use crate::Network;
use ccsched_base::Result;
use ccsched_base::limits::DEPTH;
use std::borrow::Cow;
use std::collections::HashSet;

/// Whether a text has a list `graph [`, with nothing but plain attributes before it.
pub fn recognises(text: &str) -> bool {
    let mut words = Words { text, at: 0 };
    while let Ok(Some(key)) = words.next() {
        let Ok(Some(value)) = words.next() else { return false };
        if value == "[" {
            return key == "graph";
        }
        let known = ["creator", "version", "comment", "directed", "label", "name"];
        if !known.contains(&key.to_lowercase().as_str()) {
            return false;
        }
    }
    false
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

/// The words of a text: brackets, texts with their quotes, everything else between blanks.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Result<Option<&'t str>, Wrong> {
        loop {
            let rest = &self.text[self.at..];
            let start = rest.trim_start();
            self.at += rest.len() - start.len();
            if !start.starts_with('#') {
                break;
            }
            self.at += start.find('\n').unwrap_or(start.len());
        }
        let rest = &self.text[self.at..];
        let end = match rest.chars().next() {
            None => return Ok(None),
            Some('[' | ']') => 1,
            Some('"') => match rest[1..].find('"') {
                Some(end) => end + 2,
                None => return wrong(self.at, "a text in quotes has no end"),
            },
            Some(_) => {
                let ends = |c: char| c.is_whitespace() || "[]\"#".contains(c);
                rest.find(ends).unwrap_or(rest.len())
            }
        };
        self.at += end.max(1);
        Ok(Some(&rest[..end.max(1)]))
    }
}

/// The attributes of a node or edge that count.
#[derive(Default)]
struct Item<'t> {
    at: usize,
    id: Option<&'t str>,
    label: Option<&'t str>,
    ends: [Option<&'t str>; 2],
    /// What is said of its width: names and values.
    widths: Vec<(&'t str, &'t str)>,
    terminal: Option<&'t str>,
    is_group: bool,
    place: [Option<f64>; 2],
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let mut words = Words { text, at: 0 };
    let mut graph = Plain::default();
    let mut edges: Vec<Item> = Vec::new();
    let (mut directed, mut of_yed) = (false, false);
    let mut groups: HashSet<&str> = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    let mut item = Item::default();
    while let Some(key) = words.next()? {
        let at = place(text, key);
        if key == "]" {
            match (open.pop(), &open[..]) {
                (Some("node"), ["graph"]) if item.is_group => {
                    let group = std::mem::take(&mut item);
                    let name = group.label.or(group.id).map_or("", unquoted);
                    source.notices.add("group", group.at, || {
                        format!("'{}' is a group of nodes and no vertex", short(name))
                    });
                    groups.extend(group.id.map(unquoted));
                }
                (Some("node"), ["graph"]) => node(&mut graph, std::mem::take(&mut item))?,
                (Some("edge"), ["graph"]) => edges.push(std::mem::take(&mut item)),
                (Some(_), _) => (),
                (None, _) => return wrong(at, "a ']' without its '['"),
            }
            continue;
        }
        let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let value = words.next()?.filter(|value| *value != "]");
        let Some(value) = value.filter(|_| is_key) else {
            return wrong(at, format!("'{}': expected is a name and its value", short(key)));
        };
        if value == "[" {
            if open == ["graph"] {
                item = Item { at, ..Item::default() };
            }
            open.push(key);
            if open.len() > DEPTH {
                return wrong(at, format!("more than {DEPTH} lists inside each other"));
            }
            continue;
        }
        match (&open[..], key) {
            ([], _) if key.eq_ignore_ascii_case("creator") => {
                of_yed = ["yFiles", "yEd"].iter().any(|program| value.contains(program));
            }
            (["graph"], "directed") => directed = value == "1",
            (["graph", "node"], "isGroup") => {
                item.is_group = matches!(unquoted(value), "1" | "true")
            }
            (["graph", "node", "LabelGraphics"], "text") => {
                item.label = item.label.or(Some(value));
            }
            (["graph", "node"], "id") => item.id = Some(value),
            (["graph", "node"], "label") => item.label = Some(value),
            (["graph", "node"], "terminal") => item.terminal = Some(value),
            (["graph", "edge"], "source") => item.ends[0] = Some(value),
            (["graph", "edge"], "target") => item.ends[1] = Some(value),
            (["graph", "edge"], key) if delays::is_known(key) => item.widths.push((key, value)),
            (["graph", "node"], "Longitude") | (["graph", "node", "graphics"], "x") => {
                item.place[0] = value.parse().ok();
            }
            (["graph", "node"], "Latitude") | (["graph", "node", "graphics"], "y") => {
                item.place[1] = value.parse().ok();
            }
            (["graph", "node"], "name" | "gid") => (),
            (["graph", "node"], _) => graph.unused("nodes", at, key),
            (["graph", "edge"], _) => graph.unused("edges", at, key),
            _ => (),
        }
    }
    if let Some(key) = open.last() {
        return wrong(place(text, key), format!("the list '{key} [' has no end"));
    }
    for Item { at, ends, widths: said, .. } in edges {
        let [Some(from), Some(to)] = ends else {
            return wrong(at, "an edge needs a source and a target");
        };
        let known = [from, to].map(|id| graph.find(unquoted(id)).ok_or(id));
        let [from, to] = match known {
            [Ok(from), Ok(to)] => [from, to],
            [Err(id), _] | [_, Err(id)] => {
                let what = match groups.contains(unquoted(id)) {
                    true => "a group of nodes, and links join nodes",
                    false => "no node of the file",
                };
                let why = format!("an edge to '{}', which is {what}", short(id));
                return wrong(at, why);
            }
        };
        let said = said.iter().map(|&(key, value)| (key, unquoted(value), place(text, value)));
        graph.delay(delays::of_attributes(said.clone(), source)?);
        let width = widths::of_attributes(said, source)?;
        let way = match directed {
            true if of_yed => Way::Listed,
            true => Way::One,
            false => Way::Both,
        };
        graph.will_have(1, at)?;
        graph.edge(from, to, way, width, 1);
    }
    graph.build(source.name(), source)
}

/// Adds a node.
fn node<'t>(graph: &mut Plain<'t>, item: Item<'t>) -> Result<(), Wrong> {
    let at = item.at;
    let id = item.id.map(unquoted).filter(|id| !id.is_empty() && !id.contains(char::is_control));
    let Some(id) = id else { return wrong(at, "a node needs an id") };
    if graph.find(id).is_some() {
        return wrong(at, format!("a second node '{}'", short(id)));
    }
    let v = graph.vertex(Cow::Borrowed(id));
    if let Some(label) = item.label {
        graph.label(v, entities::decoded(unquoted(label)));
    }
    match item.terminal.map(unquoted) {
        None | Some("1" | "true") => (),
        Some("0" | "false") => graph.terminal(v, false),
        Some(other) => return wrong(at, format!("terminal is 1 or 0, not '{}'", short(other))),
    }
    if let [Some(x), Some(y)] = item.place {
        graph.place(v, x, y);
    }
    Ok(())
}

/// A text without its quotes.
fn unquoted(word: &str) -> &str {
    word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word)
}

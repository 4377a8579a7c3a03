//! GEXF, as Gephi and NetworkX write it: `<nodes><node id="0" label="a"/></nodes>`, then
//! `<edges><edge source="0" target="1" weight="2"/></edges>`. Weights, and values of attributes
//! that have a name of `widths`, are capacities; other attributes are left out. Gephi writes `directed` by default, so that word alone changes nothing.

use super::Source;
use super::graphml::attributes;
use super::lines::short;
use super::mistake::{Wrong, wrong};
use super::plain::{Plain, Way};
use super::{delays, widths};
use crate::Network;
use ccsched_base::Result;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::collections::HashMap;

/// An edge; a node may come after its edges.
struct Edge {
    ends: [String; 2],
    way: Way,
    /// What is said of its width: names and values.
    widths: Vec<(String, String)>,
    at: usize,
}

/// Whether a text has the tag of GEXF near its beginning.
pub fn recognises(text: &str) -> bool {
    let start = text.trim_start();
    let head = start.char_indices().nth(8000).map_or(start, |(end, _)| &start[..end]);
    start.starts_with('<') && head.contains("<gexf")
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let mut reader = Reader::from_str(source.text);
    let (mut graph, mut edges) = (Plain::default(), Vec::new());
    let (mut directed, mut open) = (false, 0usize);
    // The names of attributes by id, and whether an edge is open.
    let mut names: HashMap<String, String> = HashMap::new();
    let mut of_edges = false;
    loop {
        let at = reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(e) => return wrong(reader.error_position() as usize, e.to_string()),
        };
        match &event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "graph" => {
                    let default = value(tag, "defaultedgetype", at)?;
                    directed = default.as_deref() == Some("directed");
                }
                "node" => node(&mut graph, tag, at)?,
                "edge" => edges.push(edge(tag, directed, at)?),
                "attributes" => {
                    of_edges = value(tag, "class", at)?.as_deref() == Some("edge");
                }
                "edges" | "nodes" => of_edges = tag.local_name().as_ref() == "edges",
                "attribute" if of_edges => {
                    if let (Some(id), Some(title)) =
                        (value(tag, "id", at)?, value(tag, "title", at)?)
                    {
                        names.insert(id, title);
                    }
                }
                "attvalue" if of_edges => {
                    let name = value(tag, "for", at)?.and_then(|id| names.get(&id).cloned());
                    if let (Some(edge), Some(name)) = (edges.last_mut(), name) {
                        match value(tag, "value", at)? {
                            Some(value) if delays::is_known(&name) => {
                                edge.widths.push((name, value));
                            }
                            _ => graph.unused("edges", at, &name),
                        }
                    }
                }
                _ => (),
            },
            Event::DocType(text) if text.contains("<!ENTITY") => {
                return wrong(at, "the file declares entities of its own, which are not expanded");
            }
            Event::Eof => break,
            _ => (),
        }
        match event {
            Event::Start(_) => open += 1,
            Event::End(_) => open = open.saturating_sub(1),
            _ => (),
        }
    }
    if open > 0 {
        return wrong(source.text.len(), "a tag is not closed: the file is cut short");
    }
    for Edge { ends, way, widths: said, at } in edges {
        let said = said.iter().map(|(name, value)| (name.as_str(), value.as_str(), at));
        graph.delay(delays::of_attributes(said.clone(), source)?);
        let width = widths::of_attributes(said, source)?;
        let [from, to] = ends.each_ref().map(|id| graph.find(id).ok_or(id));
        match (from, to) {
            (Ok(from), Ok(to)) => {
                graph.will_have(1, at)?;
                graph.edge(from, to, way, width, 1);
            }
            (Err(id), _) | (_, Err(id)) => {
                let why = format!("an edge to '{}', which is no node of the file", short(id));
                return wrong(at, why);
            }
        }
    }
    graph.build(source.name(), source)
}

/// The value of an attribute.
fn value(tag: &BytesStart, name: &str, at: usize) -> Result<Option<String>, Wrong> {
    let all = attributes(tag, at)?;
    Ok(all.into_iter().find(|(key, _)| key == name).map(|(_, value)| value))
}

/// The value of an attribute that is a name.
fn name(tag: &BytesStart, key: &str, at: usize) -> Result<String, Wrong> {
    match value(tag, key, at)? {
        Some(name) if !name.is_empty() && !name.contains(char::is_control) => Ok(name),
        _ => wrong(at, format!("<{}> needs a {key}", tag.local_name().as_ref())),
    }
}

fn node(graph: &mut Plain, tag: &BytesStart, at: usize) -> Result<(), Wrong> {
    let id = name(tag, "id", at)?;
    if graph.find(&id).is_some() {
        return wrong(at, format!("a second node '{}'", short(&id)));
    }
    let v = graph.vertex(Cow::Owned(id));
    if let Some(label) = value(tag, "label", at)? {
        graph.label(v, Cow::Owned(label));
    }
    Ok(())
}

fn edge(tag: &BytesStart, directed: bool, at: usize) -> Result<Edge, Wrong> {
    let directed = match value(tag, "type", at)?.as_deref() {
        None => directed,
        Some("directed") => true,
        Some("undirected" | "mutual") => false,
        Some(other) => {
            let why = format!("type=\"{}\": it is directed, undirected or mutual", short(other));
            return wrong(at, why);
        }
    };
    let mut all = attributes(tag, at)?;
    all.retain(|(key, _)| delays::is_known(key));
    let ends = [name(tag, "source", at)?, name(tag, "target", at)?];
    Ok(Edge { ends, way: if directed { Way::Listed } else { Way::Both }, widths: all, at })
}

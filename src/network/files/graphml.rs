//! GraphML. The files of the Topology Zoo say that their edges are directed, but each of them is a
//! cable and listed once; so directed edges are two-way links, unless the user wants them one-way
//! or the file lists every edge in both directions. Names are the labels that differ, else ids.
//!
//! The file is read as a stream of tags. Entities of its own are not expanded, so a short file
//! stays short.

use super::Source;
use super::mistake::{Wrong, wrong};
use super::plain::{Plain, Way, capacity};
use crate::Result;
use crate::network::Network;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::collections::HashMap;

/// Tags inside each other; GraphML needs about ten.
const DEEPEST: usize = 200;

/// Whether a text has the tag of GraphML near its beginning.
pub fn recognises(text: &str) -> bool {
    let start = text.trim_start();
    let head = start.char_indices().nth(8000).map_or(start, |(end, _)| &start[..end]);
    start.starts_with('<') && (head.contains("<graphml") || head.contains(":graphml"))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let mut reader = Reader::from_str(source.text);
    let mut file = File { equal: source.how.equal_links, ..File::default() };
    let mut open: Vec<String> = Vec::new();
    loop {
        let at = reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(e) => return wrong(reader.error_position() as usize, e.to_string()),
        };
        match event {
            Event::Start(tag) => {
                file.start(&tag, at)?;
                open.push(tag.local_name().as_ref().to_string());
                if open.len() > DEEPEST {
                    return wrong(at, format!("more than {DEEPEST} tags inside each other"));
                }
            }
            Event::Empty(tag) => {
                file.start(&tag, at)?;
                file.end(tag.local_name().as_ref(), at)?;
            }
            Event::End(tag) => {
                open.pop();
                file.end(tag.local_name().as_ref(), at)?;
            }
            Event::Text(text) => file.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) => file.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::GeneralRef(name) => file.text.push_str(&entity(&name, at)?),
            Event::DocType(text) if text.contains("<!ENTITY") => {
                return wrong(at, "the file declares entities of its own, which are not expanded");
            }
            Event::Eof => break,
            _ => (),
        }
    }
    if let Some(tag) = open.last() {
        return wrong(source.text.len(), format!("the tag <{tag}> is not closed"));
    }
    file.finish(source)
}

/// The character of an entity.
fn entity(name: &BytesRef, at: usize) -> Result<String, Wrong> {
    if let Ok(Some(c)) = name.resolve_char_ref() {
        return Ok(c.to_string());
    }
    let name: &str = name;
    match quick_xml::escape::resolve_predefined_entity(name) {
        Some(text) => Ok(text.to_string()),
        None => wrong(
            at,
            format!("the entity &{};, which XML does not have", super::lines::short(name)),
        ),
    }
}

/// What a key of data means.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Label,
    Capacity,
    Terminal,
    X,
    Y,
}

/// The names of keys with a meaning.
const KEYS: [(&str, Meaning); 9] = [
    ("label", Meaning::Label),
    ("name", Meaning::Label),
    ("capacity", Meaning::Capacity),
    ("width", Meaning::Capacity),
    ("terminal", Meaning::Terminal),
    ("longitude", Meaning::X),
    ("latitude", Meaning::Y),
    ("x", Meaning::X),
    ("y", Meaning::Y),
];

/// An edge whose data are being read.
struct Edge {
    from: String,
    to: String,
    way: Way,
    capacity: u32,
    at: usize,
}

/// What has been read.
#[derive(Default)]
struct File {
    graph: Plain<'static>,
    /// By id, what a key means, for nodes and for edges.
    keys: HashMap<(String, bool), Meaning>,
    directed: bool,
    equal: bool,
    node: Option<(u32, [Option<f64>; 2])>,
    edge: Option<Edge>,
    /// Edges; a node may come after its edges.
    edges: Vec<Edge>,
    key: Option<Meaning>,
    /// The text since the last tag of interest.
    text: String,
}

impl File {
    /// A tag begins.
    fn start(&mut self, tag: &BytesStart, at: usize) -> Result<(), Wrong> {
        let attributes = attributes(tag, at)?;
        let get =
            |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let need = |name: &str| match get(name) {
            Some(value) if !value.is_empty() && !value.contains(char::is_control) => Ok(value),
            _ => wrong(at, format!("<{}> needs a {name}", tag.local_name().as_ref())),
        };
        match tag.local_name().as_ref() {
            "key" => {
                let name = get("attr.name").map_or(String::new(), |name| name.to_lowercase());
                let meaning = KEYS.iter().find(|(known, _)| *known == name);
                let domain = get("for").map_or("all", String::as_str);
                if let (Some(id), Some(&(_, meaning))) = (get("id"), meaning) {
                    for (edge, word) in [(false, "node"), (true, "edge")] {
                        // What a label means for an edge, nobody needs.
                        let useful = edge == (meaning == Meaning::Capacity);
                        if useful && (domain == word || domain == "all") {
                            self.keys.insert((id.clone(), edge), meaning);
                        }
                    }
                }
            }
            "graph" => {
                self.directed = get("edgedefault").is_some_and(|word| word == "directed");
            }
            "node" => {
                let id = need("id")?;
                if self.graph.find(id).is_some() {
                    return wrong(at, format!("a second node '{id}'"));
                }
                self.node = Some((self.graph.vertex(Cow::Owned(id.clone())), [None; 2]));
            }
            "edge" => {
                let directed = match get("directed").map(String::as_str) {
                    None => self.directed,
                    Some("true") => true,
                    Some("false") => false,
                    Some(other) => {
                        let why = format!("directed=\"{other}\": it is \"true\" or \"false\"");
                        return wrong(at, why);
                    }
                };
                let way = if directed { Way::Listed } else { Way::Both };
                let (from, to) = (need("source")?.clone(), need("target")?.clone());
                self.edge = Some(Edge { from, to, way, capacity: 1, at });
            }
            "hyperedge" => {
                return wrong(at, "a hyperedge; links join two vertices: write them as edges");
            }
            "data" => {
                let of_edge = self.edge.is_some();
                self.key =
                    get("key").and_then(|key| self.keys.get(&(key.clone(), of_edge))).copied();
                self.text.clear();
            }
            // The label and the place of yEd, which has no names for its keys.
            "NodeLabel" => {
                self.key = Some(Meaning::Label);
                self.text.clear();
            }
            "Geometry" => {
                let number = |name: &str| get(name).and_then(|text| text.parse().ok());
                if let Some((_, place)) = &mut self.node {
                    *place = [number("x"), number("y")];
                }
            }
            _ => (),
        }
        Ok(())
    }

    /// A tag ends.
    fn end(&mut self, tag: &str, at: usize) -> Result<(), Wrong> {
        match tag {
            "node" => {
                if let Some((v, [Some(x), Some(y)])) = self.node.take() {
                    self.graph.place(v, x, y);
                }
            }
            "edge" => self.edges.extend(self.edge.take()),
            "data" | "NodeLabel" => {
                if let Some(meaning) = self.key.take() {
                    self.value(meaning, at)?;
                }
            }
            _ => (),
        }
        self.text.clear();
        Ok(())
    }

    /// A value of a node or edge.
    fn value(&mut self, meaning: Meaning, at: usize) -> Result<(), Wrong> {
        let text = self.text.trim();
        if let (Some(edge), Meaning::Capacity) = (&mut self.edge, meaning) {
            edge.capacity = capacity(at, text, self.equal)?;
        }
        let Some((v, place)) = &mut self.node else { return Ok(()) };
        match meaning {
            Meaning::Label => self.graph.label(*v, Cow::Owned(text.to_string())),
            Meaning::X => place[0] = text.parse().ok(),
            // Latitudes go up, pictures down.
            Meaning::Y => place[1] = text.parse().ok(),
            Meaning::Terminal => match text {
                "true" | "1" => self.graph.terminal(*v, true),
                "false" | "0" => self.graph.terminal(*v, false),
                _ => return wrong(at, format!("terminal is true or false, not '{text}'")),
            },
            Meaning::Capacity => (),
        }
        Ok(())
    }

    /// The network.
    fn finish(mut self, source: &Source) -> Result<Network, Wrong> {
        for Edge { from, to, way, capacity, at } in std::mem::take(&mut self.edges) {
            let ends = [&from, &to].map(|id| self.graph.find(id).ok_or(id));
            match ends {
                [Ok(a), Ok(b)] => self.graph.edge(a, b, way, capacity, 1),
                [Err(id), _] | [_, Err(id)] => {
                    return wrong(at, format!("an edge to '{id}', which is no node of the file"));
                }
            }
        }
        self.graph.build(source.name(), source.how.one_way)
    }
}

/// The attributes of a tag.
fn attributes(tag: &BytesStart, at: usize) -> Result<Vec<(String, String)>, Wrong> {
    let read = |attribute: Result<quick_xml::events::attributes::Attribute, _>| {
        let attribute = attribute.map_err(|e| Wrong { at, why: format!("{e}") })?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|e| Wrong { at, why: e.to_string() })?;
        Ok((attribute.key.as_ref().to_string(), value.into_owned()))
    };
    tag.attributes().map(read).collect()
}

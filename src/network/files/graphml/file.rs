//! What the tags of a GraphML file mean.

use crate::Network;
use crate::files::mistake::{Wrong, wrong};
use crate::files::plain::{Plain, Way};
use crate::files::{Notices, Source};
use crate::files::{delays, widths};
use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What a key of data means.
#[derive(Clone, PartialEq)]
enum Meaning {
    Label,
    /// Something about the width of an edge, by this name.
    Width(String),
    Terminal,
    X,
    Y,
}

/// The names of keys of nodes with a meaning.
const KEYS: [(&str, Meaning); 7] = [
    ("label", Meaning::Label),
    ("name", Meaning::Label),
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
    /// What is said of its width: names, values, places.
    widths: Vec<(String, String, usize)>,
    at: usize,
}

/// A node that is being read. One with a graph inside is a group of yEd and no vertex.
struct Node {
    id: String,
    label: Option<String>,
    terminal: bool,
    place: [Option<f64>; 2],
    group: bool,
    at: usize,
}

/// What has been read.
#[derive(Default)]
pub struct File {
    graph: Plain<'static>,
    /// By id, what a key means, for nodes and for edges.
    keys: HashMap<(String, bool), Meaning>,
    /// By id, the names of the other keys.
    others: HashMap<String, String>,
    /// Of the graphs that are open, whether edges are directed.
    directed: Vec<bool>,
    /// The nodes that are open.
    nodes: Vec<Node>,
    groups: HashSet<String>,
    edge: Option<Edge>,
    /// Edges; a node may come after its edges.
    edges: Vec<Edge>,
    key: Option<Meaning>,
    /// The text since the last tag of interest.
    pub text: String,
}

impl File {
    /// A tag begins.
    pub fn start(&mut self, tag: &BytesStart, at: usize) -> Result<(), Wrong> {
        let attributes = attributes(tag, at)?;
        // The label of yEd goes on with elements that say where it is drawn.
        if let Some(meaning) = self.key.take() {
            self.value(meaning, at)?;
        }
        let get =
            |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let need = |name: &str| match get(name) {
            Some(value) if !value.is_empty() && !value.contains(char::is_control) => Ok(value),
            _ => wrong(at, format!("<{}> needs a {name}", tag.local_name().as_ref())),
        };
        match tag.local_name().as_ref() {
            "key" => {
                let name = get("attr.name").map_or(String::new(), |name| name.to_lowercase());
                let domain = get("for").map_or("all", String::as_str);
                let Some(id) = get("id").filter(|_| !name.is_empty()) else { return Ok(()) };
                self.others.insert(id.clone(), name.clone());
                // Labels of edges are of no use.
                let of_node = KEYS.iter().find(|(known, _)| *known == name);
                let of_edge = delays::is_known(get("attr.name").map_or("", String::as_str));
                let meanings = [
                    ("node", of_node.map(|(_, meaning)| meaning.clone())),
                    (
                        "edge",
                        of_edge
                            .then(|| Meaning::Width(get("attr.name").cloned().unwrap_or_default())),
                    ),
                ];
                for (word, meaning) in meanings {
                    if let Some(meaning) = meaning.filter(|_| domain == word || domain == "all") {
                        self.keys.insert((id.clone(), word == "edge"), meaning);
                    }
                }
            }
            "graph" => {
                self.directed.push(get("edgedefault").is_some_and(|word| word == "directed"));
                self.nodes.iter_mut().for_each(|node| node.group = true);
            }
            "node" => {
                let id = need("id")?;
                let is_open = self.nodes.iter().any(|node| node.id == *id);
                if is_open || self.groups.contains(id) || self.graph.find(id).is_some() {
                    return wrong(at, format!("a second node '{id}'"));
                }
                let group = get("yfiles.foldertype").is_some();
                let (id, label, place) = (id.clone(), None, [None; 2]);
                self.nodes.push(Node { id, label, terminal: true, place, group, at });
            }
            "edge" => {
                let directed = match get("directed").map(String::as_str) {
                    None => self.directed.last() == Some(&true),
                    Some("true") => true,
                    Some("false") => false,
                    Some(other) => {
                        let why = format!("directed=\"{other}\": it is \"true\" or \"false\"");
                        return wrong(at, why);
                    }
                };
                let way = if directed { Way::Listed } else { Way::Both };
                if directed {
                    let own = get("directed").is_some();
                    self.graph.says_directed(at, || {
                        if own { "directed=\"true\"" } else { "edgedefault=\"directed\"" }.into()
                    });
                }
                let (from, to) = (need("source")?.clone(), need("target")?.clone());
                self.edge = Some(Edge { from, to, way, widths: Vec::new(), at });
            }
            "hyperedge" => {
                return wrong(at, "a hyperedge; links join two vertices: write them as edges");
            }
            "data" => {
                let of_edge = self.edge.is_some();
                let key = get("key").map_or("", String::as_str);
                self.key = self.keys.get(&(key.to_string(), of_edge)).cloned();
                if let (None, Some(name)) = (&self.key, self.others.get(key)) {
                    let of = if of_edge { "edges" } else { "nodes" };
                    if of_edge || !self.nodes.is_empty() {
                        self.graph.unused(of, at, name);
                    }
                }
                self.text.clear();
            }
            // The label and the place of yEd, which has no names for its keys.
            "NodeLabel" if self.nodes.last().is_some_and(|node| node.label.is_none()) => {
                self.key = Some(Meaning::Label);
                self.text.clear();
            }
            "Geometry" => {
                let number = |name: &str| get(name).and_then(|text| text.parse().ok());
                if let Some(node) = self.nodes.last_mut() {
                    node.place = [number("x"), number("y")];
                }
            }
            _ => (),
        }
        Ok(())
    }

    /// A tag ends.
    pub fn end(&mut self, tag: &str, at: usize, notices: &Notices) -> Result<(), Wrong> {
        match tag {
            "graph" => self.directed.truncate(self.directed.len().saturating_sub(1)),
            "node" => {
                if let Some(node) = self.nodes.pop() {
                    self.add(node, notices);
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

    /// Adds a node that has been read.
    fn add(&mut self, node: Node, notices: &Notices) {
        let Node { id, label, terminal, place, group, at } = node;
        if group {
            notices.add("group", at, || {
                let name = label.filter(|label| !label.is_empty()).unwrap_or_else(|| id.clone());
                format!("'{name}' is a group of nodes and no vertex")
            });
            self.groups.insert(id);
            return;
        }
        let v = self.graph.vertex(Cow::Owned(id));
        self.graph.terminal(v, terminal);
        label.into_iter().for_each(|label| self.graph.label(v, Cow::Owned(label)));
        if let [Some(x), Some(y)] = place {
            self.graph.place(v, x, y);
        }
    }

    /// A value of a node or edge.
    fn value(&mut self, meaning: Meaning, at: usize) -> Result<(), Wrong> {
        let text = self.text.trim();
        if let (Some(edge), Meaning::Width(name)) = (&mut self.edge, &meaning) {
            edge.widths.push((name.clone(), text.to_string(), at));
        }
        let Some(node) = self.nodes.last_mut() else { return Ok(()) };
        match meaning {
            Meaning::Label => node.label = Some(text.to_string()),
            Meaning::X => node.place[0] = text.parse().ok(),
            // Latitudes go up, pictures down.
            Meaning::Y => node.place[1] = text.parse().ok(),
            Meaning::Terminal => match text {
                "true" | "1" => node.terminal = true,
                "false" | "0" => node.terminal = false,
                _ => return wrong(at, format!("terminal is true or false, not '{text}'")),
            },
            Meaning::Width(_) => (),
        }
        Ok(())
    }

    /// The network.
    pub fn finish(mut self, source: &Source) -> Result<Network, Wrong> {
        for Edge { from, to, way, widths: said, at } in std::mem::take(&mut self.edges) {
            let said = said.iter().map(|(name, value, at)| (name.as_str(), value.as_str(), *at));
            self.graph.delay(delays::of_attributes(said.clone(), source)?);
            let width = widths::of_attributes(said, source)?;
            let ends = [&from, &to].map(|id| self.graph.find(id).ok_or(id));
            match ends {
                [Ok(a), Ok(b)] => {
                    self.graph.will_have(1, at)?;
                    self.graph.edge(a, b, way, width, 1);
                }
                [Err(id), _] | [_, Err(id)] if self.groups.contains(id) => {
                    return wrong(at, format!("an edge to '{id}', a group; links join vertices"));
                }
                [Err(id), _] | [_, Err(id)] => {
                    return wrong(at, format!("an edge to '{id}', which is no node of the file"));
                }
            }
        }
        self.graph.build(source.name(), source)
    }
}

/// The attributes of a tag.
pub fn attributes(tag: &BytesStart, at: usize) -> Result<Vec<(String, String)>, Wrong> {
    let read = |attribute: Result<quick_xml::events::attributes::Attribute, _>| {
        let attribute = attribute.map_err(|e| Wrong { at, why: format!("{e}") })?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|e| Wrong { at, why: e.to_string() })?;
        Ok((attribute.key.as_ref().to_string(), value.into_owned()))
    };
    // A check for equal names would take the square of their number.
    let mut all = tag.attributes();
    all.with_checks(false);
    all.map(read).collect()
}

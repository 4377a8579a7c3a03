//! Node-link JSON, as NetworkX writes it: `{"directed": false, "nodes": [{"id": 0}], "edges": [{"source":
//! 0, "target": 1}]}`; older versions say `links`. Attributes `label`, `name`, `terminal` of nodes and
//! those of `widths` of edges count.

use super::Source;
use super::lines::{lines, short};
use super::mistake::{Wrong, place, wrong};
use super::plain::{Plain, Way};
use super::{delays, widths};
use crate::Network;
use ccsched_base::Result;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A file; nodes and edges know their places as parts of the text.
#[derive(Deserialize)]
struct File<'t> {
    #[serde(default)]
    directed: bool,
    #[serde(borrow)]
    nodes: Vec<&'t RawValue>,
    #[serde(borrow, alias = "links")]
    edges: Vec<&'t RawValue>,
}

/// Whether a text is an object that has the two lists.
pub fn recognises(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    text.trim_start().starts_with('{')
        && has("\"nodes\"")
        && (has("\"edges\"") || has("\"links\""))
        && !has("\"ccsched-schedule/")
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let file: File = serde_json::from_str(text).map_err(|e| broken(text, &e))?;
    let mut graph = Plain::default();
    for node in file.nodes {
        let at = place(text, node.get());
        let object = object(node, at)?;
        let Some(id) = object.get("id").and_then(name) else {
            return wrong(at, "a node needs an id, a text or a number: {\"id\": \"a\"}");
        };
        if graph.find(&id).is_some() {
            return wrong(at, format!("a second node '{}'", short(&id)));
        }
        let v = graph.vertex(Cow::Owned(id));
        let label = ["label", "name"].iter().find_map(|key| object.get(*key)?.as_str());
        if let Some(label) = label {
            graph.label(v, Cow::Owned(label.to_string()));
        }
        match object.get("terminal").map(Value::as_bool) {
            None => (),
            Some(Some(terminal)) => graph.terminal(v, terminal),
            Some(None) => return wrong(at, "terminal is true or false"),
        }
    }
    for edge in file.edges {
        let at = place(text, edge.get());
        let object = object(edge, at)?;
        let mut ends = [0; 2];
        for (end, key) in ends.iter_mut().zip(["source", "target"]) {
            let Some(id) = object.get(key).and_then(name) else {
                return wrong(at, "an edge needs the ids of its source and its target");
            };
            *end = match graph.find(&id) {
                Some(v) => v,
                None => {
                    let why = format!("an edge to '{}', which is no node of the file", short(&id));
                    return wrong(at, why);
                }
            };
        }
        let values: Vec<(&String, String)> = object
            .iter()
            .filter(|(key, _)| delays::is_known(key))
            .map(|(key, value)| (key, name(value).unwrap_or_else(|| value.to_string())))
            .collect();
        let said = values.iter().map(|(key, value)| (key.as_str(), value.as_str(), at));
        graph.delay(delays::of_attributes(said.clone(), source)?);
        let width = widths::of_attributes(said, source)?;
        let known = |key: &str| ["source", "target", "key", "id"].contains(&key);
        for other in object.keys().filter(|key| !known(key) && !delays::is_known(key)) {
            graph.unused("edges", at, other);
        }
        graph.will_have(1, at)?;
        let way = if file.directed { Way::One } else { Way::Both };
        graph.edge(ends[0], ends[1], way, width, 1);
    }
    graph.build(source.name(), source)
}

/// A node or an edge.
fn object(value: &RawValue, at: usize) -> Result<Map<String, Value>, Wrong> {
    serde_json::from_str(value.get()).or_else(|_| {
        let value = short(value.get());
        wrong(at, format!("'{value}': nodes and edges are objects, {{\"id\": 0}}"))
    })
}

/// A name: a text, a number, or a list of these, as NetworkX has for the vertices of grids.
fn name(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(parts) => parts.iter().map(name).collect::<Option<Vec<_>>>()?.join(","),
        _ => return None,
    };
    (!name.is_empty() && !name.contains(char::is_control)).then_some(name)
}

/// A text that is no JSON, or of another shape.
fn broken(text: &str, error: &serde_json::Error) -> Wrong {
    let line = lines(text).nth(error.line().saturating_sub(1)).unwrap_or("");
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or(&why);
    Wrong { at: place(text, line), why: format!("no node-link JSON: {why}") }
}

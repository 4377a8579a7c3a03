//! A graph as files of graphs have it: vertices by name, edges in one or both directions, some of
//! them parallel. `ways` decides what is a two-way link, for all these formats.

use super::mistake::{Wrong, wrong};
use super::ways::{Edge, two_way};
use super::widths::{Width, Widths};
use super::{Notices, Source};
use crate::{Delay, LinkKind, Network, NetworkBuilder, VertexId};
use ccsched_base::limits::{CHANNELS, UNLISTED, VERTICES};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

pub use super::ways::Way;

/// Names of attributes that a notice lists.
const LISTED: usize = 8;

/// A vertex; its id is its place in the list.
struct Vertex<'t> {
    id: Cow<'t, str>,
    label: Option<Cow<'t, str>>,
    place: Option<(f64, f64)>,
    terminal: bool,
}

/// A graph that is being read.
#[derive(Default)]
pub struct Plain<'t> {
    vertices: Vec<Vertex<'t>>,
    ids: HashMap<Cow<'t, str>, VertexId>,
    /// Edges; instead of a capacity they have the number of their width.
    edges: Vec<Edge>,
    widths: Widths,
    /// The delay of the edges that are being added.
    delay: Option<Delay>,
    /// Links so far.
    links: u64,
    /// Links that the file does not list one by one.
    unlisted: u64,
    /// The place of the line whose edges are being added.
    at: usize,
    /// The places of edges from a vertex to itself.
    loops: Vec<usize>,
    /// What the file says of edges that are directed, and where.
    said: Option<(usize, String)>,
    /// Attributes without a meaning here, by what has them, with the place of the first.
    unused: BTreeMap<&'static str, (usize, Vec<String>)>,
}

impl<'t> Plain<'t> {
    /// The vertex of this id; a new one is a terminal.
    pub fn vertex(&mut self, id: Cow<'t, str>) -> VertexId {
        if let Some(&v) = self.ids.get(&id) {
            return v;
        }
        let v = self.vertices.len() as VertexId;
        self.ids.insert(id.clone(), v);
        self.vertices.push(Vertex { id, label: None, place: None, terminal: true });
        v
    }

    /// The vertex of this id, if it is known.
    pub fn find(&self, id: &str) -> Option<VertexId> {
        self.ids.get(id).copied()
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether there are no vertices yet.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Gives a vertex a name for people; it counts if no other vertex has it.
    pub fn label(&mut self, v: VertexId, label: Cow<'t, str>) {
        let is_name = !label.trim().is_empty() && !label.contains(char::is_control);
        self.vertices[v as usize].label = is_name.then_some(label);
    }

    /// Sets where a vertex is drawn.
    pub fn place(&mut self, v: VertexId, x: f64, y: f64) {
        if x.is_finite() && y.is_finite() {
            self.vertices[v as usize].place = Some((x, y));
        }
    }

    /// Says whether a vertex is a terminal.
    pub fn terminal(&mut self, v: VertexId, terminal: bool) {
        self.vertices[v as usize].terminal = terminal;
    }

    /// Counts links that one line of the file will add, before memory is taken for them.
    pub fn will_have(&mut self, links: u64, at: usize) -> Result<(), Wrong> {
        self.at = at;
        self.links = self.links.saturating_add(links);
        self.unlisted = self.unlisted.saturating_add(links.saturating_sub(1));
        let (vertices, links, unlisted) = (self.vertices.len(), self.links, self.unlisted);
        if vertices > VERTICES {
            return wrong(at, format!("more than {VERTICES} vertices, the most that are read"));
        }
        if links > CHANNELS as u64 / 2 {
            let most = CHANNELS / 2;
            return wrong(at, format!("more than {most} links, the most that are read"));
        }
        if unlisted > UNLISTED {
            let why = format!(
                "{unlisted} links by counts or joined lists, at most {UNLISTED} are read: list them \
                 one by one, or use capacities"
            );
            return wrong(at, why);
        }
        Ok(())
    }

    /// Sets the delay of the edges that follow.
    pub fn delay(&mut self, delay: Option<Delay>) {
        self.delay = delay;
    }

    /// Adds `count` parallel edges, which have been counted. An edge from a vertex to itself carries no message and is left
    /// out.
    pub fn edge(&mut self, from: VertexId, to: VertexId, way: Way, width: Width, count: u32) {
        if from == to {
            self.loops.push(self.at);
            return;
        }
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        let capacity = self.widths.number(width, self.at);
        let delays = [self.delay; 2];
        self.edges.push(Edge { from, to, capacity, delays, count, way, at });
    }

    /// The file says that edges are directed.
    pub fn says_directed(&mut self, at: usize, word: impl FnOnce() -> String) {
        self.said.get_or_insert_with(|| (at, word()));
    }

    /// Warns of a number among names that are words: the second column of a file of hosts.
    pub fn tell_numbers(&self, notices: &Notices) {
        let is_number = |v: &Vertex| v.id.bytes().all(|b| b.is_ascii_digit());
        let word = self.vertices.iter().find(|v| v.id.starts_with(char::is_alphabetic));
        let number = self.vertices.iter().position(is_number);
        if let (Some(word), Some(number)) = (word, number) {
            let id = number as VertexId;
            let has = |edge: &&Edge| edge.from == id || edge.to == id;
            let at = self.edges.iter().find(has).map_or(0, |edge| edge.at as usize);
            let degree = self.edges.iter().filter(has).count();
            notices.add("number", at, || {
                let s = if degree == 1 { "" } else { "s" };
                format!(
                    "'{}' is a vertex with {degree} link{s} beside such as '{}'; if it is a number of slots, \
                     this is a file of hosts for mpirun, and it has no links",
                    self.vertices[number].id, word.id
                )
            });
        }
    }

    /// Notes an attribute of edges or nodes that nothing is made of.
    pub fn unused(&mut self, of: &'static str, at: usize, name: &str) {
        let (_, names) = self.unused.entry(of).or_insert((at, Vec::new()));
        if names.len() <= LISTED && !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }

    /// The network; notices go to the source.
    pub fn build(mut self, name: String, source: &Source) -> Result<Network, Wrong> {
        if self.vertices.is_empty() {
            return wrong(0, "the file has no vertices");
        }
        if !self.vertices.iter().any(|v| v.terminal) {
            return wrong(0, "every vertex is a switch; only terminals send and receive");
        }
        for at in std::mem::take(&mut self.loops) {
            source.notices.add("loop", at, || "an edge from a vertex to itself is left out".into());
        }
        for (of, (at, names)) in std::mem::take(&mut self.unused) {
            source.notices.add(of, at, || {
                let dots = if names.len() > LISTED { ", .." } else { "" };
                let names: Vec<String> =
                    names.iter().take(LISTED).map(|name| super::lines::short(name)).collect();
                format!("attributes of {of} that are left out: {}{dots}", names.join(", "))
            });
        }
        self.ids = HashMap::new();
        let (capacities, rate) = self.widths.capacities(source)?;
        self.edges.iter_mut().for_each(|edge| edge.capacity = capacities[edge.capacity as usize]);
        let names = self.names();
        let label =
            |v: VertexId| names[v as usize].as_deref().unwrap_or(&self.vertices[v as usize].id);
        let edges = two_way(std::mem::take(&mut self.edges), source, self.said.take(), label)?;
        let mut net = NetworkBuilder::new(name);
        net.rate(rate);
        let two = |edge: &Edge| if edge.way == Way::One { 1 } else { 2 };
        let channels = edges.iter().map(|edge| edge.count as usize * two(edge)).sum();
        net.reserve(self.vertices.len(), channels);
        for (v, (vertex, name)) in (0..).zip(self.vertices.into_iter().zip(names)) {
            if let Some(label) = name {
                net.vertex(label, vertex.terminal);
                net.alias(vertex.id, v);
            } else {
                net.vertex(vertex.id, vertex.terminal);
            }
            if let Some((x, y)) = vertex.place {
                net.place(v, x, y);
            }
        }
        for Edge { from, to, capacity, delays, count, way, .. } in edges {
            let kind = if way == Way::One { LinkKind::OneWay } else { LinkKind::FullDuplex };
            (0..count).for_each(|_| {
                net.wide_link(from, to, kind, capacity);
                net.delay(delays);
            });
        }
        net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
    }

    /// The labels that become names: those that differ from all other labels and ids.
    fn names(&mut self) -> Vec<Option<String>> {
        let mut times: HashMap<&str, u32> = HashMap::new();
        if self.vertices.iter().any(|v| v.label.is_some()) {
            for v in &self.vertices {
                *times.entry(&v.id).or_default() += 1;
                let label = v.label.as_deref().filter(|label| **label != *v.id);
                label.into_iter().for_each(|label| *times.entry(label).or_default() += 1);
            }
        }
        let name = |v: &Vertex| {
            let label = v.label.as_deref().filter(|label| **label != *v.id);
            label.filter(|label| times[label] == 1).map(str::to_string)
        };
        self.vertices.iter().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;
    use std::path::Path;

    /// Channels of a graph with these edges; whether all links are two-way.
    fn built(edges: &[(u32, u32)], way: Way, one_way: bool) -> (usize, bool) {
        let mut plain = Plain::default();
        ["a", "b", "c"].iter().for_each(|id| {
            plain.vertex(Cow::Borrowed(id));
        });
        edges.iter().for_each(|&(from, to)| plain.edge(from, to, way, Width::Unsaid, 1));
        let how = Reading { one_way, ..Reading::default() };
        let net = plain.build("x".into(), &Source::new(Path::new("x"), "", &how)).unwrap();
        let all = net.channels().iter().all(|c| c.reverse.is_some());
        (net.channels().len(), all)
    }

    #[test]
    fn an_edge_in_both_directions_is_one_link_if_all_are() {
        let (once, twice) = (&[(0, 1), (1, 2)][..], &[(0, 1), (1, 2), (2, 1), (1, 0)][..]);
        assert_eq!(built(once, Way::Listed, false), (4, true));
        assert_eq!(built(twice, Way::Listed, false), (4, true));
        assert_eq!(built(twice, Way::Listed, true), (4, false));
        assert_eq!(built(once, Way::One, false), (2, false));
        assert_eq!(built(twice, Way::One, false), (4, true));
        assert_eq!(built(twice, Way::Both, false), (8, true));
        assert_eq!(built(&[(0, 0)], Way::Both, false), (0, true));
    }

    #[test]
    fn labels_are_names_if_they_tell_vertices_apart() {
        let mut plain = Plain::default();
        for (id, label) in [("1", "one"), ("2", "same"), ("3", "same"), ("4", "1"), ("5", " ")] {
            let v = plain.vertex(Cow::Borrowed(id));
            plain.label(v, Cow::Borrowed(label));
        }
        let how = Reading::default();
        let net = plain.build("x".into(), &Source::new(Path::new("x"), "", &how)).unwrap();
        assert_eq!(net.names(&[0, 1, 2, 3, 4]), "one, 2, 3, 4, 5");
        assert_eq!(net.find("1"), Some(0));
    }
}

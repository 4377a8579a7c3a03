//! Putting a network together, vertex by vertex and link by link.

use super::routes::{Between, between};
use super::{Adjacency, Channel, ChannelId, Network, Routes, Vertex, VertexId};
use crate::{Error, Result};
use std::collections::HashSet;

/// What a link between two vertices is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// Two opposite channels.
    FullDuplex,
    /// Two opposite channels that exclude each other within a step.
    HalfDuplex,
    /// One channel.
    OneWay,
}

/// A network under construction.
#[derive(Clone, Debug)]
pub struct NetworkBuilder {
    name: String,
    vertices: Vec<Vertex>,
    channels: Vec<Channel>,
    places: Vec<(VertexId, (f64, f64))>,
    routes: Routes,
}

impl NetworkBuilder {
    /// Starts an empty network.
    pub fn new(name: impl Into<String>) -> Self {
        NetworkBuilder {
            name: name.into(),
            vertices: Vec::new(),
            channels: Vec::new(),
            places: Vec::new(),
            routes: Routes::default(),
        }
    }

    /// Starts with vertices and channels as they are.
    pub(crate) fn given(name: &str, vertices: Vec<Vertex>, channels: Vec<Channel>) -> Self {
        NetworkBuilder { vertices, channels, ..NetworkBuilder::new(name) }
    }

    /// Adds a terminal.
    pub fn terminal(&mut self, name: impl Into<String>) -> VertexId {
        self.vertex(name, true)
    }

    /// Adds a switch.
    pub fn switch(&mut self, name: impl Into<String>) -> VertexId {
        self.vertex(name, false)
    }

    /// Adds a vertex of either sort.
    pub fn vertex(&mut self, name: impl Into<String>, terminal: bool) -> VertexId {
        self.vertices.push(Vertex { name: name.into(), terminal });
        (self.vertices.len() - 1) as VertexId
    }

    /// Says where a vertex is drawn.
    pub fn place(&mut self, v: VertexId, x: f64, y: f64) {
        self.places.push((v, (x, y)));
    }

    /// Adds a link from `a` to `b`: its channel `a`-`b` first, then, unless it is one-way, `b`-`a`.
    pub fn link(&mut self, a: VertexId, b: VertexId, kind: LinkKind) {
        let id = self.channels.len() as ChannelId;
        let exclusive = kind == LinkKind::HalfDuplex;
        if kind == LinkKind::OneWay {
            self.channels.push(Channel { from: a, to: b, reverse: None, exclusive });
        } else {
            self.channels.push(Channel { from: a, to: b, reverse: Some(id + 1), exclusive });
            self.channels.push(Channel { from: b, to: a, reverse: Some(id), exclusive });
        }
    }

    /// Adds a full-duplex link.
    pub fn duplex(&mut self, a: VertexId, b: VertexId) {
        self.link(a, b, LinkKind::FullDuplex);
    }

    /// Adds a one-way link.
    pub fn one_way(&mut self, a: VertexId, b: VertexId) {
        self.link(a, b, LinkKind::OneWay);
    }

    /// Number of channels so far: the id of the next.
    pub(super) fn channels(&self) -> ChannelId {
        self.channels.len() as ChannelId
    }

    /// All channels so far, by the vertices they join.
    pub(super) fn between(&self) -> Between {
        between(&self.channels)
    }

    /// Lays down the static route of a pair: its channels in order; none if a fault has broken it.
    pub fn route(&mut self, from: VertexId, to: VertexId, channels: Vec<ChannelId>) {
        self.routes.insert(from, to, channels);
    }

    /// Every vertex that a link, a place or a route names.
    fn named(&self) -> impl Iterator<Item = VertexId> {
        let ends = self.channels.iter().flat_map(|c| [c.from, c.to]);
        let routes = self.routes.iter().flat_map(|(from, to, _)| [from, to]);
        ends.chain(self.places.iter().map(|&(v, _)| v)).chain(routes)
    }

    /// Finishes the network.
    ///
    /// # Errors
    /// Names used twice, self-loops, vertices and channels that were never added, no terminal at all,
    /// routes that are no paths.
    pub fn build(self) -> Result<Network> {
        let wrong = |why: String| Err(Error::Network { network: self.name.clone(), why });
        let n = self.vertices.len();
        if let Some(v) = self.named().find(|&v| v as usize >= n) {
            return wrong(format!("there is no vertex {v}; {n} were added, numbered from 0"));
        }
        let mut seen = HashSet::new();
        for v in &self.vertices {
            if !seen.insert(v.name.as_str()) {
                return wrong(format!("two vertices are named '{}'", v.name));
            }
        }
        if let Some(c) = self.channels.iter().find(|c| c.from == c.to) {
            let name = &self.vertices[c.from as usize].name;
            return wrong(format!("a link joins '{name}' to itself; links join two vertices"));
        }
        if !self.vertices.iter().any(|v| v.terminal) {
            return wrong("it has no terminal, so nobody can send or receive".into());
        }
        if let Some(why) = self.routes.flaw(&self.vertices, &self.channels) {
            return wrong(why);
        }
        let mut coordinates = vec![None; n];
        self.places.iter().for_each(|&(v, place)| coordinates[v as usize] = Some(place));
        let outgoing = Adjacency::group(n, self.channels.iter().map(|c| c.from));
        let incoming = Adjacency::group(n, self.channels.iter().map(|c| c.to));
        Ok(Network {
            name: self.name.into(),
            vertices: self.vertices.into(),
            channels: self.channels.into(),
            coordinates: coordinates.into(),
            routes: self.routes.into(),
            outgoing,
            incoming,
        })
    }
}

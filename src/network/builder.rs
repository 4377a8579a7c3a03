//! Putting a network together, vertex by vertex and link by link.

use super::routes::{Between, RouteList, between};
use super::unbroken::Past;
use super::{Adjacency, Channel, ChannelId, Delay, LinkKind, Network, Rate, Vertex, VertexId};
use ccsched_base::limits::{CHANNELS, NAME, VERTICES};
use ccsched_base::{Error, Result};
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The largest capacity of a link. Engines keep a place for every transfer of a link and step.
pub const MAX_CAPACITY: u32 = 1000;

/// A network under construction.
#[derive(Clone, Debug)]
pub struct NetworkBuilder {
    name: String,
    vertices: Vec<Vertex>,
    channels: Vec<Channel>,
    places: Vec<(VertexId, (f64, f64))>,
    aliases: BTreeMap<Box<str>, VertexId>,
    routes: RouteList,
    rate: Option<Rate>,
}

impl NetworkBuilder {
    /// Starts an empty network.
    pub fn new(name: impl Into<String>) -> Self {
        NetworkBuilder {
            name: name.into(),
            vertices: Vec::new(),
            channels: Vec::new(),
            places: Vec::new(),
            aliases: BTreeMap::new(),
            routes: RouteList::default(),
            rate: None,
        }
    }

    /// Starts with the given vertices and channels.
    pub fn given(name: &str, vertices: Vec<Vertex>, channels: Vec<Channel>) -> Self {
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

    /// Adds a terminal or a switch.
    pub fn vertex(&mut self, name: impl Into<String>, terminal: bool) -> VertexId {
        self.vertices.push(Vertex { name: name.into().into(), terminal });
        (self.vertices.len() - 1) as VertexId
    }

    /// Sets where a vertex is drawn.
    pub fn place(&mut self, v: VertexId, x: f64, y: f64) {
        self.places.push((v, (x, y)));
    }

    /// Gives a vertex another name, by which it is found too. The last vertex of an alias keeps it;
    /// an alias that is the name of a vertex is dropped.
    pub fn alias(&mut self, alias: impl Into<Box<str>>, v: VertexId) {
        self.aliases.insert(alias.into(), v);
    }

    /// Adds a link of capacity 1 from `a` to `b`: its channel `a`-`b` first, then, unless it is
    /// one-way, `b`-`a`.
    pub fn link(&mut self, a: VertexId, b: VertexId, kind: LinkKind) {
        self.wide_link(a, b, kind, 1);
    }

    /// Adds a link of the given capacity, its channels in the order of [`NetworkBuilder::link`].
    pub fn wide_link(&mut self, a: VertexId, b: VertexId, kind: LinkKind, capacity: u32) {
        let id = self.channels.len() as ChannelId;
        let exclusive = kind == LinkKind::HalfDuplex;
        let mut push = |from, to, reverse| {
            self.channels.push(Channel { from, to, reverse, exclusive, capacity, delay: None });
        };
        if kind == LinkKind::OneWay {
            push(a, b, None);
        } else {
            push(a, b, Some(id + 1));
            push(b, a, Some(id));
        }
    }

    /// Gives the link that was added last its delays: that of its first channel, and of the second if it has two.
    pub fn delay(&mut self, delays: [Option<Delay>; 2]) {
        let two = self.channels.last().is_some_and(|c| c.reverse.is_some());
        let first = self.channels.len().saturating_sub(if two { 2 } else { 1 });
        for (channel, delay) in self.channels[first..].iter_mut().zip(delays) {
            channel.delay = delay;
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

    /// Makes place for as many vertices and channels.
    pub(super) fn reserve(&mut self, vertices: usize, channels: usize) {
        self.vertices.reserve_exact(vertices);
        self.channels.reserve_exact(channels);
    }

    /// Number of vertices so far: the id of the next vertex.
    pub(super) fn vertices(&self) -> VertexId {
        self.vertices.len() as VertexId
    }

    /// Number of channels so far: the id of the next channel.
    pub(super) fn channels(&self) -> ChannelId {
        self.channels.len() as ChannelId
    }

    /// All channels so far, by the vertices they join.
    pub(super) fn between(&self) -> Between {
        between(&self.channels)
    }

    /// Sets the static route of a pair: its channels in order; empty if a fault has broken it.
    pub fn route(&mut self, from: VertexId, to: VertexId, channels: &[ChannelId]) {
        self.routes.push(from, to, channels);
    }

    /// Says what capacity 1 stands for, if it is known.
    pub fn rate(&mut self, rate: Option<Rate>) {
        self.rate = rate;
    }

    /// Every vertex that a link, a place, an alias or a route names.
    fn named(&self) -> impl Iterator<Item = VertexId> {
        let ends = self.channels.iter().flat_map(|c| [c.from, c.to]);
        let places = self.places.iter().map(|&(v, _)| v);
        ends.chain(places)
            .chain(self.aliases.values().copied())
            .chain(self.routes.ends.iter().flat_map(|&(from, to)| [from, to]))
    }

    /// What is wrong with the vertices and the channels.
    fn flaw(&self) -> Option<String> {
        let n = self.vertices.len();
        if n > VERTICES {
            return Some(format!("{n} vertices, at most {VERTICES} are read"));
        }
        if self.channels.len() > CHANNELS {
            return Some(format!("{} channels, at most {CHANNELS} are read", self.channels.len()));
        }
        if let Some(long) = self.vertices.iter().map(|v| v.name.len()).find(|&long| long > NAME) {
            return Some(format!("the name of a vertex has {long} bytes, at most {NAME} are read"));
        }
        if let Some(why) = self.rate.as_ref().and_then(Rate::flaw) {
            return Some(why);
        }
        if let Some(v) = self.named().find(|&v| v as usize >= n) {
            return Some(format!("there is no vertex {v}; {n} were added, numbered from 0"));
        }
        if let Some(name) = twice(&self.vertices) {
            return Some(format!("two vertices are named '{name}'"));
        }
        if let Some(c) = self.channels.iter().find(|c| c.from == c.to) {
            let name = &self.vertices[c.from as usize].name;
            return Some(format!("a link joins '{name}' to itself; links join two vertices"));
        }
        let is_wrong = |c: &&Channel| !(1..=MAX_CAPACITY).contains(&c.capacity);
        if let Some(c) = self.channels.iter().find(is_wrong) {
            let [from, to] = [c.from, c.to].map(|v| &self.vertices[v as usize].name);
            return Some(format!(
                "the link from '{from}' to '{to}' has capacity {}; capacities are whole numbers from 1 \
                 to {MAX_CAPACITY}",
                c.capacity
            ));
        }
        if !self.vertices.iter().any(|v| v.terminal) {
            return Some("it has no terminal; only terminals send and receive".into());
        }
        None
    }

    /// Finishes the network.
    ///
    /// # Errors
    /// Names used twice, self-loops, capacities and rates out of range, unknown vertices and channels, no
    /// terminal, routes that are not paths between terminals.
    pub fn build(self) -> Result<Network> {
        let wrong = |why: String| Err(Error::Network { network: self.name.clone(), why });
        if let Some(why) = self.flaw() {
            return wrong(why);
        }
        let n = self.vertices.len();
        let mut aliases = self.aliases;
        if !aliases.is_empty() {
            let names: HashSet<&str> = self.vertices.iter().map(|v| &*v.name).collect();
            aliases.retain(|alias, _| !names.contains(alias.as_ref()));
        }
        let routes = self.routes.sorted();
        if let Some(why) = routes.flaw(&self.vertices, &self.channels) {
            return wrong(why);
        }
        // Few networks have places, and these would be as large as all names.
        let mut coordinates = vec![None; if self.places.is_empty() { 0 } else { n }];
        self.places.iter().for_each(|&(v, place)| coordinates[v as usize] = Some(place));
        let outgoing = Adjacency::group(n, self.channels.iter().map(|c| c.from));
        let incoming = Adjacency::group(n, self.channels.iter().map(|c| c.to));
        let sums = match Network::sums(n, &self.channels) {
            Ok(sums) => sums,
            Err(c) => {
                let [from, to] = [c.from, c.to].map(|v| &self.vertices[v as usize].name);
                return wrong(format!(
                    "the links of '{from}' or of '{to}' carry more than {} transfers a step",
                    u32::MAX
                ));
            }
        };
        Ok(Network {
            name: self.name.into(),
            vertices: Arc::new(self.vertices),
            channels: Arc::new(self.channels),
            coordinates: coordinates.into(),
            aliases: aliases.into(),
            routes: routes.into(),
            rate: self.rate.map(Arc::new),
            outgoing,
            incoming,
            capacity: sums,
            taking_part: None,
            past: Past::default(),
        })
    }
}

/// A name that two vertices have. Millions of names are told apart by their hashes, which take a
/// third of the memory of a set of names; the names decide where two hashes are equal.
fn twice(vertices: &[Vertex]) -> Option<&str> {
    let hasher = RandomState::new();
    let mut hashes: Vec<u64> = vertices.iter().map(|v| hasher.hash_one(&v.name)).collect();
    hashes.sort_unstable();
    hashes.windows(2).find(|two| two[0] == two[1])?;
    let mut seen = HashSet::new();
    vertices.iter().map(|v| &*v.name).find(|name| !seen.insert(*name))
}

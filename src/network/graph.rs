//! A network: a directed graph of channels between terminals and switches.
//!
//! A full-duplex link is two opposite channels, a half-duplex link is two opposite channels that
//! share their capacity within a step, a one-way (simplex) link is one channel. Parallel links are
//! distinct channels. A channel has a capacity, the number of transfers that it carries in one
//! step; a link of capacity c schedules like c parallel links of capacity 1. Vertices and channels
//! are numbered from 0 in the order in which they are added.

use super::unbroken::Past;
use super::{Adjacency, ChannelId, Delay, Rate, Routes, VertexId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::sync::Arc;

/// Most vertices that [`Network::some_names`] names.
const MOST_NAMED: usize = 8;

/// A terminal (it sends, receives and stores messages) or a switch (it only routes).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vertex {
    /// Unique within the network.
    pub name: Box<str>,
    /// Whether it has a processor.
    pub terminal: bool,
}

/// What a link between two vertices is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// Two opposite channels.
    FullDuplex,
    /// Two opposite channels that share their capacity within a step.
    HalfDuplex,
    /// One channel.
    OneWay,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The vertex where it starts.
    pub from: VertexId,
    /// The vertex where it ends.
    pub to: VertexId,
    /// The opposite channel of the same link; none if the link is one-way.
    pub reverse: Option<ChannelId>,
    /// Half duplex: this channel and its reverse share their capacity within a step.
    pub exclusive: bool,
    /// The number of transfers that it carries in one step, at least 1. Both channels of a link
    /// have the same capacity.
    pub capacity: u32,
    /// How long the head of a message takes along it; none where that is the same for all such channels and
    /// the cost model says it.
    pub delay: Option<Delay>,
}

impl Channel {
    /// The kind of its link.
    pub fn kind(&self) -> LinkKind {
        match (self.reverse, self.exclusive) {
            (None, _) => LinkKind::OneWay,
            (Some(_), true) => LinkKind::HalfDuplex,
            (Some(_), false) => LinkKind::FullDuplex,
        }
    }

    /// The channel that shares its capacity in a step (half-duplex links).
    pub fn excludes(&self) -> Option<ChannelId> {
        if self.exclusive { self.reverse } else { None }
    }
}

/// An interconnection network. It is immutable, and clones share all its parts, so every job and
/// every problem can have one without a copy. See [`NetworkBuilder`](super::NetworkBuilder).
///
/// ```
/// use ccsched::network::{LinkKind, NetworkBuilder};
///
/// let mut builder = NetworkBuilder::new("pair");
/// let switch = builder.switch("switch");
/// for name in ["a", "b"] {
///     let host = builder.terminal(name);
///     builder.link(host, switch, LinkKind::FullDuplex);
/// }
/// let network = builder.build()?;
/// assert_eq!((network.terminals().count(), network.channels().len()), (2, 4));
/// # Ok::<(), ccsched::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    pub(super) name: Arc<str>,
    // Vectors as they were built: a copy would double the memory of a large network.
    pub(super) vertices: Arc<Vec<Vertex>>,
    pub(super) channels: Arc<Vec<Channel>>,
    /// By vertex, where it is drawn; empty if the network's file has no coordinates.
    pub(super) coordinates: Arc<[Option<(f64, f64)>]>,
    /// Other names of vertices, such as the numbers of network adapters.
    pub(super) aliases: Arc<BTreeMap<Box<str>, VertexId>>,
    pub(super) routes: Arc<Routes>,
    pub(super) rate: Option<Arc<Rate>>,
    pub(super) outgoing: Adjacency,
    pub(super) incoming: Adjacency,
    /// By vertex, the sum of the capacities of the channels that leave it, and that enter it; empty
    /// if all channels have capacity 1, because then it is their number.
    pub(super) capacity: Arc<[(u32, u32)]>,
    /// By vertex, whether it is a terminal that takes part; none if all terminals do.
    pub(super) taking_part: Option<Arc<[bool]>>,
    /// The network before its faults.
    pub(super) past: Past,
}

impl Network {
    /// The name: a family's spec (`kautz:3,2`), or the name in the network's file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All vertices, by id.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// All channels, by id.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The channel with this id.
    #[inline]
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id as usize]
    }

    /// Name of a vertex.
    pub fn vertex_name(&self, id: VertexId) -> &str {
        &self.vertices[id as usize].name
    }

    /// Whether the vertex has a processor, and takes part if only some terminals do.
    #[inline]
    pub fn is_terminal(&self, id: VertexId) -> bool {
        match &self.taking_part {
            None => self.vertices[id as usize].terminal,
            Some(taking_part) => taking_part[id as usize],
        }
    }

    /// Ids of the terminals, ascending.
    pub fn terminals(&self) -> impl Iterator<Item = VertexId> + '_ {
        (0..self.vertices.len() as VertexId).filter(|&v| self.is_terminal(v))
    }

    /// The vertex of this name or alias; names come first.
    pub fn find(&self, name: &str) -> Option<VertexId> {
        let named = self.vertices.iter().position(|v| &*v.name == name).map(|v| v as VertexId);
        named.or_else(|| self.aliases.get(name).copied())
    }

    /// All aliases, in their order, each with its vertex.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, VertexId)> {
        self.aliases.iter().map(|(alias, &v)| (alias.as_ref(), v))
    }

    /// Channels that leave a vertex, ascending.
    #[inline]
    pub fn outgoing(&self, v: VertexId) -> &[ChannelId] {
        self.outgoing.of(v)
    }

    /// The ends of the channels that leave a vertex, in the order of these; a vertex appears once
    /// for each of parallel channels.
    pub fn heads(&self, v: VertexId) -> impl DoubleEndedIterator<Item = VertexId> + '_ {
        self.outgoing(v).iter().map(|&c| self.channel(c).to)
    }

    /// Channels that enter a vertex, ascending.
    #[inline]
    pub fn incoming(&self, v: VertexId) -> &[ChannelId] {
        self.incoming.of(v)
    }

    /// Transfers that the channels out of a vertex carry in one step.
    pub fn capacity_out(&self, v: VertexId) -> usize {
        self.capacity.get(v as usize).map_or(self.outgoing(v).len(), |sums| sums.0 as usize)
    }

    /// Transfers that the channels into a vertex carry in one step.
    pub fn capacity_into(&self, v: VertexId) -> usize {
        self.capacity.get(v as usize).map_or(self.incoming(v).len(), |sums| sums.1 as usize)
    }

    /// By vertex, the sums of the capacities of its channels; none if all capacities are 1, as those of most
    /// networks.
    ///
    /// # Errors
    /// A channel by which a sum gets too large.
    pub(super) fn sums(
        vertices: usize,
        channels: &[Channel],
    ) -> Result<Arc<[(u32, u32)]>, &Channel> {
        let is_wide = channels.iter().any(|c| c.capacity > 1);
        let none = repeat_n((0, 0), if is_wide { vertices } else { 0 });
        let mut sums: Arc<[(u32, u32)]> = none.collect();
        let all = Arc::get_mut(&mut sums).expect("not shared yet");
        for c in channels.iter().filter(|_| is_wide) {
            let out = all[c.from as usize].0.checked_add(c.capacity);
            let into = all[c.to as usize].1.checked_add(c.capacity);
            let (Some(out), Some(into)) = (out, into) else { return Err(c) };
            all[c.from as usize].0 = out;
            all[c.to as usize].1 = into;
        }
        Ok(sums)
    }

    /// The capacity of all channels, if it is the same.
    pub fn uniform_capacity(&self) -> Option<u32> {
        let first = self.channels.first().map_or(1, |c| c.capacity);
        self.channels.iter().all(|c| c.capacity == first).then_some(first)
    }

    /// Whether there are links, and all are half duplex.
    pub fn is_half_duplex(&self) -> bool {
        !self.channels.is_empty() && self.channels.iter().all(|c| c.excludes().is_some())
    }

    /// The network with full-duplex links in place of half-duplex ones.
    pub fn full_duplex(&self) -> Network {
        let channel = |c: &Channel| Channel { exclusive: false, ..*c };
        let channels = Arc::new(self.channels.iter().map(channel).collect());
        Network { channels, past: Past::default(), ..self.clone() }
    }

    /// The network whose channels have capacities smaller by this factor, rounded down.
    pub fn narrowed(&self, factor: u32) -> Network {
        let channel = |c: &Channel| Channel { capacity: c.capacity / factor, ..*c };
        let channels = Arc::new(self.channels.iter().map(channel).collect());
        Network { channels, past: Past::default(), ..self.clone() }
    }

    /// Where a vertex is drawn, if the network has its coordinates.
    pub fn coordinates(&self, v: VertexId) -> Option<(f64, f64)> {
        self.coordinates.get(v as usize).copied().flatten()
    }

    /// The static routes; empty if the network has none.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// What capacity 1 stands for, if the network is a machine whose speeds are known.
    pub fn rate(&self) -> Option<&Rate> {
        self.rate.as_deref()
    }

    /// The names of a list of vertices, joined for a message.
    pub fn names(&self, ids: &[VertexId]) -> String {
        ids.iter().map(|&v| self.vertex_name(v)).collect::<Vec<_>>().join(", ")
    }

    /// The same, but of many vertices the first ones.
    pub fn some_names(&self, ids: &[VertexId]) -> String {
        match ids.get(..MOST_NAMED) {
            Some(first) if ids.len() > MOST_NAMED => format!("{}, ...", self.names(first)),
            _ => self.names(ids),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::spec;

    #[test]
    fn a_clone_shares_every_part() {
        let net = spec::parse("swiss-t1").unwrap();
        let clone = net.clone();
        assert!(std::ptr::eq(net.name(), clone.name()));
        assert!(std::ptr::eq(net.vertices(), clone.vertices()));
        assert!(std::ptr::eq(net.channels(), clone.channels()));
        assert!(std::ptr::eq(net.routes(), clone.routes()));
        assert!(std::sync::Arc::ptr_eq(&net.aliases, &clone.aliases));
        assert!(!net.routes().is_empty());
        for v in 0..net.vertices().len() as u32 {
            assert!(std::ptr::eq(net.outgoing(v), clone.outgoing(v)));
            assert!(std::ptr::eq(net.incoming(v), clone.incoming(v)));
        }
    }
}

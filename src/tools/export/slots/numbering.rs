//! The numbers of vertices and channels in tables of slots: those of a schedule file. A patch has those
//! of the older file, to which the tables belong, and adds what is new after them.

use crate::export::Subject;
use ccsched_model::problem::Message;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;

/// Numbers, and what they stand for.
pub(super) struct Numbering<'s> {
    /// The name of the network.
    pub network: &'s str,
    names: Vec<&'s str>,
    /// By vertex, whether it is a terminal.
    pub terminal: Vec<bool>,
    /// By channel, where it begins and ends.
    pub ends: Vec<(VertexId, VertexId)>,
    /// The numbers of the vertices and channels of the subject.
    vertices: Vec<VertexId>,
    channels: Vec<ChannelId>,
}

impl<'s> Numbering<'s> {
    /// The numbers of a schedule file.
    pub fn of(subject: &'s Subject) -> Self {
        let network = subject.network();
        let none = Numbering {
            network: network.name(),
            names: Vec::new(),
            terminal: Vec::new(),
            ends: Vec::new(),
            vertices: Vec::new(),
            channels: Vec::new(),
        };
        none.with(subject)
    }

    /// These numbers for a newer schedule: vertices are the same by their names, parallel channels by
    /// their order.
    pub fn with(&self, subject: &'s Subject) -> Self {
        let network = subject.network();
        let (mut names, mut terminal) = (self.names.clone(), self.terminal.clone());
        let mut known: HashMap<&str, VertexId> = names.iter().copied().zip(0..).collect();
        let mut vertices = Vec::new();
        for (id, v) in (0..).zip(network.vertices()) {
            let name = network.vertex_name(id);
            let next = names.len() as VertexId;
            let number = *known.entry(name).or_insert(next);
            if number == next {
                names.push(name);
                terminal.push(v.terminal);
            }
            vertices.push(number);
        }
        let mut ends = self.ends.clone();
        let mut between: HashMap<_, Vec<ChannelId>> = HashMap::new();
        (0..).zip(&ends).for_each(|(c, &ends)| between.entry(ends).or_default().push(c));
        let mut before: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        let mut channels = Vec::new();
        for c in network.channels() {
            let of = (vertices[c.from as usize], vertices[c.to as usize]);
            let rank = before.entry(of).or_default();
            let number = between.get(&of).and_then(|list| list.get(*rank)).copied();
            *rank += 1;
            channels.push(number.unwrap_or(ends.len() as ChannelId));
            if number.is_none() {
                ends.push(of);
            }
        }
        Numbering { network: network.name(), names, terminal, ends, vertices, channels }
    }

    /// The name of a vertex.
    pub fn name(&self, v: VertexId) -> &'s str {
        self.names[v as usize]
    }

    /// The vertex of a name.
    pub fn find(&self, name: &str) -> Option<VertexId> {
        self.names.iter().position(|other| *other == name).map(|v| v as VertexId)
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// The number of a channel of the subject.
    pub fn channel(&self, c: ChannelId) -> ChannelId {
        self.channels[c as usize]
    }

    /// A message of the subject, its ends by these numbers.
    pub fn message(&self, message: Message) -> Message {
        message.mapped(|v| self.vertices.get(v as usize).copied()).unwrap_or(message)
    }
}

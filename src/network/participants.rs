//! The network from the view of the participants. A job often runs on some hosts of a network; the
//! others have processors, but none that runs a program of the job. With wormhole switching such a
//! host is a switch. With store-and-forward switching nothing passes it, unless it relays.

use super::metrics::{UNREACHABLE, distances_from};
use super::{Channel, ChannelId, Network, NetworkBuilder, Vertex, VertexId};
use ccsched_base::Result;
use std::sync::Arc;

/// A part of a network, and what its ids stand for.
pub struct Between {
    /// The part.
    pub network: Network,
    /// By vertex of it, that of the whole network; ascending.
    pub vertices: Vec<VertexId>,
    /// By channel of it, that of the whole network; ascending.
    pub channels: Vec<ChannelId>,
}

impl Network {
    /// The network in which all its terminals take part.
    pub fn whole(&self) -> Network {
        Network { taking_part: None, ..self.clone() }
    }

    /// The network in which only these of all its terminals take part, and the others are switches.
    /// Vertices and channels keep their ids.
    pub fn with_participants(&self, participants: &[VertexId]) -> Network {
        let mut taking_part = vec![false; self.vertices.len()];
        participants.iter().for_each(|&v| taking_part[v as usize] = true);
        let all = self.vertices.iter().map(|v| v.terminal);
        let is_partial = taking_part.iter().copied().ne(all);
        Network { taking_part: is_partial.then(|| taking_part.into()), ..self.clone() }
    }

    /// The terminals that take no part.
    pub fn idle(&self) -> impl Iterator<Item = VertexId> + '_ {
        let vertices = (0..).zip(self.vertices.iter());
        vertices.filter(|&(v, vertex)| vertex.terminal && !self.is_terminal(v)).map(|(v, _)| v)
    }

    /// The network without the channels of the terminals that take no part. Vertices keep their
    /// ids, channels their order; static routes over what is gone are broken.
    ///
    /// # Errors
    /// None, for a network that was built.
    pub fn without_idle_channels(&self) -> Result<Network> {
        let is_idle = |v: VertexId| self.vertices[v as usize].terminal && !self.is_terminal(v);
        let is_kept = |c: &Channel| !is_idle(c.from) && !is_idle(c.to);
        self.with_channels(&self.channels.iter().map(is_kept).collect::<Vec<bool>>())
    }

    /// By channel, whether a shortest path between terminals takes it.
    pub fn used_between_terminals(&self) -> Vec<bool> {
        let mut used = vec![false; self.channels.len()];
        for source in self.terminals() {
            let distance = distances_from(self, source);
            let reached = |v: &VertexId| distance[*v as usize] != UNREACHABLE;
            let mut order: Vec<VertexId> =
                (0..distance.len() as VertexId).filter(reached).collect();
            order.sort_unstable_by_key(|&v| std::cmp::Reverse(distance[v as usize]));
            // Whether a vertex is a terminal, or on a shortest path to one.
            let mut leads: Vec<bool> =
                (0..distance.len() as VertexId).map(|v| self.is_terminal(v)).collect();
            for v in order {
                for &c in self.outgoing(v) {
                    let to = self.channel(c).to;
                    if distance[to as usize] == distance[v as usize] + 1 && leads[to as usize] {
                        used[c as usize] = true;
                        leads[v as usize] = true;
                    }
                }
            }
        }
        used
    }

    /// The part of the network between some terminals: what their shortest paths take. Other terminals
    /// are switches there; if it `closes`, nothing passes those that take no part.
    ///
    /// # Errors
    /// None, for a network that was built, and two terminals or more that reach each other.
    pub fn between(&self, members: &[VertexId], closes: bool) -> Result<Between> {
        let among = self.whole().with_participants(members);
        let is_idle =
            |v: VertexId| closes && among.vertices[v as usize].terminal && !among.is_terminal(v);
        let is_open = |c: &Channel| !is_idle(c.from) && !is_idle(c.to);
        let are_open: Vec<bool> = self.channels.iter().map(is_open).collect();
        let ids = (0..).zip(&are_open).filter(|(_, is_open)| **is_open).map(|(id, _)| id);
        let used = among.with_channels(&are_open)?.used_between_terminals();
        let channels: Vec<ChannelId> =
            ids.zip(used).filter(|(_, is_used)| *is_used).map(|(id, _)| id).collect();
        let ends = |&c: &ChannelId| [self.channel(c).from, self.channel(c).to];
        let mut vertices: Vec<VertexId> = channels.iter().flat_map(ends).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: VertexId| vertices.partition_point(|&other| other < v) as VertexId;
        let renumbered = |&c: &ChannelId| {
            let Channel { from, to, reverse, exclusive, .. } = *self.channel(c);
            let reverse = reverse.and_then(|r| channels.binary_search(&r).ok());
            let reverse = reverse.map(|r| r as ChannelId);
            let exclusive = exclusive && reverse.is_some();
            let (from, to) = (place(from), place(to));
            Channel { from, to, reverse, exclusive, ..*self.channel(c) }
        };
        let vertex = |&v: &VertexId| Vertex {
            name: self.vertex_name(v).into(),
            terminal: among.is_terminal(v),
        };
        let renumbered = channels.iter().map(renumbered).collect();
        let named = vertices.iter().map(vertex).collect();
        let network = NetworkBuilder::given(&self.name, named, renumbered).build()?;
        Ok(Between { network, vertices, channels })
    }

    /// The network with these of its channels, in the same way.
    ///
    /// # Errors
    /// None, for a network that was built.
    pub fn with_channels(&self, are_kept: &[bool]) -> Result<Network> {
        if are_kept.iter().all(|&is_kept| is_kept) {
            return Ok(self.clone());
        }
        let mut left = 0;
        let mut new_id = |&is_kept: &bool| {
            left += ChannelId::from(is_kept);
            is_kept.then(|| left - 1)
        };
        let new_ids: Vec<Option<ChannelId>> = are_kept.iter().map(&mut new_id).collect();
        let new = |c: ChannelId| new_ids[c as usize];
        let kept = self.channels.iter().zip(are_kept).filter(|(_, is_kept)| **is_kept);
        let kept = kept.map(|(c, _)| c);
        let renumbered = |c: &Channel| {
            let reverse = c.reverse.and_then(new);
            Channel { reverse, exclusive: c.exclusive && reverse.is_some(), ..*c }
        };
        let channels = kept.map(renumbered).collect();
        let mut rest = NetworkBuilder::given(&self.name, self.vertices.to_vec(), channels);
        rest.rate(self.rate().cloned());
        for (id, place) in (0..).zip(self.coordinates.iter()) {
            place.iter().for_each(|&(x, y)| rest.place(id, x, y));
        }
        self.aliases().for_each(|(alias, v)| rest.alias(alias, v));
        for (from, to, route) in self.routes.iter() {
            let route: Option<Vec<ChannelId>> = route.iter().map(|&c| new(c)).collect();
            rest.route(from, to, &route.unwrap_or_default());
        }
        let taking_part: Option<Arc<[bool]>> = self.taking_part.clone();
        Ok(Network { taking_part, ..rest.build()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn those_that_take_no_part_are_switches_and_come_back() {
        let net = spec::parse("swiss-t1").unwrap();
        let some: Vec<VertexId> = net.terminals().step_by(3).collect();
        let part = net.with_participants(&some);
        assert_eq!(part.terminals().collect::<Vec<_>>(), some);
        assert_eq!(part.idle().count() + some.len(), net.terminals().count());
        assert!(std::ptr::eq(part.channels(), net.channels()));
        assert_eq!(part.whole(), net);
        assert_eq!(part.reversed().terminals().collect::<Vec<_>>(), some);
        assert_eq!(net.with_participants(&net.terminals().collect::<Vec<_>>()), net);
    }

    #[test]
    fn without_their_channels_the_others_keep_their_order() {
        let net = spec::parse("torus:4x4,half").unwrap();
        let some: Vec<VertexId> = (0..12).collect();
        let rest = net.with_participants(&some).without_idle_channels().unwrap();
        assert_eq!(rest.vertices(), net.vertices());
        assert_eq!(rest.terminals().collect::<Vec<_>>(), some);
        for v in rest.idle() {
            assert!(rest.outgoing(v).is_empty() && rest.incoming(v).is_empty());
        }
        let ends = |c: &Channel| (c.from, c.to);
        let stays = |&(from, to): &(VertexId, VertexId)| from < 12 && to < 12;
        let left: Vec<_> = net.channels().iter().map(ends).filter(stays).collect();
        assert_eq!(rest.channels().iter().map(ends).collect::<Vec<_>>(), left);
        for (id, c) in (0..).zip(rest.channels()) {
            assert_eq!(rest.channel(c.reverse.unwrap()).reverse, Some(id));
        }
        assert_eq!(rest.without_idle_channels().unwrap(), rest);
    }
}

//! The vertices at which tables choose: all but the terminals with one link, whose messages begin and end at the
//! vertex behind it.

use super::super::{Flow, by_destination, walks};
use crate::metrics::{UNREACHABLE, distances_to};
use crate::{ChannelId, Network, PathList, VertexId};
use std::convert::Infallible;

/// These vertices, by number.
pub(in super::super) struct Core<'n> {
    pub network: &'n Network,
    /// The vertex of each number.
    pub vertices: Vec<VertexId>,
    /// By vertex: the number where its messages begin and end.
    pub number: Vec<u32>,
    /// By vertex, if it is not one of these: the channels to and from the one behind its link.
    pub link: Vec<Option<[ChannelId; 2]>>,
}

/// The channels that lead nearer to one vertex.
pub(in super::super) struct Ways {
    /// The numbers of the vertices with a way, nearest first, without the vertex itself.
    pub order: Vec<u32>,
    /// The channels, with the numbers of their ends; those of one number after the other.
    nearer: Vec<(ChannelId, u32)>,
    /// By number, where its channels begin; at the end how many there are.
    starts: Vec<u32>,
}

impl<'n> Core<'n> {
    pub fn of(network: &'n Network) -> Self {
        let n = network.vertices().len();
        let link = |v: VertexId| match (network.outgoing(v), network.incoming(v)) {
            (&[out], &[into]) if network.is_terminal(v) => {
                let behind = network.channel(out).to;
                let is_one = network.channel(into).from == behind;
                (is_one && network.outgoing(behind).len() > 1).then_some([out, into])
            }
            _ => None,
        };
        let link: Vec<_> = (0..n as VertexId).map(link).collect();
        let vertices: Vec<VertexId> =
            (0..n as VertexId).filter(|&v| link[v as usize].is_none()).collect();
        let mut number = vec![0; n];
        (0..).zip(&vertices).for_each(|(place, &v)| number[v as usize] = place);
        for (v, link) in link.iter().enumerate() {
            if let Some([out, _]) = link {
                number[v] = number[network.channel(*out).to as usize];
            }
        }
        Core { network, vertices, number, link }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The routes of flows by the next channels of all numbers, those of one destination after the other.
    pub fn routes(&self, flows: &[Flow], next: &[ChannelId]) -> PathList {
        let (mut routes, mut found) = (walks::Tree::new(self.network), PathList::default());
        for (group, next) in by_destination(flows).zip(next.chunks(self.len())) {
            let last = self.link[group[0].to as usize];
            let goal = self.number[group[0].to as usize];
            let next = |v: VertexId| {
                let number = self.number[v as usize];
                let c = match (self.link[v as usize], last) {
                    (Some([out, _]), _) => out,
                    (None, Some([_, into])) if number == goal => into,
                    _ => next[number as usize],
                };
                Ok::<_, Infallible>(c)
            };
            let Ok(()) = routes.add(group, next, &mut found);
        }
        found
    }

    /// The shortest ways to a number.
    pub fn ways(&self, to: u32) -> Ways {
        let distance = distances_to(self.network, self.vertices[to as usize]);
        let mut order: Vec<u32> = (0..self.len() as u32)
            .filter(|&v| v != to && distance[self.vertices[v as usize] as usize] != UNREACHABLE)
            .collect();
        order.sort_by_key(|&v| distance[self.vertices[v as usize] as usize]);
        let (mut nearer, mut starts) = (Vec::new(), Vec::with_capacity(self.len() + 1));
        for &v in &self.vertices {
            starts.push(nearer.len() as u32);
            for &c in self.network.outgoing(v) {
                let head = self.network.channel(c).to;
                let is_inner = self.link[head as usize].is_none();
                if is_inner && distance[head as usize] < distance[v as usize] {
                    nearer.push((c, self.number[head as usize]));
                }
            }
        }
        starts.push(nearer.len() as u32);
        Ways { order, nearer, starts }
    }
}

impl Ways {
    /// The channels of a number that lead nearer.
    #[inline]
    pub fn of(&self, v: u32) -> &[(ChannelId, u32)] {
        let [first, end] = [v, v + 1].map(|v| self.starts[v as usize] as usize);
        &self.nearer[first..end]
    }
}

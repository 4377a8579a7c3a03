//! Hops: the paths of a single transfer, listed once.
//!
//! In store-and-forward networks a hop is a channel. In wormhole networks it is a path from a
//! terminal to a terminal: a *direct* hop passes through switches only; a *long* hop also passes
//! through terminals, and is listed in small networks or where there are few messages.

use super::listing;
use super::listing::Listed;
use crate::PathsFound;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;

/// Index of a hop; hops to the same vertex are neighbours, direct ones first, short ones first.
pub type HopId = u32;

/// All hops of a problem, stored flat.
#[derive(Clone, Debug)]
pub struct Hops {
    from: Vec<VertexId>,
    to: Vec<VertexId>,
    /// `channel_starts[h]..channel_starts[h + 1]` is the range of hop `h` in `channels`.
    channel_starts: Vec<u32>,
    channels: Vec<ChannelId>,
    use_starts: Vec<u32>,
    uses: Vec<ResourceId>,
    /// `into[v]..into[v + 1]` are the hops to `v`, direct ones up to `direct[v]`.
    into: Vec<HopId>,
    direct: Vec<HopId>,
    out_starts: Vec<u32>,
    out: Vec<HopId>,
    coupled: bool,
    /// A resource that all hops to a vertex use, if there is one.
    gates: Vec<Option<ResourceId>>,
    /// The last vertex of each channel.
    ends: Vec<VertexId>,
    found: PathsFound,
}

impl Hops {
    /// Lists the hops of a problem, or beyond a limit a sample drawn from `seed`.
    pub fn of(problem: &Problem, seed: u64) -> Self {
        let (listed, found) = listing::list(problem, seed);
        Self::flat(problem, &listed, found)
    }

    fn flat(problem: &Problem, listed: &[Listed], found: PathsFound) -> Self {
        let vertices = problem.network().vertices().len();
        let mut hops = Hops {
            from: Vec::new(),
            to: Vec::new(),
            channel_starts: vec![0],
            channels: Vec::new(),
            use_starts: vec![0],
            uses: Vec::new(),
            into: Vec::with_capacity(vertices + 1),
            direct: Vec::with_capacity(vertices),
            out_starts: vec![0; vertices + 1],
            out: Vec::new(),
            coupled: false,
            gates: Vec::new(),
            ends: problem.network().channels().iter().map(|c| c.to).collect(),
            found,
        };
        let mut rest = listed;
        for v in 0..vertices as VertexId {
            let (mine, others) = rest.split_at(rest.partition_point(|l| l.to <= v));
            rest = others;
            hops.into.push(hops.to.len() as HopId);
            hops.direct.push((hops.to.len() + mine.iter().filter(|l| !l.long).count()) as HopId);
            mine.iter().for_each(|l| hops.add(problem, l));
        }
        hops.into.push(hops.to.len() as HopId);
        hops.list_outgoing(vertices);
        hops.gates = (0..vertices as VertexId).map(|v| hops.common(v)).collect();
        hops.coupled = hops.is_coupled(problem.resources().capacities().len());
        hops
    }

    fn add(&mut self, problem: &Problem, listed: &Listed) {
        let (network, switching, resources) =
            (problem.network(), problem.switching(), problem.resources());
        self.from.push(listed.from);
        self.to.push(listed.to);
        self.channels.extend(&listed.channels);
        self.channel_starts.push(self.channels.len() as u32);
        resources.uses(network, switching, &listed.channels, |r, _| self.uses.push(r));
        self.use_starts.push(self.uses.len() as u32);
    }

    fn list_outgoing(&mut self, vertices: usize) {
        for &v in &self.from {
            self.out_starts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            self.out_starts[v + 1] += self.out_starts[v];
        }
        let mut next = self.out_starts.clone();
        self.out = vec![0; self.from.len()];
        for (h, &v) in self.from.iter().enumerate() {
            self.out[next[v as usize] as usize] = h as HopId;
            next[v as usize] += 1;
        }
    }

    fn common(&self, v: VertexId) -> Option<ResourceId> {
        let mut hops = self.into(v);
        let first = self.uses(hops.next()?);
        first.iter().copied().find(|r| hops.clone().all(|h| self.uses(h).contains(r)))
    }

    /// Whether hops to different vertices use the same resource.
    fn is_coupled(&self, resources: usize) -> bool {
        let mut user = vec![None; resources];
        (0..self.len() as HopId).any(|h| {
            self.uses(h).iter().any(|&r| {
                let to = self.to(h);
                *user[r as usize].get_or_insert(to) != to
            })
        })
    }

    /// Number of hops.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// The number of paths that the hops were chosen from.
    pub fn found(&self) -> PathsFound {
        self.found
    }

    /// The hop along these channels, if it is listed.
    pub fn find(&self, channels: &[ChannelId]) -> Option<HopId> {
        let to = *self.ends.get(*channels.last()? as usize)?;
        self.into(to).find(|&h| self.channels(h) == channels)
    }

    /// The first vertex of a hop.
    pub fn from(&self, h: HopId) -> VertexId {
        self.from[h as usize]
    }

    /// The last vertex of a hop.
    pub fn to(&self, h: HopId) -> VertexId {
        self.to[h as usize]
    }

    /// The path of a hop.
    pub fn channels(&self, h: HopId) -> &[ChannelId] {
        let h = h as usize;
        &self.channels[self.channel_starts[h] as usize..self.channel_starts[h + 1] as usize]
    }

    /// The resources that a hop occupies in its step.
    pub fn uses(&self, h: HopId) -> &[ResourceId] {
        let h = h as usize;
        &self.uses[self.use_starts[h] as usize..self.use_starts[h + 1] as usize]
    }

    /// All hops to a vertex.
    pub fn into(&self, v: VertexId) -> Range<HopId> {
        self.into[v as usize]..self.into[v as usize + 1]
    }

    /// The direct hops to a vertex.
    pub fn direct_into(&self, v: VertexId) -> Range<HopId> {
        self.into[v as usize]..self.direct[v as usize]
    }

    /// Whether a hop passes through terminals.
    pub fn is_long(&self, h: HopId) -> bool {
        h >= self.direct[self.to(h) as usize]
    }

    /// Whether any hop is long.
    pub fn any_long(&self) -> bool {
        (0..self.direct.len()).any(|v| self.direct[v] < self.into[v + 1])
    }

    /// A resource that all hops to a vertex use, if there is one.
    pub fn gate(&self, v: VertexId) -> Option<ResourceId> {
        self.gates[v as usize]
    }

    /// All hops from a vertex.
    pub fn out_of(&self, v: VertexId) -> &[HopId] {
        let v = v as usize;
        &self.out[self.out_starts[v] as usize..self.out_starts[v + 1] as usize]
    }

    /// Whether hops to different vertices share resources, so that they can block each other.
    pub fn coupled(&self) -> bool {
        self.coupled
    }
}

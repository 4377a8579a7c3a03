//! What the search reads and never changes: the pairs to serve, the distances from sources and to
//! destinations, and the routes of pairs that have only one.

use ccsched_model::problem::{Problem, ResourceId, Way, Ways};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A source and a destination, with one message or several.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Where its messages start.
    pub source: VertexId,
    /// Where they end.
    pub destination: VertexId,
    /// The first of its demands; the others follow.
    pub first: u32,
    /// Number of messages.
    pub messages: u32,
}

/// The problem, prepared for the search.
#[derive(Debug)]
pub struct Ground {
    /// The problem.
    pub problem: Arc<Problem>,
    /// The pairs, by source, then destination.
    pub pairs: Vec<Pair>,
    /// Channels of the longest of the shortest paths.
    pub longest: usize,
    /// By cell of `from`: the pair, or [`NONE`].
    pair: Vec<u32>,
    /// The distances from sources, and to destinations.
    from: DistanceTable,
    to: DistanceTable,
    /// By resource: the ends of one of its channels; for a port, its terminal twice.
    ends: Vec<[VertexId; 2]>,
    outgoing: Ways,
    /// The channels of all fixed routes, and by pair where its route begins; empty without fixed
    /// routes.
    fixed: Vec<ChannelId>,
    fixed_from: Vec<u32>,
    beginnings: Beginnings,
    /// By source vertex, the tree of its fixed routes.
    trees: Vec<Range<u32>>,
}

impl Ground {
    /// Prepares a problem.
    pub fn new(problem: Arc<Problem>) -> Self {
        let (network, demands) = (problem.network(), problem.demands());
        let from = DistanceTable::from(network, demands.iter().map(|d| d.source));
        let to = DistanceTable::to(network, demands.iter().map(|d| d.destination));
        let mut ground = Ground {
            pairs: Vec::new(),
            longest: 0,
            pair: vec![NONE; from.cells()],
            from,
            to,
            ends: ends(&problem),
            outgoing: Ways::outgoing(network, problem.resources()),
            fixed: Vec::new(),
            fixed_from: Vec::new(),
            beginnings: Beginnings::default(),
            trees: Vec::new(),
            problem,
        };
        ground.number_pairs();
        if ground.has_fixed_routes() {
            ground.plant();
        }
        ground
    }

    /// Makes the trees of fixed routes.
    fn plant(&mut self) {
        let mut trees = vec![0..0; self.vertices()];
        let mut beginnings = Beginnings::default();
        let numbered: Vec<u32> = (0..self.pairs.len() as u32).collect();
        let source = |pair: u32| self.pairs[pair as usize].source;
        for pairs in numbered.chunk_by(|&a, &b| source(a) == source(b)) {
            let with_route = |&pair: &u32| Some((pair, self.fixed(pair)?));
            let mut routes: Vec<_> = pairs.iter().filter_map(with_route).collect();
            routes.sort_unstable_by_key(|&(_, route)| route);
            let tree = beginnings.add(routes.into_iter(), |c| self.link(c));
            trees[source(pairs[0]) as usize] = tree;
        }
        (self.trees, self.beginnings) = (trees, beginnings);
    }

    fn number_pairs(&mut self) {
        let mut first = 0;
        for copies in self.problem.clone().pairs() {
            let (source, destination) = (copies[0].source, copies[0].destination);
            let pair = self.pairs.len() as u32;
            self.pair[self.from.cell(source, destination)] = pair;
            let messages = copies.len() as u32;
            self.pairs.push(Pair { source, destination, first, messages });
            if let Some(route) = self.problem.fixed_route(source, destination) {
                self.fixed_from.push(self.fixed.len() as u32);
                self.fixed.extend_from_slice(route);
            }
            first += messages;
        }
        if self.has_fixed_routes() {
            self.fixed_from.push(self.fixed.len() as u32);
        }
        let lengths = (0..self.pairs.len() as u32).map(|pair| self.distance(pair));
        self.longest = lengths.max().unwrap_or(0);
    }

    /// By pair, the number of its messages.
    pub fn messages(&self) -> Vec<u32> {
        self.pairs.iter().map(|pair| pair.messages).collect()
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.problem.network().vertices().len()
    }

    /// Number of cells of a table over sources and vertices.
    pub fn cells(&self) -> usize {
        self.pair.len()
    }

    /// The cell of a source and a vertex in such a table.
    #[inline]
    pub fn cell(&self, source: VertexId, v: VertexId) -> usize {
        self.from.cell(source, v)
    }

    /// Whether a vertex is a source.
    #[inline]
    pub fn is_source(&self, v: VertexId) -> bool {
        self.from.has(v)
    }

    /// The pairs of a source, by destination vertex; [`NONE`] where there is none.
    #[inline]
    pub fn pairs_from(&self, source: VertexId) -> &[u32] {
        &self.pair[self.cell(source, 0)..][..self.vertices()]
    }

    /// The distances from a source.
    #[inline]
    pub fn from(&self, source: VertexId) -> &[u16] {
        self.from.row(source)
    }

    /// The distances to a destination.
    #[inline]
    pub fn to(&self, destination: VertexId) -> &[u16] {
        self.to.row(destination)
    }

    /// Whether every pair has only one route.
    pub fn has_fixed_routes(&self) -> bool {
        self.problem.has_fixed_routes()
    }

    /// The only route of a pair, if routes are fixed.
    #[inline]
    pub fn fixed(&self, pair: u32) -> Option<&[ChannelId]> {
        let &first = self.fixed_from.get(pair as usize)?;
        Some(&self.fixed[first as usize..self.fixed_from[pair as usize + 1] as usize])
    }

    /// Calls `act` with every pair of a source whose fixed route has only idle links.
    #[inline]
    pub fn each_idle(
        &self,
        source: VertexId,
        is_idle: impl Fn(ResourceId) -> bool,
        act: impl FnMut(u32),
    ) {
        self.beginnings.each_idle(self.trees[source as usize].clone(), is_idle, act);
    }

    /// Length of the paths of a pair.
    #[inline]
    pub fn distance(&self, pair: u32) -> usize {
        if let Some(route) = self.fixed(pair) {
            return route.len();
        }
        let Pair { source, destination, .. } = self.pairs[pair as usize];
        self.from(source)[destination as usize] as usize
    }

    /// The ends of the link of a resource; for a port, its terminal twice.
    #[inline]
    pub fn ends(&self, resource: ResourceId) -> [VertexId; 2] {
        self.ends[resource as usize]
    }

    /// The send port and the receive port of a pair, where they are limited.
    #[inline]
    pub fn ports(&self, pair: u32) -> [Option<ResourceId>; 2] {
        let Pair { source, destination, .. } = self.pairs[pair as usize];
        let resources = self.problem.resources();
        [resources.send_port(source), resources.receive_port(destination)]
    }

    /// The resource of a channel.
    #[inline]
    pub fn link(&self, c: ChannelId) -> ResourceId {
        self.problem.resources().of_channel(c)
    }

    /// The channels that leave a vertex.
    #[inline]
    pub fn ways(&self, v: VertexId) -> &[Way] {
        self.outgoing.of(v)
    }
}

fn ends(problem: &Problem) -> Vec<[VertexId; 2]> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut ends = vec![[0; 2]; resources.capacities().len()];
    for (id, c) in (0..).zip(network.channels()) {
        ends[resources.of_channel(id) as usize] = [c.from, c.to];
    }
    for v in 0..network.vertices().len() as VertexId {
        let ports = [resources.send_port(v), resources.receive_port(v)];
        ports.into_iter().flatten().for_each(|port| ends[port as usize] = [v; 2]);
    }
    ends
}

// The fixed routes of every source as a tree of their beginnings: a busy channel excludes all
// routes behind it.

/// No pair.
pub const NONE: u32 = u32::MAX;

/// The end of one or more beginnings.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The last link.
    link: ResourceId,
    /// The first node after all that begin like this one.
    after: u32,
    /// The pair whose route ends here, or [`NONE`].
    pair: u32,
}

/// The trees of all sources, each with every node before those that begin like it.
#[derive(Debug, Default)]
struct Beginnings {
    nodes: Vec<Node>,
}

impl Beginnings {
    /// Adds the routes of the pairs of a source, in the order of their channels. Returns the nodes of its tree.
    fn add<'r>(
        &mut self,
        routes: impl Iterator<Item = (u32, &'r [ChannelId])>,
        link: impl Fn(ChannelId) -> ResourceId,
    ) -> Range<u32> {
        let first = self.nodes.len() as u32;
        let mut before: &[ChannelId] = &[];
        // The nodes along the route before.
        let mut open: Vec<u32> = Vec::new();
        for (pair, route) in routes {
            let same = route.iter().zip(before).take_while(|(a, b)| a == b).count();
            self.close(&mut open, same);
            for &c in &route[same..] {
                open.push(self.nodes.len() as u32);
                self.nodes.push(Node { link: link(c), after: 0, pair: NONE });
            }
            if let Some(&last) = open.last() {
                self.nodes[last as usize].pair = pair;
            }
            before = route;
        }
        self.close(&mut open, 0);
        first..self.nodes.len() as u32
    }

    /// Ends the trees of nodes beyond a depth.
    fn close(&mut self, open: &mut Vec<u32>, depth: usize) {
        let after = self.nodes.len() as u32;
        open.drain(depth..).for_each(|node| self.nodes[node as usize].after = after);
    }

    /// Calls `act` with every pair of a tree whose route has only idle links.
    #[inline]
    fn each_idle(
        &self,
        tree: Range<u32>,
        is_idle: impl Fn(ResourceId) -> bool,
        mut act: impl FnMut(u32),
    ) {
        let mut at = tree.start;
        while at < tree.end {
            let Node { link, after, pair } = self.nodes[at as usize];
            if !is_idle(link) {
                at = after;
                continue;
            }
            if pair != NONE {
                act(pair);
            }
            at += 1;
        }
    }
}

// A schedule of pairs in flat arrays.

/// Steps of transfers; a transfer is a pair and a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// By transfer.
    pairs: Vec<u32>,
    /// By transfer, the end of its path in `channels`.
    ends: Vec<u32>,
    channels: Vec<ChannelId>,
    /// By step, the end of its transfers.
    steps: Vec<u32>,
}

impl Packed {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a transfer to the step that is not closed yet.
    pub fn push(&mut self, pair: u32, path: &[ChannelId]) {
        self.pairs.push(pair);
        self.channels.extend_from_slice(path);
        self.ends.push(self.channels.len() as u32);
    }

    /// Ends a step.
    pub fn close_step(&mut self) {
        self.steps.push(self.pairs.len() as u32);
    }

    /// By transfer, its pair.
    pub fn pairs(&self) -> &[u32] {
        &self.pairs
    }

    /// Number of transfers.
    pub fn transfers(&self) -> usize {
        self.pairs.len()
    }

    /// Number of channels on all paths together.
    pub fn hops(&self) -> usize {
        self.channels.len()
    }

    /// The same transfers, each in its step of `step_of`.
    pub fn sorted(&self, step_of: &[u32]) -> Packed {
        let mut order: Vec<u32> = (0..step_of.len() as u32).collect();
        order.sort_by_key(|&t| step_of[t as usize]);
        let mut sorted = Packed::default();
        for t in order {
            while sorted.len() < step_of[t as usize] as usize {
                sorted.close_step();
            }
            let (pair, path) = self.transfer(t as usize);
            sorted.push(pair, path);
        }
        if !step_of.is_empty() {
            sorted.close_step();
        }
        sorted
    }

    /// Adds the steps of another schedule.
    pub fn append(&mut self, other: &Packed) {
        (0..other.len()).for_each(|step| self.push_step(other, step));
    }

    /// The steps from `step` on.
    pub fn since(&self, step: usize) -> Packed {
        let mut rest = Packed::default();
        (step..self.len()).for_each(|step| rest.push_step(self, step));
        rest
    }

    /// Adds a step of another schedule.
    pub fn push_step(&mut self, other: &Packed, step: usize) {
        for t in other.step(step) {
            let (pair, path) = other.transfer(t);
            self.push(pair, path);
        }
        self.close_step();
    }

    /// Whether all pairs and channels are those of a problem, and all ends in order.
    pub fn is_sound(&self, ground: &Ground) -> bool {
        let (pairs, channels) = (ground.pairs.len(), ground.problem.network().channels().len());
        let ends = [&[0], &self.ends[..], &[self.channels.len() as u32]].concat();
        let steps = [&[0], &self.steps[..], &[self.pairs.len() as u32]].concat();
        self.ends.len() == self.pairs.len()
            && steps.is_sorted()
            && ends.windows(2).all(|w| w[0] <= w[1] && (w[1] - w[0]) as usize <= ground.longest)
            && self.pairs.iter().all(|&pair| (pair as usize) < pairs)
            && self.channels.iter().all(|&c| (c as usize) < channels)
    }

    /// Drops the first steps, but for the last ones with `kept` transfers together. Returns the
    /// number of steps dropped.
    pub fn behead(&mut self, kept: usize) -> usize {
        let gone = self.transfers().saturating_sub(kept) as u32;
        let first = self.steps.partition_point(|&end| end <= gone);
        *self = self.since(first);
        first
    }

    /// Replaces all steps from `step` on by those of another schedule.
    pub fn replace_end(&mut self, step: usize, end: &Packed) {
        self.truncate(step);
        self.append(end);
    }

    /// Drops all steps from `step` on.
    pub fn truncate(&mut self, step: usize) {
        self.steps.truncate(step);
        let transfers = self.steps.last().map_or(0, |&end| end as usize);
        self.pairs.truncate(transfers);
        self.ends.truncate(transfers);
        self.channels.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// The transfers of a step, by number.
    pub fn step(&self, step: usize) -> Range<usize> {
        let first = if step == 0 { 0 } else { self.steps[step - 1] as usize };
        first..self.steps[step] as usize
    }

    /// The pair and the path of a transfer.
    pub fn transfer(&self, t: usize) -> (u32, &[ChannelId]) {
        let first = if t == 0 { 0 } else { self.ends[t - 1] as usize };
        (self.pairs[t], &self.channels[first..self.ends[t] as usize])
    }

    /// The schedule with the messages of the pairs.
    pub fn plan(&self, ground: &Ground) -> Plan {
        let mut sent = vec![0; ground.pairs.len()];
        let mut plan = Plan::new(self.len() as u32);
        for step in 0..self.len() {
            for t in self.step(step) {
                let (pair, path) = self.transfer(t);
                let demand = ground.pairs[pair as usize].first + sent[pair as usize];
                sent[pair as usize] += 1;
                let message = ground.problem.demands()[demand as usize].message;
                plan.push(step, message, path);
            }
        }
        plan.tidy();
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_found_unless_a_link_of_theirs_is_busy() {
        let mut routes: Vec<Vec<ChannelId>> =
            vec![vec![0], vec![0, 1], vec![0, 1, 2], vec![0, 3, 2], vec![4, 1], vec![5]];
        routes.sort();
        let mut beginnings = Beginnings::default();
        let of_another = [(9, &[7][..])];
        assert_eq!(beginnings.add(of_another.into_iter(), |c| c), 0..1);
        let numbered = || (0..).zip(routes.iter().map(Vec::as_slice));
        let tree = beginnings.add(numbered(), |c| c);
        assert_eq!(tree, 1..9);
        for busy in 0..64u32 {
            let is_idle = |link: ResourceId| busy >> link & 1 == 0;
            let mut found = Vec::new();
            beginnings.each_idle(tree.clone(), is_idle, |pair| found.push(pair));
            let right = numbered().filter(|(_, route)| route.iter().all(|&c| is_idle(c)));
            assert_eq!(found, right.map(|(pair, _)| pair).collect::<Vec<_>>(), "{busy:b}");
        }
    }
}

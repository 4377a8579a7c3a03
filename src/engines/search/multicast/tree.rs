//! The trees of a step where switches copy messages and add up sums: what they take, and how they grow
//! over channels with room. A tree leads out of its root, or into it for a sum.

use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, ResourceId, Switching};
use ccsched_network::metrics::{distances_from, distances_to};
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use std::collections::HashMap;
use std::sync::Arc;

/// Which way the transfers of a tree go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Out of its root: copies.
    Out,
    /// Into its root: a sum.
    Into,
}

/// By resource, the trees that use it in a step.
#[derive(Clone)]
pub(super) struct Room(Vec<u32>);

impl Room {
    /// Nothing is used.
    pub fn of(problem: &Problem) -> Self {
        Room(vec![0; problem.resources().capacities().len()])
    }

    fn left(&self, problem: &Problem, resource: ResourceId) -> u32 {
        problem.resources().capacity(resource) - self.0[resource as usize]
    }

    fn is_left(&self, problem: &Problem, resource: ResourceId) -> bool {
        self.left(problem, resource) > 0
    }

    /// Takes all of some resources, or none of them if one has no room.
    fn take(&mut self, problem: &Problem, resources: &[ResourceId]) -> bool {
        for (taken, &resource) in resources.iter().enumerate() {
            if !self.is_left(problem, resource) {
                resources[..taken].iter().for_each(|&other| self.0[other as usize] -= 1);
                return false;
            }
            self.0[resource as usize] += 1;
        }
        true
    }
}

/// A tree: by vertex other than the root, the channel that joins it to the tree, and its depth.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree(HashMap<VertexId, (ChannelId, u32)>);

/// How a search has reached a vertex.
#[derive(Clone, Copy)]
struct Reached {
    /// Number of the search.
    search: u32,
    root: VertexId,
    /// The channel over which it was reached; none where the search began.
    over: Option<ChannelId>,
    depth: u32,
}

/// By depth, where a search goes on.
struct Fronts(Vec<Vec<VertexId>>);

impl Fronts {
    fn add(&mut self, v: VertexId, depth: u32) {
        let depth = depth as usize;
        self.0.resize_with(self.0.len().max(depth + 1), Vec::new);
        self.0[depth].push(v);
    }
}

/// Grows the trees of a problem.
#[derive(Clone)]
pub(super) struct Grower {
    problem: Arc<Problem>,
    /// By way and root, the distances of all vertices, once they are needed.
    distances: [Vec<Option<Arc<Vec<u32>>>>; 2],
    reached: Vec<Reached>,
    search: u32,
}

impl Grower {
    pub fn new(problem: &Arc<Problem>) -> Self {
        let n = problem.network().vertices().len();
        let nowhere = Reached { search: 0, root: 0, over: None, depth: 0 };
        Grower {
            problem: problem.clone(),
            distances: [vec![None; n], vec![None; n]],
            reached: vec![nowhere; n],
            search: 0,
        }
    }

    /// The distances of all vertices from a root, or to it.
    pub fn distances(&mut self, root: VertexId, way: Way) -> Arc<Vec<u32>> {
        let network = self.problem.network();
        let (place, find): (usize, fn(&_, VertexId) -> Vec<u32>) = match way {
            Way::Out => (0, distances_from),
            Way::Into => (1, distances_to),
        };
        let known = &mut self.distances[place][root as usize];
        known.get_or_insert_with(|| Arc::new(find(network, root))).clone()
    }

    /// Whether transfers may pass a vertex.
    fn passes(&self, v: VertexId) -> bool {
        match self.problem.switching() {
            Switching::Wormhole => true,
            Switching::Hosts | Switching::StoreAndForward => !self.problem.network().is_terminal(v),
        }
    }

    /// The port of a vertex at which transfers begin or end.
    fn port(&self, v: VertexId, way: Way, is_root: bool) -> Option<ResourceId> {
        let resources = self.problem.resources();
        match (way, is_root) {
            (Way::Out, true) | (Way::Into, false) => resources.send_port(v),
            (Way::Out, false) | (Way::Into, true) => resources.receive_port(v),
        }
    }

    /// Whether one more channel of a tree at its root takes one more port there.
    fn takes_port(&self, tree: &Tree) -> bool {
        tree.0.is_empty() || !self.problem.copies_at_start()
    }

    /// Reaches vertices from roots and their trees, over channels with room and no farther than the routing
    /// allows; returns them in the order in which they were reached. Those that `take` then joins to their
    /// trees make no vertex the end of two channels.
    pub fn reach<'t>(
        &mut self,
        room: &Room,
        trees: impl Iterator<Item = (VertexId, &'t Tree)>,
        way: Way,
        rng: &mut Rng,
    ) -> Vec<VertexId> {
        self.search += 1;
        let mut fronts = Fronts(Vec::new());
        for (root, tree) in trees {
            self.begin((root, tree), room, way, &mut fronts);
        }
        let (mut found, mut depth) = (Vec::new(), 0);
        while depth < fronts.0.len() {
            for v in std::mem::take(&mut fronts.0[depth]) {
                let before = found.len();
                self.go_on(v, depth as u32, room, way, (&mut found, rng));
                for &w in &found[before..] {
                    if self.passes(w) {
                        fronts.add(w, depth as u32 + 1);
                    }
                }
            }
            depth += 1;
        }
        found
    }

    /// Begins a search at a root and at the vertices of its tree.
    fn begin(
        &mut self,
        (root, tree): (VertexId, &Tree),
        room: &Room,
        way: Way,
        fronts: &mut Fronts,
    ) {
        let port = self.port(root, way, true).filter(|_| self.takes_port(tree));
        let leaves = port.is_none_or(|port| room.is_left(&self.problem, port));
        let mut begins: Vec<(VertexId, u32)> =
            tree.0.iter().map(|(&v, &(_, depth))| (v, depth)).collect();
        begins.sort_unstable();
        begins.push((root, 0));
        for (v, depth) in begins {
            if self.reached[v as usize].search == self.search {
                continue;
            }
            let own = Reached { search: self.search, root, over: None, depth };
            self.reached[v as usize] = own;
            let goes_on = if v == root { leaves } else { self.passes(v) };
            if goes_on {
                fronts.add(v, depth);
            }
        }
    }

    /// Goes on from a vertex that was reached.
    fn go_on(
        &mut self,
        v: VertexId,
        depth: u32,
        room: &Room,
        way: Way,
        (found, rng): (&mut Vec<VertexId>, &mut Rng),
    ) {
        let problem = self.problem.clone();
        let (network, slack) = (problem.network(), problem.routing().slack());
        let root = self.reached[v as usize].root;
        let distance = self.distances(root, way);
        let channels = match way {
            Way::Out => network.outgoing(v),
            Way::Into => network.incoming(v),
        };
        // What is reached first goes on first: over wide channels, which others miss least.
        let mut channels = channels.to_vec();
        let first = rng.random_range(0..channels.len().max(1));
        channels.rotate_left(first);
        channels.sort_by_key(|&c| {
            std::cmp::Reverse(room.left(&problem, problem.resources().of_channel(c)))
        });
        for c in channels {
            let ends = network.channel(c);
            let w = if way == Way::Out { ends.to } else { ends.from };
            let longest = distance[w as usize].saturating_add(slack);
            let is_known = self.reached[w as usize].search == self.search;
            let link = problem.resources().of_channel(c);
            if is_known || depth + 1 > longest || !room.is_left(&problem, link) {
                continue;
            }
            let reached = Reached { search: self.search, root, over: Some(c), depth: depth + 1 };
            self.reached[w as usize] = reached;
            found.push(w);
        }
    }

    /// The root from which a vertex was reached.
    pub fn root(&self, v: VertexId) -> VertexId {
        self.reached[v as usize].root
    }

    /// The root from which a vertex was reached, and the channel there, or else where its tree goes on.
    pub fn branch(&self, mut v: VertexId, way: Way) -> (VertexId, Option<ChannelId>) {
        let (root, mut last) = (self.root(v), None);
        while let Some(over) = self.reached[v as usize].over {
            last = Some(over);
            v = self.nearer(over, way);
        }
        (root, last)
    }

    /// Makes a vertex that was reached an end of the tree of its root, if there is room; returns its path.
    pub fn take(
        &self,
        room: &mut Room,
        tree: &mut Tree,
        end: VertexId,
        way: Way,
    ) -> Option<Vec<ChannelId>> {
        let (problem, root) = (&self.problem, self.root(end));
        let mut needs: Vec<ResourceId> = self.port(end, way, false).into_iter().collect();
        let (mut v, mut joined) = (end, Vec::new());
        while v != root && !tree.0.contains_key(&v) {
            let Reached { over, depth, .. } = self.reached[v as usize];
            let over = over?;
            joined.push((v, over, depth));
            needs.push(problem.resources().of_channel(over));
            v = self.nearer(over, way);
        }
        if v == root && self.takes_port(tree) {
            needs.extend(self.port(root, way, true));
        }
        if !room.take(problem, &needs) {
            return None;
        }
        tree.0.extend(joined.into_iter().map(|(v, over, depth)| (v, (over, depth))));
        Some(self.path(tree, root, end, way))
    }

    /// The end of a channel that is nearer to the root.
    fn nearer(&self, c: ChannelId, way: Way) -> VertexId {
        let ends = self.problem.network().channel(c);
        if way == Way::Out { ends.from } else { ends.to }
    }

    /// The path between the root of a tree and a vertex of it, in the order of its channels.
    fn path(&self, tree: &Tree, root: VertexId, end: VertexId, way: Way) -> Vec<ChannelId> {
        let (mut path, mut v) = (Vec::new(), end);
        while v != root {
            let (over, _) = tree.0[&v];
            path.push(over);
            v = self.nearer(over, way);
        }
        if way == Way::Out {
            path.reverse();
        }
        path
    }
}

//! Paths between terminals of a lane and within boxes, each over the channels that are used least so far, and the trees
//! by which a terminal informs the others of its box.

use super::boxes::Boxes;
use ccsched_model::problem::{Problem, Switching};
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, VertexId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// The most members of a box of which the one that is informed at the least price is sought.
const MOST_COMPARED: usize = 16;

/// Where a path goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From box to box, over no terminal.
    Across,
    /// Within this box.
    Within(usize),
}

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In as few steps as possible.
    Flat,
    /// Over as few channels as possible.
    Short,
    /// Flat where time is short, before the first transfers between boxes and after the last ones; else short.
    Mixed,
}

/// A transfer of a tree.
#[derive(Clone, Debug)]
pub struct Branch {
    pub path: Vec<ChannelId>,
    /// The one that informs its start, by its place in the tree; none from the root.
    pub after: Option<usize>,
    /// Transfers from the root to its end.
    pub depth: usize,
}

/// The paths so far.
pub struct Routes<'p> {
    problem: &'p Problem,
    boxes: &'p Boxes,
    /// By channel, the paths over it.
    loads: Vec<u32>,
    /// By end of a path and where it goes, the channels to it by vertex.
    to: HashMap<(VertexId, Way), Arc<[u32]>>,
    /// By end of a path, those of a shortest path anywhere.
    anywhere: HashMap<VertexId, Arc<[u32]>>,
}

impl<'p> Routes<'p> {
    pub fn new(problem: &'p Problem, boxes: &'p Boxes) -> Self {
        let loads = vec![0; problem.network().channels().len()];
        Routes { problem, boxes, loads, to: HashMap::new(), anywhere: HashMap::new() }
    }

    /// Whether a path may pass a vertex.
    fn passes(&self, v: VertexId, way: Way) -> bool {
        let is_within = way != Way::Across && self.problem.switching() == Switching::Wormhole;
        is_within || !self.problem.network().is_terminal(v)
    }

    fn has(&self, v: VertexId, way: Way) -> bool {
        match way {
            Way::Across => true,
            Way::Within(number) => self.boxes.of[v as usize] == Some(number),
        }
    }

    /// By vertex, the channels of the shortest way from it.
    pub fn distances(&mut self, to: VertexId, way: Way) -> Arc<[u32]> {
        if let Some(known) = self.to.get(&(to, way)) {
            return known.clone();
        }
        let network = self.problem.network();
        let mut distances = vec![UNREACHABLE; network.vertices().len()];
        distances[to as usize] = 0;
        let mut queue = VecDeque::from([to]);
        while let Some(v) = queue.pop_front() {
            if v != to && !self.passes(v, way) {
                continue;
            }
            for &c in network.incoming(v) {
                let from = network.channel(c).from;
                if distances[from as usize] == UNREACHABLE && self.has(from, way) {
                    distances[from as usize] = distances[v as usize] + 1;
                    queue.push_back(from);
                }
            }
        }
        let distances: Arc<[u32]> = distances.into();
        self.to.insert((to, way), distances.clone());
        distances
    }

    /// The length of the longest paths that the routing allows.
    pub fn most(&mut self, from: VertexId, to: VertexId) -> u32 {
        let network = self.problem.network();
        let anywhere =
            self.anywhere.entry(to).or_insert_with(|| distances_to(network, to).into());
        anywhere[from as usize].saturating_add(self.problem.routing().slack())
    }

    /// The length of the shortest way, if the routing allows paths as long.
    pub fn length(&mut self, from: VertexId, to: VertexId, way: Way) -> Option<u32> {
        let length = self.distances(to, way)[from as usize];
        (length != UNREACHABLE && length <= self.most(from, to)).then_some(length)
    }

    /// What one more path over a channel, or against it, costs.
    fn price(&self, c: ChannelId, is_back: bool) -> f64 {
        let channel = self.problem.network().channel(c);
        let used = if is_back { channel.reverse.unwrap_or(c) } else { c };
        let load = f64::from(self.loads[used as usize] + 1);
        (load / f64::from(channel.capacity)).powi(2)
    }

    /// A shortest path, over the channels that are used least, if the routing allows it.
    pub fn path(&mut self, from: VertexId, to: VertexId, way: Way) -> Option<Vec<ChannelId>> {
        let (_, path) = self.cheapest([from, to], way, false)?;
        self.take(&path);
        Some(path)
    }

    /// The same with its price, as a path on which transfers go there, or back.
    fn cheapest(
        &mut self,
        [from, to]: [VertexId; 2],
        way: Way,
        is_back: bool,
    ) -> Option<(f64, Vec<ChannelId>)> {
        self.length(from, to, way)?;
        let distances = self.distances(to, way);
        let network = self.problem.network();
        // Vertex by vertex of equal distance, the least price to there and the last channel.
        let mut layers: Vec<BTreeMap<VertexId, (f64, ChannelId)>> = Vec::new();
        let mut at = BTreeMap::from([(from, (0.0, 0))]);
        for _ in 0..distances[from as usize] {
            let mut next: BTreeMap<VertexId, (f64, ChannelId)> = BTreeMap::new();
            for (&v, &(price, _)) in &at {
                for &c in network.outgoing(v) {
                    let head = network.channel(c).to;
                    let is_nearer = distances[head as usize] < distances[v as usize];
                    if !is_nearer || (head != to && !self.passes(head, way)) {
                        continue;
                    }
                    let price = price + self.price(c, is_back);
                    if next.get(&head).is_none_or(|&(least, _)| price < least) {
                        next.insert(head, (price, c));
                    }
                }
            }
            layers.push(std::mem::replace(&mut at, next));
        }
        layers.push(at);
        let price = layers.last()?.get(&to)?.0;
        let (mut path, mut v) = (Vec::new(), to);
        for layer in layers[1..].iter().rev() {
            let (_, c) = *layer.get(&v)?;
            path.push(c);
            v = network.channel(c).from;
        }
        path.reverse();
        Some((price, path))
    }

    /// Counts a path.
    pub fn take(&mut self, path: &[ChannelId]) {
        path.iter().for_each(|&c| self.loads[c as usize] += 1);
    }

    /// Transfers that a terminal sends within its box in a step.
    fn width(&self, v: VertexId) -> usize {
        let network = self.problem.network();
        let of = |v: VertexId| self.boxes.of[v as usize];
        let inside = |c: &&ChannelId| of(network.channel(**c).to) == of(v);
        let inside = network.outgoing(v).iter().filter(inside);
        let inside: usize = inside.map(|&c| network.channel(c).capacity as usize).sum();
        inside.min(self.problem.sends_at_once(v))
    }

    /// A tree from a member of a box, by its lane, to all others; transfers go from there, or back. In each round, those
    /// that are informed inform as many others as they can at once, over the channels that are used least.
    pub fn tree(
        &mut self,
        (number, root): (usize, usize),
        shape: Shape,
        is_back: bool,
    ) -> Option<Vec<Branch>> {
        let boxes = self.boxes;
        let members = &boxes.members[number];
        let way = Way::Within(number);
        let mut tree: Vec<Branch> = Vec::new();
        // Members with the branch that informs them.
        let mut informed: Vec<(usize, Option<usize>)> = vec![(root, None)];
        let mut left: Vec<usize> = (1..members.len()).map(|i| (root + i) % members.len()).collect();
        while !left.is_empty() {
            let starts = informed.clone();
            let widths: Vec<usize> = starts.iter().map(|&(i, _)| self.width(members[i])).collect();
            let mut length = |i: usize, j: usize| self.length(members[i], members[j], way);
            let pairs = starts.iter().flat_map(|&(i, _)| left.iter().map(move |&j| (i, j)));
            let shortest = pairs.filter_map(|(i, j)| length(i, j)).min()?;
            let most = if shape == Shape::Short { shortest } else { u32::MAX };
            let before = tree.len();
            for turn in 0..widths.iter().copied().max().unwrap_or(0) {
                for (&(i, after), &width) in starts.iter().zip(&widths) {
                    if turn >= width {
                        continue;
                    }
                    let of_place = |routes: &mut Self, place: usize| {
                        let ends = [members[i], members[left[place]]];
                        let length = routes.length(ends[0], ends[1], way).filter(|&l| l <= most)?;
                        let (price, path) = routes.cheapest(ends, way, is_back)?;
                        Some((length, price, place, path))
                    };
                    let few = left.len().min(MOST_COMPARED);
                    let reached = (0..few).filter_map(|place| of_place(self, place));
                    let rank = |a: &u32, b: &u32, p: f64, q: f64| a.cmp(b).then(p.total_cmp(&q));
                    let nearest = reached.min_by(|a, b| rank(&a.0, &b.0, a.1, b.1));
                    let others = few..left.len();
                    let nearest = nearest
                        .or_else(|| others.into_iter().find_map(|place| of_place(self, place)));
                    let Some((_, _, place, path)) = nearest else { continue };
                    let child = left.remove(place);
                    let path = if is_back { self.back(&path)? } else { path };
                    self.take(&path);
                    let depth = after.map_or(0, |after: usize| tree[after].depth) + 1;
                    informed.push((child, Some(tree.len())));
                    tree.push(Branch { path, after, depth });
                }
            }
            if tree.len() == before {
                return None;
            }
        }
        Some(tree)
    }

    /// A path in the other direction; none if a channel has no opposite one.
    fn back(&self, path: &[ChannelId]) -> Option<Vec<ChannelId>> {
        path.iter().rev().map(|&c| self.problem.network().channel(c).reverse).collect()
    }
}

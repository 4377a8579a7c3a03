//! Paths between terminals of a lane and within boxes, each over the channels that are used least so far, and the trees
//! by which a terminal informs the others of its box.

use super::boxes::Boxes;
use ccsched_model::problem::Problem;
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, VertexId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// The most members of a box of which the one that is informed at the least price is sought.
const MOST_COMPARED: usize = 16;
/// The part of its price by which a way is dearer for each transfer before it.
const DEPTH: f64 = 0.1;

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
    /// Over as few channels as possible, and those that are used least.
    Light,
    /// Flat where time is short, before the first transfers between boxes and after the last ones; else light.
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

/// Each branch after the one that informs its start.
pub type Tree = Vec<Branch>;

/// The paths so far.
pub struct Routes<'p> {
    problem: &'p Problem,
    boxes: &'p Boxes,
    /// By channel, the paths over it: of all, and of each of the first and the last transfers alone.
    loads: [Vec<u32>; 3],
    /// Which of these count.
    among: usize,
    /// By end of a path and where it goes, the channels to it by vertex.
    to: HashMap<(VertexId, Way), Arc<[u32]>>,
    /// By end of a path, those of a shortest path anywhere.
    anywhere: HashMap<VertexId, Arc<[u32]>>,
}

impl<'p> Routes<'p> {
    pub fn new(problem: &'p Problem, boxes: &'p Boxes) -> Self {
        let none = || vec![0; problem.network().channels().len()];
        let loads = [none(), none(), none()];
        let (to, anywhere) = (HashMap::new(), HashMap::new());
        Routes { problem, boxes, loads, among: 0, to, anywhere }
    }

    /// From now on paths go where few others of the first transfers go, or of the last ones (1), or of all.
    pub fn among(&mut self, end: Option<usize>) {
        self.among = end.map_or(0, |end| end + 1);
    }

    /// Whether a path may pass a vertex.
    fn passes(&self, v: VertexId, way: Way) -> bool {
        let is_within = way != Way::Across && !self.problem.switching().relays();
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
        let anywhere = self.anywhere.entry(to).or_insert_with(|| distances_to(network, to).into());
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
        let load = f64::from(self.loads[self.among][used as usize] + 1);
        let share = load / f64::from(channel.capacity);
        share * share
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
        for &c in path {
            self.loads[0][c as usize] += 1;
            self.loads[self.among][c as usize] += u32::from(self.among > 0);
        }
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

    /// A tree from a member of a box, by its lane, to all others; transfers go from there, or back.
    pub fn tree(&mut self, root: (usize, usize), shape: Shape, is_back: bool) -> Option<Tree> {
        let is_small = self.boxes.members[root.0].len() <= MOST_COMPARED;
        let mut growing = Growing::new(self.boxes, root, is_back);
        while !growing.left.is_empty() {
            let is_grown = match shape {
                Shape::Light if is_small => growing.by_one(self),
                _ => growing.by_round(self),
            };
            is_grown.filter(|is_grown| *is_grown)?;
        }
        Some(growing.tree)
    }

    /// A path in the other direction; none if a channel has no opposite one.
    fn back(&self, path: &[ChannelId]) -> Option<Vec<ChannelId>> {
        path.iter().rev().map(|&c| self.problem.network().channel(c).reverse).collect()
    }
}

/// How a member could inform another one.
struct Candidate {
    /// The length and the price of the way.
    rank: (u32, f64),
    /// The places of both, among those that are informed and those that are left.
    informed: usize,
    place: usize,
    path: Vec<ChannelId>,
}

/// A tree that grows.
struct Growing<'b> {
    members: &'b [VertexId],
    way: Way,
    is_back: bool,
    /// Members with the branches that inform them.
    informed: Vec<(usize, Option<usize>)>,
    left: Vec<usize>,
    tree: Tree,
}

impl<'b> Growing<'b> {
    fn new(boxes: &'b Boxes, (number, root): (usize, usize), is_back: bool) -> Self {
        let members = &boxes.members[number];
        Growing {
            members,
            way: Way::Within(number),
            is_back,
            informed: vec![(root, None)],
            left: (1..members.len()).map(|i| (root + i) % members.len()).collect(),
            tree: Vec::new(),
        }
    }

    /// How an informed member, by its place, would inform one that is left.
    fn candidate(
        &self,
        routes: &mut Routes<'_>,
        informed: usize,
        place: usize,
    ) -> Option<Candidate> {
        let ends = [self.informed[informed].0, self.left[place]].map(|i| self.members[i]);
        let length = routes.length(ends[0], ends[1], self.way)?;
        let (price, path) = routes.cheapest(ends, self.way, self.is_back)?;
        Some(Candidate { rank: (length, price), informed, place, path })
    }

    fn take(&mut self, routes: &mut Routes<'_>, candidate: Candidate) -> Option<()> {
        let Candidate { informed, place, path, .. } = candidate;
        let (_, after) = self.informed[informed];
        let path = if self.is_back { routes.back(&path)? } else { path };
        routes.take(&path);
        let depth = self.depth(informed) + 1;
        self.informed.push((self.left.remove(place), Some(self.tree.len())));
        self.tree.push(Branch { path, after, depth });
        Some(())
    }

    /// Transfers from the root to an informed member.
    fn depth(&self, informed: usize) -> usize {
        self.informed[informed].1.map_or(0, |after| self.tree[after].depth)
    }

    /// Informs the one whose way from any is shortest, and of those at the least price.
    fn by_one(&mut self, routes: &mut Routes<'_>) -> Option<bool> {
        let mut best: Option<Candidate> = None;
        for informed in 0..self.informed.len() {
            for place in 0..self.left.len() {
                let Some(mut candidate) = self.candidate(routes, informed, place) else { continue };
                candidate.rank.1 *= 1.0 + DEPTH * self.depth(informed) as f64;
                if best.as_ref().is_none_or(|best| candidate.rank < best.rank) {
                    best = Some(candidate);
                }
            }
        }
        self.take(routes, best?)?;
        Some(true)
    }

    /// All that are informed inform as many others as they can at once, near ones first, each the one at the least price of
    /// some.
    fn by_round(&mut self, routes: &mut Routes<'_>) -> Option<bool> {
        let starts = self.informed.len();
        let width = |informed: &(usize, _)| routes.width(self.members[informed.0]);
        let widths: Vec<usize> = self.informed.iter().map(width).collect();
        let before = self.tree.len();
        for turn in 0..widths.iter().copied().max().unwrap_or(0) {
            for informed in (0..starts).filter(|&informed| turn < widths[informed]) {
                let mut best: Option<Candidate> = None;
                for place in 0..self.left.len() {
                    if place >= MOST_COMPARED && best.is_some() {
                        break;
                    }
                    let Some(candidate) = self.candidate(routes, informed, place) else { continue };
                    if best.as_ref().is_none_or(|best| candidate.rank < best.rank) {
                        best = Some(candidate);
                    }
                }
                if let Some(candidate) = best {
                    self.take(routes, candidate)?;
                }
            }
        }
        Some(self.tree.len() > before)
    }
}

//! Automorphisms: permutations of the vertices that map terminals to terminals, and channels to
//! channels of the same capacity. Backtracking finds them: vertices are mapped in breadth-first
//! order, each to a neighbour of its predecessor's image, at the right distances from the images of
//! the first few vertices. Where routes are kept too, switches come first: their images and the routes then
//! leave hardly a choice to terminals.

use ccsched_network::metrics::Distances;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::seq::SliceRandom;
use rand::{Rng as _, RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;
use std::collections::HashMap;

/// Number of first vertices to which distances are compared.
const BASE: usize = 8;
/// Placements tried, times the number of vertices, before a search gives up.
const TRIES: usize = 40;

/// The image of every vertex.
pub type Permutation = Vec<VertexId>;

/// The routes that automorphisms keep, by their ends.
pub type Routes<'n> = &'n dyn Fn(VertexId, VertexId) -> Option<&'n [ChannelId]>;

/// A search for automorphisms of a network.
pub struct Automorphisms<'n> {
    network: &'n Network,
    distances: Distances,
    /// Vertices in breadth-first order over channels of both directions.
    order: Vec<VertexId>,
    /// A neighbour earlier in the order, and whether the channel starts there.
    before: Vec<Option<(VertexId, bool)>>,
    /// By two vertices, a number for the channels from the first to the second: equal for equally
    /// many channels of each kind and capacity.
    between: HashMap<(VertexId, VertexId), usize>,
    /// By vertex, a number that automorphisms keep.
    looks: Vec<u64>,
    routes: Option<Routes<'n>>,
}

impl<'n> Automorphisms<'n> {
    /// Prepares the search; the breadth-first order starts at the first terminal.
    pub fn new(network: &'n Network) -> Self {
        Self::keeping(network, None)
    }

    /// The same for automorphisms that map routes to routes; the order starts at the first switch.
    pub fn keeping(network: &'n Network, routes: Option<Routes<'n>>) -> Self {
        let distances = Distances::new(network);
        let (order, before) =
            breadth_first(network, |v| routes.is_some() && network.is_terminal(v));
        let looks = looks(network, &distances);
        let between = bundles(network);
        Automorphisms { network, distances, order, before, between, looks, routes }
    }

    /// A random automorphism that maps the first vertex of the search to `target`; none if there is
    /// none, or the search gives up. With `even`, all vertices move equally far.
    pub fn find(&self, target: VertexId, even: bool, rng: &mut impl RngExt) -> Option<Permutation> {
        let vertices = self.network.vertices().len();
        let first = *self.order.first()?;
        let far = even.then(|| self.distances.get(first, target));
        let mut image = vec![VertexId::MAX; vertices];
        let mut taken = vec![false; vertices];
        let mut candidates: Vec<Vec<VertexId>> = vec![vec![target]];
        let mut tries = 0;
        while let Some(open) = candidates.last_mut() {
            let Some(next) = open.pop() else {
                candidates.pop();
                if let Some(depth) = candidates.len().checked_sub(1) {
                    let v = self.order[depth] as usize;
                    taken[image[v] as usize] = false;
                    image[v] = VertexId::MAX;
                }
                continue;
            };
            tries += 1;
            if tries > TRIES * vertices {
                return None;
            }
            let depth = candidates.len() - 1;
            let v = self.order[depth];
            let is_even = far.is_none_or(|far| self.distances.get(v, next) == far);
            if taken[next as usize] || !is_even || !self.fits(depth, v, next, &image) {
                continue;
            }
            image[v as usize] = next;
            taken[next as usize] = true;
            if depth + 1 == vertices {
                return Some(image);
            }
            candidates.push(self.choices(depth + 1, &image, rng));
        }
        None
    }

    /// The first vertex of the search.
    pub fn first(&self) -> VertexId {
        self.order[0]
    }

    /// Whether automorphisms may map the first vertex of the search to `v`, as far as distances tell.
    pub fn is_like_first(&self, v: VertexId) -> bool {
        self.looks[v as usize] == self.looks[self.order[0] as usize]
    }

    /// The candidate images of the vertex at this place of the order: the neighbours of its
    /// predecessor's image.
    fn choices(&self, depth: usize, image: &[VertexId], rng: &mut impl RngExt) -> Vec<VertexId> {
        let Some((before, outwards)) = self.before[depth] else {
            let mut all: Vec<VertexId> = (0..self.network.vertices().len() as VertexId).collect();
            all.shuffle(rng);
            return all;
        };
        let from = image[before as usize];
        let channels =
            if outwards { self.network.outgoing(from) } else { self.network.incoming(from) };
        let other = |&c: &u32| {
            let c = self.network.channel(c);
            if outwards { c.to } else { c.from }
        };
        let mut ends: Vec<VertexId> = channels.iter().map(other).collect();
        ends.sort_unstable();
        ends.dedup();
        ends.shuffle(rng);
        ends
    }

    /// Whether a vertex can be mapped to `to`, given the images of the vertices before it.
    fn fits(&self, depth: usize, v: VertexId, to: VertexId, image: &[VertexId]) -> bool {
        if self.looks[v as usize] != self.looks[to as usize] {
            return false;
        }
        let as_far = |&base: &VertexId| {
            let there = image[base as usize];
            self.distances.get(base, v) == self.distances.get(there, to)
                && self.distances.get(v, base) == self.distances.get(to, there)
        };
        if !self.order[..depth.min(BASE)].iter().all(as_far) {
            return false;
        }
        let joined = |a: VertexId, b: VertexId| self.between.get(&(a, b)).copied();
        let out = self.network.heads(v);
        let into = self.network.incoming(v).iter().map(|&c| self.network.channel(c).from);
        let joins = out.chain(into).all(|w| {
            let there = image[w as usize];
            there == VertexId::MAX
                || (joined(v, w) == joined(to, there) && joined(w, v) == joined(there, to))
        });
        joins && self.routes.is_none_or(|routes| self.routes_fit(routes, (v, to), image))
    }

    /// Whether the routes between a terminal and those with images fit to those between the images.
    fn routes_fit(
        &self,
        routes: Routes<'n>,
        (v, to): (VertexId, VertexId),
        image: &[VertexId],
    ) -> bool {
        let end = |&c: &ChannelId| self.network.channel(c).to;
        let is_open = |w: VertexId| w == v || image[w as usize] == VertexId::MAX;
        let fits = |own: Option<&[ChannelId]>, other: Option<&[ChannelId]>| match (own, other) {
            (Some(own), Some(other)) => {
                let mut ends = own.iter().map(end).zip(other.iter().map(end));
                own.len() == other.len()
                    && ends.all(|(w, there)| is_open(w) || image[w as usize] == there)
            }
            (own, other) => own.is_none() && other.is_none(),
        };
        !self.network.is_terminal(v)
            || self.network.terminals().filter(|&w| !is_open(w)).all(|w| {
                let there = image[w as usize];
                fits(routes(v, w), routes(to, there)) && fits(routes(w, v), routes(there, to))
            })
    }
}

/// By two vertices, a number for the channels from the first to the second.
fn bundles(network: &Network) -> HashMap<(VertexId, VertexId), usize> {
    let mut between: HashMap<_, Vec<(bool, u32)>> = HashMap::new();
    for c in network.channels() {
        between.entry((c.from, c.to)).or_default().push((c.exclusive, c.capacity));
    }
    let mut numbers = HashMap::new();
    let mut number = |mut bundle: Vec<(bool, u32)>| {
        bundle.sort_unstable();
        let next = numbers.len();
        *numbers.entry(bundle).or_insert(next)
    };
    between.into_iter().map(|(ends, bundle)| (ends, number(bundle))).collect()
}

/// All vertices, those that are late after the others, each with a neighbour before it if it has one.
fn breadth_first(
    network: &Network,
    is_late: impl Fn(VertexId) -> bool,
) -> (Vec<VertexId>, Vec<Option<(VertexId, bool)>>) {
    let vertices = network.vertices().len();
    let mut seen = vec![false; vertices];
    let (mut order, mut before) = (Vec::new(), Vec::new());
    for late in [false, true] {
        let mut done = 0;
        let mut starts = network.terminals().chain(0..vertices as VertexId);
        loop {
            while done < order.len() {
                let v = order[done];
                done += 1;
                let out = network.outgoing(v).iter().map(|&c| (network.channel(c).to, true));
                let into = network.incoming(v).iter().map(|&c| (network.channel(c).from, false));
                for (w, outwards) in out.chain(into).filter(|(w, _)| is_late(*w) == late) {
                    if !std::mem::replace(&mut seen[w as usize], true) {
                        order.push(w);
                        before.push(Some((v, outwards)));
                    }
                }
            }
            let Some(start) = starts.find(|&v| is_late(v) == late && !seen[v as usize]) else {
                break;
            };
            seen[start as usize] = true;
            order.push(start);
            before.push(None);
        }
    }
    (order, before)
}

/// A number for every vertex that automorphisms keep: a hash of the distances to and from it, in any order.
fn looks(network: &Network, distances: &Distances) -> Vec<u64> {
    let vertices = 0..network.vertices().len() as VertexId;
    let look = |v: VertexId| {
        let far = |w: VertexId| {
            let distances = [distances.get(v, w), distances.get(w, v)].map(u64::from);
            mixed((distances[0] << 33) | (distances[1] << 1) | u64::from(network.is_terminal(w)))
        };
        let others = vertices.clone().map(far).fold(0, u64::wrapping_add);
        others.wrapping_add(mixed(network.is_terminal(v).into()))
    };
    vertices.clone().map(look).collect()
}

/// Spreads a number over all bits, so that sums of different numbers differ.
fn mixed(number: u64) -> u64 {
    SplitMix64::seed_from_u64(number).next_u64()
}

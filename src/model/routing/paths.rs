//! The table of paths: for every source and destination of a transfer, its allowed paths.
//!
//! umda-multistage-networks, section 4.1: all shortest paths of a pair are found beforehand and
//! stored. If a pair has more than a cap, a seeded sample without repetition is stored instead.

use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Index of a path in its table.
pub type PathId = u32;
/// How many channels longer than a shortest path a path may be.
pub type Slack = u32;

/// The largest number of stored paths of a pair.
const MOST_PATHS_OF_A_PAIR: usize = 256;
/// Approximate limit on the stored paths of all pairs; the cap of a pair shrinks to keep it.
const MOST_PATHS: usize = 4_000_000;
/// Walks are listed up to this multiple of the cap; if there are more, they are sampled.
const LIST_FACTOR: u64 = 16;

/// The most paths of a pair, where all pairs have about `most`.
pub(super) fn cap_of(most: usize, pairs: usize) -> usize {
    (most / pairs.max(1)).clamp(8, MOST_PATHS_OF_A_PAIR)
}

/// The paths of a list of pairs, shortest first within a pair.
#[derive(Clone, Debug)]
pub struct PathTable {
    /// `pairs[i]..pairs[i + 1]` are the paths of pair `i`.
    pairs: Vec<PathId>,
    /// `starts[p]..starts[p + 1]` is the range of path `p` in `channels`.
    starts: Vec<u32>,
    channels: Vec<ChannelId>,
    cap: usize,
    sampled_pairs: usize,
}

impl PathTable {
    /// Finds the paths of every pair (from, to) with at most `slack` channels more than a shortest
    /// one. A pair without a path, or of a vertex with itself, gets none. Samples are drawn from
    /// `seed`.
    pub fn find(
        network: &Network,
        pairs: &[(VertexId, VertexId)],
        slack: Slack,
        seed: u64,
    ) -> PathTable {
        let cap = cap_of(MOST_PATHS, pairs.len());
        Self::capped(network, pairs, (slack, cap, seed), &|| false)
            .unwrap_or_else(|| PathTable::empty(cap))
    }

    /// The same with at most `cap` paths of a pair; none if `is_over` returns true meanwhile.
    pub(super) fn capped(
        network: &Network,
        pairs: &[(VertexId, VertexId)],
        (slack, cap, seed): (Slack, usize, u64),
        is_over: &dyn Fn() -> bool,
    ) -> Option<PathTable> {
        let mut finder = Finder { network, slack, cap, seed, sampled_pairs: 0 };
        // Pairs with the same target share the counts of walks.
        let mut by_target: BTreeMap<VertexId, Vec<usize>> = BTreeMap::new();
        for (i, &(_, to)) in pairs.iter().enumerate() {
            by_target.entry(to).or_default().push(i);
        }
        // By pair, in the order in which they are found.
        let mut found = PathTable::empty(cap);
        let mut places = vec![None; pairs.len()];
        for (&target, members) in &by_target {
            if is_over() {
                return None;
            }
            finder.paths_to(target, members, pairs, |pair, paths| {
                places[pair] = Some(found.pairs.len() - 1);
                found.push(paths.iter().map(Vec::as_slice));
            });
        }
        let mut table = PathTable::empty(cap);
        table.sampled_pairs = finder.sampled_pairs;
        for place in places {
            let paths = place.map_or(0..0, |place| found.of_pair(place));
            table.push(paths.map(|path| found.channels(path)));
        }
        Some(table)
    }

    /// The table of fixed routes: one path a pair, or none.
    pub fn fixed<'r>(routes: impl Iterator<Item = Option<&'r [ChannelId]>>) -> PathTable {
        let mut table = PathTable::empty(1);
        routes.for_each(|route| table.push(route.into_iter()));
        table
    }

    pub(super) fn empty(cap: usize) -> PathTable {
        PathTable { pairs: vec![0], starts: vec![0], channels: Vec::new(), cap, sampled_pairs: 0 }
    }

    /// Adds the paths of the next pair.
    fn push<'p>(&mut self, paths: impl Iterator<Item = &'p [ChannelId]>) {
        paths.for_each(|path| self.push_path(path));
        self.end_pair();
    }

    /// Adds a path to those of the next pair.
    pub fn push_path(&mut self, path: &[ChannelId]) {
        self.channels.extend_from_slice(path);
        self.starts.push(self.channels.len() as u32);
    }

    /// Ends the paths of a pair.
    pub(super) fn end_pair(&mut self) {
        self.pairs.push(self.len() as PathId);
    }

    /// The same table with these paths of each pair once more, after all of the pair.
    pub fn repeating(&self, more: &[Vec<PathId>]) -> PathTable {
        let mut table =
            PathTable { sampled_pairs: self.sampled_pairs, ..PathTable::empty(self.cap) };
        for (pair, more) in more.iter().enumerate() {
            let all = self.of_pair(pair).chain(more.iter().copied());
            table.push(all.map(|path| self.channels(path)));
        }
        table
    }

    /// The paths of a pair, given by its index in the list for [`PathTable::find`].
    pub fn of_pair(&self, pair: usize) -> Range<PathId> {
        self.pairs[pair]..self.pairs[pair + 1]
    }

    /// The channels of a path, in order.
    pub fn channels(&self, path: PathId) -> &[ChannelId] {
        let p = path as usize;
        &self.channels[self.starts[p] as usize..self.starts[p + 1] as usize]
    }

    /// Number of paths stored.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the table has no path.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of pairs with more paths than are stored, and the cap.
    pub fn sampled(&self) -> (usize, usize) {
        (self.sampled_pairs, self.cap)
    }
}

struct Finder<'n> {
    network: &'n Network,
    slack: Slack,
    cap: usize,
    seed: u64,
    sampled_pairs: usize,
}

impl Finder<'_> {
    fn paths_to(
        &mut self,
        target: VertexId,
        members: &[usize],
        pairs: &[(VertexId, VertexId)],
        mut found: impl FnMut(usize, Vec<Vec<ChannelId>>),
    ) {
        let distance = distances_to(self.network, target);
        let reachable = |i: &&usize| {
            let from = pairs[**i].0;
            from != target && distance[from as usize] != UNREACHABLE
        };
        let farthest = members.iter().filter(reachable).map(|&i| distance[pairs[i].0 as usize]);
        let Some(farthest) = farthest.max() else { return };
        // A simple path has fewer channels than the network has vertices.
        let longest =
            farthest.saturating_add(self.slack).min(self.network.vertices().len() as u32 - 1);
        let walks = Walks::to(self.network, target, longest);
        for &i in members.iter().filter(reachable) {
            let from = pairs[i].0;
            let shortest = distance[from as usize];
            let lengths = shortest..=shortest.saturating_add(self.slack).min(longest);
            found(i, self.paths_of_pair(&walks, from, lengths, i as u64));
        }
    }

    fn paths_of_pair(
        &mut self,
        walks: &Walks,
        from: VertexId,
        lengths: std::ops::RangeInclusive<u32>,
        pair: u64,
    ) -> Vec<Vec<ChannelId>> {
        let mut paths = Vec::new();
        let total =
            lengths.clone().fold(0u64, |sum, length| sum.saturating_add(walks.count(from, length)));
        if total <= LIST_FACTOR * self.cap as u64 {
            for length in lengths.clone() {
                walks.list(from, length, &mut paths);
            }
            if paths.len() <= self.cap {
                return paths;
            }
            paths.clear();
        }
        self.sampled_pairs += 1;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (pair << 20));
        let mut seen = HashSet::new();
        let kinds = lengths.clone().count();
        for (done, length) in lengths.enumerate() {
            // Every length gets an equal share of the remaining room.
            let goal = paths.len() + (self.cap - paths.len()) / (kinds - done);
            for _ in 0..8 * self.cap {
                if paths.len() >= goal || walks.count(from, length) == 0 {
                    break;
                }
                if let Some(path) = walks.draw(from, length, &mut rng)
                    && seen.insert(path.clone())
                {
                    paths.push(path);
                }
            }
        }
        paths
    }
}

// Counting, listing and sampling the walks of one length between two vertices.
//
// `counts[l][v]` is the number of walks of exactly `l` channels from `v` to the target. It guides
// both the listing (dead ends occur only at vertices visited twice) and the uniform sampling of a
// walk. Walks of the shortest length are all simple, so for them this is the shortest-path DAG.

/// Numbers of walks to one target, by length and start. The counts saturate: large ones matter only
/// as proportions.
pub struct Walks<'n> {
    network: &'n Network,
    /// `counts[l * vertices + v]`.
    counts: Vec<u64>,
}

impl<'n> Walks<'n> {
    /// Counts all walks to `target` of up to `longest` channels.
    fn to(network: &'n Network, target: VertexId, longest: u32) -> Self {
        let n = network.vertices().len();
        let mut counts = vec![0u64; n * (longest as usize + 1)];
        counts[target as usize] = 1;
        for length in 1..=longest as usize {
            let (shorter, longer) = counts.split_at_mut(length * n);
            let shorter = &shorter[(length - 1) * n..];
            for c in network.channels() {
                // A simple path ends when it reaches the target.
                if c.from != target {
                    let sum = &mut longer[c.from as usize];
                    *sum = sum.saturating_add(shorter[c.to as usize]);
                }
            }
        }
        Walks { network, counts }
    }

    /// Number of walks of `length` channels from `v`.
    fn count(&self, v: VertexId, length: u32) -> u64 {
        self.counts[length as usize * self.network.vertices().len() + v as usize]
    }

    /// Appends every simple path of `length` channels from `v` to `found`.
    fn list(&self, v: VertexId, length: u32, found: &mut Vec<Vec<ChannelId>>) {
        let mut met = vec![v];
        self.extend(length, &mut met, &mut Vec::new(), found);
    }

    fn extend(
        &self,
        length: u32,
        met: &mut Vec<VertexId>,
        path: &mut Vec<ChannelId>,
        found: &mut Vec<Vec<ChannelId>>,
    ) {
        if length == 0 {
            found.push(path.clone());
            return;
        }
        let v = met[met.len() - 1];
        for &c in self.network.outgoing(v) {
            let to = self.network.channel(c).to;
            if self.count(to, length - 1) > 0 && !met.contains(&to) {
                met.push(to);
                path.push(c);
                self.extend(length - 1, met, path, found);
                path.pop();
                met.pop();
            }
        }
    }

    /// Draws a walk of `length` channels from `v`, uniformly; none if it visits a vertex twice.
    fn draw(&self, v: VertexId, length: u32, rng: &mut impl Rng) -> Option<Vec<ChannelId>> {
        let mut met = vec![v];
        let mut path = Vec::with_capacity(length as usize);
        let mut at = v;
        for left in (0..length).rev() {
            let out = self.network.outgoing(at);
            let weight = |c: &ChannelId| u128::from(self.count(self.network.channel(*c).to, left));
            let mut pick = rng.random_range(0..out.iter().map(weight).sum::<u128>());
            let c = *out.iter().find(|&c| {
                let w = weight(c);
                let hit = pick < w;
                pick = pick.wrapping_sub(w);
                hit
            })?;
            at = self.network.channel(c).to;
            if met.contains(&at) {
                return None;
            }
            met.push(at);
            path.push(c);
        }
        Some(path)
    }
}

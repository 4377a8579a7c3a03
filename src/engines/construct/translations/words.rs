//! Shortest paths from the first vertex of a network with translations, as words: the translations of the
//! hops, in any order. Where there are several, those are taken that use all channels about equally.

use super::sums::Sums;
use ccsched_network::metrics::distances_from;
use ccsched_network::{Network, VertexId};

/// Most times that all words are chosen anew, each beside all others.
const ROUNDS: usize = 8;
/// What a hop costs is this power of the hops of its machine.
const POWER: u32 = 3;

/// By vertex, the machines of a shortest path to it from the first vertex, of which each does hops to one of these
/// `heads`. The largest number of hops of a machine is small.
pub fn words(network: &Network, group: &Sums, heads: &[VertexId]) -> Vec<Vec<usize>> {
    let distance = distances_from(network, 0);
    let mut words = vec![Vec::new(); distance.len()];
    let mut order: Vec<VertexId> = (0..distance.len() as VertexId).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(distance[v as usize]));
    let mut cheapest = Cheapest::new(group, heads, distance);
    let mut best = None;
    for _ in 0..ROUNDS {
        for &v in &order {
            cheapest.choose(v, &mut words[v as usize]);
        }
        let most = cheapest.loads.iter().copied().max();
        if best.as_ref().is_some_and(|&(least, _)| least <= most) {
            break;
        }
        best = Some((most, words.clone()));
    }
    best.map_or(words, |(_, words)| words)
}

/// The choice of the cheapest word; busy machines cost more.
struct Cheapest<'g> {
    group: &'g Sums,
    heads: &'g [VertexId],
    /// By vertex, its distance from the first one.
    distance: Vec<u32>,
    /// By machine, the hops in all words.
    loads: Vec<u64>,
    /// The vertices on shortest paths to the present one, the farthest first.
    between: Vec<VertexId>,
    /// By vertex, whether it is one of these.
    is_between: Vec<bool>,
    /// By vertex of these, what the cheapest word to it costs, and its last machine.
    costs: Vec<(u128, usize)>,
}

impl<'g> Cheapest<'g> {
    fn new(group: &'g Sums, heads: &'g [VertexId], distance: Vec<u32>) -> Self {
        let vertices = distance.len();
        Cheapest {
            group,
            heads,
            distance,
            loads: vec![0; heads.len()],
            between: Vec::new(),
            is_between: vec![false; vertices],
            costs: vec![(0, 0); vertices],
        }
    }

    /// Chooses the word of a vertex anew.
    fn choose(&mut self, v: VertexId, word: &mut Vec<usize>) {
        word.drain(..).for_each(|machine| self.loads[machine] -= 1);
        self.collect(v);
        for at in (0..self.between.len()).rev() {
            let left = self.between[at];
            self.is_between[left as usize] = false;
            let cost = |(machine, before): (usize, VertexId)| {
                let hop = u128::from(self.loads[machine]).pow(POWER);
                (self.costs[before as usize].0 + hop, machine)
            };
            self.costs[left as usize] = self.nearer(left).map(cost).min().unwrap_or((0, 0));
        }
        let mut left = v;
        while left != 0 {
            let machine = self.costs[left as usize].1;
            self.loads[machine] += 1;
            word.push(machine);
            left = self.group.difference(left, self.heads[machine]);
        }
    }

    /// Collects the vertices on shortest paths to one.
    fn collect(&mut self, v: VertexId) {
        self.between.clear();
        self.between.push(v);
        let mut next = 0;
        while let Some(&left) = self.between.get(next) {
            next += 1;
            let new: Vec<VertexId> = self.nearer(left).map(|(_, before)| before).collect();
            for before in new {
                if !std::mem::replace(&mut self.is_between[before as usize], true) {
                    self.between.push(before);
                }
            }
        }
    }

    /// The machines that may do the last hop to a vertex, and where it starts: as hops commute, that is any hop of
    /// a word.
    fn nearer(&self, left: VertexId) -> impl Iterator<Item = (usize, VertexId)> {
        let machines = (0..).zip(self.heads);
        let before = move |(machine, &head)| (machine, self.group.difference(left, head));
        let is_nearer = move |&(_, before): &(usize, VertexId)| {
            self.distance[before as usize] + 1 == self.distance[left as usize]
        };
        machines.map(before).filter(is_nearer)
    }
}

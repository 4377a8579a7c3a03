//! Partition: of an all-reduce among k sets of vertices, each with a process, every part goes from one set to another
//! at least 2 (k - 1) times: the sum can be complete only after k - 1 sets have handed theirs over, and is everywhere
//! only after k - 1 sets have got it. (Where two sets complete the sum by an exchange, its two transfers count once on
//! each side.) So boxes with a fast inside are as slow as the links between them allow.
//!
//! Sets are found by joining the two with the most capacity between them, again and again; of all the partitions on the
//! way the worst is taken.

use super::sums::{parts, volume};
use super::{Bound, Evidence, load};
use ccsched_model::problem::Problem;
use ccsched_network::{Channel, VertexId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Larger networks are not divided: a set of many neighbours offers all of them whenever it grows.
const MOST_VERTICES: usize = 2_048;
const MOST_CHANNELS: usize = 100_000;

pub fn bound(problem: &Problem) -> Option<Bound> {
    let network = problem.network();
    if network.vertices().len() > MOST_VERTICES || network.channels().len() > MOST_CHANNELS {
        return None;
    }
    let found = [false, true].map(|by_mean| Joining::of(problem, by_mean).worst(problem));
    let of = |sets: Vec<Vec<VertexId>>| (steps(problem, &sets), sets);
    let (steps, sets) = found.into_iter().flatten().map(of).max_by_key(|(steps, _)| *steps)?;
    // Each process alone is a set, too, which is the simpler argument.
    let least = volume(problem).map_or(0, |volume| volume.steps);
    let evidence = Evidence::Partition(sets);
    (steps > least).then_some(Bound { name: "partition", steps, evidence })
}

/// The steps that sets prove.
fn steps(problem: &Problem, sets: &[Vec<VertexId>]) -> u32 {
    let network = problem.network();
    let mut set_of = vec![None; network.vertices().len()];
    for (set, vertices) in sets.iter().enumerate() {
        vertices.iter().for_each(|&v| set_of[v as usize] = Some(set));
    }
    let of = |inside: fn(&Channel) -> VertexId| {
        let crosses = |&c: &u32| {
            let channel = network.channel(c);
            let [from, to] = [channel.from, channel.to].map(|v| set_of[v as usize]);
            from != to && set_of[inside(channel) as usize].is_some()
        };
        load::capacity(problem, (0..network.channels().len() as u32).filter(crosses))
    };
    let crossings = 2 * (sets.len() as u64 - 1) * parts(problem);
    load::steps(crossings, of(|c| c.from).min(of(|c| c.to)))
}

/// A set of vertices that may be joined with others.
#[derive(Clone, Default)]
struct Set {
    vertices: u64,
    processes: u64,
    /// Vertices that may hold a sum.
    holders: u64,
    /// Capacity out of it and into it.
    across: [u64; 2],
    /// The same by other set.
    others: BTreeMap<u32, [u64; 2]>,
    /// Rises with every change; none if it is part of another one.
    age: Option<u32>,
}

impl Set {
    /// Whether it can hold a sum but contributes nothing, so that it must be part of another set.
    fn is_homeless(&self) -> bool {
        self.holders > 0 && self.processes == 0
    }
}

/// Two sets by rank: the first joined are those of which one is homeless, then those with the most capacity between
/// them, the smallest first; with their numbers and ages.
type Pair = (bool, u64, Reverse<u64>, Reverse<[u32; 2]>, [u32; 2]);

/// Sets that are joined until one is left.
struct Joining {
    sets: Vec<Set>,
    pairs: BinaryHeap<Pair>,
    /// Whether the capacity between two sets counts by pair of their vertices.
    by_mean: bool,
}

impl Joining {
    fn of(problem: &Problem, by_mean: bool) -> Self {
        let network = problem.network();
        let mut sets =
            vec![Set { vertices: 1, age: Some(0), ..Set::default() }; network.vertices().len()];
        for channel in network.channels() {
            let capacity = u64::from(channel.capacity);
            for (a, b, way) in [(channel.from, channel.to, 0), (channel.to, channel.from, 1)] {
                let set = &mut sets[a as usize];
                set.across[way] += capacity;
                set.others.entry(b).or_default()[way] += capacity;
                let may_hold = network.is_terminal(a) || problem.switching().stores();
                set.holders = u64::from(may_hold);
            }
        }
        problem.receivers().iter().for_each(|&v| sets[v as usize].processes = 1);
        let mut joining = Joining { sets, pairs: BinaryHeap::new(), by_mean };
        for set in 0..joining.sets.len() as u32 {
            joining.offer(set, |other| other > set);
        }
        joining
    }

    /// Offers the pairs of a set with some others.
    fn offer(&mut self, set: u32, is_wanted: impl Fn(u32) -> bool) {
        let own = &self.sets[set as usize];
        for (&other, ways) in own.others.iter().filter(|&(&other, _)| is_wanted(other)) {
            let with = &self.sets[other as usize];
            let between = ways[0] + ways[1];
            let mean = || between.saturating_mul(1 << 20) / (own.vertices * with.vertices);
            let rank = if self.by_mean { mean() } else { between };
            let size = Reverse(own.vertices + with.vertices);
            let (a, b) = (set.min(other), set.max(other));
            let ages = [a, b].map(|v| self.sets[v as usize].age.unwrap_or(u32::MAX));
            let is_homeless = own.is_homeless() || with.is_homeless();
            self.pairs.push((is_homeless, rank, size, Reverse([a, b]), ages));
        }
    }

    /// The sets with a process of the worst partition on the way.
    fn worst(mut self, problem: &Problem) -> Option<Vec<Vec<VertexId>>> {
        let n = self.sets.len();
        let is_process = |v: VertexId| problem.receivers().binary_search(&v).is_ok();
        let (mut homeless, mut processes, mut across) = (0u64, 0u64, [0u64; 2]);
        let mut count = |set: &Set, gained: bool| {
            let add =
                |sum: &mut u64, more: u64| *sum = if gained { *sum + more } else { *sum - more };
            add(&mut homeless, u64::from(set.is_homeless()));
            if set.processes > 0 {
                add(&mut processes, 1);
                (0..2).for_each(|way| add(&mut across[way], set.across[way]));
            }
            (homeless, processes, across[0].min(across[1]))
        };
        let mut state = (0, 0, 0);
        self.sets.iter().for_each(|set| state = count(set, true));
        let mut joined: Vec<[u32; 2]> = Vec::new();
        // Crossings of a part, the capacity that they share, and the sets that were joined before.
        let mut worst: Option<(u64, u64, usize)> = None;
        loop {
            let (homeless, sets, capacity) = state;
            let is_worse = |&(crossings, shared, _): &(u64, u64, usize)| {
                u128::from(sets - 1) * u128::from(shared)
                    > u128::from(crossings) * u128::from(capacity)
            };
            if homeless == 0 && sets > 1 && capacity > 0 && worst.as_ref().is_none_or(is_worse) {
                worst = Some((sets - 1, capacity, joined.len()));
            }
            let Some([a, b]) = self.next() else { break };
            count(&self.sets[a as usize], false);
            count(&self.sets[b as usize], false);
            self.join(a, b);
            state = count(&self.sets[a as usize], true);
            joined.push([a, b]);
        }
        let (.., joins) = worst?;
        let mut members: Vec<Vec<VertexId>> = (0..n as VertexId).map(|v| vec![v]).collect();
        for &[a, b] in &joined[..joins] {
            let moved = std::mem::take(&mut members[b as usize]);
            members[a as usize].extend(moved);
        }
        members.retain(|set| set.iter().any(|&v| is_process(v)));
        members.iter_mut().for_each(|set| set.sort_unstable());
        Some(members)
    }

    /// The next two sets that are joined.
    fn next(&mut self) -> Option<[u32; 2]> {
        while let Some((.., Reverse(pair), ages)) = self.pairs.pop() {
            if pair.map(|set| self.sets[set as usize].age) == ages.map(Some) {
                return Some(pair);
            }
        }
        None
    }

    /// Makes the second set part of the first.
    fn join(&mut self, a: u32, b: u32) {
        let Set { vertices, processes, holders, across, others, .. } =
            std::mem::take(&mut self.sets[b as usize]);
        let set = &mut self.sets[a as usize];
        set.vertices += vertices;
        set.processes += processes;
        set.holders += holders;
        let within = set.others.remove(&b).unwrap_or_default();
        for (all, more) in set.across.iter_mut().zip(across) {
            *all = *all + more - within[0] - within[1];
        }
        set.age = set.age.map(|age| age + 1);
        for (other, ways) in others.into_iter().filter(|&(other, _)| other != a) {
            let [own, with] = [(a, other), (other, a)].map(|(set, to)| (set as usize, to));
            self.sets[with.0].others.remove(&b);
            for (way, capacity) in ways.into_iter().enumerate() {
                self.sets[own.0].others.entry(own.1).or_default()[way] += capacity;
                self.sets[with.0].others.entry(with.1).or_default()[1 - way] += capacity;
            }
        }
        self.offer(a, |_| true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_network::{LinkKind, NetworkBuilder, spec};

    #[test]
    fn boxes_are_found_and_the_links_between_them_counted() {
        let request = Request::new(Collective::AllReduce);
        let of = |topology: &str| {
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            bound(&problem).map(|bound| (bound.steps, bound.evidence))
        };
        // 24 parts go four times among three boxes of four links each.
        let Some((8, Evidence::Partition(sets))) = of("rail:3,8,4") else { panic!("no boxes") };
        assert_eq!(sets.len(), 3, "{sets:?}");
        // Nothing is worse than each process alone.
        assert_eq!(of("complete:5"), None);
        assert_eq!(of("fat-tree:8"), None);
    }

    #[test]
    fn vertices_that_store_are_in_a_set() {
        let mut net = NetworkBuilder::new("boxes");
        let v: Vec<VertexId> = (0..6).map(|i| net.terminal(i.to_string())).collect();
        let relay = net.switch("relay");
        for i in 0..3 {
            net.wide_link(v[2 * i], v[2 * i + 1], LinkKind::FullDuplex, 4);
            net.link(v[2 * i + 1], v[(2 * i + 2) % 6], LinkKind::FullDuplex);
        }
        net.wide_link(v[0], relay, LinkKind::FullDuplex, 4);
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ..Request::new(Collective::AllReduce) };
        let problem = request.pose(net.build().unwrap(), vec![]).unwrap();
        // 6 parts, 4 crossings each, 6 channels.
        let found = bound(&problem).unwrap();
        let Evidence::Partition(mut sets) = found.evidence else { panic!("{found:?}") };
        sets.sort();
        assert_eq!((found.steps, sets), (4, vec![vec![0, 1, 6], vec![2, 3], vec![4, 5]]));
    }
}

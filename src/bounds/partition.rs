//! Partition: of an all-reduce among k sets of vertices, each with a process, every part goes from one set to another
//! at least 2 (k - 1) times: the sum can be complete only after k - 1 sets have handed theirs over, and is everywhere
//! only after k - 1 sets have got it. (Where two sets complete the sum by an exchange, its two transfers count once on
//! each side.) So boxes with a fast inside are as slow as the links between them allow.
//!
//! In the first step nothing but contributions of one process goes from set to set. A set of n hands its own over in one
//! transfer of a later step, or in n of the first one: each of these counts as the n-th part of one. Likewise what a set
//! gets in the last step is for one process. An all-reduce of one part is another matter: there what a vertex has handed
//! over it still has.
//!
//! Sets are found by joining the two with the most capacity between them, again and again; of all the partitions on the
//! way the worst is taken, and the one with sets alike that are joined by the least capacity. Then what holds no sum goes
//! to the set to which most of its links lead, if more than half of them do.

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
    let worst = [false, true].map(|by_mean| Joining::of(problem, by_mean).worst(problem));
    let alike = worst.iter().any(Option::is_some).then(|| boxes(problem)).flatten();
    let found = worst.into_iter().flatten().flat_map(|sets| [settled(problem, sets.clone()), sets]);
    let of = |sets: Vec<Vec<VertexId>>| Some((proven(problem, &sets)?, sets));
    let (steps, sets) =
        alike.into_iter().chain(found).filter_map(of).max_by_key(|(steps, _)| *steps)?;
    // Each process alone is a set, too, which is the simpler argument.
    let least = volume(problem).map_or(0, |volume| volume.steps);
    let evidence = Evidence::Partition(sets);
    (steps > least).then_some(Bound { name: "partition", steps, evidence })
}

/// Sets of vertices with as many processes each, several, and the least capacity between a set and all else, of the
/// partitions on the way; none if the network is too large, or if there are no such sets.
pub fn boxes(problem: &Problem) -> Option<Vec<Vec<VertexId>>> {
    let network = problem.network();
    if network.vertices().len() > MOST_VERTICES || network.channels().len() > MOST_CHANNELS {
        return None;
    }
    let of = |by_mean| {
        let mut least = u64::MAX;
        let boxes = Joining::of(problem, by_mean).last(problem, |state| {
            let across = state.across[0].max(state.across[1]);
            let are_alike = state.sizes.len() == 1 && !state.sizes.contains_key(&1);
            let is_least = are_alike && across < least;
            least = if is_least { across } else { least };
            is_least
        })?;
        Some((least, boxes))
    };
    let (_, boxes) = [false, true].into_iter().filter_map(of).min_by_key(|(least, _)| *least)?;
    Some(settled(problem, boxes))
}

/// By vertex, the set that it is in.
fn set_of(problem: &Problem, sets: &[Vec<VertexId>]) -> Vec<Option<usize>> {
    let mut set_of = vec![None; problem.network().vertices().len()];
    for (set, vertices) in sets.iter().enumerate() {
        vertices.iter().for_each(|&v| set_of[v as usize] = Some(set));
    }
    set_of
}

/// The sets with all that holds no sum in the set to which more than half of the capacity of its links leads, if there is
/// one, else in none.
fn settled(problem: &Problem, sets: Vec<Vec<VertexId>>) -> Vec<Vec<VertexId>> {
    let network = problem.network();
    let mut of = set_of(problem, &sets);
    let holds = |v: VertexId| network.is_terminal(v) || problem.switching().stores();
    let all = 0..of.len() as VertexId;
    for v in all.clone().filter(|&v| !holds(v)) {
        let mut to: BTreeMap<Option<usize>, u64> = BTreeMap::new();
        let channels = network.outgoing(v).iter().chain(network.incoming(v));
        for channel in channels.map(|&c| network.channel(c)) {
            let other = if channel.from == v { channel.to } else { channel.from };
            *to.entry(of[other as usize]).or_default() += u64::from(channel.capacity);
        }
        let total: u64 = to.values().sum();
        let home = to.into_iter().find(|&(_, capacity)| 2 * capacity > total);
        of[v as usize] = home.and_then(|(set, _)| set);
    }
    let mut settled = vec![Vec::new(); sets.len()];
    for v in all {
        of[v as usize].iter().for_each(|&set| settled[set].push(v));
    }
    settled
}

/// The steps that sets prove, if links join them.
fn proven(problem: &Problem, sets: &[Vec<VertexId>]) -> Option<u32> {
    let (network, of) = (problem.network(), set_of(problem, sets));
    let across = |inside: fn(&Channel) -> VertexId| {
        let crosses = |&c: &u32| {
            let channel = network.channel(c);
            let [from, to] = [channel.from, channel.to].map(|v| of[v as usize]);
            from != to && of[inside(channel) as usize].is_some()
        };
        load::capacity(problem, (0..network.channels().len() as u32).filter(crosses))
    };
    let is_process = |v: &&VertexId| problem.receivers().binary_search(v).is_ok();
    let least = sets.iter().map(|set| set.iter().filter(is_process).count()).min()?;
    let capacity = across(|c| c.from).min(across(|c| c.to)) as u64;
    (capacity > 0).then(|| steps(problem, (sets.len() as u64, capacity, least as u64)))
}

/// The steps that some sets prove: their number, the capacity that all crossings share, and the fewest processes of one.
fn steps(problem: &Problem, (sets, capacity, least): (u64, u64, u64)) -> u32 {
    let crossings = 2 * (sets - 1) * parts(problem);
    let whole = load::steps(crossings, capacity as usize);
    if problem.collective().joins() || problem.receivers().len() < 3 {
        return whole;
    }
    let at_ends = 2 * capacity;
    let between = (crossings * least).saturating_sub(at_ends).div_ceil(least * capacity);
    whole.max(2 + u32::try_from(between).unwrap_or(u32::MAX - 2))
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

/// The sets at one time.
#[derive(Default)]
struct Partition {
    homeless: u64,
    /// Capacity out of all sets with a process, and into them.
    across: [u64; 2],
    /// By number of processes, the sets that have as many.
    sizes: BTreeMap<u64, u64>,
}

impl Partition {
    /// Sets with a process.
    fn sets(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// Counts a set that is gained or lost.
    fn count(&mut self, set: &Set, is_gained: bool) {
        let add = |sum: &mut u64, more| *sum = if is_gained { *sum + more } else { *sum - more };
        add(&mut self.homeless, u64::from(set.is_homeless()));
        if set.processes > 0 {
            (0..2).for_each(|way| add(&mut self.across[way], set.across[way]));
            add(self.sizes.entry(set.processes).or_default(), 1);
            self.sizes.retain(|_, sets| *sets > 0);
        }
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
    fn worst(self, problem: &Problem) -> Option<Vec<Vec<VertexId>>> {
        // Steps, crossings of a part, and the capacity that they share.
        let mut worst: Option<(u32, u64, u64)> = None;
        self.last(problem, |state| {
            let (sets, capacity) = (state.sets(), state.across[0].min(state.across[1]));
            if capacity == 0 {
                return false;
            }
            let least = state.sizes.keys().next().copied().unwrap_or(1);
            let steps = steps(problem, (sets, capacity, least));
            let is_worse = |&(most, crossings, shared): &(u32, u64, u64)| {
                let [own, other] = [(sets - 1, shared), (crossings, capacity)]
                    .map(|(a, b)| u128::from(a) * u128::from(b));
                (steps, own) > (most, other)
            };
            let is_worst = worst.as_ref().is_none_or(is_worse);
            if is_worst {
                worst = Some((steps, sets - 1, capacity));
            }
            is_worst
        })
    }

    /// The sets with a process of the last partition on the way that is asked for, of those of two and more sets in
    /// which all that may hold a sum is in a set with a process.
    fn last(
        mut self,
        problem: &Problem,
        mut is_asked: impl FnMut(&Partition) -> bool,
    ) -> Option<Vec<Vec<VertexId>>> {
        let n = self.sets.len();
        let is_process = |v: VertexId| problem.receivers().binary_search(&v).is_ok();
        let mut state = Partition::default();
        self.sets.iter().for_each(|set| state.count(set, true));
        let mut joined: Vec<[u32; 2]> = Vec::new();
        // The sets that were joined before it.
        let mut last: Option<usize> = None;
        loop {
            if state.homeless == 0 && state.sets() > 1 && is_asked(&state) {
                last = Some(joined.len());
            }
            let Some([a, b]) = self.next() else { break };
            state.count(&self.sets[a as usize], false);
            state.count(&self.sets[b as usize], false);
            self.join(a, b);
            state.count(&self.sets[a as usize], true);
            joined.push([a, b]);
        }
        let mut members: Vec<Vec<VertexId>> = (0..n as VertexId).map(|v| vec![v]).collect();
        for &[a, b] in &joined[..last?] {
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
        // 24 parts go four times among three boxes of four links each, in all steps but the first and the last, where
        // eight transfers are as good as one.
        let Some((10, Evidence::Partition(sets))) = of("rail:3,8,4") else { panic!("no boxes") };
        assert_eq!(sets.len(), 3, "{sets:?}");
        // Two hosts share an adapter, which belongs to their box; 32 parts go six times over 16 links.
        let Some((14, Evidence::Partition(sets))) = of("dgx1:4") else { panic!("no boxes") };
        assert!(sets.iter().all(|set| set.len() == 12), "{sets:?}");
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
        // 6 parts, 4 crossings each, 6 channels; half as much in the first step and the last.
        let found = bound(&problem).unwrap();
        let Evidence::Partition(mut sets) = found.evidence else { panic!("{found:?}") };
        sets.sort();
        assert_eq!((found.steps, sets), (5, vec![vec![0, 1, 6], vec![2, 3], vec![4, 5]]));
    }
}

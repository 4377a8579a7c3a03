//! All-reduces where switches add up and copy. A part is first added up within clusters of processes, at a
//! leader of each, then the leaders exchange what they hold over one vertex, a hub, and then the complete sum
//! is copied within the clusters; each of the three is trees of a step. Parts take the first steps with room,
//! one after the other, in an order that learns which are late.

use super::tree::{Grower, Room, Tree, Way};
use super::{PATIENCE, Shown};
use crate::{Method, Resume, Seat, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::UNREACHABLE;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Hubs that are looked at; of more, those with the most channels.
const MOST_HUBS: usize = 64;
/// One of so many passes takes any scheme, in place of the best.
const OTHERS: u32 = 4;
/// In one of so many passes the leaders of clusters are drawn at random.
const AT_RANDOM: u32 = 4;

/// Where parts meet: clusters of processes, and the hub over which their leaders exchange, if there are
/// three or more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Scheme {
    clusters: Vec<Vec<VertexId>>,
    hub: VertexId,
}

/// Who leads a cluster, part by part.
struct Leaders {
    /// By cluster, its members but the hub in random order.
    clusters: Vec<Vec<VertexId>>,
    /// Whether they lead by turns, else at random.
    by_turns: bool,
}

impl Leaders {
    fn of(scheme: &Scheme, rng: &mut Rng) -> Self {
        let shuffled = |cluster: &Vec<VertexId>| {
            let mut members = cluster.clone();
            members.retain(|&v| v != scheme.hub);
            members.shuffle(rng);
            members
        };
        let clusters = scheme.clusters.iter().map(shuffled).collect();
        Leaders { clusters, by_turns: rng.random_range(0..AT_RANDOM) > 0 }
    }

    /// The leaders of the part of this number.
    fn of_part(&self, number: usize, rng: &mut Rng) -> Vec<VertexId> {
        let of = |members: &Vec<VertexId>| match self.by_turns {
            true => members[number % members.len()],
            false => members[rng.random_range(0..members.len())],
        };
        self.clusters.iter().map(of).collect()
    }
}

/// The search.
#[derive(Clone)]
pub struct TreeSums {
    problem: Arc<Problem>,
    grower: Grower,
    schemes: Arc<Vec<Scheme>>,
    /// The scheme of the best schedule.
    favourite: usize,
    /// Passes so far.
    made: usize,
    /// By part, the passes in which it was late.
    weights: Vec<u32>,
    shown: Shown,
}

/// A transfer: its step, whether it copies the complete sum, and its path.
type Moved = (usize, bool, Vec<ChannelId>);

/// The steps of a pass.
struct Steps {
    rooms: Vec<Room>,
    empty: Room,
}

impl Steps {
    fn room(&self, step: usize) -> Room {
        self.rooms.get(step).unwrap_or(&self.empty).clone()
    }

    fn put(&mut self, step: usize, room: Room) {
        if self.rooms.len() <= step {
            self.rooms.resize(step + 1, self.empty.clone());
        }
        self.rooms[step] = room;
    }
}

impl TreeSums {
    /// The search for an all-reduce of several parts; none where no tree of a step joins all processes of a
    /// cluster.
    pub fn new(problem: &Arc<Problem>) -> Self {
        let mut grower = Grower::new(problem);
        let schemes = schemes(problem, &mut grower);
        TreeSums {
            problem: problem.clone(),
            grower,
            schemes: Arc::new(schemes),
            favourite: 0,
            made: 0,
            weights: vec![0; problem.messages() / 2],
            shown: Shown::new(),
        }
    }

    /// One pass; a schedule that is shorter than the best is kept.
    fn pass(&mut self, rng: &mut Rng) -> u64 {
        let all = self.schemes.len();
        let scheme = match self.made {
            made if made < all => made,
            _ if rng.random_range(0..OTHERS) == 0 => rng.random_range(0..all),
            _ => self.favourite,
        };
        self.made += 1;
        let parts = self.weights.len();
        let mut order: Vec<usize> = (0..parts).collect();
        order.shuffle(rng);
        order.sort_by_key(|&part| std::cmp::Reverse(self.weights[part]));
        let mut steps = Steps { rooms: Vec::new(), empty: Room::of(&self.problem) };
        let (mut plan, mut moves) = (Plan::default(), 0);
        let (mut late, mut fails) = (0, false);
        let leaders = Leaders::of(&self.schemes[scheme], rng);
        for (number, part) in order.into_iter().enumerate() {
            let leaders = leaders.of_part(number, rng);
            let Some(moved) = self.part(scheme, &leaders, &mut steps, rng) else {
                fails = true;
                break;
            };
            moves += moved.len() as u64;
            let last = moved.iter().map(|(step, ..)| step + 1).max().unwrap_or(0);
            if last > self.shown.passes.goal as usize {
                late += 1;
                self.weights[part] += 1;
            }
            for (step, is_copy, path) in moved {
                let message = if is_copy { part + parts } else { part };
                plan.push(step, message as MessageId, path);
            }
        }
        self.shown.passes.lacking = if fails { parts as u64 } else { late };
        if !fails && (plan.len() as u32) < self.shown.passes.len() {
            plan.tidy();
            self.favourite = scheme;
            self.shown.passes.best = Some(Arc::new(plan));
        }
        moves.max(1)
    }

    /// The transfers of a part, in the first steps with room; none if it cannot be scheduled so.
    fn part(
        &mut self,
        scheme: usize,
        leaders: &[VertexId],
        steps: &mut Steps,
        rng: &mut Rng,
    ) -> Option<Vec<Moved>> {
        let schemes = self.schemes.clone();
        let Scheme { clusters, hub } = &schemes[scheme];
        let (mut moved, mut ready) = (Vec::new(), 0);
        for (cluster, &leader) in clusters.iter().zip(leaders) {
            let (step, paths) = self.within(0, (cluster, leader), Way::Into, steps, rng)?;
            if !paths.is_empty() {
                ready = ready.max(step + 1);
            }
            moved.extend(paths.into_iter().map(|path| (step, false, path)));
        }
        if leaders.len() > 1 {
            let (step, paths) = self.exchange(ready, leaders, *hub, steps, rng)?;
            ready = step + 1;
            moved.extend(paths.into_iter().map(|path| (step, false, path)));
        }
        for (cluster, &leader) in clusters.iter().zip(leaders) {
            let (step, paths) = self.within(ready, (cluster, leader), Way::Out, steps, rng)?;
            moved.extend(paths.into_iter().map(|path| (step, true, path)));
        }
        Some(moved)
    }

    /// A tree between the leader of a cluster and all its other processes, in the first step from `first` on that
    /// has room; none if not even an empty step has.
    fn within(
        &mut self,
        first: usize,
        (cluster, leader): (&[VertexId], VertexId),
        way: Way,
        steps: &mut Steps,
        rng: &mut Rng,
    ) -> Option<(usize, Vec<Vec<ChannelId>>)> {
        let others: Vec<VertexId> = cluster.iter().copied().filter(|&v| v != leader).collect();
        if others.is_empty() {
            return Some((first, Vec::new()));
        }
        for step in first..=steps.rooms.len().max(first) {
            let mut room = steps.room(step);
            if let Some(paths) = self.tree(&mut room, leader, &others, way, rng) {
                steps.put(step, room);
                return Some((step, paths));
            }
        }
        None
    }

    /// The paths of a tree between a root and some ends; none if there is no room for all of them.
    fn tree(
        &mut self,
        room: &mut Room,
        root: VertexId,
        ends: &[VertexId],
        way: Way,
        rng: &mut Rng,
    ) -> Option<Vec<Vec<ChannelId>>> {
        let (mut tree, none) = (Tree::default(), Tree::default());
        let found = self.grower.reach(room, std::iter::once((root, &none)), way, rng);
        if ends.iter().any(|end| !found.contains(end)) {
            return None;
        }
        ends.iter().map(|&end| self.grower.take(room, &mut tree, end, way)).collect()
    }

    /// An exchange of each with each, in the first step with room: two send to each other, more over the hub.
    fn exchange(
        &mut self,
        first: usize,
        leaders: &[VertexId],
        hub: VertexId,
        steps: &mut Steps,
        rng: &mut Rng,
    ) -> Option<(usize, Vec<Vec<ChannelId>>)> {
        for step in first..=steps.rooms.len().max(first) {
            let mut room = steps.room(step);
            let paths = match *leaders {
                [a, b] => {
                    let there = self.tree(&mut room, a, &[b], Way::Out, rng);
                    let back = self.tree(&mut room, b, &[a], Way::Out, rng);
                    there.zip(back).map(|(there, back)| [there, back].concat())
                }
                _ => self.over(hub, leaders, &mut room, rng),
            };
            if let Some(paths) = paths {
                steps.put(step, room);
                return Some((step, paths));
            }
        }
        None
    }

    /// The paths of an exchange over a hub.
    fn over(
        &mut self,
        hub: VertexId,
        leaders: &[VertexId],
        room: &mut Room,
        rng: &mut Rng,
    ) -> Option<Vec<Vec<ChannelId>>> {
        let into = self.tree(room, hub, leaders, Way::Into, rng)?;
        let out = self.tree(room, hub, leaders, Way::Out, rng)?;
        let ends = |c: &ChannelId| self.problem.network().channel(*c);
        // An exchange holds no half-duplex link both ways.
        let taken: HashSet<ChannelId> = into.iter().flatten().copied().collect();
        if out.iter().flatten().any(|c| ends(c).excludes().is_some_and(|o| taken.contains(&o))) {
            return None;
        }
        let mut paths = Vec::with_capacity(leaders.len() * leaders.len());
        for (from, first) in into.iter().enumerate() {
            for (to, second) in out.iter().enumerate().filter(|(to, _)| *to != from) {
                let visited = first.iter().map(|c| ends(c).from);
                let is_simple = visited.into_iter().all(|v| second.iter().all(|c| ends(c).to != v));
                let longest = self.grower.distances(leaders[from], Way::Out)[leaders[to] as usize]
                    .saturating_add(self.problem.routing().slack());
                if !is_simple || (first.len() + second.len()) as u32 > longest {
                    return None;
                }
                paths.push([&first[..], second].concat());
            }
        }
        Some(paths)
    }
}

/// The ways in which parts may meet: at any process, or over a hub.
fn schemes(problem: &Problem, grower: &mut Grower) -> Vec<Scheme> {
    let network = problem.network();
    let processes = problem.receivers().to_vec();
    let nowhere = network.vertices().len() as VertexId;
    let mut schemes = vec![Scheme { clusters: vec![processes.clone()], hub: nowhere }];
    let is_hub = |&v: &VertexId| match problem.switching() {
        Switching::Wormhole => true,
        Switching::Hosts | Switching::StoreAndForward => !network.is_terminal(v),
    };
    let mut hubs: Vec<VertexId> = (0..nowhere).filter(is_hub).collect();
    hubs.sort_by_key(|&v| (std::cmp::Reverse(network.incoming(v).len()), v));
    hubs.truncate(MOST_HUBS);
    for hub in hubs {
        let [to, from] = [Way::Into, Way::Out].map(|way| grower.distances(hub, way));
        if processes.iter().any(|&v| [&to, &from].iter().any(|d| d[v as usize] == UNREACHABLE)) {
            continue;
        }
        // The other switches at a process.
        let beside = |v: VertexId| -> Vec<VertexId> {
            let near = network.heads(v).filter(|&w| !network.is_terminal(w) && w != hub);
            let mut near: Vec<VertexId> = near.collect();
            near.sort_unstable();
            near
        };
        for is_boxed in [false, true] {
            let mut boxes: BTreeMap<Vec<VertexId>, Vec<VertexId>> = BTreeMap::new();
            for &v in &processes {
                let key = if is_boxed { beside(v) } else { Vec::new() };
                // Those with a switch of their own are together, others alone.
                let key = if key.is_empty() { vec![nowhere + v] } else { key };
                boxes.entry(key).or_default().push(v);
            }
            let clusters = joined(problem, grower, boxes.into_values().collect(), (&to, &from));
            // A hub leads no cluster.
            if clusters.len() > 1 && !clusters.contains(&vec![hub]) {
                schemes.push(Scheme { clusters, hub });
            }
        }
    }
    schemes.sort();
    schemes.dedup();
    schemes
}

/// The clusters in which those are joined between which a path over the hub is too long.
fn joined(
    problem: &Problem,
    grower: &mut Grower,
    mut clusters: Vec<Vec<VertexId>>,
    (to, from): (&[u32], &[u32]),
) -> Vec<Vec<VertexId>> {
    let slack = problem.routing().slack();
    let mut is_far = |a: VertexId, b: VertexId| {
        let between = grower.distances(a, Way::Out)[b as usize];
        to[a as usize] + from[b as usize] > between.saturating_add(slack)
    };
    let mut place = 0;
    while place < clusters.len() {
        let other = (place + 1..clusters.len()).find(|&other| {
            let ends = || {
                clusters[place].iter().flat_map(|&a| clusters[other].iter().map(move |&b| (a, b)))
            };
            ends().any(|(a, b)| is_far(a, b) || is_far(b, a))
        });
        match other {
            // What was near to it may be far from the other one.
            Some(other) => {
                let more = clusters.swap_remove(other);
                clusters[place].extend(more);
                place = 0;
            }
            None => place += 1,
        }
    }
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters.sort();
    clusters
}

impl Walker for TreeSums {
    fn settle(&mut self, seat: Seat) {
        self.shown.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        if !self.shown.seek(steps) {
            return 0;
        }
        let mut moves = 0;
        for _ in 0..self.schemes.len() {
            moves += self.pass(rng);
        }
        moves
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        // Where every scheme has failed, more passes fail as well.
        let is_in_vain = self.made >= self.schemes.len() && self.shown.passes.best.is_none();
        if self.cost() == 0 || is_in_vain { 0 } else { self.pass(rng) }
    }

    fn cost(&self) -> u64 {
        self.shown.cost()
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }

    fn method(&self) -> Method {
        Method::Trees
    }

    fn plan(&self) -> Plan {
        self.shown.passes.plan()
    }
}

/// What determines the rest of the search.
#[derive(Serialize, Deserialize)]
struct Saved {
    favourite: usize,
    made: usize,
    weights: Vec<u32>,
    shown: Shown,
}

impl Resume for TreeSums {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let TreeSums { favourite, made, weights, shown, .. } = self.clone();
        codec::encode(&Saved { favourite, made, weights, shown })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { favourite, made, weights, shown } = codec::decode(state)?;
        if weights.len() != self.weights.len() || favourite >= self.schemes.len() {
            return Err(CommError::Unfit("weights"));
        }
        (self.favourite, self.made, self.weights, self.shown) = (favourite, made, weights, shown);
        Ok(())
    }
}

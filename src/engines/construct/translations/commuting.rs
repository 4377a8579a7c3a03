//! All-to-all scatter with store-and-forward switching where translations map every vertex to any other: on
//! rings, tori of any sides, hypercubes, circulant and complete networks.
//!
//! All vertices do the same at the same time: for each place d other than its own a vertex has one
//! message, which goes from v to v + d by hops that are translations. These commute, so a message
//! may take its hops in any order. What remains is a small open shop: the *jobs* are the places d,
//! each with the hops of a shortest path; the *machines* are the channels out of one vertex, each
//! for one hop a step; and no job is on two machines at once. Its length is that of the busiest
//! machine, or of the longest job. The mean of any schedule over all translations
//! loads the machines no less, so the congestion bound is reached, except for messages between
//! opposite vertices of a ring, which cannot go half one way and half the other.

use super::Sums;
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::lookup::CarriedChannels;
use ccsched_model::symmetry::translations::translations;
use ccsched_network::metrics::distances_from;
use ccsched_network::{ChannelId, Network, VertexId};

/// Most machines: with more, the shop takes longer than first fit.
const MOST_MACHINES: usize = 64;

/// The schedule, if the network has translations.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    if network.vertices().is_empty() || network.capacity_out(0) > MOST_MACHINES {
        return None;
    }
    let group = Sums::of(translations(network, rng)?);
    let channels = channels(network, &group)?;
    // A channel of capacity c is c machines; those to one vertex take the hops there by turns.
    let mut machines: Vec<usize> = Vec::new();
    for (class, of_vertex) in channels.iter().enumerate() {
        let capacity = network.channel(of_vertex[0]).capacity as usize;
        machines.extend(std::iter::repeat_n(class, capacity));
    }
    let head = |machine: usize| network.channel(channels[machines[machine]][0]).to;
    let heads: Vec<VertexId> = (0..machines.len()).map(head).collect();
    let jobs = words(network, &group, &heads);
    let visits = shop(&jobs, machines.len(), problem.sends_at_once(0));
    let hops = hops(&group, &visits, |machine| (head(machine), machines[machine]));
    Some(images(problem, &group, &hops, &channels))
}

/// By channel of the first vertex, its image at every vertex.
fn channels(network: &Network, group: &Sums) -> Option<Vec<Vec<ChannelId>>> {
    let carried = CarriedChannels::new(network);
    let mut first = network.outgoing(0).to_vec();
    first.sort_by_key(|&c| (network.channel(c).to, network.channel(c).capacity));
    let vertices = network.vertices().len() as VertexId;
    let images = |&c: &ChannelId| (0..vertices).map(|v| carried.image(c, group.row(v))).collect();
    first.iter().map(images).collect()
}

/// A hop of the message of every vertex to the place `job` from it, when it is at the place `at` from there.
struct OrbitHop {
    step: usize,
    job: VertexId,
    at: VertexId,
    class: usize,
}

/// The hops of all jobs, step by step; each takes those of its machines in the order of their steps.
fn hops(
    group: &Sums,
    visits: &[Vec<Visit>],
    machine: impl Fn(usize) -> (VertexId, usize),
) -> Vec<OrbitHop> {
    let mut hops = Vec::with_capacity(visits.iter().map(Vec::len).sum());
    for (job, visits) in visits.iter().enumerate() {
        let mut at = 0;
        for visit in visits {
            let (by, class) = machine(visit.machine);
            hops.push(OrbitHop { step: visit.step, job: job as VertexId, at, class });
            at = group.sum(at, by);
        }
    }
    hops.sort_by_key(|hop| hop.step);
    hops
}

/// The schedule in which all vertices do the same.
fn images(problem: &Problem, group: &Sums, hops: &[OrbitHop], channels: &[Vec<ChannelId>]) -> Plan {
    let steps: Vec<&[OrbitHop]> = hops.chunk_by(|a, b| a.step == b.step).collect();
    let vertices = problem.network().vertices().len();
    // About: steps have about equally many hops.
    let end = |step: usize| hops.len() * vertices / steps.len() * (step + 1);
    Plan::of_hops(steps.len(), end, |step, all| {
        let hops = steps[step];
        let rows: Vec<_> = hops.iter().map(|hop| (group.row(hop.job), group.row(hop.at))).collect();
        for v in 0..vertices {
            let of_vertex = all.len();
            for (hop, (job, at)) in hops.iter().zip(&rows) {
                let message = problem.exchanged(v, job[v] as usize);
                all.push((message, channels[hop.class][at[v] as usize]));
            }
            all[of_vertex..].sort_unstable();
        }
    })
}

// Open shop with jobs that may be interrupted: every job visits each machine a number of times, in any order,
// in steps of one visit a machine and a job. The number of visits of the busiest machine or of the
// longest job is enough (Gonzalez and Sahni, Open shop scheduling to minimize finish time, 1976): visits are the
// edges of a bipartite graph, steps are their colours (König).
//
// Here few machines have many visits, and a job is short beside that. So nearly always some step is free for both;
// where none is, two steps are exchanged along the visits that are in them by turns. The colouring of
// edge_colours.rs is for degrees about as large on both sides: its table of jobs and steps would take hundreds of megabytes.

/// No visit.
const NONE: u32 = u32::MAX;

/// A visit of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    /// The step, from 0.
    step: usize,
    /// The machine.
    machine: usize,
}

/// The visits of every job in the order of their steps, in as few steps as there can be, with at most `ports`
/// visits a step. Jobs list their machines, those they visit several times as often.
fn shop(jobs: &[Vec<usize>], machines: usize, ports: usize) -> Vec<Vec<Visit>> {
    let mut loads = vec![0; machines];
    jobs.iter().flatten().for_each(|&machine| loads[machine] += 1);
    let busiest = loads.into_iter().max().unwrap_or(0);
    let longest = jobs.iter().map(Vec::len).max().unwrap_or(0);
    let visits: usize = jobs.iter().map(Vec::len).sum();
    let steps = busiest.max(longest).max(visits.div_ceil(ports.max(1)));
    let mut shop = Shop::new((jobs.len(), machines), steps, ports);
    for (job, machines) in jobs.iter().enumerate() {
        machines.iter().for_each(|&machine| shop.add(job, machine));
    }
    (0..steps).for_each(|step| shop.relieve(step));
    shop.jobs.iter_mut().for_each(|visits| visits.sort_unstable());
    shop.jobs
}

struct Shop {
    steps: usize,
    ports: usize,
    /// By job, its visits so far.
    jobs: Vec<Vec<Visit>>,
    /// By machine and step, the job.
    at: Vec<u32>,
    /// By machine, its free steps.
    free: Vec<Vec<u64>>,
    /// The steps with fewer visits than ports.
    open: Vec<u64>,
    /// By step, its visits.
    counts: Vec<usize>,
}

impl Shop {
    fn new((jobs, machines): (usize, usize), steps: usize, ports: usize) -> Self {
        let mut all = vec![0; bits::words(steps)];
        (0..steps as u32).for_each(|step| bits::insert(&mut all, step));
        Shop {
            steps,
            ports,
            jobs: vec![Vec::new(); jobs],
            at: vec![NONE; machines * steps],
            free: vec![all.clone(); machines],
            open: all,
            counts: vec![0; steps],
        }
    }

    /// Adds a visit in a step that is free for the job and the machine, exchanging two steps if there is none.
    fn add(&mut self, job: usize, machine: usize) {
        let step = self.shared(job, machine).unwrap_or_else(|| {
            // As many steps as the longest job or the busiest machine has visits, so both have a free one.
            let step = bits::all(&self.free[machine]).next().unwrap_or(0) as usize;
            let other = (0..self.steps).find(|&step| !self.is_busy(job, step)).unwrap_or(0);
            self.exchange(&self.chain(job, step, other), step, other);
            step
        });
        self.put(job, Visit { step, machine });
    }

    /// The first step that is free for both, preferably an open one.
    fn shared(&self, job: usize, machine: usize) -> Option<usize> {
        let free = &self.free[machine];
        let is_free = |&step: &u32| !self.is_busy(job, step as usize);
        let open = bits::both(free, &self.open).find(is_free);
        open.or_else(|| bits::all(free).find(is_free)).map(|step| step as usize)
    }

    fn is_busy(&self, job: usize, step: usize) -> bool {
        self.jobs[job].iter().any(|visit| visit.step == step)
    }

    /// The visits that move when a job's visit in the first step moves to the other step, which is
    /// free for the job: the conflicting job moves to the first, its own visit there to the other,
    /// and so on. The chain never meets a machine for which the first step is free.
    fn chain(&self, mut job: usize, first: usize, other: usize) -> Vec<(usize, Visit)> {
        let mut chain = Vec::new();
        while let Some(&visit) = self.jobs[job].iter().find(|visit| visit.step == first) {
            chain.push((job, visit));
            let in_the_way = self.at[visit.machine * self.steps + other];
            if in_the_way == NONE {
                break;
            }
            job = in_the_way as usize;
            chain.push((job, Visit { step: other, ..visit }));
        }
        chain
    }

    /// Moves the visits of a chain.
    fn exchange(&mut self, chain: &[(usize, Visit)], first: usize, other: usize) {
        chain.iter().for_each(|&(job, visit)| self.take(job, visit));
        for &(job, visit) in chain {
            let step = if visit.step == first { other } else { first };
            self.put(job, Visit { step, ..visit });
        }
    }

    /// Moves visits of a step with more visits than ports to open steps. Visits of the two steps
    /// form chains; if the step has more visits than an open one, so has one of the chains.
    fn relieve(&mut self, step: usize) {
        while self.counts[step] > self.ports {
            let Some(open) = bits::all(&self.open).next().map(|open| open as usize) else { return };
            let jobs = self.at.iter().skip(step).step_by(self.steps).filter(|&&job| job != NONE);
            let starts = jobs.map(|&job| job as usize).filter(|&job| !self.is_busy(job, open));
            let mut chains = starts.map(|job| self.chain(job, step, open));
            let Some(chain) = chains.find(|chain| chain.len() % 2 == 1) else { return };
            self.exchange(&chain, step, open);
        }
    }

    fn put(&mut self, job: usize, visit: Visit) {
        let Visit { step, machine } = visit;
        self.jobs[job].push(visit);
        self.at[machine * self.steps + step] = job as u32;
        bits::remove(&mut self.free[machine], step as u32);
        self.counts[step] += 1;
        if self.counts[step] == self.ports {
            bits::remove(&mut self.open, step as u32);
        }
    }

    fn take(&mut self, job: usize, visit: Visit) {
        let Visit { step, machine } = visit;
        self.jobs[job].retain(|other| *other != visit);
        self.at[machine * self.steps + step] = NONE;
        bits::insert(&mut self.free[machine], step as u32);
        self.counts[step] -= 1;
        if self.counts[step] + 1 == self.ports {
            bits::insert(&mut self.open, step as u32);
        }
    }
}

// Shortest paths from the first vertex of a network with translations, as words: the translations of the
// hops, in any order. Where there are several, those are taken that use all channels about equally.

/// Most times that all words are chosen anew, each beside all others.
const ROUNDS: usize = 8;
/// What a hop costs is this power of the hops of its machine.
const POWER: u32 = 3;

/// By vertex, the machines of a shortest path to it from the first vertex, of which each does hops to one of these
/// `heads`. The largest number of hops of a machine is small.
fn words(network: &Network, group: &Sums, heads: &[VertexId]) -> Vec<Vec<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use rand::RngExt;
    use std::collections::HashSet;

    #[test]
    fn the_busiest_machine_or_the_longest_job_is_enough() {
        let mut rng = rng_of(1, 0, 0);
        for round in 0..600 {
            let machines = rng.random_range(1..6);
            let most = rng.random_range(1..12);
            let mut job = |_| -> Vec<usize> {
                (0..rng.random_range(0..=most)).map(|_| rng.random_range(0..machines)).collect()
            };
            let jobs: Vec<Vec<usize>> = (0..1 + round % 9).map(&mut job).collect();
            let visits = shop(&jobs, machines, machines);
            let load = |m: usize| jobs.iter().flatten().filter(|&&other| other == m).count();
            let busiest = (0..machines).map(load).max().unwrap();
            let longest = jobs.iter().map(Vec::len).max().unwrap();
            let mut seen = HashSet::new();
            for (job, visits) in jobs.iter().zip(&visits) {
                let mut wanted = job.clone();
                let mut done: Vec<usize> = visits.iter().map(|visit| visit.machine).collect();
                wanted.sort_unstable();
                done.sort_unstable();
                assert_eq!(done, wanted);
                assert!(visits.windows(2).all(|two| two[0].step < two[1].step));
                assert!(visits.iter().all(|visit| visit.step < busiest.max(longest)));
                assert!(visits.iter().all(|visit| seen.insert((visit.machine, visit.step))));
            }
        }
    }

    #[test]
    fn ports_are_kept() {
        let jobs: Vec<Vec<usize>> =
            (0..40).map(|job| (0..1 + job % 7).map(|i| (job + i) % 4).collect()).collect();
        let visits: usize = jobs.iter().map(Vec::len).sum();
        for ports in 1..=4 {
            let shop = shop(&jobs, 4, ports);
            let mut counts = vec![0; visits];
            shop.iter().flatten().for_each(|visit| counts[visit.step] += 1);
            assert!(counts.iter().all(|&count| count <= ports), "{ports}");
            assert_eq!(counts.iter().filter(|&&count| count > 0).count(), visits.div_ceil(ports));
        }
    }
}

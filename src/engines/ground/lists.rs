//! Transfers that wait for each other in steps, by lists: each step takes those that are ready and have room, in
//! the order of a list. The list of the first pass is given, or has those first that have the longest way behind
//! them; each later pass takes the order of the pass before, alternately from the end and from the begin
//! (forward-backward improvement: Tormos and Lova, Annals of Operations Research 102, 2001).

use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use rand::RngExt;

/// Transfers for each place of a channel from which on it is not scarce.
const SCARCE: f64 = 3.0;
/// Passes from the end and from the begin after which a list has been improved enough.
const VAIN: usize = 4;

/// A transfer along a path that it holds for a step.
pub(crate) struct Hop {
    pub message: MessageId,
    pub channels: Vec<ChannelId>,
    /// Earlier transfers in the list of all that come in earlier steps.
    pub after: Vec<usize>,
    /// Transfers on the longest way behind it.
    pub behind: u32,
}

/// Counts the transfers behind each.
pub(crate) fn count_behind(hops: &mut [Hop]) {
    for i in (0..hops.len()).rev() {
        let behind = hops[i].behind + 1;
        for before in std::mem::take(&mut hops[i].after) {
            hops[before].behind = hops[before].behind.max(behind);
            hops[i].after.push(before);
        }
    }
}

/// The transfers, and what they use.
pub(crate) struct Lists<'h> {
    hops: &'h [Hop],
    /// By transfer, those that wait for it.
    then: Vec<Vec<usize>>,
    /// By transfer, the channels and ports that it uses.
    uses: Vec<Vec<usize>>,
    capacities: &'h [u32],
}

impl<'h> Lists<'h> {
    pub fn new(problem: &'h Problem, hops: &'h [Hop]) -> Self {
        let (resources, network) = (problem.resources(), problem.network());
        let mut then: Vec<Vec<usize>> = vec![Vec::new(); hops.len()];
        for (i, hop) in hops.iter().enumerate() {
            hop.after.iter().for_each(|&before| then[before].push(i));
        }
        let of = |hop: &Hop| {
            let mut all = Vec::new();
            let add = |resource: u32, _| all.push(resource as usize);
            resources.uses(network, problem.switching(), &hop.channels, add);
            all
        };
        let uses = hops.iter().map(of).collect();
        Lists { hops, then, uses, capacities: resources.capacities() }
    }

    /// The shortest plan of some passes. `weight` is that of the steps for which the busiest channel or port of
    /// a transfer is needed yet, beside the way behind the transfer.
    pub fn plan(&self, (weight, scarce): (f64, f64), rng: &mut Rng) -> Plan {
        let first = self.first((weight, scarce), rng);
        self.improved(first, scarce, rng)
    }

    /// Steps that no plan has fewer of: on each channel and port, those of its transfers, after the shortest way before
    /// one of them and before the shortest way behind one.
    pub fn least(&self) -> usize {
        let mut before = vec![0u32; self.hops.len()];
        // By channel and port: its transfers, the shortest way before them, and behind.
        let mut used = vec![(0u32, u32::MAX, u32::MAX); self.capacities.len()];
        for (i, hop) in self.hops.iter().enumerate() {
            before[i] = hop.after.iter().map(|&b| before[b] + 1).max().unwrap_or(0);
            for &resource in &self.uses[i] {
                let (count, first, last) = &mut used[resource];
                *count += 1;
                (*first, *last) = ((*first).min(before[i]), (*last).min(hop.behind));
            }
        }
        let longest = before.iter().zip(self.hops).map(|(b, hop)| b + 1 + hop.behind).max();
        let busiest = used.iter().zip(self.capacities).filter(|((count, ..), _)| *count > 0);
        let busiest = busiest.map(|((count, first, last), c)| first + count.div_ceil(*c) + last);
        longest.max(busiest.max()).unwrap_or(0) as usize
    }

    /// The plan of a list that has the least keys first.
    pub fn plan_by(&self, keys: &[f64]) -> Plan {
        self.plan_of(&self.pass(keys, 0.0, false))
    }

    /// The shortest plan of some passes that begin with such a list.
    pub fn improved_by(&self, keys: &[f64], rng: &mut Rng) -> Plan {
        self.improved(self.pass(keys, 0.0, false), 0.0, rng)
    }

    fn improved(&self, mut best: Vec<u32>, scarce: f64, rng: &mut Rng) -> Plan {
        let (mut times, mut vain) = (best.clone(), 0);
        while vain < VAIN {
            let chance = |time: u32, rng: &mut Rng| f64::from(time) + rng.random::<f64>() / 2.0;
            let late: Vec<f64> = times.iter().map(|&t| -chance(t, rng)).collect();
            let from_end = self.pass(&late, scarce, true);
            let soon: Vec<f64> = from_end.iter().map(|&t| -chance(t, rng)).collect();
            times = self.pass(&soon, scarce, false);
            vain += 1;
            if times.iter().max() < best.iter().max() {
                (best, vain) = (times.clone(), 0);
            }
        }
        self.plan_of(&best)
    }

    /// The plan of some steps by transfer.
    fn plan_of(&self, times: &[u32]) -> Plan {
        let mut plan = Plan::default();
        for (hop, &step) in self.hops.iter().zip(times) {
            plan.push(step as usize, hop.message, &hop.channels);
        }
        plan
    }

    /// The steps of the first pass, whose list changes with what is left for each channel.
    fn first(&self, (weight, scarce): (f64, f64), rng: &mut Rng) -> Vec<u32> {
        let mut left = vec![0u32; self.capacities.len()];
        self.uses.iter().flatten().for_each(|&resource| left[resource] += 1);
        let mut keys = |i: usize, begun: Option<usize>| {
            begun.iter().flat_map(|&b| &self.uses[b]).for_each(|&resource| left[resource] -= 1);
            let of = |&r: &usize| f64::from(left[r]) / f64::from(self.capacities[r]);
            let needed = self.uses[i].iter().map(of).fold(0.0, f64::max);
            -f64::from(self.hops[i].behind) - weight * needed + rng.random::<f64>() / 8.0
        };
        self.listed(&mut keys, (scarce, false))
    }

    /// The steps of a pass by fixed keys, the least first. From the end, a transfer waits for those that wait
    /// for it, and step 0 is the last.
    fn pass(&self, keys: &[f64], scarce: f64, from_end: bool) -> Vec<u32> {
        self.listed(&mut |i, _| keys[i], (scarce, from_end))
    }

    fn listed(
        &self,
        key: &mut dyn FnMut(usize, Option<usize>) -> f64,
        (weight, from_end): (f64, bool),
    ) -> Vec<u32> {
        let mut times = vec![0; self.hops.len()];
        // By transfer, those that it still waits for.
        let mut waits: Vec<usize> = (0..self.hops.len())
            .map(|i| match from_end {
                true => self.then[i].len(),
                false => self.hops[i].after.len(),
            })
            .collect();
        let mut ready: Vec<usize> = (0..waits.len()).filter(|&i| waits[i] == 0).collect();
        let mut step = 0;
        let mut wanted = vec![0u32; self.capacities.len()];
        let (mut order, mut begun) = (Vec::new(), Vec::new());
        while !ready.is_empty() {
            order.clear();
            // Transfers of channels with few others come first: these have no other work.
            wanted.fill(0);
            ready.iter().flat_map(|&i| &self.uses[i]).for_each(|&resource| wanted[resource] += 1);
            let scarce = |i: usize| {
                let of = |&r: &usize| f64::from(wanted[r]) / f64::from(self.capacities[r]);
                self.uses[i].iter().map(of).fold(SCARCE, f64::min)
            };
            order.extend(ready.drain(..).map(|i| (key(i, None) + weight * scarce(i), i)));
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut room = self.capacities.to_vec();
            begun.clear();
            for &(_, i) in &order {
                if self.uses[i].iter().all(|&resource| room[resource] > 0) {
                    self.uses[i].iter().for_each(|&resource| room[resource] -= 1);
                    times[i] = step;
                    begun.push(i);
                } else {
                    ready.push(i);
                }
            }
            for &i in &begun {
                key(i, Some(i));
                let mut told = |other: usize| {
                    waits[other] -= 1;
                    if waits[other] == 0 {
                        ready.push(other);
                    }
                };
                match from_end {
                    true => self.hops[i].after.iter().for_each(|&before| told(before)),
                    false => self.then[i].iter().for_each(|&next| told(next)),
                }
            }
            step += 1;
        }
        times
    }
}

//! The congestion argument, recomputed from the integer weights in a certificate: any path that a
//! message may take weighs at least as much as its lightest allowed walk, and a step carries at
//! most the weight of all links and ports that can be busy at once.

use super::arguments::{Fault, apart, of_all_senders};
use super::graph::FAR;
use super::plan::Plan;
use ccsched_model::schedule::file::Certificate;
use std::collections::BTreeMap;

/// The weights of a certificate, by channel and vertex.
struct Weights {
    channel: Vec<u128>,
    send: Vec<u128>,
    receive: Vec<u128>,
}

/// Steps that the weights prove.
pub(super) fn congestion(plan: &Plan<'_>, certificate: &Certificate) -> Result<u64, Fault> {
    if plan.demand.broadcast {
        return Err(Fault::Certificate("congestion does not hold for broadcasts".into()));
    }
    let weights = Weights::read(plan, certificate)?;
    let supply = weights.supply(plan);
    if supply == 0 {
        return Err(Fault::Certificate("all its weights are 0".into()));
    }
    let of_sender = |s: usize| {
        let lightest = lightest_from(plan, s, &weights);
        let mut demand = 0;
        for &r in plan.demand.receivers.iter().filter(|&&r| plan.demand.asks(s, r)) {
            let mut path = lightest[r].ok_or_else(|| apart(plan, s, r))?;
            if plan.demand.wormhole {
                path += weights.send[s] + weights.receive[r];
            }
            demand += path * u128::from(plan.demand.messages(s, r));
        }
        Ok(demand)
    };
    let demand = of_all_senders(plan, of_sender)?;
    Ok(u64::try_from(demand.div_ceil(supply)).unwrap_or(u64::MAX))
}

/// By source and destination, the least weight of a message.
pub(super) type ByPair = BTreeMap<(usize, usize), u128>;

/// The least weight of a message of each pair, ports included, and what one step carries.
pub(super) fn of_pairs(
    plan: &Plan<'_>,
    certificate: &Certificate,
) -> Result<(ByPair, u128), Fault> {
    let weights = Weights::read(plan, certificate)?;
    let mut of_pair = BTreeMap::new();
    for &s in &plan.demand.senders {
        let lightest = lightest_from(plan, s, &weights);
        for &r in plan.demand.receivers.iter().filter(|&&r| plan.demand.asks(s, r)) {
            let path = lightest[r].ok_or_else(|| apart(plan, s, r))?;
            let ends = if plan.demand.wormhole { weights.send[s] + weights.receive[r] } else { 0 };
            of_pair.insert((s, r), path + ends);
        }
    }
    match weights.supply(plan) {
        0 => Err(Fault::Certificate("all its weights are 0".into())),
        supply => Ok((of_pair, supply)),
    }
}

impl Weights {
    fn read(plan: &Plan<'_>, certificate: &Certificate) -> Result<Self, Fault> {
        let Some(channel) = &certificate.channel_weights else {
            return Err(Fault::Certificate("its certificate lacks `channel_weights`".into()));
        };
        let channels = plan.graph.ends.len();
        if channel.len() != channels {
            let why = format!("{} weights for {channels} channels", channel.len());
            return Err(Fault::Certificate(why));
        }
        let by_vertex = |named: &Option<BTreeMap<String, u64>>| {
            let mut weights = vec![0; plan.graph.len()];
            for (name, &weight) in named.iter().flatten() {
                match plan.graph.find(name) {
                    Some(v) if plan.graph.terminal[v] && plan.demand.ports.is_some() => {
                        weights[v] = u128::from(weight);
                    }
                    _ => {
                        let why = format!("'{name}' is no terminal with limited ports");
                        return Err(Fault::Certificate(why));
                    }
                }
            }
            Ok(weights)
        };
        Ok(Weights {
            channel: channel.iter().map(|&w| u128::from(w)).collect(),
            send: by_vertex(&certificate.send_port_weights)?,
            receive: by_vertex(&certificate.receive_port_weights)?,
        })
    }

    /// The weight that one step can carry: every link and every port up to its capacity.
    fn supply(&self, plan: &Plan<'_>) -> u128 {
        let excludes = &plan.graph.excludes;
        let weight = |c: usize| match excludes[c] {
            // The heavier direction of a half-duplex link, counted at the first of the two.
            Some(other) if other < c => 0,
            Some(other) => self.channel[c].max(self.channel[other]),
            None => self.channel[c],
        };
        let of_link = |c: usize| weight(c) * u128::from(plan.graph.capacity[c]);
        let links: u128 = (0..self.channel.len()).map(of_link).sum();
        let ports: u128 = self.send.iter().chain(&self.receive).sum();
        links + ports * u128::from(plan.demand.ports.unwrap_or(0))
    }

    /// The weight of all hops of a route.
    fn route(&self, plan: &Plan<'_>, route: &[usize]) -> u128 {
        route.iter().map(|&c| self.hop(plan, c)).sum()
    }

    /// The weight of one hop; with store-and-forward switching it includes the ports of both ends.
    fn hop(&self, plan: &Plan<'_>, c: usize) -> u128 {
        let (from, to) = plan.graph.ends[c];
        let stops = if plan.demand.wormhole { 0 } else { self.send[from] + self.receive[to] };
        self.channel[c] + stops
    }
}

/// Weight of the lightest allowed walk from `s` to every vertex.
fn lightest_from(plan: &Plan<'_>, s: usize, weights: &Weights) -> Vec<Option<u128>> {
    let g = &plan.graph;
    if let Some(fixed) = &plan.demand.fixed {
        let weigh = |r| fixed.route(g, s, r).map(|route| weights.route(plan, &route));
        return (0..g.len()).map(weigh).collect();
    }
    let distance = g.distances_from(s);
    let farthest = distance.iter().copied().filter(|&d| d != FAR).max().unwrap_or(0);
    let is_free = plan.demand.slack == u64::MAX;
    // A path visits no vertex twice.
    let longest = farthest.saturating_add(plan.demand.slack).min(g.len() as u64 - 1);
    let mut best: Vec<Option<u128>> = vec![None; g.len()];
    // The walks of each number of hops: the lightest to each vertex, and the vertices that one
    // leads to.
    let [mut here, mut next] = [best.clone(), best.clone()];
    let (mut ends, mut later) = (vec![s], Vec::new());
    here[s] = Some(0);
    for hops in 1..=longest {
        for from in ends.drain(..) {
            let Some(so_far) = here[from].take() else { continue };
            for &c in &g.outgoing[from] {
                let to = g.ends[c].1;
                if to == s || hops > distance[to].saturating_add(plan.demand.slack) {
                    continue;
                }
                let weight = so_far + weights.hop(plan, c);
                // Without a limit, a walk with more hops is of use only if it is lighter.
                if is_free && best[to].is_some_and(|best| best <= weight) {
                    continue;
                }
                if next[to].is_none() {
                    later.push(to);
                }
                next[to] = Some(next[to].map_or(weight, |w| w.min(weight)));
            }
        }
        for &v in &later {
            best[v] = [best[v], next[v]].into_iter().flatten().min();
        }
        std::mem::swap(&mut here, &mut next);
        std::mem::swap(&mut ends, &mut later);
    }
    best
}

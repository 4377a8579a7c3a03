//! All-to-all scatter with store-and-forward switching where translations map every vertex to any other: on
//! rings, tori of any sides, hypercubes, circulant and complete networks.
//!
//! All vertices do the same at the same time: for each place d other than its own a vertex has one
//! message, which goes from v to v + d by hops that are translations. These commute, so a message
//! may take its hops in any order. What remains is a small open shop: the *jobs* are the places d,
//! each with the hops of a shortest path; the *machines* are the channels out of one vertex, each
//! for one hop a step; and no job is on two machines at once. Its length is that of the busiest
//! machine, or of the longest job (open_shop.rs). The mean of any schedule over all translations
//! loads the machines no less, so the congestion bound is reached, except for messages between
//! opposite vertices of a ring, which cannot go half one way and half the other.

use super::open_shop::{Visit, shop};
use super::sums::Sums;
use super::words::words;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::carried::CarriedChannels;
use ccsched_model::symmetry::translations::translations;
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
struct Hop {
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
) -> Vec<Hop> {
    let mut hops = Vec::with_capacity(visits.iter().map(Vec::len).sum());
    for (job, visits) in visits.iter().enumerate() {
        let mut at = 0;
        for visit in visits {
            let (by, class) = machine(visit.machine);
            hops.push(Hop { step: visit.step, job: job as VertexId, at, class });
            at = group.sum(at, by);
        }
    }
    hops.sort_by_key(|hop| hop.step);
    hops
}

/// The schedule in which all vertices do the same.
fn images(problem: &Problem, group: &Sums, hops: &[Hop], channels: &[Vec<ChannelId>]) -> Plan {
    let steps: Vec<&[Hop]> = hops.chunk_by(|a, b| a.step == b.step).collect();
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

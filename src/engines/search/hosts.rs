//! Schedules for hosts that store while switches cut through, where paths pass both. A hop leads from
//! a terminal to the next one on a path and holds its channels for a step.
//!
//! Scatters: one message after the other takes the path, of some random shortest ones, on which it
//! arrives first, each hop in the first step with room; the messages that were late come earlier in
//! the next pass. Broadcasts: step by step, hops carry the messages that fewest vertices have.

use super::hops::{Hop, Used, hops};
use super::passes::Passes;
use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Paths that are tried for a message.
const PATHS: usize = 4;
/// Passes at one number of steps.
const PATIENCE: u64 = 400;
/// The noise of the number of vertices that have a message.
const NOISE: u32 = 2;

/// A step, a message, its sender and receiver, and the path.
type Move = (usize, u32, VertexId, VertexId, Vec<ChannelId>);

/// The search.
#[derive(Clone)]
pub struct HostHops {
    problem: Arc<Problem>,
    /// By receiver, the distances of all vertices to it; empty for broadcasts.
    to: Arc<Vec<Vec<u32>>>,
    /// All hops of broadcasts.
    hops: Arc<Vec<Hop>>,
    /// By demand, the passes in which it was late.
    weights: Vec<u32>,
    /// What lacks are deliveries, or those that were late.
    passes: Passes,
}

impl HostHops {
    /// The search for a problem in which messages stop at terminals alone.
    pub fn new(problem: &Arc<Problem>) -> Self {
        let network = problem.network();
        let is_common = problem.collective().content().is_common();
        let mut to = Vec::new();
        let hops = if is_common { hops(problem) } else { Vec::new() };
        if !is_common {
            to = vec![Vec::new(); network.vertices().len()];
            for &v in problem.receivers() {
                to[v as usize] = distances_to(network, v);
            }
        }
        HostHops {
            problem: problem.clone(),
            to: Arc::new(to),
            hops: Arc::new(hops),
            weights: vec![0; problem.demands().len()],
            passes: Passes::new(None),
        }
    }

    /// One pass; a schedule that is shorter than the best is kept.
    fn pass(&mut self, rng: &mut Rng) -> u64 {
        let plan = match self.problem.collective().content().is_common() {
            true => self.flood(rng),
            false => self.route(rng),
        };
        let Some(mut plan) = plan else { return 1 };
        let moves = plan.transfers().count() as u64;
        plan.tidy();
        if (plan.len() as u32) < self.passes.len() {
            self.passes.best = Some(Arc::new(plan));
        }
        moves
    }

    /// The hops of a scattered message along a path: its route, or a random shortest one.
    fn path(&self, d: &Demand, rng: &mut Rng) -> Vec<Vec<ChannelId>> {
        let network = self.problem.network();
        let mut path = Vec::new();
        if let Some(route) = self.problem.fixed_route(d.source, d.destination) {
            path.extend(route);
        } else {
            let distance = &self.to[d.destination as usize];
            let mut at = d.source;
            while at != d.destination {
                let is_nearer = |c: &&ChannelId| {
                    distance[network.channel(**c).to as usize] < distance[at as usize]
                };
                let nearer: Vec<ChannelId> =
                    network.outgoing(at).iter().filter(is_nearer).copied().collect();
                let next = *nearer.choose(rng).expect("every destination is reached");
                path.push(next);
                at = network.channel(next).to;
            }
        }
        let stops = |&c: &ChannelId| network.is_terminal(network.channel(c).to);
        path.split_inclusive(stops).map(<[ChannelId]>::to_vec).collect()
    }

    /// All messages of a scatter, one after the other.
    fn route(&mut self, rng: &mut Rng) -> Option<Plan> {
        let problem = self.problem.clone();
        let demands = problem.demands();
        let mut order: Vec<usize> = (0..demands.len()).collect();
        order.shuffle(rng);
        order.sort_by_key(|&i| std::cmp::Reverse(self.weights[i]));
        let (mut used, mut plan) = (Used::default(), Plan::default());
        self.passes.lacking = 0;
        for i in order {
            let mut best: Option<(Vec<Vec<ChannelId>>, Vec<usize>)> = None;
            for _ in 0..PATHS {
                let hops = self.path(&demands[i], rng);
                let mut steps = Vec::with_capacity(hops.len());
                for hop in &hops {
                    let first = steps.last().map_or(0, |last| last + 1);
                    let step = (first..).find(|&step| used.has_room(&problem, step, hop));
                    steps.extend(step);
                }
                if best.as_ref().is_none_or(|(_, other)| steps.last() < other.last()) {
                    best = Some((hops, steps));
                }
            }
            let (hops, steps) = best?;
            if steps.last().is_some_and(|&last| last as u32 >= self.passes.goal) {
                self.weights[i] += 1;
                self.passes.lacking += 1;
            }
            for (hop, step) in hops.iter().zip(steps) {
                used.take(&problem, step, hop);
                plan.push(step, demands[i].message, hop);
            }
        }
        Some(plan)
    }

    /// A broadcast step by step; none if it is not shorter than the best.
    fn flood(&mut self, rng: &mut Rng) -> Option<Plan> {
        let problem = self.problem.clone();
        let n = problem.network().vertices().len();
        let messages = problem.messages();
        let place = |message: u32, v: VertexId| message as usize * n + v as usize;
        let (mut has, mut wants) = (vec![false; messages * n], vec![false; messages * n]);
        let mut holders = vec![1; messages];
        for d in problem.demands() {
            has[place(d.message, d.source)] = true;
            wants[place(d.message, d.destination)] = true;
        }
        let mut lacking = problem.demands().len();
        let (mut used, mut moves) = (Used::default(), Vec::<Move>::new());
        let mut order: Vec<usize> = (0..self.hops.len()).collect();
        let most = self.passes.len().saturating_sub(1).min(self.passes.goal.max(1)) as usize;
        let most = if self.passes.best.is_none() { usize::MAX } else { most };
        for step in 0.. {
            if lacking == 0 || step >= most {
                break;
            }
            let mut arriving = vec![false; messages * n];
            let before = moves.len();
            order.shuffle(rng);
            // Receivers first, then those that may pass messages on.
            for is_wanted in [true, false] {
                for &hop in &order {
                    let Hop { from, to, .. } = self.hops[hop];
                    loop {
                        let fits = |&m: &u32| {
                            let (here, there) = (place(m, from), place(m, to));
                            has[here]
                                && !has[there]
                                && !arriving[there]
                                && wants[there] == is_wanted
                        };
                        let key = |&m: &u32| holders[m as usize] + rng.random_range(0..=NOISE);
                        let message = (0..messages as u32).filter(fits).min_by_key(key);
                        let Some(message) = message else { break };
                        let path = used.free_path(&problem, step, &self.hops[hop], rng);
                        let Some(path) = path else { break };
                        used.take(&problem, step, &path);
                        arriving[place(message, to)] = true;
                        holders[message as usize] += 1;
                        lacking -= usize::from(is_wanted);
                        moves.push((step, message, from, to, path));
                    }
                }
            }
            if moves.len() == before {
                break;
            }
            has.iter_mut().zip(&arriving).for_each(|(has, arriving)| *has |= arriving);
        }
        self.passes.lacking = lacking as u64;
        if lacking > 0 {
            return None;
        }
        Some(needed(moves, n, wants))
    }
}

/// The moves but those that bring a message to where no receiver gets it and that do not pass it on; `wants` has, by
/// message, then vertex, whether it is received.
fn needed(moves: Vec<Move>, n: usize, wants: Vec<bool>) -> Plan {
    let place = |message: u32, v: VertexId| message as usize * n + v as usize;
    let mut plan = Plan::default();
    let mut is_needed = wants;
    for (step, message, from, to, path) in moves.iter().rev() {
        if is_needed[place(*message, *to)] {
            is_needed[place(*message, *from)] = true;
            plan.push(*step, *message, path);
        }
    }
    plan
}

impl Walker for HostHops {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        if self.passes.seek(steps) { self.pass(rng) } else { 0 }
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.cost() == 0 { 0 } else { self.pass(rng) }
    }

    fn cost(&self) -> u64 {
        self.passes.cost()
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }

    fn method(&self) -> Method {
        Method::HostHops
    }

    fn plan(&self) -> Plan {
        self.passes.plan()
    }
}

/// What determines the rest of the search.
#[derive(Serialize, Deserialize)]
struct Saved {
    weights: Vec<u32>,
    passes: Passes,
}

impl Resume for HostHops {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let HostHops { weights, passes, .. } = self.clone();
        codec::encode(&Saved { weights, passes })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { weights, passes } = codec::decode(state)?;
        if weights.len() != self.weights.len() {
            return Err(CommError::Unfit("weights"));
        }
        (self.weights, self.passes) = (weights, passes);
        Ok(())
    }
}

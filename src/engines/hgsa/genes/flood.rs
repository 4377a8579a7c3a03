//! Broadcasts in store-and-forward networks: a gene is (path from the source, step in which it
//! starts), and the first heuristic of hgsa-store-and-forward, section 3.3, cuts a path short at
//! a vertex that another gene's path reaches earlier.
//!
//! Applied everywhere and at all times, the heuristic means that a vertex gets a message over the
//! hop that arrives first, and all later arrivals drop out. The remaining hops form one tree per
//! message: the gene with the first arrival had itself arrived at the hop's start before. So the
//! genes keep, for every message and channel, the number of arrivals over it in each step, and only
//! the first arrivals occupy the network.
//!
//! In the plain encoding all hops occupy the network, and the heuristic is a change of genes
//! ([`Genes::shorten`]): a gene takes the path and step of another one as far as its own
//! destination. Genes of one message that make the same hop share it in both encodings. Steps
//! depend on the lengths of paths, so no swap is proposed.

use super::{Choices, Frame, Genes};
use crate::{Gene, Occupancy, Use};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Ports, Problem, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use std::cmp::Ordering;
use std::sync::Arc;

/// Largest number of channels beyond a shortest path where ports are limited.
const DETOUR: u32 = 2;
/// Values tried in search of the cheapest one of a gene.
const DRAWS: usize = 16;

/// A hop of a message: a channel and a step. Earlier is smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Delivery {
    step: u32,
    channel: ChannelId,
}

/// The hop of a vertex that a message does not reach.
const NOWHERE: Delivery = Delivery { step: u32::MAX, channel: u32::MAX };

/// The genes of a one-to-all or all-to-all broadcast.
#[derive(Clone)]
pub struct Flood {
    frame: Frame,
    /// Whether only first arrivals occupy the network.
    is_first_only: bool,
    /// The resources that a hop over each channel occupies.
    uses: Arc<Vec<Vec<Use>>>,
    occupancy: Occupancy,
    choices: Choices,
    /// Number of genes that would arrive, by message, channel, step.
    arrivals: Vec<u32>,
    /// First arrival, by message, vertex.
    first: Vec<Delivery>,
    cost: u64,
}

impl Flood {
    /// No genes yet of a problem. If not only first arrivals occupy the network, all hops do.
    pub fn new(problem: Arc<Problem>, is_first_only: bool, seed: u64) -> Self {
        // Every hop is its own transfer, so routing does not bind the whole path. Where ports are
        // few, longer paths help: otherwise all neighbours would wait for the source.
        let detour = if problem.ports() == Ports(None) { 0 } else { DETOUR };
        let slack = problem.routing().listed_slack().max(detour);
        let uses_of = |c: ChannelId| {
            let mut uses = Vec::new();
            let push = |resource, delay| uses.push(Use { resource, delay });
            problem.resources().uses(problem.network(), Switching::StoreAndForward, &[c], push);
            uses
        };
        let channels = problem.network().channels().len() as ChannelId;
        Flood {
            uses: Arc::new((0..channels).map(uses_of).collect()),
            occupancy: Occupancy::new(problem.resources().capacities(), 0),
            choices: Choices::default(),
            arrivals: Vec::new(),
            first: vec![NOWHERE; problem.messages() * problem.network().vertices().len()],
            cost: 0,
            frame: Frame::of_demands(problem, slack, seed),
            is_first_only,
        }
    }
    fn arrivals_at(&self, message: MessageId, hop: Delivery) -> usize {
        let channels = self.frame.problem.network().channels().len();
        let by_channel = message as usize * channels + hop.channel as usize;
        by_channel * self.frame.steps as usize + hop.step as usize
    }

    fn first_at(&self, message: MessageId, v: VertexId) -> usize {
        message as usize * self.frame.problem.network().vertices().len() + v as usize
    }

    /// Counts one more gene of the message that arrives by `hop`.
    fn arrive(&mut self, message: MessageId, hop: Delivery) {
        let cell = self.arrivals_at(message, hop);
        self.arrivals[cell] += 1;
        if self.arrivals[cell] == 1 && !self.is_first_only {
            self.cost += self.occupancy.add(&self.uses[hop.channel as usize], hop.step);
        }
        let v = self.frame.problem.network().channel(hop.channel).to;
        if hop < self.first[self.first_at(message, v)] {
            self.replace_first(message, v, hop);
        }
    }

    /// Counts one gene less of the message that arrives by `hop`.
    fn depart(&mut self, message: MessageId, hop: Delivery) {
        let cell = self.arrivals_at(message, hop);
        self.arrivals[cell] -= 1;
        if self.arrivals[cell] == 0 && !self.is_first_only {
            self.cost -= self.occupancy.remove(&self.uses[hop.channel as usize], hop.step);
        }
        let v = self.frame.problem.network().channel(hop.channel).to;
        if self.arrivals[cell] == 0 && self.first[self.first_at(message, v)] == hop {
            let next = self.next_arrival(message, v, hop.step);
            self.replace_first(message, v, next);
        }
    }

    /// The first arrival at a vertex, known to be no earlier than `from`.
    fn next_arrival(&self, message: MessageId, v: VertexId, from: u32) -> Delivery {
        for step in from..self.frame.steps {
            for &channel in self.frame.problem.network().incoming(v) {
                let hop = Delivery { step, channel };
                if self.arrivals[self.arrivals_at(message, hop)] > 0 {
                    return hop;
                }
            }
        }
        NOWHERE
    }

    fn replace_first(&mut self, message: MessageId, v: VertexId, hop: Delivery) {
        let place = self.first_at(message, v);
        let old = std::mem::replace(&mut self.first[place], hop);
        if !self.is_first_only {
            return;
        }
        if old != NOWHERE {
            self.cost -= self.occupancy.remove(&self.uses[old.channel as usize], old.step);
        }
        if hop != NOWHERE {
            self.cost += self.occupancy.add(&self.uses[hop.channel as usize], hop.step);
        }
    }

    /// The hop that a gene's transfer makes `delay` steps after its first.
    fn hop(&self, gene: Gene, delay: u32) -> Delivery {
        let channel = self.frame.routes.table().channels(gene.path)[delay as usize];
        Delivery { step: gene.step + delay, channel }
    }

    /// The beginning of another gene's path by which the message reaches the destination of gene
    /// `g` first, if that is not by `g` itself.
    fn earlier(&self, g: usize) -> Option<Gene> {
        let demand = self.frame.problem.demands()[g];
        let first = self.first[self.first_at(demand.message, demand.destination)];
        let own =
            self.hop(self.frame.genes[g], self.frame.routes.duration(self.frame.genes[g].path) - 1);
        if first >= own {
            return None;
        }
        let is_same = |h: &usize| self.frame.problem.demands()[*h].message == demand.message;
        (0..self.frame.genes.len()).filter(is_same).find_map(|h| {
            let other = self.frame.genes[h];
            let channels = self.frame.routes.table().channels(other.path);
            let hops = (0..channels.len()).find(|&i| self.hop(other, i as u32) == first)? + 1;
            let mut paths = self.frame.routes.table().of_pair(g);
            // A sample of the paths may lack this one.
            let path = paths
                .find(|&path| self.frame.routes.table().channels(path) == &channels[..hops])?;
            Some(Gene { path, step: other.step })
        })
    }

    fn put(&mut self, g: usize, gene: Gene) {
        let message = self.frame.problem.demands()[g].message;
        for hop in 0..self.frame.routes.duration(gene.path) {
            self.arrive(message, self.hop(gene, hop));
        }
        self.frame.genes[g] = gene;
    }

    fn lift(&mut self, g: usize) {
        let (message, gene) = (self.frame.problem.demands()[g].message, self.frame.genes[g]);
        for hop in 0..self.frame.routes.duration(gene.path) {
            self.depart(message, self.hop(gene, hop));
        }
    }
}

impl Genes for Flood {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn resize(&mut self, steps: u32) {
        self.frame.steps = steps;
        self.occupancy = Occupancy::new(self.frame.problem.resources().capacities(), steps);
        self.frame.genes.clear();
        let channels = self.frame.problem.network().channels().len();
        self.arrivals = vec![0; self.frame.problem.messages() * channels * steps as usize];
        self.choices = Choices::new(&self.frame.routes, self.frame.problem.demands().len(), steps);
    }

    fn load(&mut self, genes: &[Gene]) {
        self.occupancy.clear();
        self.arrivals.fill(0);
        self.first.fill(NOWHERE);
        self.cost = 0;
        self.frame.genes.clear();
        self.frame.genes.resize(genes.len(), Gene::default());
        for (g, &gene) in genes.iter().enumerate() {
            self.put(g, gene);
        }
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        self.choices.gene(&self.frame.routes, g, rng)
    }

    fn shorten(&mut self) {
        if self.is_first_only {
            return;
        }
        for g in 0..self.frame.genes.len() {
            if let Some(gene) = self.earlier(g) {
                self.lift(g);
                self.put(g, gene);
            }
        }
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        let (message, gene) = (self.frame.problem.demands()[g].message, self.frame.genes[g]);
        (0..self.frame.routes.duration(gene.path)).any(|delay| {
            let hop = self.hop(gene, delay);
            let v = self.frame.problem.network().channel(hop.channel).to;
            let counts = !self.is_first_only || self.first[self.first_at(message, v)] == hop;
            counts && self.occupancy.relief(&self.uses[hop.channel as usize], hop.step) > 0
        })
    }

    /// What a value costs depends on the arrivals of other genes, so each is tried.
    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let old = self.frame.genes[g];
        let (mut best, mut equal, mut priced) = (None, 0, 0);
        self.lift(g);
        for _ in 0..DRAWS {
            let gene = self.random(g, rng);
            if gene == old {
                continue;
            }
            self.put(g, gene);
            priced += 1;
            let cost = self.cost;
            self.lift(g);
            equal = match best.map_or(Ordering::Less, |(least, _)| cost.cmp(&least)) {
                Ordering::Less => 1,
                Ordering::Equal => equal + 1,
                Ordering::Greater => continue,
            };
            if equal == 1 || rng.random_range(0..equal) == 0 {
                best = Some((cost, gene));
            }
        }
        self.put(g, old);
        (best.map_or(old, |(_, gene)| gene), priced)
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let (old, before) = (self.frame.genes[g], self.cost);
        self.lift(g);
        self.put(g, gene);
        let accepted = self.cost as i64 - before as i64 <= budget;
        if !accepted {
            self.lift(g);
            self.put(g, old);
        }
        accepted
    }

    fn end(&self, g: usize) -> u32 {
        let demand = self.frame.problem.demands()[g];
        self.first[self.first_at(demand.message, demand.destination)].step + 1
    }

    /// The trees of first arrivals, without branches that reach no receiver.
    fn plan(&self, genes: &[Gene]) -> Plan {
        let mut tree = self.clone();
        tree.load(genes);
        let network = self.frame.problem.network();
        let mut plan = Plan::new(self.frame.steps);
        let mut taken = vec![false; tree.first.len()];
        for demand in self.frame.problem.demands() {
            let mut v = demand.destination;
            while v != demand.source {
                let place = tree.first_at(demand.message, v);
                if std::mem::replace(&mut taken[place], true) {
                    break;
                }
                let hop = tree.first[place];
                plan.push(hop.step as usize, demand.message, [hop.channel]);
                v = network.channel(hop.channel).from;
            }
        }
        plan.tidy();
        plan
    }
}

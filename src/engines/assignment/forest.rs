//! Broadcasts in wormhole networks: a gene is (sender, path, step) of one delivery, the sender
//! being where the path starts (umda-diameter-degree-networks, section 4.2). A sender must have
//! the message before; where it has not, that is counted like conflicts, and the neighbourhood
//! mostly proposes senders that have (the restoration heuristic of section 4.4).

use super::{Assignment, Routes, Senders, occupancy::Occupancy};
use crate::engines::{Gene, Rng};
use crate::network::VertexId;
use crate::problem::Problem;
use crate::schedule::{Plan, Transfer};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;
use std::sync::Arc;

/// A message that a sender has not got yet weighs as much as so many conflicts.
pub const LATE: u64 = 8;
/// How many senders are drawn in search of one that has the message.
const DRAWS: usize = 8;
/// The step of somebody who never gets the message.
const NEVER: i32 = i32::MAX;
/// End of a list of genes.
const NONE: u32 = u32::MAX;

/// What the demands of a problem look like to broadcasts; the same for all assignments.
struct Shape {
    problem: Arc<Problem>,
    routes: Routes,
    /// `senders[g]` is a range of pairs in the table: who may send to gene `g`'s destination.
    senders: Vec<Range<u32>>,
    /// Sender of every pair; ascending among the pairs of one receiver.
    sender_of_pair: Vec<VertexId>,
    /// Sender of every path.
    origin: Vec<VertexId>,
    /// Genes of every message.
    of_message: Vec<Range<u32>>,
    vertices: usize,
}

/// A complete assignment of a one-to-all or all-to-all broadcast.
#[derive(Clone)]
pub struct Forest {
    shape: Arc<Shape>,
    occupancy: Occupancy,
    steps: u32,
    genes: Vec<Gene>,
    /// Step in which a vertex gets a message, by message, then vertex; -1 at its source.
    received: Vec<i32>,
    /// First gene sent by a vertex, by message, then vertex; a list through `next` and `previous`.
    first_child: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    cost: u64,
}

impl Forest {
    /// An empty assignment of a problem in which terminals are informed by others at most
    /// `radius` channels away, or farther ones where those would not do.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> Self {
        let Senders { routes, of_demand, of_pair } = Senders::find(&problem, radius, seed);
        let mut origin = Vec::with_capacity(routes.table().len());
        for (pair, &from) in of_pair.iter().enumerate() {
            origin.extend(routes.table().of_pair(pair).map(|_| from));
        }
        let vertices = problem.network.vertices().len();
        let genes = problem.demands.len();
        let mut of_message = Vec::new();
        let mut first = 0;
        for demands in problem.demands.chunk_by(|a, b| a.message == b.message) {
            of_message.push(first..first + demands.len() as u32);
            first += demands.len() as u32;
        }
        Forest {
            occupancy: Occupancy::new(problem.resources.capacities(), 0),
            steps: 0,
            genes: Vec::new(),
            received: vec![NEVER; problem.messages() * vertices],
            first_child: vec![NONE; problem.messages() * vertices],
            next: vec![NONE; genes],
            previous: vec![NONE; genes],
            cost: 0,
            shape: Arc::new(Shape {
                problem,
                routes,
                senders: of_demand,
                sender_of_pair: of_pair,
                origin,
                of_message,
                vertices,
            }),
        }
    }

    /// The paths it chooses from.
    pub fn routes(&self) -> &Routes {
        &self.shape.routes
    }

    /// Place of (message of gene `g`, vertex) in the arrays by message and vertex.
    fn at(&self, g: usize, v: VertexId) -> usize {
        self.shape.problem.demands[g].message as usize * self.shape.vertices + v as usize
    }

    fn origin(&self, gene: Gene) -> VertexId {
        self.shape.origin[gene.path as usize]
    }

    fn late(received: i32, step: u32) -> u64 {
        if received >= step as i32 { LATE } else { 0 }
    }

    /// Cost of those that gene `g`'s destination informs, if it gets the message in `step`.
    fn late_children(&self, g: usize, step: u32) -> u64 {
        let mut cost = 0;
        let mut child = self.first_child[self.at(g, self.destination(g))];
        while child != NONE {
            cost += Self::late(step as i32, self.genes[child as usize].step);
            child = self.next[child as usize];
        }
        cost
    }

    fn destination(&self, g: usize) -> VertexId {
        self.shape.problem.demands[g].destination
    }

    fn adopt(&mut self, g: usize, parent: VertexId) {
        let head = self.at(g, parent);
        let first = self.first_child[head];
        self.next[g] = first;
        self.previous[g] = NONE;
        if first != NONE {
            self.previous[first as usize] = g as u32;
        }
        self.first_child[head] = g as u32;
    }

    fn disown(&mut self, g: usize, parent: VertexId) {
        let (previous, next) = (self.previous[g], self.next[g]);
        if previous == NONE {
            let head = self.at(g, parent);
            self.first_child[head] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// Gene `g` with another sender, if that one is near enough.
    fn sent_by(&self, g: usize, sender: VertexId, step: u32, rng: &mut Rng) -> Option<Gene> {
        let pairs = self.shape.senders[g].clone();
        let senders = &self.shape.sender_of_pair[pairs.start as usize..pairs.end as usize];
        let pair = pairs.start as usize + senders.binary_search(&sender).ok()?;
        let path = rng.random_range(self.shape.routes.table().of_pair(pair));
        Some(Gene { path, step })
    }

    /// In the tree of one message, `g`'s destination takes the place of `h`'s, and its children:
    /// appends the changed genes. Says whether all of them could be had.
    fn take_place(
        &self,
        g: usize,
        h: usize,
        rng: &mut Rng,
        changes: &mut Vec<(usize, Gene)>,
    ) -> bool {
        let (own, other) = (self.destination(g), self.destination(h));
        let place = self.genes[h];
        // Who was informed by the one that comes is informed by the one that goes.
        let parent = self.origin(place);
        let parent = if parent == own { other } else { parent };
        let Some(gene) = self.sent_by(g, parent, place.step, rng) else { return false };
        changes.push((g, gene));
        let mut child = self.first_child[self.at(h, other)];
        while child != NONE {
            let c = child as usize;
            if c != g {
                let Some(gene) = self.sent_by(c, own, self.genes[c].step, rng) else {
                    return false;
                };
                changes.push((c, gene));
            }
            child = self.next[c];
        }
        true
    }

    /// A way to make delivery `g` in `step` without a conflict, as far as a few draws find one.
    fn deliver(&self, g: usize, step: u32, rng: &mut Rng) -> Option<Gene> {
        (0..4 * DRAWS).find_map(|_| {
            let pair = rng.random_range(self.shape.senders[g].clone()) as usize;
            let sender = self.shape.sender_of_pair[pair];
            let path = rng.random_range(self.shape.routes.table().of_pair(pair));
            let is_possible = Self::late(self.received[self.at(g, sender)], step) == 0
                && self.occupancy.price(self.shape.routes.uses(path), step) == 0;
            is_possible.then_some(Gene { path, step })
        })
    }

    /// A path of a sender that has the message before `step`, as far as a few draws find one.
    fn draw_path(&self, g: usize, step: u32, rng: &mut Rng) -> u32 {
        let table = self.shape.routes.table();
        let mut paths = 0..0;
        for _ in 0..DRAWS {
            paths = table.of_pair(rng.random_range(self.shape.senders[g].clone()) as usize);
            let sender = self.shape.origin[paths.start as usize];
            if Self::late(self.received[self.at(g, sender)], step) == 0 {
                break;
            }
        }
        rng.random_range(paths)
    }
}

impl Assignment for Forest {
    fn steps(&self) -> u32 {
        self.steps
    }

    fn resize(&mut self, steps: u32) {
        self.steps = steps;
        self.occupancy = Occupancy::new(self.shape.problem.resources.capacities(), steps);
        self.genes.clear();
    }

    fn load(&mut self, genes: &[Gene]) {
        self.occupancy.clear();
        self.genes.clear();
        self.genes.extend_from_slice(genes);
        self.first_child.fill(NONE);
        for (g, gene) in genes.iter().enumerate() {
            let demand = self.shape.problem.demands[g];
            let (source, destination) = (self.at(g, demand.source), self.at(g, demand.destination));
            self.received[source] = -1;
            self.received[destination] = gene.step as i32;
        }
        self.cost = 0;
        for (g, &gene) in genes.iter().enumerate() {
            let sender = self.origin(gene);
            self.adopt(g, sender);
            self.cost += Self::late(self.received[self.at(g, sender)], gene.step);
            self.cost += self.occupancy.add(self.shape.routes.uses(gene.path), gene.step);
        }
    }

    fn gene_count(&self) -> usize {
        self.shape.problem.demands.len()
    }

    fn genes(&self) -> &[Gene] {
        &self.genes
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        let pair = rng.random_range(self.shape.senders[g].clone()) as usize;
        let path = rng.random_range(self.shape.routes.table().of_pair(pair));
        Gene { path, step: rng.random_range(0..self.steps) }
    }

    /// The restoration heuristic with everything in step 0 at first: a delivery is postponed until
    /// somebody who has the message can make it without a conflict. What cannot be made in the
    /// steps allowed is made somewhere.
    fn start(&mut self, rng: &mut Rng) -> Vec<Gene> {
        let mut genes: Vec<Option<Gene>> = vec![None; self.gene_count()];
        let mut waiting: Vec<usize> = (0..genes.len()).collect();
        self.occupancy.clear();
        self.received.fill(NEVER);
        for g in 0..genes.len() {
            let source = self.at(g, self.shape.problem.demands[g].source);
            self.received[source] = -1;
        }
        for step in 0..self.steps {
            waiting.shuffle(rng);
            waiting.retain(|&g| {
                let Some(gene) = self.deliver(g, step, rng) else { return true };
                self.occupancy.add(self.shape.routes.uses(gene.path), step);
                let destination = self.at(g, self.destination(g));
                self.received[destination] = step as i32;
                genes[g] = Some(gene);
                false
            });
        }
        (0..genes.len()).map(|g| genes[g].unwrap_or_else(|| self.random(g, rng))).collect()
    }

    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        let old = self.genes[g];
        let step = match rng.random_range(0..4) {
            0 => old.step,
            _ => rng.random_range(0..self.steps),
        };
        Gene { path: self.draw_path(g, step, rng), step }
    }

    /// Two destinations of a message exchange their places in its tree.
    fn propose_swap(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        let g = rng.random_range(0..self.genes.len());
        let message = self.shape.problem.demands[g].message as usize;
        let h = rng.random_range(self.shape.of_message[message].clone()) as usize;
        let possible =
            g != h && self.take_place(g, h, rng, changes) && self.take_place(h, g, rng, changes);
        if !possible {
            changes.clear();
        }
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.genes[g];
        let (old_sender, sender) = (self.origin(old), self.origin(gene));
        let routes = &self.shape.routes;
        let mut before = Self::late(self.received[self.at(g, old_sender)], old.step);
        let mut after = Self::late(self.received[self.at(g, sender)], gene.step);
        if old.step != gene.step {
            before += self.late_children(g, old.step);
            after += self.late_children(g, gene.step);
        }
        before += self.occupancy.remove(routes.uses(old.path), old.step);
        after += self.occupancy.price(routes.uses(gene.path), gene.step);
        if after as i64 - before as i64 > budget {
            self.occupancy.add(routes.uses(old.path), old.step);
            return false;
        }
        self.occupancy.add(routes.uses(gene.path), gene.step);
        if old_sender != sender {
            self.disown(g, old_sender);
            self.adopt(g, sender);
        }
        let destination = self.at(g, self.destination(g));
        self.received[destination] = gene.step as i32;
        self.genes[g] = gene;
        self.cost = self.cost + after - before;
        true
    }

    fn fits(&self, gene: Gene) -> bool {
        gene.step < self.steps
    }

    fn end(&self, g: usize) -> u32 {
        self.genes[g].step + 1
    }

    fn length(&self, g: usize) -> usize {
        self.shape.routes.table().channels(self.genes[g].path).len()
    }

    fn plan(&self, genes: &[Gene]) -> Plan {
        let mut plan = Plan::new(self.steps);
        for (gene, demand) in genes.iter().zip(&self.shape.problem.demands) {
            let channels = self.shape.routes.table().channels(gene.path).to_vec();
            plan.steps[gene.step as usize].push(Transfer { message: demand.message, channels });
        }
        plan.tidy();
        plan
    }
}

//! Broadcasts in wormhole networks: a gene is (sender, path, step) of one delivery; the path starts
//! at the sender (umda-diameter-degree-networks, section 4.2). A sender must have the message
//! before that step; if not, the delivery is late, which counts like conflicts. The neighbourhood
//! mostly proposes senders that have the message (the restoration heuristic of section 4.4).

use super::{Frame, Genes, Prices, Window};
use crate::{Gene, Occupancy, Senders};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;
use std::sync::Arc;

/// Cost, in conflicts, of a delivery whose sender has not got the message yet.
pub const LATE: u64 = 8;
/// The step of receipt at a vertex that never gets the message.
const NEVER: i32 = i32::MAX;
/// What the saved lists must be.
const LISTS: &str = "each gene must be once in the lists of children, under its sender";
/// End of a list of genes.
const NONE: u32 = u32::MAX;

/// The genes of a one-to-all or all-to-all broadcast.
#[derive(Clone)]
pub struct Forest {
    frame: Frame,
    shape: Arc<Shape>,
    occupancy: Occupancy,
    /// Step in which a vertex gets a message, by message, then vertex; -1 at its source.
    received: Vec<i32>,
    /// First gene sent by a vertex, by message, then vertex; a list through `next` and `previous`.
    first_child: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    prices: Prices,
    cost: u64,
}

impl Forest {
    /// No genes yet of a problem. Senders are at most `radius` channels away from a receiver; the
    /// radius is raised where it would cut off a terminal.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> Self {
        let (shape, frame) = Shape::new(problem, radius, seed);
        let problem = &frame.problem;
        let (places, genes) = (problem.messages() * shape.vertices, problem.demands().len());
        Forest {
            occupancy: Occupancy::new(problem.resources().capacities(), 0),
            received: vec![NEVER; places],
            first_child: vec![NONE; places],
            next: vec![NONE; genes],
            previous: vec![NONE; genes],
            prices: Prices::default(),
            cost: 0,
            shape: Arc::new(shape),
            frame,
        }
    }

    /// Index of (message of gene `g`, vertex) in the arrays by message and vertex.
    fn at(&self, g: usize, v: VertexId) -> usize {
        self.frame.problem.demands()[g].message as usize * self.shape.vertices + v as usize
    }

    fn origin(&self, gene: Gene) -> VertexId {
        self.shape.origin[gene.path as usize]
    }

    fn late(received: i32, step: u32) -> u64 {
        if received >= step as i32 { LATE } else { 0 }
    }

    /// Cost of late deliveries by gene `g`'s destination, if it gets the message in `step`.
    fn late_children(&self, g: usize, step: u32) -> u64 {
        let mut cost = 0;
        let mut child = self.first_child[self.at(g, self.destination(g))];
        while child != NONE {
            cost += Self::late(step as i32, self.frame.genes[child as usize].step);
            child = self.next[child as usize];
        }
        cost
    }

    fn destination(&self, g: usize) -> VertexId {
        self.frame.problem.demands()[g].destination
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

    /// Whether each gene is once in the lists: in that of its message and its sender.
    fn lists_all(&self) -> bool {
        let mut listed = 0;
        for (head, &first) in self.first_child.iter().enumerate() {
            let (mut before, mut g) = (NONE, first);
            while g != NONE {
                let place = g as usize;
                let is_here = self.at(place, self.origin(self.frame.genes[place])) == head;
                // A list with a circle comes back to a gene that has another one before it.
                if !is_here || self.previous[place] != before {
                    return false;
                }
                listed += 1;
                (before, g) = (g, self.next[place]);
            }
        }
        listed == self.frame.genes.len()
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
}

impl Genes for Forest {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn resize(&mut self, steps: u32) {
        self.frame.steps = steps;
        self.occupancy = Occupancy::new(self.frame.problem.resources().capacities(), steps);
        self.frame.genes.clear();
    }

    fn load(&mut self, genes: &[Gene]) {
        self.occupancy.clear();
        self.frame.genes.clear();
        self.frame.genes.extend_from_slice(genes);
        self.first_child.fill(NONE);
        for (g, gene) in genes.iter().enumerate() {
            let demand = self.frame.problem.demands()[g];
            let (source, destination) = (self.at(g, demand.source), self.at(g, demand.destination));
            self.received[source] = -1;
            self.received[destination] = gene.step as i32;
        }
        self.cost = 0;
        for (g, &gene) in genes.iter().enumerate() {
            let sender = self.origin(gene);
            self.adopt(g, sender);
            self.cost += Self::late(self.received[self.at(g, sender)], gene.step);
            self.cost += self.occupancy.add(self.frame.routes.uses(gene.path), gene.step);
        }
    }

    /// The lists of children, whose order depends on the order of past moves.
    fn memory(&self) -> Vec<u32> {
        [&self.first_child[..], &self.next, &self.previous].concat()
    }

    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        let (places, genes) = (self.first_child.len(), self.next.len());
        if memory.len() != places + 2 * genes {
            return Err(CommError::Unfit("deliveries"));
        }
        if memory.iter().any(|&g| g != NONE && g as usize >= genes) {
            return Err(CommError::Unfit("genes"));
        }
        self.first_child.copy_from_slice(&memory[..places]);
        self.next.copy_from_slice(&memory[places..places + genes]);
        self.previous.copy_from_slice(&memory[places + genes..]);
        if self.lists_all() { Ok(()) } else { Err(CommError::Unsound(LISTS)) }
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        let pair = rng.random_range(self.shape.senders[g].clone()) as usize;
        let path = rng.random_range(self.frame.routes.table().of_pair(pair));
        Gene { path, step: rng.random_range(0..self.frame.steps) }
    }

    fn start(&mut self, rng: &mut Rng) -> Vec<Gene> {
        self.restore(rng)
    }

    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        let old = self.frame.genes[g];
        let step = match rng.random_range(0..4) {
            0 => old.step,
            _ => rng.random_range(0..self.frame.steps),
        };
        Gene { path: self.draw_path(g, step, rng), step }
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        let gene = self.frame.genes[g];
        Self::late(self.received[self.at(g, self.origin(gene))], gene.step) > 0
            || self.occupancy.relief(self.frame.routes.uses(gene.path), gene.step) > 0
            || self.late_children(g, gene.step) > 0
    }

    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        self.cheapest_place(g, rng)
    }

    fn propose_swap(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        self.exchange_places(rng, changes);
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.frame.genes[g];
        let (old_sender, sender) = (self.origin(old), self.origin(gene));
        let routes = &self.frame.routes;
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
        self.frame.genes[g] = gene;
        self.cost = self.cost + after - before;
        true
    }

    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let of_pair = |pair: u32| self.frame.routes.table().of_pair(pair as usize);
        let has_path = |pair: u32| of_pair(pair).contains(&gene.path);
        self.shape.senders[g].clone().any(has_path) && self.fits(gene)
    }

    fn fits(&self, gene: Gene) -> bool {
        gene.step < self.frame.steps
    }

    fn end(&self, g: usize) -> u32 {
        self.frame.genes[g].step + 1
    }

    fn plan(&self, genes: &[Gene]) -> Plan {
        let mut plan = Plan::new(self.frame.steps);
        for (gene, demand) in genes.iter().zip(self.frame.problem.demands()) {
            let channels = self.frame.routes.table().channels(gene.path);
            plan.push(gene.step as usize, demand.message, channels);
        }
        plan.tidy();
        plan
    }
}

// Moves in the trees of messages: the cheapest place of a destination, and the swap of two.
//
// A swap exchanges the places of two destinations in the tree of a message: the time-slot swap of
// umda-multistage-networks, section 4.4, for trees; each adopts the other's children.

impl Forest {
    /// The cheapest other sender, path and step of a delivery; its destination's children keep
    /// theirs.
    fn cheapest_place(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let (shape, routes) = (self.shape.clone(), self.frame.routes.clone());
        let old = self.frame.genes[g];
        let first = routes.table().of_pair(shape.senders[g].start as usize).start;
        let end = routes.table().of_pair(shape.senders[g].end as usize - 1).end;
        let window = Window::draw((first, end - first), rng);
        self.occupancy.remove(routes.uses(old.path), old.step);
        self.prices.clear(self.frame.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path).then_some(old.step);
            let received = self.received[self.at(g, shape.origin[path as usize])];
            let uses = routes.uses(path);
            let price = |row: &mut [u32]| self.occupancy.price_starts(uses, row);
            let row = self.prices.add(1, present, price);
            // The sender gets the message too late for these steps.
            let late = (i64::from(received) + 1).clamp(0, row.len() as i64) as usize;
            row[..late].iter_mut().for_each(|price| *price = price.saturating_add(LATE as u32));
        }
        self.price_children(g);
        self.occupancy.add(routes.uses(old.path), old.step);
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    /// Adds to the prices of steps what the destination's children pay if it gets the message then.
    fn price_children(&mut self, g: usize) {
        let mut child = self.first_child[self.at(g, self.destination(g))];
        while child != NONE {
            self.prices.raise_from(self.frame.genes[child as usize].step, LATE as u32);
            child = self.next[child as usize];
        }
    }

    /// The genes that change when two random destinations swap places; none if they cannot.
    fn exchange_places(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        let g = rng.random_range(0..self.frame.genes.len());
        let message = self.frame.problem.demands()[g].message as usize;
        let h = rng.random_range(self.shape.of_message[message].clone()) as usize;
        let possible =
            g != h && self.take_place(g, h, rng, changes) && self.take_place(h, g, rng, changes);
        if !possible {
            changes.clear();
        }
    }

    /// Gene `g` with another sender, if that sender is near enough.
    fn sent_by(&self, g: usize, sender: VertexId, step: u32, rng: &mut Rng) -> Option<Gene> {
        let pairs = self.shape.senders[g].clone();
        let senders = &self.shape.sender_of_pair[pairs.start as usize..pairs.end as usize];
        let pair = pairs.start as usize + senders.binary_search(&sender).ok()?;
        let path = rng.random_range(self.frame.routes.table().of_pair(pair));
        Some(Gene { path, step })
    }

    /// In the tree of one message, gives `g`'s destination the place and the children of `h`'s:
    /// appends the changed genes. Returns whether all of them are possible.
    fn take_place(
        &self,
        g: usize,
        h: usize,
        rng: &mut Rng,
        changes: &mut Vec<(usize, Gene)>,
    ) -> bool {
        let (own, other) = (self.destination(g), self.destination(h));
        let place = self.frame.genes[h];
        // If `g`'s destination was the parent of `h`'s, the two change roles.
        let parent = self.origin(place);
        let parent = if parent == own { other } else { parent };
        let Some(gene) = self.sent_by(g, parent, place.step, rng) else { return false };
        changes.push((g, gene));
        let mut child = self.first_child[self.at(h, other)];
        while child != NONE {
            let c = child as usize;
            if c != g {
                let Some(gene) = self.sent_by(c, own, self.frame.genes[c].step, rng) else {
                    return false;
                };
                changes.push((c, gene));
            }
            child = self.next[c];
        }
        true
    }
}

// The restoration heuristic (umda-diameter-degree-networks, section 4.4): senders are vertices
// that have the message, and deliveries without such a sender are postponed.

/// Draws in search of a sender that has the message.
const DRAWS: usize = 8;

impl Forest {
    /// A start solution: every delivery begins in step 0 and is postponed until a vertex that has
    /// the message can make it without a conflict. A delivery that does not fit into the steps
    /// allowed gets a random gene.
    fn restore(&mut self, rng: &mut Rng) -> Vec<Gene> {
        let mut genes: Vec<Option<Gene>> = vec![None; self.gene_count()];
        let mut waiting: Vec<usize> = (0..genes.len()).collect();
        self.occupancy.clear();
        self.received.fill(NEVER);
        for g in 0..genes.len() {
            let source = self.at(g, self.frame.problem.demands()[g].source);
            self.received[source] = -1;
        }
        for step in 0..self.frame.steps {
            waiting.shuffle(rng);
            waiting.retain(|&g| {
                let Some(gene) = self.deliver(g, step, rng) else { return true };
                self.occupancy.add(self.frame.routes.uses(gene.path), step);
                let destination = self.at(g, self.destination(g));
                self.received[destination] = step as i32;
                genes[g] = Some(gene);
                false
            });
        }
        (0..genes.len()).map(|g| genes[g].unwrap_or_else(|| self.random(g, rng))).collect()
    }

    /// A gene for delivery `g` in `step` without a conflict, if a few draws find one.
    fn deliver(&self, g: usize, step: u32, rng: &mut Rng) -> Option<Gene> {
        (0..4 * DRAWS).find_map(|_| {
            let pair = rng.random_range(self.shape.senders[g].clone()) as usize;
            let sender = self.shape.sender_of_pair[pair];
            let path = rng.random_range(self.frame.routes.table().of_pair(pair));
            let is_possible = Self::late(self.received[self.at(g, sender)], step) == 0
                && self.occupancy.price(self.frame.routes.uses(path), step) == 0;
            is_possible.then_some(Gene { path, step })
        })
    }

    /// A path from a sender that has the message before `step`, if a few draws find one.
    fn draw_path(&self, g: usize, step: u32, rng: &mut Rng) -> u32 {
        let table = self.frame.routes.table();
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

// The demands of a problem as broadcasts use them: possible senders, and their paths.

/// The data that all genes of a problem share.
struct Shape {
    /// `senders[g]` is a range of pairs: the possible senders to gene `g`'s destination.
    senders: Vec<Range<u32>>,
    /// Sender of every pair; ascending among the pairs of one receiver.
    sender_of_pair: Vec<VertexId>,
    /// Sender of every path.
    origin: Vec<VertexId>,
    /// Genes of every message.
    of_message: Vec<Range<u32>>,
    vertices: usize,
}

impl Shape {
    /// The shape of a problem, and its genes, of which there are none yet. Senders are at most `radius` channels away from a receiver; the
    /// radius is raised where it would cut off a terminal.
    fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> (Self, Frame) {
        let Senders { routes, of_demand, of_pair } = Senders::find(&problem, radius, seed);
        let mut origin = Vec::with_capacity(routes.table().len());
        for (pair, &from) in of_pair.iter().enumerate() {
            origin.extend(routes.table().of_pair(pair).map(|_| from));
        }
        let vertices = problem.network().vertices().len();
        let mut of_message = Vec::new();
        let mut first = 0;
        for demands in problem.demands().chunk_by(|a, b| a.message == b.message) {
            of_message.push(first..first + demands.len() as u32);
            first += demands.len() as u32;
        }
        let shape =
            Shape { senders: of_demand, sender_of_pair: of_pair, origin, of_message, vertices };
        (shape, Frame::new(problem, Arc::new(routes)))
    }
}

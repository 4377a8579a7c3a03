//! Heuristics for broadcasts (umda-diameter-degree-networks, section 4.4): restoration of the
//! broadcast trees, in the order of steps; postponement where no possible sender is informed yet;
//! and the mutation that tests other sources and paths.

use super::population::{Allele, Best, Dice, Encoding, Fitness, one_of, shuffle};
use ccsched_model::problem::Demand;
use ccsched_network::VertexId;

/// End of a list of genes.
const NONE: u32 = u32::MAX;
/// The first step of a vertex that never gets the message.
const NEVER: u32 = u32::MAX;

/// The heuristics, with their buffers.
#[derive(Clone, Debug)]
pub struct Broadcast {
    vertices: usize,
    /// First step in which a vertex can send a message, by message, then vertex.
    knows: Vec<u32>,
    /// First gene that waits for every step; a list through `next`.
    first: Vec<u32>,
    next: Vec<u32>,
    /// Genes of every message are those of `of_message[m]..of_message[m + 1]`.
    of_message: Vec<u32>,
    /// All genes, in the order in which they are restored.
    order: Vec<u32>,
}

impl Broadcast {
    /// Heuristics under a number of steps.
    pub fn new(encoding: &Encoding, steps: u32) -> Self {
        let vertices = encoding.problem().network().vertices().len();
        let genes = encoding.demands().len();
        let messages = encoding.problem().messages() as u32;
        let first_of = |m| encoding.demands().partition_point(|d| d.message < m) as u32;
        Broadcast {
            vertices,
            knows: vec![NEVER; messages as usize * vertices],
            first: vec![NONE; steps as usize],
            next: vec![NONE; genes],
            of_message: (0..=messages).map(first_of).collect(),
            order: (0..genes as u32).collect(),
        }
    }

    /// Repairs a sampled chromosome and mutates it `mutations` times; returns its fitness.
    pub fn finish(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        mutations: u32,
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) -> u64 {
        self.restore(encoding, child, false, fitness, dice);
        for _ in 0..mutations {
            let g = one_of(0..child.len() as u32, dice) as usize;
            self.mutate(encoding, g, child, fitness, dice);
        }
        fitness.cost()
    }

    /// All genes, in the order of the last restoration.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Sets the order of restoration, if it is a permutation of the genes. Returns whether it is.
    pub fn set_order(&mut self, order: Vec<u32>) -> bool {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let fits = sorted.iter().copied().eq(0..self.order.len() as u32);
        if fits {
            self.order = order;
        }
        fits
    }

    /// Mutation: tests the possible sources and paths of one transfer, in all the steps that leave
    /// the tree admissible, and changes to the fewest conflicts.
    fn mutate(
        &mut self,
        encoding: &Encoding,
        g: usize,
        child: &mut [Allele],
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) {
        let Demand { message, destination, .. } = encoding.demands()[g];
        let tree = self.of_message[message as usize]..self.of_message[message as usize + 1];
        let tree = &child[tree.start as usize..tree.end as usize];
        // The destination must still get the message before it forwards it.
        let informed = tree.iter().filter(|a| encoding.sender(a.pair) == destination);
        let end = informed.map(|a| a.step).min().unwrap_or(NEVER).min(fitness.steps());
        fitness.displace(encoding, child[g]);
        let mut best = Best::default();
        for pair in encoding.pairs(g) {
            let begin = self.knows[self.at(encoding, g, encoding.sender(pair))];
            for step in begin..end {
                for path in 0..encoding.paths(pair) {
                    let tested = Allele { pair, path, step };
                    best.test(tested, fitness.price(encoding, tested), dice);
                }
            }
        }
        if let Some((found, _)) = best.found {
            child[g] = found;
            let place = self.at(encoding, g, destination);
            self.knows[place] = found.step + 1;
        }
        fitness.place(encoding, child[g]);
    }

    /// A good building block: all time slots are set to step 0, and restoration finds the first
    /// possible ones.
    pub fn inject(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) -> u64 {
        child.iter_mut().for_each(|allele| allele.step = 0);
        shuffle(&mut self.order, dice);
        self.restore(encoding, child, true, fitness, dice);
        fitness.cost()
    }

    /// Restoration, step by step. A sender without the message is replaced; a delivery without a
    /// possible sender is postponed, in the end over the limit. With `chooses_slots`, a delivery
    /// that would conflict is postponed too.
    fn restore(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        chooses_slots: bool,
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) {
        fitness.clear();
        self.enlist(encoding, child, fitness);
        for step in 0..fitness.steps() {
            let mut place = self.first[step as usize];
            while place != NONE {
                let g = place as usize;
                place = self.next[g];
                let admissible = match chooses_slots {
                    true => self.fit_in(encoding, g, child[g], fitness, dice),
                    false => self.deliver(encoding, g, child[g], dice),
                };
                if let Some(allele) = admissible {
                    child[g] = allele;
                    fitness.place(encoding, allele);
                    let destination = self.at(encoding, g, encoding.demands()[g].destination);
                    self.knows[destination] = step + 1;
                } else {
                    child[g].step += 1;
                    self.list(encoding, g, child[g], fitness);
                }
            }
        }
    }

    /// Lists the genes by step, and lets the sources send their messages.
    fn enlist(&mut self, encoding: &Encoding, child: &[Allele], fitness: &mut Fitness) {
        self.knows.fill(NEVER);
        self.first.fill(NONE);
        for i in 0..self.order.len() {
            let g = self.order[i] as usize;
            let source = self.at(encoding, g, encoding.demands()[g].source);
            self.knows[source] = 0;
            self.list(encoding, g, child[g], fitness);
        }
    }

    /// Lists gene `g` under its step; over the limit, places it at once.
    fn list(&mut self, encoding: &Encoding, g: usize, allele: Allele, fitness: &mut Fitness) {
        match self.first.get_mut(allele.step as usize) {
            Some(first) => self.next[g] = std::mem::replace(first, g as u32),
            None => fitness.place(encoding, allele),
        }
    }

    /// Gene `g`: unchanged if its sender is informed, else with a random informed sender and one of
    /// its paths; nothing if no possible sender is informed.
    fn deliver(
        &self,
        encoding: &Encoding,
        g: usize,
        allele: Allele,
        dice: &mut impl Dice,
    ) -> Option<Allele> {
        let can_send = |pair: &u32| self.can_send(encoding, g, *pair, allele.step);
        if can_send(&allele.pair) {
            return Some(allele);
        }
        let informed = encoding.pairs(g).filter(can_send).count() as u32;
        if informed == 0 {
            return None;
        }
        let chosen = one_of(0..informed, dice) as usize;
        let pair = encoding.pairs(g).filter(can_send).nth(chosen).expect("it was counted");
        Some(Allele { pair, path: one_of(0..encoding.paths(pair), dice), ..allele })
    }

    /// The value of gene `g` with the fewest conflicts in its step; nothing if it has any conflict,
    /// unless the step is the last.
    fn fit_in(
        &self,
        encoding: &Encoding,
        g: usize,
        allele: Allele,
        fitness: &Fitness,
        dice: &mut impl Dice,
    ) -> Option<Allele> {
        let mut best = Best::default();
        let pairs = encoding.pairs(g);
        for pair in pairs.filter(|&pair| self.can_send(encoding, g, pair, allele.step)) {
            for path in 0..encoding.paths(pair) {
                let tested = Allele { pair, path, ..allele };
                best.test(tested, fitness.price(encoding, tested), dice);
            }
        }
        let is_last = allele.step + 1 == fitness.steps();
        best.found.filter(|&(_, price)| price == 0 || is_last).map(|(found, _)| found)
    }

    /// Whether the sender of a pair has the message of gene `g` before a step.
    fn can_send(&self, encoding: &Encoding, g: usize, pair: u32, step: u32) -> bool {
        self.knows[self.at(encoding, g, encoding.sender(pair))] <= step
    }

    /// Index of (message of gene `g`, vertex) in `knows`.
    fn at(&self, encoding: &Encoding, g: usize, v: VertexId) -> usize {
        encoding.demands()[g].message as usize * self.vertices + v as usize
    }
}

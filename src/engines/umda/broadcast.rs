//! Heuristics for broadcasts (umda-diameter-degree-networks, section 4.4): restoration of the
//! broadcast trees, in the order of steps; postponement where nobody near is informed yet; and the
//! mutation that tests other sources and paths.

use super::dice::{Dice, one_of, shuffle};
use super::encoding::{Allele, Encoding};
use super::fitness::{Best, Fitness};
use crate::network::VertexId;

/// End of a list of genes.
const NONE: u32 = u32::MAX;
/// When somebody knows a message who never gets it.
const NEVER: u32 = u32::MAX;

/// What restoration does with a gene beyond making it admissible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// Nothing.
    None,
    /// All sources and paths are tested; the fewest conflicts win.
    Tested,
    /// That, and a time slot is chosen: the first from its own on in which it meets nobody.
    Slot,
}

/// The heuristics, with room for their bookkeeping.
#[derive(Clone, Debug)]
pub struct Broadcast {
    vertices: usize,
    /// From which step on a vertex can send a message, by message, then vertex.
    knows: Vec<u32>,
    /// Genes of every step, a list through `next`. Those that are tested come behind the others.
    first: Vec<u32>,
    next: Vec<u32>,
    care: Vec<Care>,
    /// All genes, in the order in which they are restored.
    order: Vec<u32>,
}

impl Broadcast {
    /// Heuristics under a number of steps.
    pub fn new(encoding: &Encoding, steps: u32) -> Self {
        let vertices = encoding.problem().network.vertices().len();
        let genes = encoding.demands().len();
        Broadcast {
            vertices,
            knows: vec![NEVER; encoding.problem().messages() * vertices],
            first: vec![NONE; steps as usize],
            next: vec![NONE; genes],
            care: vec![Care::None; genes],
            order: (0..genes as u32).collect(),
        }
    }

    /// Makes a sampled chromosome fit for evaluation, mutated so many times; returns its fitness.
    pub fn finish(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        mutations: u32,
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) -> u64 {
        self.care.fill(Care::None);
        for _ in 0..mutations {
            let g = one_of(0..child.len() as u32, dice) as usize;
            self.care[g] = Care::Tested;
            child[g].step = one_of(0..fitness.steps(), dice);
        }
        self.restore(encoding, child, fitness, dice);
        fitness.cost()
    }

    /// A good building block: everything is to happen in step 0, and restoration finds the time
    /// slots in which it can.
    pub fn inject(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) -> u64 {
        self.care.fill(Care::Slot);
        child.iter_mut().for_each(|allele| allele.step = 0);
        shuffle(&mut self.order, dice);
        self.restore(encoding, child, fitness, dice);
        fitness.cost()
    }

    /// Restoration, step by step. Who sends what it has not got is replaced; whom nobody can
    /// inform is postponed, in the end over the limit.
    fn restore(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) {
        let steps = fitness.steps();
        fitness.clear();
        self.enlist(encoding, child, fitness);
        for step in 0..steps {
            for is_tested in [false, true] {
                let mut place = self.first[step as usize];
                while place != NONE {
                    let g = place as usize;
                    place = self.next[g];
                    if (self.care[g] != Care::None) != is_tested {
                        continue;
                    }
                    match self.deliver(encoding, g, child[g], fitness, dice) {
                        Some(allele) => {
                            child[g] = allele;
                            fitness.place(encoding, allele);
                            let destination =
                                self.at(encoding, g, encoding.demands()[g].destination);
                            self.knows[destination] = step + 1;
                        }
                        None => self.postpone(encoding, g, child, fitness),
                    }
                }
            }
        }
    }

    /// Sorts the genes by step, and makes the sources know their messages.
    fn enlist(&mut self, encoding: &Encoding, child: &[Allele], fitness: &mut Fitness) {
        self.knows.fill(NEVER);
        self.first.fill(NONE);
        for i in 0..self.order.len() {
            let g = self.order[i] as usize;
            let source = self.at(encoding, g, encoding.demands()[g].source);
            self.knows[source] = 0;
            match self.first.get_mut(child[g].step as usize) {
                Some(first) => self.next[g] = std::mem::replace(first, g as u32),
                None => fitness.place(encoding, child[g]),
            }
        }
    }

    /// Gene `g` goes to the next step.
    fn postpone(
        &mut self,
        encoding: &Encoding,
        g: usize,
        child: &mut [Allele],
        fitness: &mut Fitness,
    ) {
        child[g].step += 1;
        match self.first.get_mut(child[g].step as usize) {
            Some(first) => self.next[g] = std::mem::replace(first, g as u32),
            None => fitness.place(encoding, child[g]),
        }
    }

    /// An admissible value for gene `g` in its step, if there is one.
    fn deliver(
        &self,
        encoding: &Encoding,
        g: usize,
        allele: Allele,
        fitness: &Fitness,
        dice: &mut impl Dice,
    ) -> Option<Allele> {
        let can_send =
            |pair: &u32| self.knows[self.at(encoding, g, encoding.sender(*pair))] <= allele.step;
        if self.care[g] != Care::None {
            let mut best = Best::default();
            for pair in encoding.pairs(g).filter(can_send) {
                for path in 0..encoding.paths(pair) {
                    let tested = Allele { pair, path, ..allele };
                    best.test(tested, fitness.price(encoding, tested), dice);
                }
            }
            let is_last = allele.step + 1 == fitness.steps();
            let waits = |price| self.care[g] == Care::Slot && price > 0 && !is_last;
            return best.found.filter(|&(_, price)| !waits(price)).map(|(found, _)| found);
        }
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

    /// Place of (message of gene `g`, vertex) in `knows`.
    fn at(&self, encoding: &Encoding, g: usize, v: VertexId) -> usize {
        encoding.demands()[g].message as usize * self.vertices + v as usize
    }
}

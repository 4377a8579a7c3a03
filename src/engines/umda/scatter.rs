//! Heuristics for scatters (umda-diameter-degree-networks, section 4.4): the port heuristic, and
//! the swap of time slots that replaces mutation.

use super::population::{Allele, Best, Dice, Encoding, Fitness, one_of};
use ccsched_network::VertexId;
use std::ops::Range;

/// The heuristics, with their buffers.
#[derive(Clone, Debug)]
pub struct Scatter {
    steps: u32,
    /// Messages sent: `sent[sender * steps + step]`.
    sent: Vec<u32>,
    /// Number of messages that a vertex can send in a step.
    ports: Vec<u32>,
    /// Genes without a free port in their step.
    surplus: Vec<u32>,
    /// Genes whose paths the swaps must test.
    touched: Vec<u32>,
}

impl Scatter {
    /// Heuristics under a number of steps, for at most `mutated` swaps at once.
    pub fn new(encoding: &Encoding, steps: u32, mutated: u32) -> Self {
        let problem = encoding.problem();
        let vertices = problem.network().vertices().len();
        let ports = (0..vertices as VertexId).map(|v| problem.sends_at_once(v) as u32).collect();
        Scatter {
            steps,
            sent: vec![0; vertices * steps as usize],
            ports,
            surplus: Vec::with_capacity(problem.demands().len()),
            touched: Vec::with_capacity(2 * mutated as usize),
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
        self.touched.clear();
        for _ in 0..mutations {
            let (g, h) = swap(encoding, child, dice);
            self.touched.extend([g, h]);
        }
        self.spread(encoding, child, fitness, dice);
        for &g in &self.touched {
            let allele = &mut child[g as usize];
            let paths = 0..encoding.paths(allele.pair);
            let step = allele.step;
            test(encoding, allele, [step].into_iter(), paths, fitness, dice);
        }
        fitness.cost()
    }

    /// The port heuristic: no vertex sends more messages in a step than it has ports; the surplus
    /// moves to the steps with free ports where it causes the fewest conflicts. Places all
    /// transfers.
    pub fn spread(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) {
        self.sent.fill(0);
        self.surplus.clear();
        fitness.clear();
        // The first genes of the order keep their steps, so the order begins at a random gene.
        let first = dice.below(child.len() as u32);
        for g in (first..child.len() as u32).chain(0..first) {
            let allele = child[g as usize];
            let (sent, ports) = self.sent(encoding, g as usize, allele.step);
            if *sent < ports {
                *sent += 1;
                fitness.place(encoding, allele);
            } else {
                self.surplus.push(g);
            }
        }
        for i in 0..self.surplus.len() {
            let g = self.surplus[i] as usize;
            let allele = &mut child[g];
            fitness.place(encoding, *allele);
            let sender = encoding.demands()[g].source as usize;
            let (steps, ports) = (self.steps as usize, self.ports[sender]);
            let sent = &mut self.sent[sender * steps..(sender + 1) * steps];
            let rooms = (0..self.steps).filter(|&step| sent[step as usize] < ports);
            // Without a free port, which happens below the port bound only, the gene stays.
            let path = allele.path;
            test(encoding, allele, rooms, path..path + 1, fitness, dice);
            sent[allele.step as usize] += 1;
        }
    }

    /// Number of messages that the sender of gene `g` sends in a step, and its limit.
    fn sent(&mut self, encoding: &Encoding, g: usize, step: u32) -> (&mut u32, u32) {
        let sender = encoding.demands()[g].source as usize;
        (&mut self.sent[sender * self.steps as usize + step as usize], self.ports[sender])
    }
}

/// Swaps the time slots of two random transfers. Half of the swaps are between transfers of one
/// sender and leave the use of its ports unchanged: other swaps seldom help where all ports are
/// taken.
pub fn swap(encoding: &Encoding, child: &mut [Allele], dice: &mut impl Dice) -> (u32, u32) {
    let genes = child.len() as u32;
    let g = one_of(0..genes, dice);
    let others = match dice.below(2) {
        0 => row(encoding, g),
        _ => 0..genes,
    };
    let h = one_of(others, dice);
    let (a, b) = (child[g as usize].step, child[h as usize].step);
    (child[g as usize].step, child[h as usize].step) = (b, a);
    (g, h)
}

/// The genes with the same sender as gene `g`: demands are sorted by source.
fn row(encoding: &Encoding, g: u32) -> Range<u32> {
    let demands = encoding.demands();
    let source = demands[g as usize].source;
    let first = demands.partition_point(|d| d.source < source) as u32;
    first..demands.partition_point(|d| d.source <= source) as u32
}

/// Tests some paths of a placed transfer in some steps, and moves it to the fewest conflicts.
fn test(
    encoding: &Encoding,
    allele: &mut Allele,
    steps: impl Iterator<Item = u32>,
    paths: Range<u32>,
    fitness: &mut Fitness,
    dice: &mut impl Dice,
) {
    fitness.displace(encoding, *allele);
    let mut best = Best::default();
    for step in steps {
        for path in paths.clone() {
            let tested = Allele { path, step, ..*allele };
            best.test(tested, fitness.price(encoding, tested), dice);
        }
    }
    if let Some((found, _)) = best.found {
        *allele = found;
    }
    fitness.place(encoding, *allele);
}

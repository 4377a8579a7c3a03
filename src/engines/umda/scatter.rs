//! Heuristics for scatters (umda-diameter-degree-networks, section 4.4): the port heuristic, and
//! the swap of time slots that replaces mutation.

use super::dice::{Dice, one_of};
use super::encoding::{Allele, Encoding};
use super::fitness::{Best, Fitness};
use crate::network::VertexId;

/// The heuristics, with room for their bookkeeping.
#[derive(Clone, Debug)]
pub struct Scatter {
    steps: u32,
    /// `sent[sender * steps + step]`.
    sent: Vec<u32>,
    /// How many messages a vertex can send in a step.
    ports: Vec<u32>,
    /// The genes of every sender are `rows[v]..rows[v + 1]`: demands are sorted by source.
    rows: Vec<u32>,
    /// Genes whose paths are to be tested.
    touched: Vec<u32>,
}

impl Scatter {
    /// Heuristics under a number of steps; `mutated` genes at most are swapped at once.
    pub fn new(encoding: &Encoding, steps: u32, mutated: u32) -> Self {
        let problem = encoding.problem();
        let vertices = problem.network.vertices().len();
        let ports = (0..vertices as VertexId)
            .map(|v| problem.ports.limit(problem.network.outgoing(v).len()) as u32)
            .collect();
        let first = |v| problem.demands.partition_point(|d| (d.source as usize) < v) as u32;
        Scatter {
            steps,
            sent: vec![0; vertices * steps as usize],
            ports,
            rows: (0..=vertices).map(first).collect(),
            touched: Vec::with_capacity(2 * mutated as usize),
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
        self.touched.clear();
        for _ in 0..mutations {
            let (g, h) = self.swap(encoding, child, dice);
            self.touched.extend([g, h]);
        }
        self.spread(encoding, child, dice);
        fitness.rate(encoding, child);
        for &g in &self.touched {
            test_paths(encoding, &mut child[g as usize], fitness, dice);
        }
        fitness.cost()
    }

    /// Two transfers of one sender exchange their time slots, which leaves its ports as they were;
    /// where it has but one transfer, it exchanges with any other.
    pub fn swap(
        &self,
        encoding: &Encoding,
        child: &mut [Allele],
        dice: &mut impl Dice,
    ) -> (u32, u32) {
        let all = 0..child.len() as u32;
        let g = one_of(all.clone(), dice);
        let sender = encoding.demands()[g as usize].source as usize;
        let row = self.rows[sender]..self.rows[sender + 1];
        let h = one_of(if row.len() > 1 { row } else { all }, dice);
        let (a, b) = (child[g as usize].step, child[h as usize].step);
        (child[g as usize].step, child[h as usize].step) = (b, a);
        (g, h)
    }

    /// The port heuristic: no vertex sends more messages in a step than it has ports; the surplus
    /// goes to random steps with room.
    pub fn spread(&mut self, encoding: &Encoding, child: &mut [Allele], dice: &mut impl Dice) {
        self.sent.fill(0);
        let genes = child.len();
        // Whoever comes first stays; who that is changes.
        let first = dice.below(genes as u32) as usize;
        // All that fits is counted before any of the surplus takes its place.
        let mut surplus = 0;
        for g in (first..genes).chain(0..first) {
            let sent = self.sent(encoding, g, child[g].step);
            if *sent.0 < sent.1 {
                *sent.0 += 1;
            } else {
                child[g].step += self.steps;
                surplus += 1;
            }
        }
        for (g, allele) in child.iter_mut().enumerate() {
            if surplus == 0 {
                return;
            }
            if allele.step >= self.steps {
                allele.step -= self.steps;
                self.relocate(encoding, g, allele, dice);
                surplus -= 1;
            }
        }
    }

    /// Moves a transfer to a random step in which its sender has room, if there is one.
    fn relocate(
        &mut self,
        encoding: &Encoding,
        g: usize,
        allele: &mut Allele,
        dice: &mut impl Dice,
    ) {
        let sender = encoding.demands()[g].source as usize;
        let (steps, ports) = (self.steps as usize, self.ports[sender]);
        let sent = &mut self.sent[sender * steps..(sender + 1) * steps];
        let has_room = |step: &usize| sent[*step] < ports;
        let rooms = (0..steps).filter(has_room).count() as u32;
        if rooms > 0 {
            let room = one_of(0..rooms, dice) as usize;
            let step = (0..steps).filter(has_room).nth(room).expect("it was counted");
            sent[step] += 1;
            allele.step = step as u32;
        }
    }

    /// How many messages the sender of gene `g` sends in a step, and how many it can.
    fn sent(&mut self, encoding: &Encoding, g: usize, step: u32) -> (&mut u32, u32) {
        let sender = encoding.demands()[g].source as usize;
        (&mut self.sent[sender * self.steps as usize + step as usize], self.ports[sender])
    }
}

/// Tests all paths of a transfer in its step, and changes to the one with the fewest conflicts.
fn test_paths(
    encoding: &Encoding,
    allele: &mut Allele,
    fitness: &mut Fitness,
    dice: &mut impl Dice,
) {
    let paths = encoding.paths(allele.pair);
    if paths == 1 {
        return;
    }
    fitness.displace(encoding, *allele);
    let mut best = Best::default();
    for path in 0..paths {
        let tested = Allele { path, ..*allele };
        best.test(tested, fitness.price(encoding, tested), dice);
    }
    if let Some((found, _)) = best.found {
        *allele = found;
    }
    fitness.place(encoding, *allele);
}

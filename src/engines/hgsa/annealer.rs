//! One island of HGSA: simulated annealing of its genes, and crossover with another island's genes
//! (hgsa-store-and-forward, section 3.2, figure 4).

use super::cooling::Thermostat;
use super::genes::Genes;
use super::metropolis::Metropolis;
use super::{Params, crossover, shorten};
use crate::comm::{CommError, codec};
use crate::engines::{Gene, Genome, Method, Resume, Tally, Walker};
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Simulated annealing of one solution.
#[derive(Clone)]
pub struct Annealer<A> {
    solution: A,
    /// Scratch solution in which children are evaluated.
    child: A,
    children: [Vec<Gene>; 2],
    /// The genes that a swap changes; kept to avoid allocation.
    changes: Vec<(usize, Gene)>,
    thermostat: Thermostat,
    metropolis: Metropolis,
    params: Params,
    tally: Tally,
}

/// The saved state; everything else follows from it.
#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    genes: Vec<Gene>,
    memory: Vec<u32>,
    thermostat: Thermostat,
    metropolis: Metropolis,
}

impl<A: Genes> Annealer<A> {
    /// An annealer of empty genes; [`Walker::seek`] must follow.
    pub fn new(assignment: A, params: Params) -> Self {
        Annealer {
            child: assignment.clone(),
            solution: assignment,
            children: [Vec::new(), Vec::new()],
            changes: Vec::new(),
            thermostat: Thermostat::new(params.cooling),
            metropolis: Metropolis::new(),
            params,
            tally: Tally::default(),
        }
    }

    /// Swaps the places of two transfers if the cost rises by at most `budget`.
    fn swap(&mut self, budget: i64, rng: &mut Rng) {
        self.changes.clear();
        self.solution.propose_swap(rng, &mut self.changes);
        let before = self.solution.cost() as i64;
        for (g, gene) in &mut self.changes {
            let old = self.solution.genes()[*g];
            self.solution.attempt(*g, *gene, i64::MAX);
            *gene = old;
        }
        self.tally.proposed += 1;
        if self.solution.cost() as i64 - before <= budget {
            self.tally.accepted += 1;
        } else {
            for &(g, old) in self.changes.iter().rev() {
                self.solution.attempt(g, old, i64::MAX);
            }
        }
    }

    fn mutate(solution: &mut A, share: f64, rng: &mut Rng) {
        let genes = solution.genes().len();
        for _ in 0..((genes as f64 * share) as usize).max(1) {
            let g = rng.random_range(0..genes);
            let gene = solution.random(g, rng);
            solution.attempt(g, gene, i64::MAX);
        }
    }
}

impl<A: Genes + 'static> Walker for Annealer<A> {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        let old = self.solution.genes().to_vec();
        self.child.resize(steps);
        self.solution.resize(steps);
        let start = self.solution.start(rng);
        self.solution.load(&start);
        if !old.is_empty() {
            // Genes that no longer fit are drawn at random.
            let keep = |(g, &gene): (usize, &Gene)| {
                if self.solution.fits(gene) { gene } else { self.solution.random(g, rng) }
            };
            let kept: Vec<Gene> = old.iter().enumerate().map(keep).collect();
            self.child.load(&kept);
            if self.child.cost() <= self.solution.cost() {
                self.solution.load(&kept);
            }
        }
        self.thermostat = Thermostat::new(self.params.cooling);
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.metropolis.set(self.thermostat.temperature());
        let genes = self.solution.genes().len();
        for moves in 0..genes as u64 {
            if self.solution.cost() == 0 {
                return moves;
            }
            let budget = self.metropolis.budget(rng);
            if rng.random_bool(self.params.swap_share) {
                self.swap(budget, rng);
            } else {
                let g = rng.random_range(0..genes);
                let gene = self.solution.propose(g, rng);
                self.tally.proposed += 1;
                self.tally.accepted += u64::from(self.solution.attempt(g, gene, budget));
            }
        }
        if self.thermostat.cool() {
            let start = self.solution.start(rng);
            self.solution.load(&start);
        }
        genes as u64
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Genes(partner) = partner else { return 0 };
        if !self.params.exchanges() {
            return 0;
        }
        crossover::two_point(self.solution.genes(), partner, &mut self.children, rng);
        // The best of parents and children; ties go to the own solution, then to the partner.
        let mut best = (self.solution.cost(), self.solution.genes().to_vec(), true);
        let others = [(partner, true), (&self.children[0], false), (&self.children[1], false)];
        for (genes, is_parent) in others {
            self.child.load(genes);
            if self.child.cost() < best.0 {
                best = (self.child.cost(), genes.to_vec(), is_parent);
            }
        }
        let (_, genes, is_parent) = best;
        self.child.load(&genes);
        if is_parent || rng.random_bool(self.params.child_mutation) {
            Self::mutate(&mut self.child, self.params.mutated_share, rng);
        }
        self.metropolis.set(self.thermostat.temperature());
        let rise = self.child.cost() as i64 - self.solution.cost() as i64;
        if rise <= self.metropolis.budget(rng) {
            std::mem::swap(&mut self.solution, &mut self.child);
            self.tally.adopted += 1;
        }
        0
    }

    fn cost(&self) -> u64 {
        self.solution.cost()
    }

    fn genome(&self) -> Genome {
        Genome::Genes(self.solution.genes().to_vec())
    }

    fn temperature(&self) -> f64 {
        self.thermostat.temperature()
    }

    fn polish(&mut self, rng: &mut Rng) {
        shorten::shorten(&mut self.solution, self.params.most_longest, rng);
        shorten::straighten(&mut self.solution, rng);
    }

    fn tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    fn method(&self) -> Method {
        Method::Annealing
    }

    fn plan(&self) -> Plan {
        self.solution.plan(self.solution.genes())
    }
}

impl<A: Genes> Resume for Annealer<A> {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            steps: self.solution.steps(),
            genes: self.solution.genes().to_vec(),
            memory: self.solution.memory(),
            thermostat: self.thermostat,
            metropolis: self.metropolis.clone(),
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { steps, genes, memory, thermostat, metropolis } = codec::decode(state)?;
        if genes.len() != self.solution.gene_count() {
            return Err(CommError::Unfit("genes"));
        }
        self.child.resize(steps);
        self.solution.resize(steps);
        self.solution.load(&genes);
        self.solution.remember(&memory)?;
        (self.thermostat, self.metropolis) = (thermostat, metropolis);
        Ok(())
    }
}

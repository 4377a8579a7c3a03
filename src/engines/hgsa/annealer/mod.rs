//! One island of HGSA: simulated annealing of its genes, and crossover with another island's genes
//! (hgsa-store-and-forward, section 3.2, figure 4).

mod saved;

use super::cooling::{Cooling, Thermostat};
use super::genes::Genes;
use super::genetic::Genetics;
use super::metropolis::Metropolis;
use super::{Neighbourhood, Params, Restart, Shortening, shorten};
use crate::{Gene, Genome, Method, PathsFound, Seat, Tally, Walker};
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use rand::RngExt;

/// Simulated annealing of one solution.
#[derive(Clone)]
pub struct Annealer<A> {
    solution: A,
    genetics: Genetics<A>,
    /// The genes that a swap changes; kept to avoid allocation.
    changes: Vec<(usize, Gene)>,
    thermostat: Thermostat,
    metropolis: Metropolis,
    params: Params,
    /// The cooling of one island alone, and of this one.
    whole: Cooling,
    cooling: Cooling,
    restart: Restart,
    tally: Tally,
}

impl<A: Genes> Annealer<A> {
    /// An annealer of empty genes; [`Walker::seek`] must follow.
    pub fn new(assignment: A, params: Params, (cooling, restart): (Cooling, Restart)) -> Self {
        Annealer {
            genetics: Genetics::new(&assignment),
            solution: assignment,
            changes: Vec::new(),
            thermostat: Thermostat::new(cooling),
            metropolis: Metropolis::new(),
            params,
            whole: cooling,
            cooling,
            restart,
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

    /// Begins with a new solution.
    fn start(&mut self, rng: &mut Rng) {
        let start = self.solution.start(rng);
        self.solution.load(&start);
        self.shorten_paths();
    }

    /// The first heuristic, where the paper applies it.
    fn shorten_paths(&mut self) {
        if self.params.shortening == Shortening::Paper {
            self.solution.shorten();
        }
    }

    /// Metropolis between the own solution and the one that was bred.
    fn select(&mut self, rng: &mut Rng) {
        self.metropolis.set(self.thermostat.temperature());
        let rise = self.genetics.result.cost() as i64 - self.solution.cost() as i64;
        if rise <= self.metropolis.budget(rng) {
            std::mem::swap(&mut self.solution, &mut self.genetics.result);
            self.tally.adopted += 1;
        }
        self.shorten_paths();
    }

    /// A random transfer takes a random path or step.
    fn mutate_one(&mut self, budget: i64, rng: &mut Rng) {
        let g = rng.random_range(0..self.solution.gene_count());
        let gene = self.solution.propose(g, rng);
        self.tally.proposed += 1;
        self.tally.accepted += u64::from(self.solution.attempt(g, gene, budget));
    }

    /// A transfer in conflict takes the cheapest of its other paths and steps. Returns the number
    /// of them that were priced, and of attempts to relocate others.
    fn focus(&mut self, budget: i64, rng: &mut Rng) -> u64 {
        let g = self.solution.draw(rng);
        let (gene, priced) = self.solution.cheapest(g, rng);
        self.tally.proposed += 1;
        self.tally.accepted += u64::from(self.solution.attempt(g, gene, budget));
        priced + self.solution.relocate(rng)
    }
}

impl<A: Genes + 'static> Walker for Annealer<A> {
    fn settle(&mut self, seat: Seat) {
        if self.params.ladder {
            self.cooling = self.whole.rung(seat.island, seat.islands);
            self.thermostat = Thermostat::new(self.cooling);
        }
    }

    fn paths(&self) -> Option<PathsFound> {
        Some(PathsFound::of(self.solution.routes().table()))
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        let old = self.solution.genes().to_vec();
        self.genetics.result.resize(steps);
        self.solution.resize(steps);
        self.start(rng);
        if !old.is_empty() {
            // Genes that no longer fit are drawn at random.
            let keep = |(g, &gene): (usize, &Gene)| {
                if self.solution.fits(gene) { gene } else { self.solution.random(g, rng) }
            };
            let kept: Vec<Gene> = old.iter().enumerate().map(keep).collect();
            self.genetics.result.load(&kept);
            if self.genetics.result.cost() <= self.solution.cost() {
                self.solution.load(&kept);
            }
        }
        // An island that keeps what it has learnt goes on cooling.
        if self.restart == Restart::Fresh {
            self.thermostat = Thermostat::new(self.cooling);
        }
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.metropolis.set(self.thermostat.temperature());
        let mut moves = 0;
        let genes = self.solution.gene_count() as u64;
        for _ in 0..genes.div_ceil(self.params.stride) {
            if self.solution.cost() == 0 {
                return moves;
            }
            let budget = self.metropolis.budget(rng);
            moves += 1;
            if rng.random_bool(self.params.swap_share) {
                self.swap(budget, rng);
            } else if self.params.neighbourhood == Neighbourhood::Focused {
                moves += self.focus(budget, rng).saturating_sub(1);
            } else {
                self.mutate_one(budget, rng);
            }
        }
        if self.thermostat.cool() && self.restart == Restart::Fresh {
            self.start(rng);
        }
        moves
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Genes(partner) = partner else { return 0 };
        if !self.params.exchange {
            return 0;
        }
        self.genetics.breed(&self.solution, partner, &self.params, rng);
        self.select(rng);
        0
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        !matches!(partner, Genome::Genes(genes) if !self.can_have(genes))
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

//! The population: all chromosomes in one array, allocated once.

use crate::{Gene, Occupancy, Routes, Senders, Use};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::PathId;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// Individuals with their fitness.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Population {
    genes: usize,
    /// The alleles of individual `i` begin at `i * genes`.
    alleles: Vec<Allele>,
    costs: Vec<u64>,
    /// The generation in which an individual was made.
    born: Vec<u64>,
}

impl Population {
    /// A population of `individuals` individuals of `genes` genes.
    pub fn new(individuals: usize, genes: usize) -> Self {
        Population {
            genes,
            alleles: vec![Allele::default(); individuals * genes],
            costs: vec![u64::MAX; individuals],
            born: vec![0; individuals],
        }
    }

    /// Whether the other population has the same number of individuals and genes.
    pub fn is_like(&self, other: &Population) -> bool {
        let sizes = |p: &Population| (p.genes, p.alleles.len(), p.costs.len(), p.born.len());
        sizes(self) == sizes(other)
    }

    /// Number of individuals.
    pub fn size(&self) -> usize {
        self.costs.len()
    }

    /// The chromosome of an individual.
    pub fn chromosome(&self, individual: u32) -> &[Allele] {
        let first = individual as usize * self.genes;
        &self.alleles[first..first + self.genes]
    }

    /// The chromosome of an individual, to write; [`Population::rate`] must follow.
    pub fn chromosome_mut(&mut self, individual: u32) -> &mut [Allele] {
        let first = individual as usize * self.genes;
        &mut self.alleles[first..first + self.genes]
    }

    /// The fitness of an individual: 0 is a valid schedule.
    pub fn cost(&self, individual: u32) -> u64 {
        self.costs[individual as usize]
    }

    /// Sets the fitness of an individual made in a generation.
    pub fn rate(&mut self, individual: u32, cost: u64, generation: u64) {
        self.costs[individual as usize] = cost;
        self.born[individual as usize] = generation;
    }

    /// Sorts individuals, best first. Among equals the younger comes first, so that the population
    /// drifts on plateaus.
    pub fn rank(&self, individuals: &mut [u32]) {
        // The index comes last, so that the order does not depend on the sorting algorithm.
        individuals
            .sort_unstable_by_key(|&i| (self.costs[i as usize], Reverse(self.born[i as usize]), i));
    }
}

// The probabilistic model: the univariate marginal distribution of every gene among the parents
// (umda-multistage-networks, sections 4 and 4.5). Genes are its variables, and a whole allele
// (sender, path, step) is a value: the model "does not reflect any interaction between genes", but
// a path is chosen for its step.
//
// A marginal probability is the number of parents with the allele over the number of parents. To
// draw from that distribution, the model takes the allele of a random parent, independently for
// each gene. So it stores the parents' alleles gene by gene, and no quotients.

/// Marginal distributions, one for each gene.
#[derive(Clone, Debug)]
pub struct Marginals {
    parents: usize,
    /// `alleles[g * parents + p]`: gene `g` of the parent `p`.
    alleles: Vec<Allele>,
}

impl Marginals {
    /// An empty model for `parents` parents of `genes` genes.
    pub fn new(parents: usize, genes: usize) -> Self {
        Marginals { parents, alleles: vec![Allele::default(); parents * genes] }
    }

    /// Estimates the distributions from the parents.
    pub fn estimate(&mut self, population: &Population, parents: &[u32]) {
        for (p, &parent) in parents.iter().enumerate() {
            for (g, &allele) in population.chromosome(parent).iter().enumerate() {
                self.alleles[g * self.parents + p] = allele;
            }
        }
    }

    /// Number of parents whose gene `g` satisfies `has`: its marginal probability times their
    /// number.
    pub fn count(&self, g: usize, has: impl Fn(&Allele) -> bool) -> usize {
        self.of_gene(g).iter().filter(|&allele| has(allele)).count()
    }

    /// Draws a new chromosome.
    pub fn sample(&self, child: &mut [Allele], dice: &mut impl Dice) {
        for (g, allele) in child.iter_mut().enumerate() {
            *allele = self.of_gene(g)[dice.below(self.parents as u32) as usize];
        }
    }

    fn of_gene(&self, g: usize) -> &[Allele] {
        &self.alleles[g * self.parents..(g + 1) * self.parents]
    }
}

// Selection: the binary tournament picks half of the population as parents
// (umda-multistage-networks, section 4.5).

/// Pairs all individuals at random; the better one of each pair becomes a parent, so each is a
/// parent at most once. `arena` has a place for every individual; its first half then lists the
/// parents.
pub fn tournament(population: &Population, arena: &mut [u32], dice: &mut impl Dice) {
    (0..).zip(arena.iter_mut()).for_each(|(i, place)| *place = i);
    shuffle(arena, dice);
    for pair in 0..arena.len() / 2 {
        let (a, b) = (arena[2 * pair], arena[2 * pair + 1]);
        // The places of earlier pairs are free.
        arena[pair] = if population.cost(b) < population.cost(a) { b } else { a };
    }
}

// The random decisions of UMDA, as a trait: tests throw loaded dice and compute the expected
// result by hand.

/// A source of random decisions.
pub trait Dice {
    /// A number below `n`, which is at least 1.
    fn below(&mut self, n: u32) -> u32;

    /// Whether an event of this probability happens.
    fn happens(&mut self, probability: f64) -> bool;
}

impl Dice for Rng {
    fn below(&mut self, n: u32) -> u32 {
        self.random_range(0..n)
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.random_bool(probability)
    }
}

/// One of the numbers of a range, with equal probability.
pub fn one_of(range: std::ops::Range<u32>, dice: &mut impl Dice) -> u32 {
    // A certain result takes no throw.
    match range.len() {
        1 => range.start,
        n => range.start + dice.below(n as u32),
    }
}

/// Puts numbers into a random order.
pub fn shuffle(numbers: &mut [u32], dice: &mut impl Dice) {
    for i in (1..numbers.len()).rev() {
        numbers.swap(i, dice.below(i as u32 + 1) as usize);
    }
}

// The chromosome: one gene per delivery. An allele has the components of umda-multistage-networks,
// section 4.2: source (a choice in broadcasts only), path, and time step.

/// The value of a gene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Allele {
    /// First component: the sender, as the pair (sender, destination) in the table of paths.
    pub pair: u32,
    /// Second component: the index of the path among those of the pair.
    pub path: u32,
    /// Third component: the time step; the number of steps or more if over the limit.
    pub step: u32,
}

/// The meaning of alleles for a problem.
#[derive(Debug)]
pub struct Encoding {
    problem: Arc<Problem>,
    senders: Senders,
}

impl Encoding {
    /// The encoding of a problem; senders of a broadcast are at most `radius` channels away from a
    /// receiver.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> Self {
        let senders = if problem.collective().content().is_common() {
            Senders::find(&problem, radius, seed)
        } else {
            let slack = problem.routing().listed_slack();
            Senders {
                routes: Routes::of_demands(&problem, slack, seed),
                of_demand: (0..problem.demands().len() as u32).map(|pair| pair..pair + 1).collect(),
                of_pair: problem.demands().iter().map(|d| d.source).collect(),
            }
        };
        Encoding { problem, senders }
    }

    /// The problem encoded.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The deliveries, one per gene.
    pub fn demands(&self) -> &[Demand] {
        self.problem.demands()
    }

    /// The paths that genes choose from.
    pub fn routes(&self) -> &Routes {
        &self.senders.routes
    }

    /// The pairs that gene `g` chooses from.
    pub fn pairs(&self, g: usize) -> Range<u32> {
        self.senders.of_demand[g].clone()
    }

    /// The sender of a pair.
    pub fn sender(&self, pair: u32) -> VertexId {
        self.senders.of_pair[pair as usize]
    }

    /// Number of paths of a pair.
    pub fn paths(&self, pair: u32) -> u32 {
        self.routes().table().of_pair(pair as usize).len() as u32
    }

    /// The uses of a transfer along the allele's path.
    pub fn uses(&self, allele: Allele) -> &[Use] {
        self.routes().uses(self.path(allele))
    }

    fn path(&self, allele: Allele) -> PathId {
        self.routes().table().of_pair(allele.pair as usize).start + allele.path
    }

    /// A random sender and path for gene `g` in a step.
    pub fn random(&self, g: usize, step: u32, dice: &mut impl Dice) -> Allele {
        let pair = one_of(self.pairs(g), dice);
        Allele { pair, path: one_of(0..self.paths(pair), dice), step }
    }

    /// The allele as a gene of the other engines.
    pub fn gene(&self, allele: Allele) -> Gene {
        Gene { path: self.path(allele), step: allele.step }
    }

    /// The schedule of an individual of fitness 0.
    pub fn plan(&self, genes: &[Gene], steps: u32) -> Plan {
        self.routes().plan(&self.problem, steps, genes)
    }
}

// Fitness: the number of conflicts, which are pairs of transfers that share a channel in a step,
// and the number of transfers over the limit of steps (umda-diameter-degree-networks, sections
// 4.3 and 4.4). Heuristics ask for the cost of a transfer while they place a chromosome.

/// Counts the conflicts of one chromosome at a time.
#[derive(Clone, Debug)]
pub struct Fitness {
    occupancy: Occupancy,
    steps: u32,
    cost: u64,
}

impl Fitness {
    /// Fitness under a number of steps.
    pub fn new(encoding: &Encoding, steps: u32) -> Self {
        let capacities = encoding.problem().resources().capacities();
        Fitness { occupancy: Occupancy::new(capacities, steps), steps, cost: 0 }
    }

    /// The number of steps allowed.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Begins another chromosome.
    pub fn clear(&mut self) {
        self.occupancy.clear();
        self.cost = 0;
    }

    /// Places a transfer. Over the limit it has no conflicts, and a penalty of 1.
    pub fn place(&mut self, encoding: &Encoding, allele: Allele) {
        self.cost += match allele.step < self.steps {
            true => self.occupancy.add(encoding.uses(allele), allele.step),
            false => 1,
        };
    }

    /// Removes a placed transfer.
    pub fn displace(&mut self, encoding: &Encoding, allele: Allele) {
        self.cost -= match allele.step < self.steps {
            true => self.occupancy.remove(encoding.uses(allele), allele.step),
            false => 1,
        };
    }

    /// The conflicts that a transfer within the limit would add.
    pub fn price(&self, encoding: &Encoding, allele: Allele) -> u64 {
        self.occupancy.price(encoding.uses(allele), allele.step)
    }

    /// The conflicts and penalties of all transfers placed.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The fitness of a whole chromosome.
    pub fn rate(&mut self, encoding: &Encoding, chromosome: &[Allele]) -> u64 {
        self.clear();
        chromosome.iter().for_each(|&allele| self.place(encoding, allele));
        self.cost
    }
}

/// The best of the tested alleles: fewest conflicts, random among equals.
#[derive(Debug, Default)]
pub struct Best {
    /// The best allele and its price.
    pub found: Option<(Allele, u64)>,
    ties: u32,
}

impl Best {
    /// Tests another allele.
    pub fn test(&mut self, allele: Allele, price: u64, dice: &mut impl Dice) {
        match self.found {
            Some((_, least)) if price > least => return,
            Some((_, least)) if price == least => {
                self.ties += 1;
                if dice.below(self.ties) > 0 {
                    return;
                }
            }
            _ => self.ties = 1,
        }
        self.found = Some((allele, price));
    }
}

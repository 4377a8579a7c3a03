//! The population: all chromosomes in one array, allocated once.

use super::encoding::Allele;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

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

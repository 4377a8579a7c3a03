//! The probabilistic model: the univariate marginal distribution of every gene among the parents
//! (umda-multistage-networks, sections 4 and 4.5). Genes are its variables, and a whole allele
//! (sender, path, step) is a value: the model "does not reflect any interaction between genes", but
//! a path is chosen for its step.
//!
//! A marginal probability is the number of parents with the allele over the number of parents. To
//! draw from that distribution, the model takes the allele of a random parent, independently for
//! each gene. So it stores the parents' alleles gene by gene, and no quotients.

use super::dice::Dice;
use super::encoding::Allele;
use super::population::Population;

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

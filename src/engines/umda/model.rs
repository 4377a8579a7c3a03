//! The probabilistic model: the univariate marginal distribution of every component of every gene
//! among the parents (umda-multistage-networks, section 4.5).
//!
//! A marginal probability is the number of parents with the allele over the number of parents. To
//! draw from that distribution is to take the component of a parent drawn at random, independently
//! for each component, so the model keeps the parents' alleles, gene by gene, and no quotients.

use super::dice::{Dice, one_of};
use super::encoding::{Allele, Encoding};
use super::population::Population;

/// Marginal distributions, one for each component of each gene.
#[derive(Clone, Debug)]
pub struct Marginals {
    parents: usize,
    /// `alleles[g * parents + p]`: gene `g` of the parent `p`.
    alleles: Vec<Allele>,
}

impl Marginals {
    /// Room for so many parents of so many genes.
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

    /// How many parents have what at gene `g`: the marginal probability times their number.
    pub fn count(&self, g: usize, has: impl Fn(&Allele) -> bool) -> usize {
        self.of_gene(g).iter().filter(|&allele| has(allele)).count()
    }

    /// Draws a new chromosome. Which paths there are depends on the source: a drawn path that the
    /// drawn source has not is replaced by any of its own.
    pub fn sample(&self, encoding: &Encoding, child: &mut [Allele], dice: &mut impl Dice) {
        for (g, allele) in child.iter_mut().enumerate() {
            let parents = self.of_gene(g);
            let mut draw = || &parents[dice.below(self.parents as u32) as usize];
            // No die is thrown for what leaves no choice.
            let pairs = encoding.pairs(g);
            let pair = if pairs.len() > 1 { draw().pair } else { pairs.start };
            let paths = encoding.paths(pair);
            let path = if paths > 1 { draw().path } else { 0 };
            let step = draw().step;
            let path = if path < paths { path } else { one_of(0..paths, dice) };
            *allele = Allele { pair, path, step };
        }
    }

    fn of_gene(&self, g: usize) -> &[Allele] {
        &self.alleles[g * self.parents..(g + 1) * self.parents]
    }
}

//! Fitness: the number of conflicts, which are pairs of transfers that share a channel in a step,
//! and the number of transfers over the limit of steps (umda-diameter-degree-networks, sections
//! 4.3 and 4.4). Heuristics ask it what a transfer would cost while a chromosome is being placed.

use super::encoding::{Allele, Encoding};
use crate::engines::hgsa::genes::Occupancy;

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
        let capacities = encoding.problem().resources.capacities();
        Fitness { occupancy: Occupancy::new(capacities, steps), steps, cost: 0 }
    }

    /// The number of steps allowed.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Begins with another chromosome.
    pub fn clear(&mut self) {
        self.occupancy.clear();
        self.cost = 0;
    }

    /// Places a transfer. Over the limit it meets nobody, and is penalised by 1.
    pub fn place(&mut self, encoding: &Encoding, allele: Allele) {
        self.cost += match allele.step < self.steps {
            true => self.occupancy.add(encoding.uses(allele), allele.step),
            false => 1,
        };
    }

    /// Takes a transfer away that was placed.
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

    /// What is wrong with all that is placed.
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

/// The best of some alleles at testing: the least conflicts, at random among equals.
#[derive(Debug, Default)]
pub struct Best {
    /// The best allele and its price.
    pub found: Option<(Allele, u64)>,
    ties: u32,
}

impl Best {
    /// Another allele is tested.
    pub fn test(&mut self, allele: Allele, price: u64, dice: &mut impl super::dice::Dice) {
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

//! Fitness: the number of conflicts, which are pairs of transfers that share a channel in a step,
//! and the number of transfers over the limit of steps (umda-diameter-degree-networks, sections
//! 4.3 and 4.4). Heuristics ask for the cost of a transfer while they place a chromosome.

use super::encoding::{Allele, Encoding};
use crate::Occupancy;

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

//! The random decisions of UMDA, as a trait: tests throw loaded dice and compute the expected
//! result by hand.

use ccsched_base::rng::Rng;
use rand::RngExt;

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

//! Random numbers: one generator for every island and purpose, all from one seed.
//!
//! Xoshiro256++ can jump ahead: islands are 2^192 numbers apart, purposes of one island 2^128, so
//! their sequences never overlap.

use rand::{Rng as _, SeedableRng};

/// The generator of all engines.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// Whether a generator is possible: a state of zeros would produce nothing but zeros.
pub fn is_sound(rng: &Rng) -> bool {
    let mut rng = rng.clone();
    (0..8).any(|_| rng.next_u64() != 0)
}

/// The generator of one island for one purpose.
pub fn rng_of(seed: u64, island: usize, purpose: usize) -> Rng {
    let mut rng = Rng::seed_from_u64(seed);
    (0..island).for_each(|_| rng.long_jump());
    (0..purpose).for_each(|_| rng.jump());
    rng
}

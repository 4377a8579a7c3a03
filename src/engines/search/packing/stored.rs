//! A schedule for store-and-forward switching from one for wormhole switching, whose messages follow
//! each other hop by hop.

use super::ground::Ground;
use super::packed::Packed;
use crate::journeys::{Hops, along, shortest};
use ccsched_base::rng::rng_of;
use ccsched_network::ChannelId;

/// Hops of all orders of the steps together that are tried, about; the fewest and most orders.
const TRIED: usize = 8_000_000;
const TRIES: (usize, usize) = (2, 12);

/// The hops of all messages, which follow each other as the steps do.
pub fn hops(ground: &Ground, packed: &Packed) -> Hops {
    let paths = Paths::new(ground, packed);
    along(&ground.problem, (0..packed.transfers()).map(|t| paths.of(t)))
}

/// The hops of all messages, which follow the steps in the best of some orders; always the same for
/// the same steps.
pub fn best_hops(ground: &Ground, packed: &Packed) -> Hops {
    let paths = Paths::new(ground, packed);
    let of_step = |step: usize| packed.step(step).map(|t| paths.of(t));
    let tries = (TRIED / packed.hops().max(1)).clamp(TRIES.0, TRIES.1);
    let rng = &mut rng_of(packed.len() as u64, 0, 0);
    shortest(&ground.problem, (packed.len(), of_step), tries, rng)
}

/// The messages of transfers.
struct Paths<'p> {
    packed: &'p Packed,
    /// By transfer, the demand of its message.
    demands: Vec<u32>,
}

impl<'p> Paths<'p> {
    fn new(ground: &Ground, packed: &'p Packed) -> Self {
        let mut next: Vec<u32> = ground.pairs.iter().map(|pair| pair.first).collect();
        let take = |&pair: &u32| {
            next[pair as usize] += 1;
            next[pair as usize] - 1
        };
        Paths { packed, demands: packed.pairs().iter().map(take).collect() }
    }

    fn of(&self, t: usize) -> (u32, &'p [ChannelId]) {
        (self.demands[t], self.packed.transfer(t).1)
    }
}

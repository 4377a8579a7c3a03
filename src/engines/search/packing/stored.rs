//! A schedule for store-and-forward switching from one for wormhole switching, whose messages follow
//! each other hop by hop.

use super::ground::Ground;
use super::packed::Packed;
use crate::engines::journeys::{Hops, along};

/// The hops of all messages, by step.
pub fn hops(ground: &Ground, packed: &Packed) -> Hops {
    let mut sent = vec![0; ground.pairs.len()];
    let messages = (0..packed.transfers()).map(|t| {
        let (pair, path) = packed.transfer(t);
        sent[pair as usize] += 1;
        (ground.pairs[pair as usize].first + sent[pair as usize] - 1, path)
    });
    along(&ground.problem, messages)
}

//! The order of the steps of a wormhole schedule whose messages follow each other hop by hop. Consecutive steps
//! of a construction often need the same channels at different places of their paths, and messages then wait
//! for each other; steps in random order do so evenly.

use super::{Hops, along};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_network::ChannelId;
use rand::seq::SliceRandom;

/// The steps of a schedule in random order.
pub fn shuffled(steps: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..steps).collect();
    order.shuffle(rng);
    order
}

/// The shortest of some schedules: the first follows the steps in random order, the second one as they
/// are, the others in random orders. None can be much shorter than the steps are many, so it ends when one
/// is not longer. `of_step` gives the messages of a step, by demand, and their paths.
///
/// # Panics
/// `tries` is 0.
pub fn shortest<'r, M: Iterator<Item = (u32, &'r [ChannelId])>>(
    problem: &Problem,
    (steps, of_step): (usize, impl Fn(usize) -> M),
    tries: usize,
    rng: &mut Rng,
) -> Hops {
    let mut best: Option<Hops> = None;
    for number in 0..tries {
        let order = if number == 1 { (0..steps).collect() } else { shuffled(steps, rng) };
        let hops = along(problem, order.into_iter().flat_map(&of_step));
        if best.as_ref().is_none_or(|best| hops.steps.len() < best.steps.len()) {
            best = Some(hops);
        }
        if best.as_ref().is_some_and(|best| best.steps.len() <= steps) {
            break;
        }
    }
    best.expect("it tries once")
}

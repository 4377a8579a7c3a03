//! All-to-all broadcast by single hops where a group of automorphisms maps the sources to each
//! other: the message of one source of each orbit, or each piece of it, follows a tree, and the messages of the others
//! follow images of the tree in the same steps. The images of a channel cover its orbit once, so
//! there is no conflict if in every step the trees use each orbit of links at most once. A small
//! search for the trees then solves the problem for all messages.
//!
//! On a Cayley network there is one tree, and one orbit of channels per channel of a terminal. The
//! trees nearly always reach the fewest steps that the channels into a terminal allow.

use super::quotient::Quotient;
use super::trees::{Hop, Nursery, Trees};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::automorphisms::Permutation;
use ccsched_model::symmetry::translations::translations;
use ccsched_model::symmetry::{Lookup, groups, translations};
use ccsched_network::metrics::distances_from;
use std::sync::Arc;

/// Hops examined per delivery of the trees before the search under a group gives up.
const EFFORT: usize = 10_000;
/// Hops examined in total: some tenths of a second.
const MOST_EFFORT: usize = 40_000_000;
/// Groups of translations to try.
const TRANSLATIONS: usize = 2;
/// Other groups to try, per order.
const GROUPS: usize = 3;
/// Most terminals of a network where other groups are tried, which takes longer.
const MOST_TERMINALS: usize = 160;

/// Trees and their images, where they need no more steps than a terminal needs to receive all
/// messages, or all links need to carry them.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    let terminals = network.vertices().len();
    let mut effort = MOST_EFFORT;
    for _ in 0..TRANSLATIONS {
        let Some(group) = translations(network, rng) else { break };
        let group = translations::keeping_links_apart(network, &group, rng);
        if let Some(plan) = under(problem, &group, &mut effort, rng) {
            return Some(plan);
        }
    }
    if terminals > MOST_TERMINALS {
        return None;
    }
    let groups = groups(&Lookup::new(problem.clone()), rng);
    let of_order = groups.chunk_by(|a, b| a.order() == b.order());
    of_order.flat_map(|groups| groups.iter().take(GROUPS)).find_map(|group| {
        let elements: Vec<_> = (0..group.order()).map(|g| group.element(g).to_vec()).collect();
        under(problem, &elements, &mut effort, rng)
    })
}

/// The schedule of the images under a group; spends part of the remaining effort.
fn under(
    problem: &Problem,
    elements: &[Permutation],
    effort: &mut usize,
    rng: &mut Rng,
) -> Option<Plan> {
    let quotient = Quotient::new(problem, elements)?;
    let steps = fewest_steps(problem, &quotient)?;
    let messages = quotient.sources.len() * problem.pieces() as usize;
    let deliveries = messages * (problem.network().vertices().len() - 1);
    if deliveries > steps * quotient.links.len() {
        return None;
    }
    // Half of the effort stays for the next groups.
    let mut own = (EFFORT * deliveries).min(*effort / 2);
    *effort -= own;
    let trees = Nursery::new(problem, &quotient).grow(steps, &mut own, rng);
    *effort += own;
    images(problem, &quotient, &trees?)
}

/// Steps needed to receive all messages, and to carry them over all links; none in wormhole
/// networks where single hops cannot reach the farthest vertex in that time, but longer paths may.
fn fewest_steps(problem: &Problem, quotient: &Quotient) -> Option<usize> {
    let network = problem.network();
    let terminals = problem.receivers().len();
    let limits = problem.receivers().iter().map(|&v| problem.receives_at_once(v));
    let pieces = problem.pieces() as usize;
    let receive = (pieces * (terminals - 1)).div_ceil(limits.min().filter(|&limit| limit > 0)?);
    let carry =
        (pieces * terminals * (terminals - 1)).div_ceil(problem.resources().capacity_of_links());
    let distances = quotient.sources.iter().flat_map(|&source| distances_from(network, source));
    let (fewest, far) = (receive.max(carry), distances.max()? as usize);
    match problem.switching() {
        Switching::StoreAndForward => Some(fewest.max(far)),
        Switching::Wormhole | Switching::Hosts => Some(fewest).filter(|_| far <= fewest),
    }
}

/// The trees and all their images.
fn images(problem: &Problem, quotient: &Quotient, trees: &Trees) -> Option<Plan> {
    let pieces = problem.pieces();
    let mut plan = Plan::new(trees.len() as u32);
    let mut elements: Vec<&Permutation> = quotient.elements.iter().collect();
    // In the order of messages, so that no sorting is needed.
    elements.sort_unstable_by_key(|g| g[0]);
    for g in elements {
        for (step, hops) in trees.iter().enumerate() {
            let image = |&(m, c): &Hop| {
                let source = g[quotient.sources[(m / pieces) as usize] as usize];
                Some((source * pieces + m % pieces, quotient.image(g, c)?))
            };
            let mut images = hops.iter().map(image).collect::<Option<Vec<_>>>()?;
            images.sort_unstable();
            images.into_iter().for_each(|(message, c)| plan.push(step, message, [c]));
        }
    }
    plan.tidy();
    Some(plan)
}

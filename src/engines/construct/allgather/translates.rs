//! All-to-all broadcast of single hops where a group of automorphisms takes the sources to each
//! other: the message of one source of each orbit travels down a tree, those of the others down the
//! tree's images in the same steps. Images of a channel cover its orbit once; so nothing is in
//! conflict if in every step the trees use each orbit of links once, and a small search for the
//! trees solves the problem for all messages.
//!
//! On a Cayley network there is one tree and as many orbits of channels as a terminal has channels.
//! The trees nearly always get by with as few steps as the channels into a terminal allow.

use super::quotient::Quotient;
use super::trees::{Nursery, Trees};
use crate::network::metrics::distances_from;
use crate::problem::{Content, Problem, Roots, Switching};
use crate::rng::Rng;
use crate::schedule::{Plan, Transfer};
use crate::symmetry::automorphisms::Permutation;
use crate::symmetry::translations::translations;
use crate::symmetry::{Lookup, groups, translations};
use std::sync::Arc;

/// Hops looked at before trees under a group are given up, for every delivery of their messages.
const EFFORT: usize = 10_000;
/// Hops looked at in all: some tenths of a second.
const MOST_EFFORT: usize = 40_000_000;
/// Groups of translations that are tried.
const TRANSLATIONS: usize = 2;
/// Other groups that are tried, of every order.
const GROUPS: usize = 3;
/// Terminals of the largest network where these are sought, which takes longer.
const MOST_TERMINALS: usize = 160;

/// Trees and their images, where they need no more steps than it takes a terminal to receive all
/// messages, or all links to carry them.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let network = &problem.network;
    let terminals = network.vertices().len();
    let is_all = |vertices: &[u32]| vertices.iter().copied().eq(0..terminals as u32);
    let applies = problem.collective.roots() == Roots::All
        && problem.collective.content() == Content::Common
        && !problem.has_fixed_routes()
        && terminals > 1
        && is_all(&problem.senders)
        && is_all(&problem.receivers);
    if !applies {
        return None;
    }
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

/// A plan of the images under a group; spends some of the effort that is left.
fn under(
    problem: &Problem,
    elements: &[Permutation],
    effort: &mut usize,
    rng: &mut Rng,
) -> Option<Plan> {
    let quotient = Quotient::new(problem, elements)?;
    let steps = fewest_steps(problem, &quotient)?;
    let deliveries = quotient.sources.len() * (problem.network.vertices().len() - 1);
    if deliveries > steps * quotient.links.len() {
        return None;
    }
    // Something is left for the next group.
    let mut own = (EFFORT * deliveries).min(*effort / 2);
    *effort -= own;
    let trees = Nursery::new(problem, &quotient).grow(steps, &mut own, rng);
    *effort += own;
    images(&quotient, &trees?)
}

/// Steps that are needed to receive all messages, and to carry them over all links; none if single
/// hops do not get anywhere in that time where longer ones could.
fn fewest_steps(problem: &Problem, quotient: &Quotient) -> Option<usize> {
    let network = &problem.network;
    let terminals = problem.receivers.len();
    let limits = problem.receivers.iter().map(|&v| problem.receives_at_once(v));
    let receive = (terminals - 1).div_ceil(limits.min().filter(|&limit| limit > 0)?);
    let carry = (terminals * (terminals - 1)).div_ceil(problem.resources.capacity_of_links());
    let distances = quotient.sources.iter().flat_map(|&source| distances_from(network, source));
    let (fewest, far) = (receive.max(carry), distances.max()? as usize);
    match problem.switching {
        Switching::StoreAndForward => Some(fewest.max(far)),
        Switching::Wormhole => Some(fewest).filter(|_| far <= fewest),
    }
}

/// The trees and all their images.
fn images(quotient: &Quotient, trees: &Trees) -> Option<Plan> {
    let mut plan = Plan::new(trees.len() as u32);
    let mut elements: Vec<&Permutation> = quotient.elements.iter().collect();
    // In the order of messages, which spares their sorting.
    elements.sort_unstable_by_key(|g| g[0]);
    for g in elements {
        for (step, hops) in plan.steps.iter_mut().zip(trees) {
            let start = step.len();
            for &(m, c) in hops {
                let message = g[quotient.sources[m as usize] as usize];
                step.push(Transfer { message, channels: vec![quotient.image(g, c)?] });
            }
            step[start..].sort_unstable();
        }
    }
    plan.tidy();
    Some(plan)
}

//! All-to-all broadcast of single hops where a group of automorphisms takes the sources to each
//! other: the message of one source of each orbit travels down a tree, those of the others down the
//! tree's images in the same steps. Images of a channel cover its orbit once; so nothing is in
//! conflict if in every step the trees use each orbit of links once, and a small search for the
//! trees solves the problem for all messages.
//!
//! On a Cayley network there is one tree and as many orbits of channels as a terminal has channels.
//! The trees nearly always get as few steps as the number of channels into a terminal allows.

use super::quotient::Quotient;
use super::trees::{Nursery, Trees};
use crate::engines::Rng;
use crate::engines::symmetry::groups;
use crate::network::automorphisms::Permutation;
use crate::network::translations::translations;
use crate::problem::{Collective, Problem};
use crate::schedule::{Plan, Transfer};

/// Hops looked at for a group before it is given up, about: some tenths of a second.
const EFFORT: usize = 40_000_000;
/// The most trees that are grown for a group.
const TRIES: usize = 200;
/// Groups other than those of translations that are tried.
const GROUPS: usize = 6;
/// Terminals of the largest network where these are sought.
const MOST_TERMINALS: usize = 128;

/// Trees and their images, in as few steps as anybody can get all messages in.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let network = &problem.network;
    let terminals = network.vertices().len();
    let is_all = |vertices: &[u32]| vertices.iter().copied().eq(0..terminals as u32);
    let applies = problem.collective == Collective::Aab
        && !problem.has_fixed_routes()
        && network.terminals().count() == terminals
        && is_all(&problem.senders)
        && is_all(&problem.receivers)
        && terminals > 1;
    if !applies {
        return None;
    }
    if let Some(group) = translations(network, rng) {
        return under(problem, &group, rng);
    }
    if terminals > MOST_TERMINALS {
        return None;
    }
    let groups = groups(problem, rng);
    groups.iter().take(GROUPS).find_map(|group| {
        let elements: Vec<_> = (0..group.order()).map(|g| group.element(g).to_vec()).collect();
        under(problem, &elements, rng)
    })
}

/// A plan from the images under a group.
fn under(problem: &Problem, elements: &[Permutation], rng: &mut Rng) -> Option<Plan> {
    let quotient = Quotient::new(problem, elements)?;
    let bound = bound(problem);
    let deliveries = quotient.sources.len() * (problem.network.vertices().len() - 1);
    if deliveries > bound * quotient.links.len() {
        return None;
    }
    let work = deliveries * problem.network.channels().len() / quotient.links.len().max(1);
    let mut nursery = Nursery::new(problem, &quotient);
    let tries = (EFFORT / work).min(TRIES);
    let trees = (0..tries).find_map(|i| nursery.grow(bound, i % 2 == 0, rng))?;
    images(&quotient, &trees)
}

/// Steps that anybody needs to receive all messages.
fn bound(problem: &Problem) -> usize {
    let network = &problem.network;
    let others = problem.receivers.len() - 1;
    let limit = |&v: &u32| problem.ports.limit(network.incoming(v).len());
    let steps = others.div_ceil(problem.receivers.iter().map(limit).min().unwrap_or(1).max(1));
    steps
}

/// The trees and all their images.
fn images(quotient: &Quotient, trees: &Trees) -> Option<Plan> {
    let mut plan = Plan::new(trees.len() as u32);
    for (step, hops) in plan.steps.iter_mut().zip(trees) {
        for g in quotient.elements {
            for &(m, c) in hops {
                let message = g[quotient.sources[m as usize] as usize];
                step.push(Transfer { message, channels: vec![quotient.image(g, c)?] });
            }
        }
    }
    plan.tidy();
    Some(plan)
}

#[cfg(test)]
mod trial {
    use super::*;
    use crate::problem::*;
    use std::time::Instant;
    #[test]
    fn trial() {
        for t in std::env::var("NETS").unwrap().split(';') {
            let t = t.trim();
            let (t, ports) = t.split_once('/').unwrap_or((t, "all"));
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                let request = Request { switching, ports: ports.parse().unwrap(), ..Request::new(Collective::Aab) };
                let net = crate::network::spec::parse(t).unwrap();
                let problem = request.pose(net, vec![]).unwrap();
                let rng = &mut crate::engines::rng_of(1, 0, 2);
                let t0 = Instant::now();
                let tr = translations(&problem.network, rng).map(|g| g.len());
                let t1 = t0.elapsed();
                let mut found = 0;
                for seed in 0..5 {
                    let rng = &mut crate::engines::rng_of(seed, 0, 2);
                    found += plan(&problem, rng).is_some() as u32;
                }
                let el = (t0.elapsed() - t1) / 5;
                let rng = &mut crate::engines::rng_of(1, 0, 2);
                let k = plan(&problem, rng).map(|p| p.steps.len());
                let b = if problem.network.vertices().len() <= 64 { crate::bounds::all(&problem)[0].steps } else { bound(&problem) as u32 };
                println!("{t:22} {ports} {switching:18} translations {tr:?} {t1:?}  {found}/5 {k:?} bound {b} in {el:?}");
            }
        }
    }
}

//! Congestion: the dual of the linear program that spreads every message over its allowed paths so
//! as to minimise the largest load. Give every link, and every port, a weight; whatever path a
//! message takes weighs at least as much as its lightest, and a step carries at most the sum of all
//! weights. So the number of steps is at least the sum of lightest paths over the sum of weights.
//! Ports, distances and cuts are special cases.
//!
//! Any weights give a bound. Good ones are sought by playing: messages take the lightest paths, and
//! what has been loaded most so far gets heavier. The weights are then rounded to integers, and the
//! bound is computed from these in integers.

use super::lightest::Lightest;
use super::{Bound, Evidence};
use crate::problem::Problem;

/// Rounds of the game, fewer on large networks.
const ROUNDS: u64 = 400;
/// Channels looked at in all rounds together, roughly.
const MOST_WORK: u64 = 100_000_000;
/// What the heaviest weight is rounded to; small numbers are tried first.
const SCALES: [u64; 4] = [1, 6, 60, 10_000];

pub fn bound(problem: &Problem) -> Option<Bound> {
    if problem.collective.is_broadcast() {
        return None;
    }
    let lightest = Lightest::new(problem);
    let rounds = ROUNDS.min(MOST_WORK / lightest.work().max(1));
    if rounds == 0 {
        return None;
    }
    let capacity: Vec<f64> = problem.resources.capacities().iter().map(|&c| f64::from(c)).collect();
    let mut weights = vec![1.0; capacity.len()];
    let mut load = vec![0u64; capacity.len()];
    let mut best: Option<Claim> = None;
    for round in 1..=rounds {
        best = best.into_iter().chain(round_off(&lightest, &weights)).max();
        lightest.add_loads(&weights, &mut load);
        let relative: Vec<f64> =
            load.iter().zip(&capacity).map(|(&load, capacity)| load as f64 / capacity).collect();
        let most = relative.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // The mean of all rounds is a way to spread the messages: no weights prove more steps.
        let proven = best.as_ref().map_or(0, |claim| claim.steps);
        if most / round as f64 <= f64::from(proven) {
            break;
        }
        // The longer the game, the more nearly only the most loaded count.
        let sharpness = 4.0 * (round as f64).sqrt();
        for (weight, load) in weights.iter_mut().zip(&relative) {
            *weight = libm::exp(sharpness * (load / most - 1.0));
        }
    }
    let Claim { steps, weights, .. } = best?;
    Some(Bound { name: "congestion", steps, evidence: Evidence::Weights(weights) })
}

/// A bound with its integer weights. The larger is the higher bound, then the simpler weights.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    steps: u32,
    simplicity: std::cmp::Reverse<u64>,
    weights: Vec<u64>,
}

/// The best bound that these weights give when rounded.
fn round_off(lightest: &Lightest<'_>, weights: &[f64]) -> Option<Claim> {
    let heaviest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let claim = |&scale: &u64| {
        let round = |w: &f64| (w / heaviest * scale as f64 + 0.5) as u64;
        let weights: Vec<u64> = weights.iter().map(round).collect();
        let steps = lightest.steps(&weights)?;
        Some(Claim { steps, simplicity: std::cmp::Reverse(scale), weights })
    };
    SCALES.iter().filter_map(claim).max()
}

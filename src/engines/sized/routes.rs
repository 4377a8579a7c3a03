//! Routes that load all links evenly: a path for each message, such that the sum of the p-th powers of
//! load over capacity is small, with p rising. The least largest load is the limit of a high power.

use super::Choices;
use ccsched_base::rng::Rng;
use ccsched_model::routing::PathId;
use rand::RngExt as _;
use std::cmp::Reverse;

/// The powers, one pass of the local search each.
const POWERS: [i32; 6] = [4, 8, 12, 20, 32, 60];
/// Proposals of a pass for every message.
const PROPOSALS: usize = 60;
/// Proposals of a pass, at most.
const MOST: usize = 250_000;

/// By message, its path: longest messages first, each where the largest load becomes the least.
pub fn greedy(choices: &Choices) -> Vec<PathId> {
    let mut load = vec![0u64; choices.capacity.len()];
    let mut routes: Vec<PathId> =
        (0..choices.len() as u32).map(|m| choices.paths(m).start).collect();
    let mut order: Vec<u32> = (0..choices.len() as u32).collect();
    order.sort_by_key(|&m| Reverse(choices.lengths[m as usize]));
    for m in order {
        let bytes = choices.lengths[m as usize];
        let least = choices.paths(m).min_by_key(|&path| peak(choices, &load, path, bytes));
        if let Some(path) = least {
            routes[m as usize] = path;
            choices.held(path).iter().for_each(|&r| load[r as usize] += bytes);
        }
    }
    routes
}

/// The routes after local search.
pub fn balanced(
    choices: &Choices,
    mut routes: Vec<PathId>,
    rng: &mut Rng,
    is_over: &dyn Fn() -> bool,
) -> Vec<PathId> {
    let mut load = vec![0u64; choices.capacity.len()];
    for (&path, &bytes) in routes.iter().zip(&choices.lengths) {
        choices.held(path).iter().for_each(|&r| load[r as usize] += bytes);
    }
    let movable: Vec<u32> =
        (0..choices.len() as u32).filter(|&m| choices.paths(m).len() > 1).collect();
    if movable.is_empty() {
        return routes;
    }
    for power in POWERS {
        let proposals = (PROPOSALS * movable.len()).min(MOST);
        improve(choices, &movable, (&mut routes, &mut load), (power, proposals), rng);
        if is_over() {
            break;
        }
    }
    routes
}

/// The largest load on a path, and the sum of them, with these bytes more; in bytes for a capacity of 1.
fn peak(choices: &Choices, load: &[u64], path: PathId, bytes: u64) -> (u64, u64) {
    let held = choices.held(path).iter();
    let of = |&r: &u32| (load[r as usize] + bytes) / u64::from(choices.capacity[r as usize]);
    held.map(of).fold((0, 0), |(most, sum), load| (load.max(most), sum + load))
}

/// Proposes other paths to random messages and takes those that lower the sum of powers.
fn improve(
    choices: &Choices,
    movable: &[u32],
    (routes, load): (&mut [PathId], &mut [u64]),
    (power, proposals): (i32, usize),
    rng: &mut Rng,
) {
    let relative = |r: u32, load: u64| load as f64 / f64::from(choices.capacity[r as usize]);
    let most = (0..).zip(load.iter()).map(|(r, &l)| relative(r, l)).fold(1.0, f64::max);
    for _ in 0..proposals {
        let m = movable[rng.random_range(0..movable.len())];
        let (paths, bytes) = (choices.paths(m), choices.lengths[m as usize]);
        let (old, new) = (routes[m as usize], rng.random_range(paths));
        if old == new {
            continue;
        }
        let (from, to) = (choices.held(old), choices.held(new));
        let cost = |r: u32, load: u64| (relative(r, load) / most).powi(power);
        let mut change = 0.0;
        for &r in to.iter().filter(|r| !from.contains(r)) {
            let load = load[r as usize];
            change += cost(r, load + bytes) - cost(r, load);
        }
        for &r in from.iter().filter(|r| !to.contains(r)) {
            let load = load[r as usize];
            change -= cost(r, load) - cost(r, load - bytes);
        }
        if change < 0.0 {
            from.iter().for_each(|&r| load[r as usize] -= bytes);
            to.iter().for_each(|&r| load[r as usize] += bytes);
            routes[m as usize] = new;
        }
    }
}

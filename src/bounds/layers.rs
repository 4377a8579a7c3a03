//! Steps by falling length: what bounds the steps of the messages of at least some bytes bounds how many steps are at
//! least that long. Summed over all lengths, this bounds the bytes of the longest messages of all steps together.
//!
//! The arguments are the channels and ports of each terminal, with fixed routes all links, and weights of the congestion
//! bound that are sought for the messages of some lengths. Each counts at every length.

use super::{Evidence, congestion, cut, ports};
use ccsched_model::problem::{Problem, ResourceId};
use std::cmp::Reverse;

/// Lengths for whose messages weights are sought, with this number of messages at most; else for fewer.
const LENGTHS: [(usize, usize); 3] = [(300, 8), (5_000, 3), (20_000, 1)];

/// The bytes that the terminals, and with fixed routes the links, say.
pub fn quick(problem: &Problem) -> u64 {
    profile(problem).into_iter().fold(0, u64::saturating_add)
}

/// The same with weights; none if they say no more, or `is_over` returns true before.
pub fn with_weights(problem: &Problem, is_over: &dyn Fn() -> bool) -> Option<(u64, Evidence)> {
    let lengths = problem.lengths()?;
    let most = LENGTHS.iter().find(|(messages, _)| lengths.len() <= *messages)?.1;
    let mut all: Vec<u64> = lengths.to_vec();
    all.sort_unstable();
    all.dedup();
    let mut several: Vec<Vec<u64>> = Vec::new();
    for place in 0..most.min(all.len()) {
        // From the shortest on, since all messages count there.
        let bytes = all[place * all.len() / most.min(all.len())];
        let weights = heaviest(&problem.of_length(bytes), is_over)?;
        if !several.contains(&weights) {
            several.push(weights);
        }
    }
    let of_messages = congestion::of_messages(problem, &several)?;
    let of = |(weights, of_messages): (Vec<u64>, Vec<u64>)| {
        let steps = at_least(lengths, &of_messages, supply(problem, &weights), &all);
        (weights, steps)
    };
    // Each with its steps by length.
    let mut arguments: Vec<_> = several.into_iter().zip(of_messages).map(of).collect();
    let profile = profile(problem);
    let alone: Vec<u64> =
        all.iter().map(|&bytes| profile.partition_point(|&of| of >= bytes) as u64).collect();
    let sum = |arguments: &[(Vec<u64>, Vec<u64>)]| {
        let (mut sum, mut before) = (0u64, 0);
        for (place, &bytes) in all.iter().enumerate() {
            let of = arguments.iter().map(|(_, steps)| steps[place]);
            let steps = of.fold(alone[place], u64::max);
            sum = sum.saturating_add((bytes - before).saturating_mul(steps));
            before = bytes;
        }
        sum
    };
    let bytes = sum(&arguments);
    // Weights that others make needless are left out.
    for place in (0..arguments.len()).rev() {
        let argument = arguments.remove(place);
        if sum(&arguments) < bytes {
            arguments.insert(place, argument);
        }
    }
    let several: Vec<Vec<u64>> = arguments.into_iter().map(|(weights, _)| weights).collect();
    let evidence = Evidence::Several(several);
    (bytes > sum(&[])).then_some((bytes, evidence))
}

/// The weights that prove most steps of the messages that count.
fn heaviest(problem: &Problem, is_over: &dyn Fn() -> bool) -> Option<Vec<u64>> {
    if is_over() {
        return None;
    }
    let port = ports::tightest(problem).map(|(v, _)| Evidence::Vertex(v));
    let cut = cut::tightest_of_all(problem, &Default::default());
    let cut = cut.map(|(_, side)| Evidence::Side(side.vertices().collect()));
    let hints: Vec<Evidence> = port.into_iter().chain(cut).collect();
    congestion::in_bytes(problem, &hints, is_over).map(|(_, weights)| weights)
}

/// The weight that one step carries.
fn supply(problem: &Problem, weights: &[u64]) -> u128 {
    let capacities = problem.resources().capacities().iter();
    capacities.zip(weights).map(|(&c, &weight)| u128::from(c) * u128::from(weight)).sum()
}

/// By length, the steps that the weights of all messages of at least that length take.
fn at_least(lengths: &[u64], weights: &[u64], supply: u128, all: &[u64]) -> Vec<u64> {
    let mut of_length = vec![0u128; all.len()];
    for (length, &weight) in lengths.iter().zip(weights) {
        if let Ok(place) = all.binary_search(length) {
            of_length[place] += u128::from(weight);
        }
    }
    let mut longer = 0;
    for of in of_length.iter_mut().rev() {
        longer += *of;
        *of = longer;
    }
    let steps = |work: u128| if supply == 0 { 0 } else { work.div_ceil(supply) as u64 };
    of_length.into_iter().map(steps).collect()
}

/// The least bytes of the longest step, of the next, and so on.
pub fn profile(problem: &Problem) -> Vec<u64> {
    let Some(lengths) = problem.lengths() else { return Vec::new() };
    let (network, resources) = (problem.network(), problem.resources());
    let vertices = network.vertices().len();
    let mut carried = vec![Vec::new(); 2 * vertices + resources.links()];
    for d in problem.demands() {
        let length = lengths[d.message as usize];
        carried[d.source as usize].push(length);
        carried[vertices + d.destination as usize].push(length);
        for &c in problem.fixed_route(d.source, d.destination).into_iter().flatten() {
            carried[2 * vertices + resources.of_channel(c) as usize].push(length);
        }
    }
    let mut of_step: Vec<u64> = Vec::new();
    for (place, mut lengths) in carried.into_iter().enumerate() {
        let at_once = match place {
            v if v < vertices => problem.sends_at_once(v as u32),
            v if v < 2 * vertices => problem.receives_at_once((v - vertices) as u32),
            link => resources.capacity((link - 2 * vertices) as ResourceId) as usize,
        };
        lengths.sort_unstable_by_key(|&length| Reverse(length));
        for (step, &length) in lengths.iter().step_by(at_once.max(1)).enumerate() {
            match of_step.get_mut(step) {
                Some(most) => *most = length.max(*most),
                None => of_step.push(length),
            }
        }
    }
    of_step
}

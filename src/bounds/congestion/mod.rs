//! Congestion: the dual of the linear program that distributes every message over its allowed paths
//! to minimise the largest load. Give every link and every port a weight: any path of a message
//! weighs at least as much as its lightest path, and a step carries at most the sum of all weights
//! times capacities. So the number of steps is at least the sum of the lightest paths over that
//! sum. Ports, distances and cuts are special cases.
//!
//! Any weights give a bound. The weights of the simpler bounds come first. A game then searches for
//! better ones: messages take the lightest paths, and the most loaded resources so far get heavier.
//! What the game leaves open is settled by linear programming where that is small enough (linear.rs).
//! The weights are rounded to integers, and the bound is computed from these in integers.

mod classes;
mod lightest;
mod linear;
pub mod meaning;

use super::{Bound, Evidence};
use ccsched_model::problem::{Demand, Problem};
use classes::Classes;
use lightest::Lightest;
use std::cell::OnceCell;

/// Rounds of the game. It continues while it has gained a step within the last [`GAINS`] percent of
/// the rounds, or may gain one. Fewer on large networks.
const ROUNDS: u64 = 400;
const MOST_ROUNDS: u64 = 4000;
const GAINS: u64 = 40;
/// Factor by which the weights may still gain what they gained in the second half of the rounds:
/// the gap falls about as one over the rounds.
const HOPE: f64 = 2.0;
/// Hops of walks in all rounds together.
const MOST_WORK: u64 = 250_000_000;
/// The heaviest weight after rounding, if the exact weights prove no more steps: small numbers,
/// which may express a simple argument.
const COARSE: [u64; 2] = [1, 6];
/// The heaviest weight after rounding, if they do.
const FINE: [u64; 2] = [60, 10_000];
/// Rounds from one coarse rounding to the next.
const COARSE_EVERY: u64 = 16;
/// Tolerance for sums of shares.
const NOISE: f64 = 1e-6;

/// The bound, given the other bounds; the game ends early when `is_over` returns true.
pub fn bound(problem: &Problem, others: &[Bound], is_over: &dyn Fn() -> bool) -> Option<Bound> {
    if problem.collective().content().is_common() {
        return None;
    }
    if problem.has_fixed_routes() {
        return bottleneck(problem);
    }
    let Claim { steps, weights, .. } = proved(problem, others, false, is_over)?;
    Some(Bound { name: "congestion", steps, evidence: Evidence::Weights(weights) })
}

/// The weights with the largest ratio that is found, and the ratio; that for messages in many pieces.
pub fn limit(problem: &Problem) -> Option<([u128; 2], Vec<u64>)> {
    if problem.has_fixed_routes() {
        let loads = problem.static_loads();
        return worst(problem, |r| u128::from(loads[r]));
    }
    let others = super::quick(problem);
    let Claim { ratio, weights, .. } = proved(problem, &others, true, &|| false)?;
    Some((ratio, weights))
}

/// The weights whose bound in bytes is the largest that is found, and the fraction that this is, for a
/// problem that counts bytes. `hints` are the bottlenecks of other bounds.
pub fn in_bytes(
    problem: &Problem,
    hints: &[Evidence],
    is_over: &dyn Fn() -> bool,
) -> Option<([u128; 2], Vec<u64>)> {
    if problem.has_fixed_routes() {
        let mut loads = vec![0u64; problem.resources().capacities().len()];
        for d in problem.demands() {
            let route = problem.fixed_route(d.source, d.destination).unwrap_or_default();
            let add = |resource: u32, _| loads[resource as usize] += problem.volume(d);
            problem.resources().uses(problem.network(), problem.switching(), route, add);
        }
        return worst(problem, |r| u128::from(loads[r]));
    }
    let bound = |evidence: &Evidence| Bound { name: "", steps: 0, evidence: evidence.clone() };
    let others: Vec<Bound> = hints.iter().map(bound).collect();
    let Claim { ratio, weights, .. } = proved(problem, &others, true, is_over)?;
    Some((ratio, weights))
}

/// By weights, the least weight of every message with the ports at its ends; none if the network is too
/// large.
pub fn of_messages(problem: &Problem, several: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    if problem.has_fixed_routes() {
        let of_demand = |weights: &Vec<u64>, d: &Demand| {
            let route = problem.fixed_route(d.source, d.destination).unwrap_or_default();
            let mut sum = 0;
            let add = |resource: u32, _| sum += weights[resource as usize];
            problem.resources().uses(problem.network(), problem.switching(), route, add);
            sum
        };
        let all = |weights| problem.demands().iter().map(|d| of_demand(weights, d)).collect();
        return Some(several.iter().map(all).collect());
    }
    let lightest = Lightest::new(problem, None)?;
    Some(several.iter().map(|weights| lightest.of_messages(weights)).collect())
}

/// The resource with the largest load for its capacity, as weights, and the fraction.
fn worst(problem: &Problem, load: impl Fn(usize) -> u128) -> Option<([u128; 2], Vec<u64>)> {
    let resources = problem.resources().capacities().len();
    let ratio = |r: usize| [load(r), problem.resources().capacity(r as u32).into()];
    let is_less = |a: [u128; 2], b: [u128; 2]| a[0] * b[1] < b[0] * a[1];
    let worse = |a: usize, b: usize| if is_less(ratio(a), ratio(b)) { b } else { a };
    let worst = (0..resources).reduce(worse)?;
    let weights = (0..resources).map(|r| u64::from(r == worst)).collect();
    Some((ratio(worst), weights))
}

/// The best weights that are found: those that prove most steps, or whose ratio is largest.
fn proved(
    problem: &Problem,
    others: &[Bound],
    by_ratio: bool,
    is_over: &dyn Fn() -> bool,
) -> Option<Claim> {
    let classes = Classes::of(problem);
    let lightest = Lightest::new(problem, classes.as_ref())?;
    // A ratio has no next step to wait for, and linear programming finds the last fraction.
    let most = if by_ratio { ROUNDS } else { MOST_ROUNDS };
    let rounds = most.min(MOST_WORK / lightest.hops().max(1) as u64);
    let mut proof = Proof { lightest: &lightest, by_ratio, best: None };
    // Weights that tell equal sources apart need the paths of every source.
    let every = OnceCell::new();
    for weights in hints(problem, others) {
        if lightest.fits(&weights) {
            proof.consider(weights, 1);
        } else if let Some(every) = every.get_or_init(|| Lightest::new(problem, None)) {
            proof.consider_with(every, weights, 1);
        }
    }
    if play(problem, rounds, &mut proof, is_over) {
        linear::solve(&mut proof, rounds as usize, is_over);
    }
    proof.best
}

/// With one route a pair, the largest load is the bound (the duration of a traffic:
/// liquid-schedules, section 3).
fn bottleneck(problem: &Problem) -> Option<Bound> {
    let loads = problem.static_loads();
    let capacities = problem.resources().capacities();
    let steps = loads.iter().zip(capacities).map(|(load, capacity)| load.div_ceil(*capacity));
    // The first of equals.
    let (place, steps) = (0..).zip(steps).min_by_key(|&(_, s)| std::cmp::Reverse(s))?;
    let weights = (0..loads.len()).map(|r| u64::from(r == place)).collect();
    Some(Bound { name: "congestion", steps, evidence: Evidence::Weights(weights) })
}

/// The game. It ends early when no weights can prove more steps. Returns whether some might.
fn play(problem: &Problem, rounds: u64, proof: &mut Proof<'_>, is_over: &dyn Fn() -> bool) -> bool {
    let capacity: Vec<f64> =
        problem.resources().capacities().iter().map(|&c| f64::from(c)).collect();
    let mut load = lightest::loads(proof.lightest);
    let mut weights = vec![1.0; capacity.len()];
    let mut strongest = (0.0, weights.clone());
    // What the strongest weights prove after each round.
    let mut proved = Vec::with_capacity(rounds as usize);
    let mut gained = (proof.value(), 0);
    for round in 1..=rounds {
        if proof.value() > gained.0 {
            gained = (proof.value(), round);
        }
        let is_late = round > ROUNDS && 100 * (round - gained.1) > GAINS * round;
        if is_late && !may_gain(&proved, proof.value()) {
            break;
        }
        let relative: Vec<f64> =
            load.iter().zip(&capacity).map(|(load, capacity)| load / capacity).collect();
        let most = relative.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // The mean of all rounds distributes the messages: no weights prove more than its largest
        // load.
        if most / round as f64 <= proof.value() + NOISE || is_over() {
            return false;
        }
        // Later rounds concentrate the weight on the most loaded resources.
        let sharpness = 4.0 * (round as f64).sqrt();
        for (weight, load) in weights.iter_mut().zip(&relative) {
            *weight = libm::exp(sharpness * (load / most - 1.0));
        }
        let demand = proof.lightest.add_loads(&weights, &mut load);
        let supply: f64 = weights.iter().zip(&capacity).map(|(w, c)| w * c).sum();
        if demand / supply > strongest.0 {
            strongest = (demand / supply, weights.clone());
        }
        proved.push(strongest.0);
        if demand / supply > proof.value() + NOISE {
            proof.round_off(&weights, &FINE);
        }
        if round.is_power_of_two() || round.is_multiple_of(COARSE_EVERY) {
            proof.round_off(&weights, &COARSE);
        }
    }
    for weights in [&weights, &strongest.1] {
        proof.round_off(weights, &COARSE);
        proof.round_off(weights, &FINE);
    }
    true
}

/// Whether weights with these values after each round may prove more than these steps.
fn may_gain(proved: &[f64], value: f64) -> bool {
    let Some(&last) = proved.last() else { return true };
    last + HOPE * (last - proved[proved.len() / 2]) > value
}

/// The weights of the other bounds: 1 for the links and ports of each argument.
pub fn hints(problem: &Problem, others: &[Bound]) -> Vec<Vec<u64>> {
    let (network, resources) = (problem.network(), problem.resources());
    let on = |heavy: &mut dyn Iterator<Item = u32>| {
        let mut weights = vec![0; resources.capacities().len()];
        heavy.for_each(|resource| weights[resource as usize] = 1);
        weights
    };
    let links = |channels: &[u32]| on(&mut channels.iter().map(|&c| resources.of_channel(c)));
    let of_bound = |bound: &Bound| match &bound.evidence {
        Evidence::Group(..) => Vec::new(),
        Evidence::Nothing => vec![on(&mut (0..resources.links() as u32))],
        &Evidence::Vertex(v) => {
            let ports = [resources.send_port(v), resources.receive_port(v)];
            let mut hints: Vec<_> =
                ports.into_iter().flatten().map(|port| on(&mut std::iter::once(port))).collect();
            hints.extend([links(network.outgoing(v)), links(network.incoming(v))]);
            hints
        }
        Evidence::Side(side) => {
            let mut inside = vec![false; network.vertices().len()];
            side.iter().for_each(|&v| inside[v as usize] = true);
            let crosses = |&c: &u32| {
                let ends = network.channel(c);
                inside[ends.from as usize] && !inside[ends.to as usize]
            };
            let all = 0..network.channels().len() as u32;
            vec![links(&all.filter(crosses).collect::<Vec<_>>())]
        }
        Evidence::Weights(weights) => vec![weights.clone()],
        Evidence::Several(several) => several.clone(),
        Evidence::Spread { .. } | Evidence::Partition(_) | Evidence::Search => vec![],
    };
    others.iter().flat_map(of_bound).collect()
}

/// A bound with its integer weights.
struct Claim {
    steps: u32,
    /// The sum of the lightest paths, and the weight that one step carries.
    ratio: [u128; 2],
    weights: Vec<u64>,
    /// What the heaviest weight was rounded to.
    scale: u64,
}

/// The best claim so far.
struct Proof<'l> {
    lightest: &'l Lightest<'l>,
    /// Whether the claim with the largest ratio is sought, not that with most steps.
    by_ratio: bool,
    best: Option<Claim>,
}

impl Proof<'_> {
    /// What counts of the best claim.
    fn value(&self) -> f64 {
        let of_claim = |claim: &Claim| match self.by_ratio {
            true => claim.ratio[0] as f64 / claim.ratio[1] as f64,
            false => f64::from(claim.steps),
        };
        self.best.as_ref().map_or(0.0, of_claim)
    }

    /// Keeps these weights if they prove more, or as much with smaller numbers.
    fn consider(&mut self, weights: Vec<u64>, scale: u64) {
        self.consider_with(self.lightest, weights, scale);
    }

    /// The same, with the lightest paths of sources that are enough for these weights.
    fn consider_with(&mut self, lightest: &Lightest<'_>, weights: Vec<u64>, scale: u64) {
        let (demand, supply) = lightest.weigh(&weights);
        if supply == 0 {
            return;
        }
        let steps = demand.div_ceil(supply) as u32;
        let rank = |best: &Claim| match self.by_ratio {
            true => (demand * best.ratio[1]).cmp(&(best.ratio[0] * supply)),
            false => steps.cmp(&best.steps),
        };
        let better = |best: &Claim| rank(best).then(best.scale.cmp(&scale)).is_gt();
        if self.best.as_ref().is_none_or(better) {
            self.best = Some(Claim { steps, ratio: [demand, supply], weights, scale });
        }
    }

    /// Considers the weights rounded so that the heaviest becomes each of `scales`.
    fn round_off(&mut self, weights: &[f64], scales: &[u64]) {
        let heaviest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for &scale in scales {
            let round = |w: &f64| (w / heaviest * scale as f64 + 0.5) as u64;
            self.consider(weights.iter().map(round).collect(), scale);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as bounds;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_network::spec;

    fn posed(topology: &str, switching: Switching, ports: Option<u32>) -> Problem {
        let aas = Request::new(Collective::Aas);
        let request = Request { switching, ports: Ports(ports), ..aas };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    #[test]
    fn even_loads_add_up_to_all_distances() {
        for topology in ["petersen", "kautz:2,3", "mesh:3x4", "fat-tree:8", "ring:6,half"] {
            let problem = posed(topology, Switching::Wormhole, None);
            let lightest = Lightest::new(&problem, None).unwrap();
            let ones = vec![1; problem.resources().capacities().len()];
            let (distances, _) = lightest.weigh(&ones);
            let total: f64 = lightest::loads(&lightest).iter().sum();
            assert!((total - distances as f64).abs() < NOISE, "{topology}: {total}, {distances}");
        }
    }

    #[test]
    fn even_loads_show_that_distances_are_all() {
        for (topology, each) in [("hypercube:5", 16.0), ("torus:6x6", 27.0), ("petersen", 5.0)] {
            let problem = posed(topology, Switching::Wormhole, None);
            let loads = lightest::loads(&Lightest::new(&problem, None).unwrap());
            assert!(loads.iter().all(|load| (load - each).abs() < NOISE), "{topology}: {loads:?}");
        }
    }

    #[test]
    fn nothing_simpler_proves_more() {
        let switchings = [Switching::Wormhole, Switching::StoreAndForward];
        let cases = ["fat-tree:32", "mesh:4x3", "ring:7,half", "full-binary-tree:15", "kautz:2,3"];
        for topology in cases {
            for (switching, ports) in
                switchings.into_iter().flat_map(|s| [(s, None), (s, Some(1)), (s, Some(2))])
            {
                let bounds = bounds::all(&posed(topology, switching, ports));
                let of = |name: &str| bounds.iter().find(|b| b.name == name).map(|b| b.steps);
                // With store-and-forward a cut also counts the distances to it and from it.
                let stored = switching.stores();
                for name in
                    ["ports", "distance", "cut"].into_iter().take(if stored { 2 } else { 3 })
                {
                    let congestion = of("congestion");
                    assert!(congestion >= of(name), "{topology} {switching} {ports:?}: {bounds:?}");
                }
            }
        }
    }
}

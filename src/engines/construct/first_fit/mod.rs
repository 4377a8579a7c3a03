//! First fit for scatters: every message takes the first step, over all steps together, in which
//! one of its shortest paths is free; the longest paths choose first, and ties go to the channel
//! used least. A schedule at once on any network, for the searches to start from.
//!
//! Every resource has a row of bits, its free steps. Wormhole switching intersects the rows along
//! each path and unites them over paths; store-and-forward switching looks for the earliest arrival.

mod between;
mod by_channel;
mod known;
mod spans;
mod stored;
mod turns;
mod wormhole;

pub use wormhole::Fit;

use crate::reduce::{self, missing};
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, Switching};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use rand::seq::SliceRandom;
use std::sync::Arc;

/// Messages to a destination, about, that follow each other: they read the same distances. More
/// take the same channels one after the other, which costs steps.
const TOGETHER: usize = 8;
/// The weight of the most loaded link where routes are taken by their loads.
const HEAVIEST: f64 = 64.0;
/// More cells of the table of distances do not fit into memory.
const MOST_DISTANCES: usize = 200_000_000;

/// The schedule, if the problem is a scatter.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    applies(problem).then(|| reduce::solved(problem, &mut |inner| fitted(inner, rng)))
}

/// Whether the problem is a scatter whose distances fit into memory.
fn applies(problem: &Problem) -> bool {
    let cells = problem.receivers().len() * problem.network().vertices().len();
    problem.collective().content().is_personal() && cells <= MOST_DISTANCES
}

/// A schedule of scatters by wormhole switching, with the messages that it lacks in the first steps
/// where they fit.
pub fn completed(problem: &Problem, plan: Plan) -> Plan {
    let mut order = missing(problem, &plan);
    let destinations = problem.demands().iter().map(|d| d.destination);
    let distances = DistanceTable::to(problem.network(), destinations);
    order.sort_by_key(|d| std::cmp::Reverse(distances.row(d.destination)[d.source as usize]));
    wormhole::continued(problem, &distances, &plan, &order)
}

/// The schedule of wormhole switching along fixed routes, in which those over the most loaded links choose first, if the
/// problem is a scatter. Where few links are the bottleneck, as near the root of up*/down* routes, these
/// are then seldom idle.
pub fn plan_by_loads(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let applies =
        applies(problem) && problem.switching().holds_paths() && problem.has_fixed_routes();
    applies.then(|| {
        let weight = weights(problem);
        let of_route = |route: &[ChannelId]| {
            let links = route.iter().map(|&c| problem.resources().of_channel(c));
            links.map(|link| weight[link as usize]).sum()
        };
        let (distances, order) = distances_and_order(problem, of_route, rng);
        wormhole::plan(problem, &distances, &order)
    })
}

/// By resource, a number up to [`HEAVIEST`] that grows with the square of its load.
fn weights(problem: &Problem) -> Vec<usize> {
    let (loads, capacities) = (problem.static_loads(), problem.resources().capacities());
    let relative = loads.iter().zip(capacities).map(|(&l, &c)| f64::from(l) / f64::from(c));
    let relative: Vec<f64> = relative.collect();
    let most = relative.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    relative.iter().map(|load| (HEAVIEST * (load / most).powi(2)) as usize).collect()
}

/// The schedule of a scatter.
pub(crate) fn fitted(problem: &Problem, rng: &mut Rng) -> Plan {
    let (distances, order) = distances_and_order(problem, <[ChannelId]>::len, rng);
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => spans::plan(problem, &distances, &order)
            .unwrap_or_else(|| wormhole::plan(problem, &distances, &order)),
        Switching::StoreAndForward => stored::hops(problem, &distances, &order).plan(problem),
    }
}

/// The distances to all destinations, and the order in which demands are taken: by descending weight of their routes, or
/// length of their paths, in random order among equals. They are copied once, some at a time: reading millions of them in
/// random order takes longer than sorting them.
fn distances_and_order(
    problem: &Problem,
    weight: impl Fn(&[ChannelId]) -> usize + Sync,
    rng: &mut Rng,
) -> (DistanceTable, Vec<Demand>) {
    let destinations = problem.demands().iter().map(|d| d.destination);
    let distances = DistanceTable::to(problem.network(), destinations);
    let weight = |d: &Demand| match problem.fixed_route(d.source, d.destination) {
        Some(route) => weight(route),
        None => usize::from(distances.row(d.destination)[d.source as usize]),
    };
    let mut order: Vec<u32> = (0..problem.demands().len() as u32).collect();
    order.shuffle(rng);
    let some: Vec<&[u32]> = order.chunks(TOGETHER * problem.receivers().len()).collect();
    let measured = |number: usize| {
        let numbers = some[number].iter();
        let mut some: Vec<Demand> = numbers.map(|&n| problem.demands()[n as usize]).collect();
        // Messages to one destination read the same row of distances.
        some.sort_by_key(|d| d.destination);
        some.into_iter().map(|d| (weight(&d), d)).collect::<Vec<_>>()
    };
    let mut of_weight: Vec<Vec<Demand>> = Vec::new();
    cores::ahead(some.len(), measured, |some| {
        for (weight, d) in some {
            of_weight.resize_with(of_weight.len().max(weight + 1), Vec::new);
            of_weight[weight].push(d);
        }
    });
    (distances, of_weight.into_iter().rev().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Routing};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_network::tables::{Table, up_and_down};
    use ccsched_verify::verify;

    /// Steps of the schedule, which is verified.
    fn steps(topology: &str, request: Request) -> usize {
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let plan = fitted(&problem, &mut rng_of(1, 0, 0));
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        plan.len()
    }

    #[test]
    fn every_rule_is_kept() {
        let aas = || Request::new(Collective::Aas);
        for topology in ["mesh:4x4", "fat-tree:8", "kautz:2,3", "ring:7,half", "torus:4x4,width=2"]
        {
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                for ports in [None, Some(1), Some(2)] {
                    let request = Request { switching, ports: Ports(ports), ..aas() };
                    assert!(steps(topology, request) > 1, "{topology} {switching} {ports:?}");
                }
            }
            let request = Request { routing: Routing::Slack(1), ..aas() };
            assert!(steps(topology, request) > 1, "{topology}");
        }
        let request = Request { routing: Routing::Static, ..aas() };
        assert!(steps("swiss-t1", request) > 1);
        let request = Request { routing: Routing::Lgl, ..aas() };
        assert!(steps("dragonfly:4,2,2", request) > 1);
    }

    #[test]
    fn the_most_loaded_links_are_seldom_idle() {
        let routing = Routing::Table(Table::find("updown").unwrap());
        let request = Request { routing, ..Request::new(Collective::Aas) };
        let network = spec::parse("mesh:9x10").unwrap();
        // Plain routes up and down: a few links near the root carry most.
        let all = network.terminals();
        let pairs = all.flat_map(|a| network.terminals().map(move |b| (a, b)));
        let routes = up_and_down(&network, pairs.filter(|(a, b)| a != b)).unwrap();
        let problem = Arc::new(request.pose_again(network, vec![], Some(routes)).unwrap());
        let plan = plan_by_loads(&problem, &mut rng_of(1, 0, 0)).unwrap();
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{:?}", verify(&file));
        let load = problem.static_loads().into_iter().max().unwrap() as usize;
        assert!((load..=load + load / 20).contains(&plan.len()), "{} of {load}", plan.len());
        let free = Request::new(Collective::Aas).pose(spec::parse("mesh:9x10").unwrap(), vec![]);
        assert!(plan_by_loads(&Arc::new(free.unwrap()), &mut rng_of(1, 0, 0)).is_none());
    }

    #[test]
    fn it_is_far_below_one_message_a_step() {
        assert!(steps("mesh:8x8", Request::new(Collective::Aas)) < 150);
        let switching = Switching::StoreAndForward;
        assert!(steps("mesh:8x8", Request { switching, ..Request::new(Collective::Aas) }) < 150);
    }
}

//! Networks whose links carry several transfers in a step, and their versions with parallel links.

use ccsched::bounds;
use ccsched::engines::Engine;
use ccsched::islands::{Search, StopCondition, run_on_threads};
use ccsched::network::{Channel, LinkKind, Network, NetworkBuilder};
use ccsched::problem::{Collective, Pair, Problem, Request};
use ccsched::rng::Rng;
use ccsched::schedule::Plan;
use rand::RngExt;
use std::sync::Arc;

use super::checked::{Checker, NEVER};

/// The network with other widths: a link with first channel `c` is replaced by parallel links whose
/// capacities are `copies(c)`.
fn redrawn(network: &Network, mut copies: impl FnMut(&Channel) -> Vec<u32>) -> Network {
    let mut drawn = NetworkBuilder::new(network.name());
    for vertex in network.vertices() {
        drawn.vertex(vertex.name.clone(), vertex.terminal);
    }
    for (id, channel) in (0..).zip(network.channels()) {
        let kind = match channel.reverse {
            Some(reverse) if reverse < id => continue,
            Some(_) if channel.exclusive => LinkKind::HalfDuplex,
            Some(_) => LinkKind::FullDuplex,
            None => LinkKind::OneWay,
        };
        for capacity in copies(channel) {
            drawn.wide_link(channel.from, channel.to, kind, capacity);
        }
    }
    drawn.build().expect("only the widths differ")
}

/// The network with a random capacity from 1 to `most` for every link.
pub fn widened(network: &Network, most: u32, rng: &mut Rng) -> Network {
    redrawn(network, |_| vec![rng.random_range(1..=most)])
}

/// The network with c parallel links of capacity 1 for every link of capacity c.
pub fn in_parallel(network: &Network) -> Network {
    redrawn(network, |channel| vec![1; channel.capacity as usize])
}

/// The same request on another network with the same vertices.
pub fn posed_on(problem: &Problem, network: Network) -> Arc<Problem> {
    let name = |v: u32| problem.network().vertex_name(v).to_string();
    let names = |list: &[u32]| Some(list.iter().map(|&v| name(v)).collect::<Vec<_>>());
    let mut request = Request::new(problem.collective());
    request.switching = problem.switching();
    request.ports = problem.ports();
    request.routing = problem.routing();
    request.source = problem.root().map(name);
    if problem.collective() == Collective::Traffic {
        let pair = |d: &ccsched::problem::Demand| Pair {
            source: name(d.source),
            destination: name(d.destination),
            bytes: None,
            count: 1,
        };
        request.pairs = Some(problem.demands().iter().map(pair).collect());
    } else {
        let one_sender = matches!(problem.collective(), Collective::Oab | Collective::Oas);
        request.senders = names(problem.senders()).filter(|_| !one_sender);
        request.receivers =
            names(problem.receivers()).filter(|_| problem.collective() != Collective::Aog);
    }
    Arc::new(request.pose(network, vec![]).expect("it was posed on the same vertices"))
}

/// The schedule that an engine finds on one island; it and every earlier one is checked.
pub fn schedule(
    problem: &Arc<Problem>,
    engine: Engine,
    iterations: u64,
) -> Result<Arc<Plan>, String> {
    let bound = bounds::all(problem).first().map_or(1, |b| b.steps);
    let walker = engine.searcher(problem).map_err(|e| e.to_string())?.walker(1);
    let search = Search { seed: 1, exchange_every: 10, goal: None, ..Search::default() };
    let stop = StopCondition::new(iterations, None, &NEVER);
    let outcome = run_on_threads(walker, &search, 1, bound, stop, &mut Checker(problem), None);
    outcome.map_err(|e| e.to_string())?.best.ok_or_else(|| "nothing was found".into())
}

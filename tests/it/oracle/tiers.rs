//! Boxes with a fast inside: tiny ones against exact solutions, bound <= exact <= the schedule in two tiers <= one more.

use super::model::Model;
use super::{Exact, MOST_STEPS, found, solve, sums};
use crate::support::checked::complaints_with;
use ccsched::bounds;
use ccsched::engines::construct;
use ccsched::network::{LinkKind, Network, NetworkBuilder};
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use std::sync::Arc;

/// Search nodes until an all-reduce counts as too large.
const NODES: u64 = 300_000;

/// What joins boxes.
#[derive(Clone, Copy, Debug)]
enum Outside {
    /// One switch for all.
    Fabric,
    /// A switch for each lane.
    Rails,
    /// One switch, and an adapter for all of a box.
    Adapters,
}

/// Boxes of terminals that are all joined by links of a width.
fn network(boxes: usize, each: usize, width: u32, outside: Outside) -> Network {
    let mut net = NetworkBuilder::new(format!("{boxes} boxes of {each}, {outside:?}"));
    let v: Vec<u32> = (0..boxes * each).map(|i| net.terminal(i.to_string())).collect();
    let full = LinkKind::FullDuplex;
    for members in v.chunks(each) {
        for (i, &a) in members.iter().enumerate() {
            members[i + 1..].iter().for_each(|&b| net.wide_link(a, b, full, width));
        }
    }
    let rails = if matches!(outside, Outside::Rails) { each } else { 1 };
    let switches: Vec<u32> = (0..rails).map(|i| net.switch(format!("s{i}"))).collect();
    for (number, members) in v.chunks(each).enumerate() {
        match outside {
            Outside::Adapters => {
                let adapter = net.switch(format!("a{number}"));
                members.iter().for_each(|&v| net.link(v, adapter, full));
                net.link(adapter, switches[0], full);
            }
            _ => (members.iter().zip(switches.iter().cycle()))
                .for_each(|(&v, &switch)| net.link(v, switch, full)),
        }
    }
    net.build().unwrap()
}

/// The schedule in two tiers.
fn in_tiers(problem: &Arc<Problem>) -> Option<Plan> {
    let collective = problem.collective();
    if collective.is_all_reduce() {
        return Some(construct::sums_in_tiers(problem, 1)?.0);
    }
    let kind = if collective.content().is_common() { "all-gather" } else { "all-to-all" };
    construct::named(&format!("{kind} construction: two tiers"), problem, &rng_of(1, 0, 2))
}

#[test]
fn bound_exact_in_two_tiers() {
    let (mut made, mut decided, mut equal, mut tight) = (0, 0, 0, 0);
    for (boxes, each, width, outside) in [
        (2, 2, 3, Outside::Fabric),
        (2, 2, 3, Outside::Rails),
        (2, 2, 3, Outside::Adapters),
        (2, 3, 2, Outside::Rails),
    ] {
        for collective in
            [Collective::AllReduce, Collective::Aab, Collective::ReduceScatter, Collective::Aas]
        {
            for switching in [Switching::Wormhole, Switching::Hosts] {
                let request = Request { switching, ..Request::new(collective) };
                let network = network(boxes, each, width, outside);
                let about = format!("{collective} of {}, {switching}", network.name());
                let problem = Arc::new(request.pose(network, vec![]).unwrap());
                let plan = in_tiers(&problem).unwrap_or_else(|| panic!("{about}: none"));
                let bounds = bounds::all(&problem);
                assert_eq!(complaints_with(&problem, &plan, &bounds), "", "{about}");
                made += 1;
                let bound = bounds[0].steps as usize;
                assert!(bound <= plan.len(), "{about}: bound {bound}, {} steps", plan.len());
                let exact = match collective.is_all_reduce() {
                    true => sums::solve(&Model::new(&problem, true), MOST_STEPS, NODES),
                    false => solve(&problem, true),
                };
                let Ok(Exact { steps: exact, .. }) = exact else { continue };
                println!("{about}: bound {bound}, exact {exact}, tiers {}", plan.len());
                assert!(bound <= exact && exact <= plan.len(), "{about}: {bound} {exact}");
                assert!(plan.len() <= exact + 1, "{about}: {} of {exact}", plan.len());
                assert!(found(&problem, &problem, exact, 200) <= plan.len(), "{about}");
                decided += 1;
                equal += usize::from(plan.len() == exact);
                tight += usize::from(bound == exact);
            }
        }
    }
    println!("{made} made, {decided} decided, {equal} equal, {tight} with a tight bound");
    assert!(decided * 2 >= made && equal * 4 >= decided * 3, "{equal} of {decided} of {made}");
}

//! Every constructor on a small member of every family, and on networks that are nearly such a member:
//! a row has a valid schedule or none. So one that takes a network that is not its own is caught.

use super::families::MEMBERS;
use crate::support::checked::complaints;
use crate::support::share::{some, tries_all};
use ccsched::engines::construct::{self, rows};
use ccsched::network::processes::{PerNode, place};
use ccsched::network::{Network, faults, spec};
use ccsched::problem::{Collective, Ports, Request, Roots, Switching};
use ccsched::rng::rng_of;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Terminals of the largest networks: more of them are no more different.
const MOST: usize = 16;
/// Members that more rows take: grids whose sides are even.
const GRIDS: &[&str] = &["torus:4x4", "mesh:4x4", "hypercube:4"];
/// What rows are asked for; all-reduces and barriers have a search of their own.
const ASKED: &[Collective] = &[
    Collective::Oab,
    Collective::Aab,
    Collective::Oas,
    Collective::Aas,
    Collective::Aog,
    Collective::Reduce,
    Collective::ReduceScatter,
];

/// The network of a member, wider ones, and some that are nearly it, with the terminals that take
/// part, if not all do.
fn variants(member: &str) -> Vec<(Network, Option<Vec<String>>)> {
    let network = spec::parse(member).unwrap();
    let mut all = vec![network.clone()];
    all.extend(spec::parse(&format!("{member},width=2")));
    all.extend(spec::parse(&format!("{member},half")));
    let middle = network.channels().len() / 2;
    all.extend(faults::apply(&network, &[middle as u32], &[]));
    if network.routes().is_empty() {
        all.extend([1, 2].map(|width| place(&network, PerNode { processes: 2, width }).unwrap()));
    }
    let names = network.terminals().map(|v| network.vertex_name(v).to_string());
    let some: Vec<String> = names.skip(1).collect();
    let whole = all.into_iter().map(|network| (network, None));
    whole.chain([(network, Some(some))]).collect()
}

/// The problems of a network.
fn requests(processes: &Option<Vec<String>>) -> Vec<Request> {
    let mut requests = Vec::new();
    for &collective in ASKED {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            for ports in [Ports(None), Ports(Some(1))] {
                let source = processes.as_ref().map(|names| names[0].clone());
                let source = source.filter(|_| collective.roots() == Roots::One);
                let processes = processes.clone();
                let asked = Request::new(collective);
                requests.push(Request { switching, ports, processes, source, ..asked });
            }
        }
    }
    requests
}

#[test]
fn every_row_has_a_valid_schedule_or_none() {
    let (rows, rng) = (rows(), rng_of(1, 0, 2));
    let mut answers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = String::new();
    for member in some(MEMBERS).chain(some(GRIDS)) {
        for (network, processes) in variants(member) {
            if network.terminals().count() > MOST {
                continue;
            }
            for request in requests(&processes) {
                let Ok(problem) = request.pose(network.clone(), vec![]) else { continue };
                let problem = Arc::new(problem);
                let of_rows = rows.iter().map(|row| (row.name, row.plan(&problem, &rng)));
                // What is tried through reductions too.
                let made = construct::plan(&problem, 1).map(|(plan, _)| plan);
                for (name, plan) in of_rows.chain([("construct::plan", made)]) {
                    let Some(plan) = plan else { continue };
                    *answers.entry(name).or_default() += 1;
                    let complaints = complaints(&problem, &plan);
                    if !complaints.is_empty() {
                        let what = (request.collective, request.switching, request.ports);
                        wrong += &format!("{name}: {}: {what:?}: {complaints}", network.name());
                    }
                }
            }
        }
    }
    println!("{answers:?}");
    assert_eq!(wrong, "");
    // Rows that answer large problems alone are tried elsewhere.
    assert!(answers.len() >= if tries_all() { 15 } else { 10 }, "{answers:?}");
}

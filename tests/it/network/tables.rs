//! Tables of routes that are made for a network: what every table must be, and what each promises.

use crate::support::checked::{change_routes, file_of};
use ccsched::network::metrics::{dependency_cycle, distances_to};
use ccsched::network::tables::Table;
use ccsched::network::{ChannelId, LinkKind, Network, NetworkBuilder, Routes, VertexId, spec};
use ccsched::problem::{Collective, Problem, Request, Routing};
use ccsched::schedule::{ScheduleFile, resolve};
use ccsched::verify::{Rule, verify};
use ccsched::{Options, bounds, solve};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Networks, and the tables that do not fit them.
const NETWORKS: &[(&str, &[&str])] = &[
    ("mesh:3x4", &["dmodk"]),
    ("torus:4x6", &["dmodk"]),
    ("torus:5x2x3", &["dmodk"]),
    ("hypercube:4", &["dmodk"]),
    ("ring:7,half", &["dmodk"]),
    ("ring:6,simplex", &["dmodk", "updown"]),
    ("petersen", &["dmodk", "dimension-order"]),
    ("kautz:2,3", &["dmodk", "dimension-order", "updown"]),
    ("random-regular:16,3,1", &["dmodk", "dimension-order"]),
    // A ring of six routers with two terminals each.
    ("dragonfly:2,2,1", &["dmodk"]),
    ("dragonfly:4,2,2", &["dmodk", "dimension-order"]),
    ("fat-tree:16", &["dimension-order"]),
    ("binary-tree:8,grow=2", &["dimension-order"]),
    ("omega:8", &["dmodk", "dimension-order"]),
];

pub(super) fn table(name: &str) -> Table {
    Table::find(name).unwrap_or_else(|| panic!("{name} is a table"))
}

pub(super) fn pairs(network: &Network) -> Vec<(VertexId, VertexId)> {
    let ends: Vec<VertexId> = network.terminals().collect();
    let others = |&from: &VertexId| ends.iter().map(move |&to| (from, to)).collect::<Vec<_>>();
    ends.iter().flat_map(others).filter(|(from, to)| from != to).collect()
}

pub(super) fn made(network: &Network, name: &str) -> Result<Routes, String> {
    table(name).routes(network, pairs(network))
}

pub(super) fn cycle(network: &Network, routes: &Routes) -> Option<Vec<ChannelId>> {
    dependency_cycle(network.channels().len(), routes.iter().map(|(.., route)| route))
}

/// The all-to-all scatter by a routing.
fn posed(network: &Network, routing: &str) -> Problem {
    let routing: Routing = routing.parse().unwrap();
    let request = Request { routing, ..Request::new(Collective::Aas) };
    request.pose(network.clone(), vec![]).unwrap()
}

/// Every pair has one route, and every route is a path.
pub(super) fn is_complete(network: &Network, routes: &Routes) {
    assert_eq!(routes.iter().count(), pairs(network).len());
    for (from, to) in pairs(network) {
        let route = routes.get(from, to).expect("every pair has a route");
        let (mut at, mut met) = (from, vec![from]);
        for &c in route {
            assert_eq!(network.channel(c).from, at);
            at = network.channel(c).to;
            assert!(!met.contains(&at), "a route visits a vertex twice");
            met.push(at);
        }
        assert_eq!(at, to);
    }
}

pub(super) fn are_shortest(network: &Network, routes: &Routes) -> bool {
    routes
        .iter()
        .all(|(from, to, route)| route.len() == distances_to(network, to)[from as usize] as usize)
}

/// Whether the next channel depends on vertex and destination alone.
pub(super) fn is_by_destination(network: &Network, routes: &Routes) -> bool {
    let mut next = HashMap::new();
    let mut hops = routes.iter().flat_map(|(_, to, route)| route.iter().map(move |&c| (to, c)));
    hops.all(|(to, c)| *next.entry((network.channel(c).from, to)).or_insert(c) == c)
}

#[test]
fn tables_are_complete_and_keep_their_promises() {
    for &(name, misfits) in NETWORKS {
        let network = spec::parse(name).unwrap();
        for table in Table::all().map(Table::name) {
            let routes = match made(&network, table) {
                Ok(routes) => routes,
                Err(why) => {
                    assert!(misfits.contains(&table), "{table} on {name}: {why}");
                    assert!(why.contains("works on"), "what would be right: {why}");
                    continue;
                }
            };
            assert!(!misfits.contains(&table), "{table} on {name}");
            is_complete(&network, &routes);
            let about = format!("{table} on {name}");
            let is_short = are_shortest(&network, &routes);
            assert!(is_short || table == "updown", "{about}: no shortest paths");
            let is_table = ["destination", "dimension-order", "dmodk"].contains(&table);
            assert!(!is_table || is_by_destination(&network, &routes), "{about}");
            let is_free = table == "updown" || table == "dmodk";
            assert!(!is_free || cycle(&network, &routes).is_none(), "{about}");
        }
    }
}

#[test]
fn dimension_order_has_cycles_on_tori_alone() {
    for (name, has_cycle) in [
        ("mesh:4x4", false),
        ("mesh:3x2x4", false),
        ("hypercube:4", false),
        ("ring:5", true),
        ("torus:4x5", true),
    ] {
        let network = spec::parse(name).unwrap();
        let routes = made(&network, "xy").unwrap();
        assert_eq!(cycle(&network, &routes).is_some(), has_cycle, "{name}");
    }
}

#[test]
fn balanced_tables_are_between_the_bound_and_updown() {
    for &(name, _) in NETWORKS {
        let network = spec::parse(name).unwrap();
        let load = |routing: &str| posed(&network, routing).static_duration();
        let least = bounds::all(&posed(&network, "minimal"))[0].steps;
        let (balanced, destination) = (load("balanced"), load("destination"));
        assert!(least <= balanced, "{name}: {least} > {balanced}");
        assert!(balanced <= destination, "{name}: {balanced} > {destination}");
        if made(&network, "updown").is_ok() {
            assert!(balanced <= load("updown"), "{name}");
        }
    }
}

#[test]
fn tables_reach_the_bound_where_they_should() {
    for (name, routing, steps) in [
        ("torus:8x8", "dimension-order", 64),
        ("torus:8x8", "destination", 64),
        ("torus:4x12", "dimension-order", 72),
        ("hypercube:5", "dimension-order", 16),
        ("fat-tree:32", "dmodk", 31),
        ("fat-tree:32", "updown", 31),
        ("dragonfly:4,2,2", "destination", 71),
    ] {
        let problem = posed(&spec::parse(name).unwrap(), routing);
        assert_eq!(bounds::all(&problem)[0].steps, steps, "{name} {routing}");
    }
}

#[test]
fn messages_of_a_pair_count_each() {
    // The five messages from 1 to 2 have one way; the four from 0 to 2 must take the other way round.
    let network = spec::parse("ring:4,width=2").unwrap();
    let pairs = [(0, 2), (0, 2), (0, 2), (0, 2), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2)];
    let routes = table("balanced").routes(&network, pairs).unwrap();
    let via_3 = routes.get(0, 2).unwrap();
    assert!(via_3.iter().all(|&c| ![network.channel(c).from, network.channel(c).to].contains(&1)));
}

#[test]
fn a_broken_grid_says_which_channel_is_missing() {
    let whole = spec::parse("mesh:3x3").unwrap();
    let broken = ccsched::network::faults::parse_link(&whole, "00-01").unwrap();
    let rest = ccsched::network::faults::apply(&whole, &broken, &[]).unwrap();
    let why = made(&rest, "dimension-order").unwrap_err();
    assert!(why.contains("from '00' to '01'") || why.contains("from '01' to '00'"), "{why}");
    is_complete(&rest, &made(&rest, "updown").unwrap());
}

fn solved(network: &Network, routing: &str) -> ScheduleFile {
    let solution = solve(&posed(network, routing), &Options::default()).unwrap();
    file_of(&solution.problem, solution.plan.as_ref().expect("a schedule"))
}

#[test]
fn the_checker_follows_the_routes_of_a_table() {
    // The shortest routes of a ring have a cycle, those up and down have none.
    let network = spec::parse("ring:6").unwrap();
    let file = solved(&network, "updown");
    assert_eq!(verify(&file), []);
    assert_eq!(file.model.routing, "updown");
    // The same transfers with another table leave it.
    let mut other = file.clone();
    other.model.routes = solved(&network, "balanced").model.routes;
    assert_ne!(other.model.routes, file.model.routes);
    assert!(verify(&other).iter().any(|v| v.rule == Rule::Routing), "{:?}", verify(&other));
    let mut lost = file.clone();
    change_routes(&mut lost, |routes| drop(routes.remove(0)));
    assert!(!verify(&lost).is_empty());
    let mut none = file.clone();
    none.model.routes = None;
    assert!(verify(&none).iter().any(|v| v.to_string().contains("unknown routing 'updown'")));
    let mut free = file.clone();
    free.model.routing = "minimal".into();
    assert!(verify(&free).iter().any(|v| v.to_string().contains("`routes` are for")));
}

#[test]
fn a_file_keeps_its_table_whatever_table_is_made() {
    let file = solved(&spec::parse("torus:3x3").unwrap(), "balanced");
    let mut json: Value = serde_json::from_str(&file.to_json()).unwrap();
    json["model"]["routing"] = json!("updown");
    let changed: ScheduleFile = serde_json::from_value(json).unwrap();
    let (problem, plan) = resolve(&changed).unwrap();
    let again = plan.record(&problem, &[], changed.provenance.clone());
    assert_eq!(again.model, changed.model);
    let mut short = changed.clone();
    change_routes(&mut short, |routes| drop(routes.pop()));
    assert!(resolve(&short).unwrap_err().to_string().contains("no route from"));
}

/// Connected networks of two-way links, with some switches.
fn networks() -> impl Strategy<Value = Network> {
    let vertices = prop::collection::vec((any::<bool>(), any::<u32>()), 1..14);
    let links = prop::collection::vec((any::<u32>(), any::<u32>(), 1..4u32), 0..16);
    (vertices, links, any::<bool>()).prop_map(|(vertices, links, half)| {
        let kind = if half { LinkKind::HalfDuplex } else { LinkKind::FullDuplex };
        let mut net = NetworkBuilder::new("random");
        net.terminal("t");
        for (v, &(terminal, before)) in (1..).zip(&vertices) {
            net.vertex(v.to_string(), terminal);
            net.link(before % v, v, kind);
        }
        let n = vertices.len() as u32 + 1;
        for (from, to, width) in links {
            if from % n != to % n {
                net.wide_link(from % n, to % n, kind, width);
            }
        }
        net.terminal("u");
        net.link(0, n, kind);
        net.build().unwrap()
    })
}

#[test]
fn searches_end_when_no_time_is_left() {
    let network = spec::parse("random-regular:40,4,1").unwrap();
    for name in ["updown", "balanced", "destination"] {
        for most in [0, 30] {
            let asked = AtomicUsize::new(0);
            let left = || f64::from(u8::from(asked.fetch_add(1, Relaxed) < most));
            let routes = table(name).routes_within(&network, pairs(&network), &left).unwrap();
            is_complete(&network, &routes);
            assert!(name != "updown" || cycle(&network, &routes).is_none());
            // A search that goes on asks some thousand times.
            let asked = asked.into_inner();
            assert!(asked < most + 300, "{name}: {asked} after {most}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn updown_never_has_a_cycle(net in networks()) {
        let routes = made(&net, "updown").unwrap();
        is_complete(&net, &routes);
        prop_assert_eq!(cycle(&net, &routes), None);
    }

    #[test]
    fn balanced_tables_of_any_network(net in networks()) {
        for name in ["balanced", "destination"] {
            let routes = made(&net, name).unwrap();
            is_complete(&net, &routes);
            prop_assert!(are_shortest(&net, &routes));
            prop_assert!(name == "balanced" || is_by_destination(&net, &routes));
        }
    }
}

//! The defining properties of groups, actions and images.

use super::group::Chain;
use super::{Action, Group, Images, Lookup, Orbits, groups, groups_of_demands};
use crate::problem::{Collective, Ports, Request};
use ccsched_base::rng::rng_of;
use ccsched_network::metrics::distances_from;
use ccsched_network::{VertexId, spec};
use std::collections::HashSet;
use std::sync::Arc;

const NETWORKS: [&str; 9] = [
    "hypercube:4",
    "torus:4x4",
    "heawood",
    "kautz:3,2",
    "ring:8,half",
    "mesh:4x4",
    "fat-tree:8",
    "petersen",
    "omega:8",
];

fn lookup(topology: &str, ports: Option<u32>) -> Arc<Lookup> {
    let request = Request { ports: Ports(ports), ..Request::new(Collective::Aas) };
    let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
    Arc::new(Lookup::new(Arc::new(problem)))
}

/// Networks where every automorphism fixes a terminal.
const CENTRED: [&str; 4] = ["mesh:3x3", "mesh:3x3x3", "full-binary-tree:7", "mesh:5x3"];

fn groups_of(lookup: &Lookup) -> Vec<Arc<Group>> {
    groups_of_demands(lookup, &mut rng_of(1, 0, 0))
}

#[test]
fn groups_are_groups_that_move_every_terminal_or_all_but_one() {
    let most_at_rest = NETWORKS.map(|t| (t, 0)).into_iter().chain(CENTRED.map(|t| (t, 1)));
    for (topology, most_at_rest) in most_at_rest {
        let lookup = lookup(topology, None);
        let network = lookup.problem().network();
        let terminals: Vec<VertexId> = network.terminals().collect();
        let all = groups_of(&lookup);
        assert!(!all.is_empty(), "{topology}");
        assert_eq!(groups(&lookup, &mut rng_of(1, 0, 0)).is_empty(), most_at_rest > 0);
        for group in all {
            let all: HashSet<&[VertexId]> = (0..group.order()).map(|g| group.element(g)).collect();
            assert_eq!(all.len(), group.order(), "{topology}");
            for a in 0..group.order() {
                assert_eq!(group.product(a, group.inverse(a)), 0, "{topology}");
                let rests = terminals.iter().filter(|&&v| group.element(a)[v as usize] == v);
                let rests: Vec<VertexId> = rests.copied().collect();
                let is_chain = group.has_chains() && Chain::is_of(network, rests.clone());
                assert!(a == 0 || rests.len() <= most_at_rest || is_chain, "{topology}");
                for b in 0..group.order() {
                    let both: Vec<VertexId> =
                        group.element(b).iter().map(|&v| group.element(a)[v as usize]).collect();
                    assert_eq!(group.element(group.product(a, b)), both, "{topology}");
                }
            }
        }
    }
}

#[test]
fn translations_of_the_hypercube_are_found() {
    let orders: Vec<usize> =
        groups_of(&lookup("hypercube:5", None)).iter().map(|g| g.order()).collect();
    assert_eq!(orders.first(), Some(&32));
    assert!(orders.is_sorted_by(|a, b| a >= b), "the largest first: {orders:?}");
}

#[test]
fn groups_need_automorphisms_that_move_every_terminal() {
    // Rotations of the mesh fix no vertex; every automorphism of the tree fixes its root.
    let groups_of = |topology| groups(&lookup(topology, None), &mut rng_of(1, 0, 0));
    let whole = groups_of("mesh:4x4");
    assert!(whole.iter().any(|group| group.order() == 4), "rotations of a square");
    let lopsided = groups_of("full-binary-tree:7");
    assert!(lopsided.is_empty(), "its root stays where it is");
}

#[test]
fn actions_permute_the_steps_as_the_group_multiplies() {
    let mut rng = rng_of(2, 0, 0);
    for topology in NETWORKS {
        for group in groups_of(&lookup(topology, None)) {
            let most = 2 * group.order() as u32 + 3;
            for steps in [1, 2, 3, group.order() as u32 / 2 + 1, group.order() as u32, most] {
                let action = Action::random(&group, steps, &mut rng);
                for a in 0..group.order() {
                    let images: HashSet<u32> = action.images(a).iter().copied().collect();
                    assert_eq!(images.len(), steps as usize, "{topology}");
                    for b in 0..group.order() {
                        for step in 0..steps {
                            let one = action.image(group.product(a, b), step);
                            assert_eq!(one, action.image(a, action.image(b, step)), "{topology}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn images_of_a_cell_are_one_cell_of_the_quotient() {
    let mut rng = rng_of(3, 0, 0);
    let free = NETWORKS.into_iter().chain(CENTRED).map(|t| (t, None));
    for (topology, ports) in free.chain([("torus:4x4", Some(1)), ("mesh:3x3", Some(1))]) {
        let lookup = lookup(topology, ports);
        let problem = lookup.problem();
        for group in groups_of(&lookup) {
            let steps = group.order() as u32 + 1;
            let action = Action::random(&group, steps, &mut rng);
            let images = Images::new(&lookup, &group, action).expect("ports are single or free");
            let transfers = images.orbits().transfers() * group.order();
            let has_chains = transfers < problem.demands().len();
            assert!(has_chains == group.has_chains(), "{topology}");
            for c in 0..problem.network().channels().len() as u32 {
                for step in 0..steps {
                    let cell = images.cell(problem.resources().of_channel(c), step);
                    for g in 0..group.order() {
                        let there = images.channel(g, c);
                        let there = problem.resources().of_channel(there);
                        let image = images.cell(there, images.step(g, step));
                        assert!(images.twins(cell).any(|twin| twin == image), "{topology}");
                    }
                }
            }
        }
    }
}

#[test]
fn images_of_transfers_carry_every_demand_once_along_shortest_paths() {
    let mut bundled = 0;
    for topology in ["mesh:3x3", "mesh:3x3x3", "mesh:5x5x5", "mesh:5x3", "mesh:5x5x3"] {
        let lookup = lookup(topology, None);
        let problem = lookup.problem();
        let network = problem.network();
        for group in groups_of(&lookup) {
            let orbits = Orbits::of(&lookup, &group).expect("it was accepted");
            bundled += usize::from(group.has_chains());
            let mut seen = vec![0; problem.demands().len()];
            for t in 0..orbits.transfers() as u32 {
                let route = orbits.route(t).unwrap_or_default();
                for g in 0..group.order() {
                    for (demand, hops) in orbits.carried(t, g, 0) {
                        seen[demand as usize] += 1;
                        let d = &problem.demands()[demand as usize];
                        let image = |&c: &u32| {
                            let c = network.channel(lookup.channel(c, group.element(g)));
                            [c.from, c.to]
                        };
                        let ends: Vec<u32> = route[hops].iter().flat_map(image).collect();
                        let Some(last) = ends.len().checked_sub(1) else { continue };
                        assert_eq!((ends[0], ends[last]), (d.source, d.destination), "{topology}");
                        let distance = distances_from(network, d.source)[d.destination as usize];
                        assert_eq!(ends.len(), 2 * distance as usize, "{topology}");
                    }
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{topology}");
        }
    }
    assert!(bundled > 10, "{bundled} groups");
}

#[test]
fn groups_keep_fixed_routes() {
    for (topology, routing, order) in
        [("fat-tree:16", "dmodk", 2), ("torus:5x5", "dimension-order", 25), ("mesh:4x4", "xy", 1)]
    {
        let routing = routing.parse().unwrap();
        let request = Request { routing, ..Request::new(Collective::Aas) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let lookup = Lookup::new(Arc::new(problem));
        let groups = groups_of(&lookup);
        let largest = groups.first().map_or(1, |group| group.order());
        assert!(largest >= order, "{topology}: {largest}");
        let problem = lookup.problem();
        for (group, d) in groups.iter().flat_map(|g| problem.demands().iter().map(move |d| (g, d)))
        {
            for g in (0..group.order()).map(|g| group.element(g)) {
                let [from, to] = [d.source, d.destination].map(|v| g[v as usize]);
                let route = problem.fixed_route(d.source, d.destination).unwrap();
                let image: Vec<_> = route.iter().map(|&c| lookup.channel(c, g)).collect();
                assert_eq!(problem.fixed_route(from, to), Some(&image[..]), "{topology}");
            }
        }
    }
}

//! All-to-all broadcasts constructed from a tree and its translates; and groups of translations.

use crate::support::at_once::{at_once, posed};
use crate::support::search::search;
use ccsched::engines::Engine;
use ccsched::network::{LinkKind, Network, NetworkBuilder, faults, spec};
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::rng::{Rng, rng_of};
use ccsched::symmetry::translations::{keeping_links_apart, translations};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::HashSet;

fn aab(switching: Switching, ports: Option<u32>) -> Request {
    Request { switching, ports: Ports(ports), ..Request::new(Collective::Aab) }
}

/// Steps of a constructed schedule, which is valid and as short as its best bound.
fn steps(topology: &str, switching: Switching, ports: Option<u32>) -> usize {
    at_once(spec::parse(topology).unwrap(), aab(switching, ports)).steps.len()
}

#[test]
fn cayley_networks_need_as_many_steps_as_a_terminal_takes_to_receive() {
    for (topology, fewest) in [
        ("hypercube:3", 3),
        ("hypercube:4", 4),
        ("hypercube:5", 7),
        ("hypercube:6", 11),
        ("hypercube:7", 19),
        ("hypercube:8", 32),
        ("torus:4x4", 4),
        ("torus:16x16", 64),
        ("torus:3x4x5", 10),
        ("ring:9", 4),
        ("ring:9,simplex", 8),
        ("chordal-ring:16,8", 5),
        ("complete:12", 1),
        ("complete-bipartite:5,5", 2),
    ] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            assert_eq!(steps(topology, switching, None), fewest, "{topology}, {switching}");
        }
    }
}

#[test]
fn half_duplex_links_and_ports_cost_steps() {
    for (topology, ports, fewest) in [
        ("ring:8,half", None, 7),
        ("torus:16x16,half", None, 128),
        // The group of all translations reverses some of these half-duplex links.
        ("hypercube:5,half", None, 13),
        ("hypercube:8,half", None, 64),
        ("hypercube:6", Some(1), 63),
        ("torus:16x16", Some(2), 128),
        ("torus:5x5", Some(3), 8),
    ] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            assert_eq!(steps(topology, switching, ports), fewest, "{topology}, {switching}");
        }
    }
}

#[test]
fn groups_without_commutation_or_with_several_orbits_do_as_well() {
    for (topology, fewest) in [
        ("kautz:3,2", 4),
        ("kautz:2,4", 12),
        ("heawood", 5),
        ("petersen", 3),
        ("petersen,half", 6),
        ("levi", 10),
        ("mesh:4x4", 8),
        ("debruijn:2,4", 15),
    ] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            assert_eq!(steps(topology, switching, None), fewest, "{topology}, {switching}");
        }
    }
}

/// Vertex i of n is joined to i + j mod n for every jump j; vertices are numbered at random.
fn circulant(n: u32, jumps: &[u32], kind: LinkKind, rng: &mut Rng) -> Network {
    let mut builder = NetworkBuilder::new(format!("circulant:{n},{jumps:?},{kind:?}"));
    let mut numbers: Vec<u32> = (0..n).map(|v| builder.terminal(v.to_string())).collect();
    numbers.shuffle(rng);
    for i in 0..n {
        for &jump in jumps {
            builder.link(numbers[i as usize], numbers[((i + jump) % n) as usize], kind);
        }
    }
    builder.build().unwrap()
}

#[test]
fn circulants_reach_their_bounds_under_any_numbering() {
    let rng = &mut rng_of(5, 0, 0);
    let kinds = [LinkKind::OneWay, LinkKind::FullDuplex, LinkKind::HalfDuplex];
    for kind in kinds.into_iter().cycle().take(30) {
        let n: u32 = rng.random_range(7..40);
        // No jump is n / 2, which would add every half-duplex link twice.
        let mut jumps: Vec<u32> = (2..n.div_ceil(2)).collect();
        jumps.shuffle(rng);
        jumps.truncate(rng.random_range(1..4));
        jumps.push(1);
        let network = circulant(n, &jumps, kind, rng);
        at_once(network, aab(Switching::StoreAndForward, None));
    }
}

#[test]
fn networks_without_a_group_are_left_to_the_search() {
    let torus = spec::parse("torus:4x4").unwrap();
    let mut broken = vec![
        spec::parse("mesh:3x3").unwrap(),
        spec::parse("mesh:3x5").unwrap(),
        spec::parse("random-regular:16,3,1").unwrap(),
    ];
    broken.push(faults::apply(&torus, &[0], &[]).unwrap());
    broken.push(faults::apply(&torus, &[], &[5]).unwrap());
    for network in broken {
        let problem = posed(network, aab(Switching::Wormhole, None));
        let params = Engine::default();
        // The observer of the search refuses invalid schedules.
        let outcome = search(&problem, params, 1, 2, 200).unwrap();
        assert!(outcome.best.is_some(), "{}", problem.network().name());
        assert!(outcome.progress.evaluations > 0, "{}", problem.network().name());
    }
}

#[test]
fn translations_commute_and_map_the_first_vertex_to_each_vertex_once() {
    let rng = &mut rng_of(3, 0, 0);
    for topology in ["hypercube:5", "torus:4x3", "ring:7,simplex", "complete:6", "torus:4x4,half"] {
        let network = spec::parse(topology).unwrap();
        let vertices = network.vertices().len();
        let group = translations(&network, rng).unwrap_or_else(|| panic!("{topology}: none"));
        let images: HashSet<u32> = group.iter().map(|g| g[0]).collect();
        assert_eq!((group.len(), images.len()), (vertices, vertices), "{topology}");
        let ends = |(from, to): (u32, u32)| {
            network.channels().iter().filter(|c| (c.from, c.to) == (from, to)).count()
        };
        for g in &group {
            for h in &group {
                assert!(g.iter().zip(h).all(|(&a, &b)| h[a as usize] == g[b as usize]));
            }
            for c in network.channels() {
                let image = (g[c.from as usize], g[c.to as usize]);
                assert_eq!(ends((c.from, c.to)), ends(image), "{topology}");
            }
        }
    }
    for topology in ["petersen", "kautz:3,2", "mesh:4x4", "fat-tree:8"] {
        assert!(translations(&spec::parse(topology).unwrap(), rng).is_none(), "{topology}");
    }
}

#[test]
fn no_kept_translation_reverses_a_half_duplex_link() {
    let rng = &mut rng_of(4, 0, 0);
    for topology in ["hypercube:5,half", "chordal-ring:16,8,half", "complete:8,half"] {
        let network = spec::parse(topology).unwrap();
        let all = translations(&network, rng).unwrap();
        let kept: HashSet<_> = keeping_links_apart(&network, &all, rng).into_iter().collect();
        assert!(kept.iter().all(|g| all.contains(g)) && all.len().is_multiple_of(kept.len()));
        for g in &kept {
            let turned = |from: u32, to: u32| g[from as usize] == to && g[to as usize] == from;
            assert!(!network.channels().iter().any(|c| turned(c.from, c.to)), "{topology}");
            for h in &kept {
                let product: Vec<u32> = g.iter().map(|&v| h[v as usize]).collect();
                assert!(kept.contains(&product), "{topology}");
            }
        }
    }
}

//! Grids are recognised by their links: whatever the numbers of their routers, with routers that have
//! no terminal, and where some are missing. Routes in dimension order follow.

use super::tables::{are_shortest, cycle, is_by_destination, is_complete, made, pairs, table};
use crate::support::shuffled::shuffled;
use ccsched::network::grid::{Grid, MISSING, Side};
use ccsched::network::metrics::distances_to;
use ccsched::network::{Network, NetworkBuilder, VertexId, faults, spec};
use ccsched::rng::rng_of;
use rand::RngExt;

/// The lengths of the sides, with `o` for rings, the longest first.
fn sides(grid: &Grid) -> String {
    let mut sides = grid.sides.clone();
    sides.sort();
    let side = |side: &Side| format!("{}{}", side.length, if side.is_ring { "o" } else { "" });
    sides.iter().rev().map(side).collect::<Vec<_>>().join("x")
}

/// The grid of a network, whose channels all change one coordinate by one.
fn checked(network: &Network) -> Result<Grid, String> {
    let (grid, place) = Grid::of_routers(network)?;
    for v in 0..network.vertices().len() as VertexId {
        let router = grid.at[place[v as usize]];
        assert!(router == v || network.is_terminal(v), "{}", network.name());
        assert!(router == v || network.heads(v).all(|to| to == router));
    }
    for channel in network.channels() {
        let [from, to] = [channel.from, channel.to].map(|v| place[v as usize]);
        let hops = grid.sides.iter().enumerate().map(|(i, side)| {
            let apart = grid.coordinate(from, i).abs_diff(grid.coordinate(to, i));
            if side.is_ring { apart.min(side.length - apart) } else { apart }
        });
        assert!(hops.sum::<usize>() == 1 || from == to, "{}", network.name());
    }
    Ok(grid)
}

const GRIDS: &[(&str, &str)] = &[
    ("mesh:7", "7"),
    ("ring:9", "9o"),
    ("mesh:3x4", "4x3"),
    ("mesh:7x7", "7x7"),
    ("mesh:2x9", "9x2"),
    ("mesh:3x5x4", "5x4x3"),
    ("mesh:2x3x2x4", "4x3x2x2"),
    ("torus:5x7", "7ox5o"),
    ("torus:3x3", "3ox3o"),
    ("torus:5x2x3", "5ox3ox2"),
    ("torus:6x5x3", "6ox5ox3o"),
    // A ring of four is a product of two lines.
    ("torus:6x4", "6ox2x2"),
    ("torus:4x4x4", "2x2x2x2x2x2"),
    ("hypercube:5", "2x2x2x2x2"),
    ("mesh:5x5,half", "5x5"),
    ("torus:5x6,simplex", "6ox5o"),
];

#[test]
fn shuffled_grids_are_recognised() {
    for &(name, expected) in GRIDS {
        let network = spec::parse(name).unwrap();
        for seed in 0..6 {
            let (other, _) = shuffled(&network, &mut rng_of(seed, 0, 0));
            let found = sides(&checked(&other).unwrap());
            let ring_of_four = expected.replacen("2x2", "4o", 1);
            assert!(found == expected || found == ring_of_four, "{name} {seed}: {found}");
        }
    }
}

/// Of families the numbers show the order of the dimensions, and rings of four.
#[test]
fn numbers_in_rows_say_which_dimension_is_first() {
    let found = |name: &str| -> Vec<usize> {
        let grid = checked(&spec::parse(name).unwrap()).unwrap();
        assert!(grid.at.is_sorted(), "{name}");
        grid.sides.iter().map(|side| side.length).collect()
    };
    assert_eq!(found("mesh:3x4"), [3, 4]);
    assert_eq!(found("torus:5x2x3"), [5, 2, 3]);
    assert_eq!(found("torus:4x4x4"), [4, 4, 4]);
    assert_eq!(found("torus:4x6x4"), [4, 6, 4]);
    assert_eq!(found("hypercube:3"), [2, 2, 2]);
    assert_eq!(found("ring:4"), [4]);
    assert_eq!(found("torus:4x2"), [4, 2]);
}

#[test]
fn other_networks_are_no_grids() {
    for name in [
        "petersen",
        "complete:6",
        "fat-tree:8",
        "chordal-ring:8,4",
        "omega:4",
        "kautz:2,3",
        "random-regular:40,4,1",
        "binary-tree:8",
        "dragonfly:4,2,2",
    ] {
        let Ok(network) = spec::parse(name) else { panic!("{name}") };
        assert!(Grid::of_routers(&network).is_err() && Grid::find(&network).is_none(), "{name}");
    }
}

#[test]
fn shuffled_grids_have_routes_in_dimension_order() {
    for (name, has_cycle) in [
        ("mesh:4x5", Some(false)),
        ("mesh:3x2x4", Some(false)),
        ("hypercube:4", Some(false)),
        ("torus:5x6", Some(true)),
        ("torus:3x3x2", Some(false)),
        ("torus:4x4x3", None),
    ] {
        let network = spec::parse(name).unwrap();
        for seed in 0..4 {
            let (other, _) = shuffled(&network, &mut rng_of(seed, 1, 0));
            let routes = made(&other, "xy").unwrap();
            is_complete(&other, &routes);
            assert!(are_shortest(&other, &routes), "{name} {seed}");
            assert!(is_by_destination(&other, &routes), "{name} {seed}");
            let found = cycle(&other, &routes).is_some();
            assert!(has_cycle.is_none_or(|expected| found == expected), "{name} {seed}");
        }
    }
}

/// A network with other terminals, and this many hosts at each router.
fn with_terminals(network: &Network, is_terminal: impl Fn(usize) -> bool, hosts: u32) -> Network {
    let mut builder = NetworkBuilder::new(network.name());
    for (v, vertex) in network.vertices().iter().enumerate() {
        builder.vertex(&*vertex.name, is_terminal(v));
    }
    let channels = (0..).zip(network.channels());
    for (_, c) in channels.filter(|(id, c)| c.reverse.is_some_and(|reverse| reverse > *id)) {
        builder.duplex(c.from, c.to);
    }
    for v in 0..network.vertices().len() as VertexId {
        for host in 0..hosts {
            let host = builder.terminal(format!("{}/{host}", network.vertex_name(v)));
            builder.duplex(host, v);
        }
    }
    builder.build().unwrap()
}

#[test]
fn routers_need_no_terminal() {
    for (name, terminals, hosts) in [
        ("mesh:4x5", &[1, 2, 7, 12][..], 0),
        ("torus:5x5", &[0, 2, 4, 10, 12], 0),
        ("mesh:3x3x3", &[0, 13, 26], 0),
        ("mesh:4x5", &[], 1),
        ("torus:3x5x3", &[], 2),
    ] {
        let network = spec::parse(name).unwrap();
        let network = with_terminals(&network, |v| terminals.contains(&v), hosts);
        for seed in 0..4 {
            let (other, _) = shuffled(&network, &mut rng_of(seed, 2, 0));
            checked(&other).unwrap();
            let routes = made(&other, "xy").unwrap();
            is_complete(&other, &routes);
            assert!(are_shortest(&other, &routes), "{name} {seed}");
        }
    }
}

fn without(network: &Network, routers: &[VertexId]) -> Network {
    faults::apply(network, &[], routers).unwrap()
}

#[test]
fn missing_routers_leave_the_coordinates_of_the_others() {
    for (name, missing, expected) in [
        ("mesh:4x4", &[5][..], "4x4"),
        ("mesh:4x4", &[0], "4x4"),
        ("mesh:5x6", &[7, 22], "6x5"),
        ("mesh:8x8", &[0, 1, 9, 35, 36, 63], "8x8"),
        ("mesh:4x4x4", &[0, 21, 42, 43], "4x4x4"),
        ("torus:5x7", &[0, 17], "7ox5o"),
        ("torus:8x8", &[0, 1, 8, 9, 36], "8ox8o"),
        ("torus:5x6x5", &[3, 40, 41, 100], "6ox5ox5o"),
        ("hypercube:5", &[3, 17], "2x2x2x2x2"),
    ] {
        let rest = without(&spec::parse(name).unwrap(), missing);
        for seed in 0..6 {
            let (other, _) = shuffled(&rest, &mut rng_of(seed, 3, 0));
            let grid = checked(&other).unwrap_or_else(|why| panic!("{name} {missing:?}: {why}"));
            assert_eq!(sides(&grid), expected, "{name} {missing:?}");
            let gone = grid.at.iter().filter(|&&v| v == MISSING).count();
            assert_eq!(gone, missing.len(), "{name}");
        }
    }
}

/// Of larger grids one router in 30.
#[test]
fn many_routers_may_be_missing() {
    for (name, expected) in
        [("mesh:20x15", "20x15"), ("torus:12x15", "15ox12o"), ("mesh:6x7x5", "7x6x5")]
    {
        let network = spec::parse(name).unwrap();
        let n = network.vertices().len() as VertexId;
        for seed in 0..5 {
            let rng = &mut rng_of(seed, 4, 0);
            let gone: Vec<VertexId> = (0..n).filter(|_| rng.random_range(0..30) == 0).collect();
            let (other, _) = shuffled(&without(&network, &gone), rng);
            assert_eq!(sides(&checked(&other).unwrap()), expected, "{name} {seed}");
        }
    }
}

#[test]
fn routes_beside_missing_routers_are_found_and_others_name_them() {
    let rest = without(&spec::parse("mesh:4x4").unwrap(), &[5]);
    for network in [rest.clone(), shuffled(&rest, &mut rng_of(1, 5, 0)).0] {
        let (grid, place) = Grid::of_routers(&network).unwrap();
        let hole = grid.at.iter().position(|&v| v == MISSING).unwrap();
        let hole = [0, 1].map(|i| grid.coordinate(hole, i));
        let (mut found, mut refused) = (0, 0);
        for (from, to) in pairs(&network) {
            // From the source along the first dimension, then along the second.
            let [from_at, to_at] =
                [from, to].map(|v| [0, 1].map(|i| grid.coordinate(place[v as usize], i)));
            let between = |a: usize, b: usize, c: usize| (a.min(b)..=a.max(b)).contains(&c);
            let crosses = from_at[1] == hole[1] && between(from_at[0], to_at[0], hole[0])
                || to_at[0] == hole[0] && between(from_at[1], to_at[1], hole[1]);
            match table("xy").routes(&network, [(from, to)]) {
                Ok(routes) => {
                    assert_eq!(
                        routes.get(from, to).unwrap().len(),
                        distances_to(&network, to)[from as usize] as usize
                    );
                    assert!(!crosses);
                    found += 1;
                }
                Err(why) => {
                    let is_named = why.contains(&format!(
                        "the router at ({}, {}), which is missing",
                        hole[0], hole[1]
                    ));
                    assert!(crosses && is_named && why.contains("updown works on"), "{why}");
                    refused += 1;
                }
            }
        }
        // 25 routes begin in line with it and 25 end there; 9 do both.
        assert_eq!((found, refused), (169, 41));
    }
}

/// The chains between the holes of this mesh may be laid in several ways.
#[test]
fn coordinates_that_are_open_are_refused() {
    let rest = without(&spec::parse("mesh:5x6").unwrap(), &[7, 15, 22]);
    let why = Grid::of_routers(&rest).err().unwrap();
    assert!(why.contains("too much is missing of a grid to tell the place of '"), "{why}");
    let why = made(&rest, "xy").unwrap_err();
    assert!(why.contains("such as mesh:4x4") && why.contains("updown works on"), "{why}");
}

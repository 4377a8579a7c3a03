//! The table of constructors: every row is reached, and their order carries no meaning.

use crate::support::at_once::problem_of;
use ccsched::engines::Method;
use ccsched::engines::construct::{self, rows};
use ccsched::rng::rng_of;
use rand::seq::SliceRandom;
use std::collections::BTreeSet;

/// A row or reduction, and a problem that it answers: topology, collective, switching, ports, routing.
const REACHED: &[(&str, &str)] = &[
    ("broadcast construction: wormhole tree", "ring:20 oab wh all minimal"),
    ("broadcast construction: stored tree", "ring:20 oab sf all minimal"),
    ("scatter construction: stored tree", "ring:20 oas sf all minimal"),
    ("all-gather construction: translated trees", "hypercube:3 aab wh all minimal"),
    ("all-gather construction: ring", "fat-tree:8 aab wh 1 minimal"),
    ("gossip", "random-regular:80,3,1 aab sf all minimal"),
    ("all-to-all construction: affine plane", "dragonfly:4,2,2 aas wh all lgl"),
    ("all-to-all construction: most of an affine plane", "dragonfly:4,2,2 aas wh all minimal"),
    ("all-to-all construction: line", "mesh:12 aas wh all minimal"),
    ("all-to-all construction: ring", "ring:9 aas wh all minimal"),
    ("all-to-all construction: Moebius ladder", "moebius-ladder:16 aas wh all minimal"),
    ("all-to-all construction: rounds", "torus:5x3 aas wh 1 minimal"),
    ("all-to-all construction: tilings", "torus:7x7 aas wh all minimal"),
    ("all-to-all construction: circuits", "mesh:6x6 aas wh all minimal"),
    ("all-to-all construction: odd square", "mesh:13x13 aas wh all minimal"),
    ("all-to-all construction: odd cube", "mesh:7x7x7 aas wh all minimal"),
    ("all-to-all construction: near square", "mesh:14x13 aas wh all minimal"),
    ("all-to-all construction: two rings", "torus:7x6 aas wh all minimal"),
    ("all-to-all construction: product", "mesh:8x4x3 aas wh all minimal"),
    ("all-to-all construction: near product", "mesh:3x3x3 aas wh all minimal"),
    ("all-to-all construction: boxes", "mesh:6x6x6 aas wh all minimal"),
    ("all-to-all construction: permutations", "omega:8 aas wh all minimal"),
    ("all-to-all construction: leaves and spines", "binary-tree:4 aas wh all minimal"),
    ("all-to-all construction: phases of lines", "mesh:5x4 aas sf all minimal"),
    ("all-to-all construction: translated hops", "torus:4x3 aas sf all minimal"),
    ("all-to-all construction: half duplex", "mesh:4x4,half aas wh all minimal"),
    ("all-to-all construction: within limits", "mesh:4x5 aas wh 1 minimal"),
    ("channel classes", "mesh:9x9,half aas sf all minimal"),
    ("all-to-all construction: hop by hop", "omega:8 aas sf all minimal"),
    ("all-to-all construction: translated fit", "ring:75,simplex aas wh all minimal"),
    ("first fit", "kautz:3,4 aas wh all minimal"),
    ("all-gather construction: two tiers", "rail:2,2,2 aab wh all minimal"),
    ("all-to-all construction: two tiers", "rail:4,8,8 aas wh all minimal"),
];

/// Problems of several rows each.
const SHUFFLED: &[&str] = &[
    "ring:12 aas wh all minimal",
    "mesh:12 aas wh all minimal",
    "mesh:8x8 aas wh all minimal",
    "mesh:6x4 aas wh all minimal",
    "mesh:11x10 aas wh all minimal",
    "mesh:13x13 aas wh all minimal",
    "mesh:14x13 aas wh all minimal",
    "mesh:4x4x4 aas wh all minimal",
    "mesh:6x4x4 aas wh all minimal",
    "mesh:7x7x7 aas wh all minimal",
    "torus:6x6 aas wh all minimal",
    "torus:8x8 aas wh all minimal",
    "torus:7x7 aas wh all minimal",
    "torus:12x6 aas wh all minimal",
    "torus:10x7 aas wh all minimal",
    "torus:9x8 aas wh all minimal",
    "torus:6x6x6 aas wh all minimal",
    "torus:5x5x5 aas wh all minimal",
    "torus:8x4x3 aas wh all minimal",
    "hypercube:5 aas wh all minimal",
    "hypercube:5 aas wh 1 minimal",
    "moebius-ladder:18 aas wh all minimal",
    "mesh:8x4,width=2 aas wh all minimal",
    "mesh:6x6 aas sf all minimal",
    "torus:5x4 aas sf all minimal",
    "mesh:6x6,half aas wh all minimal",
    "mesh:4x5 aas wh 1 minimal",
    "omega:16 aas wh all minimal",
    "dragonfly:4,2,2 aas wh all minimal",
    "ring:99,simplex aas wh all minimal",
    "complete:80 aab wh all minimal",
    "hypercube:4 aab sf 1 minimal",
    "ring:12 oas sf all minimal",
    "rail:3,8,4 aas wh all minimal",
    "dgx-a100:4 aab wh all minimal",
];

#[test]
fn every_row_is_reached() {
    let mut wrong = String::new();
    for (name, words) in REACHED {
        let found = construct::plan(&problem_of(words), 1).map(|(_, method)| method);
        if found != Some(Method::Construction((*name).into())) {
            wrong += &format!("{words}: {found:?} and not {name}\n");
        }
    }
    assert_eq!(wrong, "");
    let reached: BTreeSet<&str> = REACHED.iter().map(|(name, _)| *name).collect();
    let missing: Vec<_> = construct::names().difference(&reached).copied().collect();
    // Words pose no pieces and no groups (side_by_side.rs); the others keep the method of the inner problem.
    assert_eq!(
        missing,
        [
            "all-gather construction: packed trees",
            "groups side by side",
            "mended around faults",
            "merged steps",
            "processes in turns",
            "reversed network",
            "routers for hosts",
            "whole messages"
        ]
    );
}

#[test]
fn the_order_of_rows_carries_no_meaning() {
    let mut wrong = String::new();
    let mut rows = rows();
    for words in SHUFFLED {
        let problem = problem_of(words);
        let steps = |rows: &[_]| construct::made(rows, &problem, 0, 1).map(|(plan, ..)| plan.len());
        let expected = steps(&rows);
        assert!(expected.is_some(), "{words}");
        for seed in 1..5 {
            rows.shuffle(&mut rng_of(seed, 0, 0));
            let found = steps(&rows);
            if found != expected {
                wrong += &format!("{words}: {expected:?} and {found:?}\n");
            }
        }
    }
    assert_eq!(wrong, "");
}

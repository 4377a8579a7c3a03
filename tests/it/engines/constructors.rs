//! Every constructor by its name: its schedules on networks of several sizes are valid and as short
//! as the best bound, and it declines every problem outside its domain.

use crate::support::at_once::{posed, problem_of};
use crate::support::checked::{complaints, file_of};
use crate::support::share::some;
use ccsched::engines::construct::{self, Guarantee, first_fit};
use ccsched::network::processes::{PerNode, place};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Constructor, then problems that it solves, each in five words: topology, collective, switching,
/// ports, routing.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "broadcast construction: wormhole tree",
        &[
            "ring:100 oab wh all minimal",
            "fat-tree:64 oab wh all minimal",
            "hypercube:8 oab wh 1 minimal",
            "slim-fly:5 oab wh all minimal",
        ],
    ),
    (
        "broadcast construction: stored tree",
        &[
            "ring:100 oab sf all minimal",
            "hypercube:8 oab sf 1 minimal",
            "mesh:9x9,half oab sf all minimal",
        ],
    ),
    (
        "scatter construction: stored tree",
        &[
            "ring:100 oas sf all minimal",
            "torus:9x9 oas sf 2 minimal",
            "fat-tree:64 oas sf all minimal",
            "clos:4,4,4 oas sf 1 minimal",
        ],
    ),
    (
        "all-gather construction: translated trees",
        &[
            "hypercube:3 aab wh all minimal",
            "hypercube:6 aab sf all minimal",
            "torus:16x16 aab wh all minimal",
            "ring:9,simplex aab sf all minimal",
            "levi aab wh all minimal",
            "mesh:4x4 aab sf all minimal",
            "torus:5x5 aab wh 3 minimal",
            "mesh:4x4 aab sf 1 minimal",
        ],
    ),
    (
        "all-gather construction: ring",
        &[
            "fat-tree:8 aab wh 1 minimal",
            "fat-tree:16 aab wh all minimal",
            "petersen aab wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: affine plane",
        &[
            "dragonfly:2,1,1 aas wh all lgl",
            "dragonfly:3,1,1 aas wh all lgl",
            "dragonfly:4,2,2 aas wh all lgl",
            "dragonfly:8,2,2 aas wh all lgl",
        ],
    ),
    (
        "merged steps",
        &[
            "mesh:16,width=2 aas wh all minimal",
            "torus:4x4,width=2 aas wh 2 minimal",
            "mesh:8x3,width=2 aas wh all minimal",
            "moebius-ladder:100,width=2 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: line",
        &["mesh:10 aas wh all minimal", "mesh:16 aas wh all minimal", "mesh:33 aas wh all slack:1"],
    ),
    (
        "all-to-all construction: ring",
        &["ring:5 aas wh all slack:1", "ring:33 aas wh all minimal", "ring:34 aas wh all minimal"],
    ),
    (
        "all-to-all construction: rounds",
        &[
            "torus:8x8 aas wh 1 minimal",
            "torus:7x3x2 aas wh 1 slack:1",
            "mesh:4x3 aas wh 1 minimal",
            "hypercube:4 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: circuits",
        &[
            "mesh:6x6 aas wh all minimal",
            "mesh:10x10 aas wh all slack:1",
            "mesh:10x6 aas wh all minimal",
            "mesh:6x8 aas wh all minimal",
            "torus:6x10 aas wh all minimal",
            "torus:6x8 aas wh all minimal",
            "torus:8x8 aas wh all slack:1",
            "torus:6x12 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: product",
        &[
            "mesh:8x8 aas wh all minimal",
            "mesh:7x7 aas wh all slack:1",
            "mesh:8x4x3 aas wh all minimal",
            "torus:8x6 aas wh all minimal",
            "torus:12x5 aas wh all minimal",
            "torus:11x5 aas wh all minimal",
            "torus:8x4x4 aas wh all minimal",
            "torus:16x15 aas wh all minimal",
            "torus:23x9 aas wh all minimal",
            "mesh:15x14 aas wh all minimal",
            "mesh:17x13 aas wh all minimal",
            "hypercube:5 aas wh all minimal",
            "hypercube:7 aas wh all slack:1",
        ],
    ),
    (
        "all-to-all construction: two rings",
        &[
            "torus:7x6 aas wh all minimal",
            "torus:11x9 aas wh all minimal",
            "torus:13x12 aas wh all slack:1",
            "torus:14x11 aas wh all minimal",
            "torus:16x13 aas wh all minimal",
            "torus:23x10 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: odd square",
        &[
            "mesh:13x13 aas wh all minimal",
            "mesh:17x17 aas wh all slack:1",
            "mesh:21x21 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: odd cube",
        &[
            "mesh:7x7x7 aas wh all minimal",
            "mesh:7x7x7 aas wh all slack:1",
            "mesh:11x11x11 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: near square",
        &[
            "mesh:14x13 aas wh all minimal",
            "mesh:17x18 aas wh all slack:1",
            "mesh:22x21 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: boxes",
        &[
            "mesh:6x6x6 aas wh all minimal",
            "mesh:6x4x2 aas wh all slack:1",
            "torus:6x6x6 aas wh all minimal",
            "torus:10x6x6 aas wh all minimal",
            "torus:12x6x6 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: tilings",
        &[
            "torus:5x5 aas wh all minimal",
            "torus:11x11 aas wh all minimal",
            "torus:13x13 aas wh all slack:1",
            "torus:25x25 aas wh all minimal",
            "torus:5x5x5 aas wh all minimal",
            "torus:7x7x7 aas wh all minimal",
            "torus:3x3x3 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: leaves and spines",
        &[
            "binary-tree:4 aas wh all minimal",
            "binary-tree:8 aas wh all minimal",
            "binary-tree:4 aas wh all slack:1",
        ],
    ),
    (
        "all-to-all construction: permutations",
        &[
            "omega:16 aas wh all minimal",
            "butterfly:64 aas wh all minimal",
            "clos:5,5,3 aas wh all minimal",
            "fat-tree:64 aas wh all minimal",
            "hypercube:5 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: phases of lines",
        &[
            "mesh:33 aas sf all minimal",
            "mesh:4x4 aas sf all minimal",
            "mesh:5x7 aas sf all slack:1",
            "mesh:10x9 aas sf all minimal",
            "mesh:22x23 aas sf all minimal",
            "mesh:3x3x3 aas sf all minimal",
            "mesh:9x9x9 aas sf all minimal",
            "mesh:6x5x4 aas sf all minimal",
            "mesh:4x4x4x4 aas sf all minimal",
        ],
    ),
    (
        "all-to-all construction: translated hops",
        &[
            "torus:4x4 aas sf all minimal",
            "torus:5x7 aas sf 1 minimal",
            "torus:4x4x4 aas sf 3 minimal",
            "ring:7 aas sf all minimal",
            "octagon aas sf all minimal",
            "complete:9 aas sf 2 minimal",
            "hypercube:5,width=2 aas sf all minimal",
            "hypercube:7 aas sf all minimal",
        ],
    ),
    (
        "all-to-all construction: within limits",
        &[
            "ring:12 aas wh 1 minimal",
            "mesh:12x5 aas wh 1 minimal",
            "mesh:3x5 aas wh 1 slack:1",
            "torus:8x8x8 aas wh 2 minimal",
            "mesh:8x8 aas wh all dimension-order",
            "mesh:6x10 aas wh all dimension-order",
            "mesh:10x6 aas wh all balanced",
            "mesh:12x5 aas wh 1 dimension-order",
        ],
    ),
    (
        "all-to-all construction: hop by hop",
        &[
            "omega:16 aas sf all minimal",
            "butterfly:8 aas sf all minimal",
            "clos:4,4,4 aas sf all minimal",
            "ring:6 aas sf all minimal",
            "mesh:12x12 aas sf all minimal",
        ],
    ),
    (
        "reversed network",
        &[
            "ring:100 aog sf all minimal",
            "torus:9x9 aog sf 2 minimal",
            "clos:4,4,4 aog sf 1 minimal",
        ],
    ),
    (
        "all-to-all construction: half duplex",
        &[
            "mesh:6x7,half aas wh all minimal",
            "ring:12,half aas wh all minimal",
            "hypercube:4,half aas wh all minimal",
        ],
    ),
    (
        "channel classes",
        &[
            "mesh:9x9,half aas sf all minimal",
            "torus:9x9,half aas sf 1 minimal",
            "hypercube:7 aas sf 1 minimal",
            "torus:9x9 aas sf 1 minimal",
            "torus:9x9 aas sf 2 minimal",
            "ring:101 aas sf 1 minimal",
        ],
    ),
    (
        "all-to-all construction: Moebius ladder",
        &[
            "moebius-ladder:8 aas wh all minimal",
            "moebius-ladder:20 aas wh all slack:1",
            "moebius-ladder:64 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: translated fit",
        &[
            "ring:81,simplex aas wh all minimal",
            "ring:99,simplex aas wh all minimal",
            "ring:99,simplex aas wh 1 minimal",
        ],
    ),
    (
        "first fit",
        &[
            "ring:401 oas wh all minimal",
            "ring:402 oas wh all minimal",
            "ring:400 aog wh all minimal",
        ],
    ),
    (
        "gossip",
        &[
            "complete:80 aab wh all minimal",
            "complete:81 aab sf all minimal",
            "complete:72,width=2 aab wh all minimal",
        ],
    ),
    (
        "all-gather construction: two tiers",
        &[
            "rail:4,8,8 aab wh all minimal",
            "rail:3,8,4 aab wh all minimal",
            "dgx-a100:2 reduce-scatter wh all minimal",
            "rail:4,8,8 aab hosts all minimal",
            "dgx-a100:4 reduce-scatter hosts all minimal",
        ],
    ),
    (
        "all-to-all construction: two tiers",
        &[
            "rail:4,8,8 aas hosts all minimal",
            "rail:3,8,4 aas wh all minimal",
            "rail:3,8,4 aas hosts all minimal",
            "dgx-a100:4 aas wh all minimal",
            "dgx1:2 aas wh all minimal",
        ],
    ),
];

/// The same for constructors that keep near the bound, at most by their guarantee.
const NEAR: &[(&str, &[&str])] = &[
    (
        "all-to-all construction: near product",
        &[
            "mesh:7x7x4 aas wh all minimal",
            "mesh:7x7x4 aas wh all slack:1",
            "mesh:11x11x4 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: most of an affine plane",
        &[
            "dragonfly:4,2,2 aas wh all minimal",
            "dragonfly:4,2,2 aas wh 1 minimal",
            "dragonfly:8,2,2 aas wh all minimal",
        ],
    ),
];

/// Constructor, then similar problems outside its domain: half-duplex links, odd rows, one chord
/// more, another switching or routing, more messages.
const UNKNOWN: &[(&str, &[&str])] = &[
    (
        "broadcast construction: wormhole tree",
        &["ring:8 oab sf all minimal", "ring:8 aab wh all minimal", "ring:8 oas wh all minimal"],
    ),
    (
        "broadcast construction: stored tree",
        &["ring:8 oab wh all minimal", "ring:8 aab sf all minimal", "ring:8 oas sf all minimal"],
    ),
    (
        "scatter construction: stored tree",
        &["ring:8 oas wh all minimal", "ring:8 aas sf all minimal", "ring:8 oab sf all minimal"],
    ),
    (
        "all-gather construction: translated trees",
        &[
            "mesh:3x3 aab wh all minimal",
            "mesh:3x5 aab wh all minimal",
            "random-regular:16,3,1 aab wh all minimal",
            "hypercube:3 aas wh all minimal",
        ],
    ),
    (
        "all-gather construction: ring",
        &[
            "mesh:3x3 aab wh all minimal",
            "mesh:3x5 aab sf 1 minimal",
            "omega:8 aab sf all minimal",
            "ring:8 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: affine plane",
        &["dragonfly:2,2,1 aas wh all lgl", "dragonfly:2,1,1 aas sf all lgl"],
    ),
    (
        "all-to-all construction: line",
        &["mesh:9 aas wh all minimal", "mesh:12 aas sf all minimal", "ring:12 aas wh all minimal"],
    ),
    (
        "all-to-all construction: near product",
        &["petersen aas wh all minimal", "mesh:12 aas wh all minimal", "mesh:8x8 aas wh 1 minimal"],
    ),
    (
        "all-to-all construction: most of an affine plane",
        &["dragonfly:2,2,1 aas wh all lgl", "dragonfly:4,2,2 aas wh all lgl"],
    ),
    (
        "all-to-all construction: ring",
        &[
            "ring:7,half aas wh all minimal",
            "ring:7,simplex aas wh all minimal",
            "chordal-ring:8,3 aas wh all minimal",
            "ring:8 aas sf all minimal",
        ],
    ),
    (
        "all-to-all construction: rounds",
        &[
            "torus:9x3 aas wh 1 minimal",
            "torus:4x4 aas wh 2 minimal",
            "torus:4x4 aas wh all minimal",
            "torus:5x5,half aas wh 1 minimal",
            "kautz:2,3 aas wh 1 minimal",
            "torus:4x4 aas sf 1 minimal",
        ],
    ),
    (
        "all-to-all construction: circuits",
        &[
            "mesh:5x5 aas wh all minimal",
            "torus:5x5 aas wh all minimal",
            "mesh:6x6x6 aas wh all minimal",
            "mesh:6x6,half aas wh all minimal",
            "torus:6x6,half aas wh all minimal",
            "mesh:6x6 aas sf all minimal",
        ],
    ),
    (
        "all-to-all construction: product",
        &[
            "mesh:8x8,half aas wh all minimal",
            "mesh:8x8 aas sf all minimal",
            "mesh:8x8 aas wh 1 minimal",
            "torus:11x11 aas wh all minimal",
            "petersen aas wh all minimal",
            "chordal-ring:16,8 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: two rings",
        &[
            "torus:14x13 aas wh all minimal",
            "torus:9x9 aas wh all minimal",
            "torus:9x7x5 aas wh all minimal",
            "mesh:9x7 aas wh all minimal",
            "torus:9x7,half aas wh all minimal",
            "torus:9x7 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: odd square",
        &[
            "mesh:9x9 aas wh all minimal",
            "mesh:15x15 aas wh all minimal",
            "mesh:17x13 aas wh all minimal",
            "torus:13x13 aas wh all minimal",
            "mesh:13x13,half aas wh all minimal",
            "mesh:13x13 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: odd cube",
        &[
            "mesh:3x3x3 aas wh all minimal",
            "mesh:5x5x5 aas wh all minimal",
            "mesh:7x7x5 aas wh all minimal",
            "torus:7x7x7 aas wh all minimal",
            "mesh:7x7x7,half aas wh all minimal",
            "mesh:7x7x7 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: near square",
        &[
            "mesh:10x9 aas wh all minimal",
            "mesh:15x14 aas wh all minimal",
            "mesh:13x12 aas wh all minimal",
            "torus:14x13 aas wh all minimal",
            "mesh:14x13,half aas wh all minimal",
            "mesh:14x13 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: boxes",
        &[
            "mesh:5x6x6 aas wh all minimal",
            "mesh:6x6 aas wh all minimal",
            "torus:6x6x6,half aas wh all minimal",
            "torus:6x6x6 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: tilings",
        &[
            "torus:5x7 aas wh all minimal",
            "mesh:5x5 aas wh all minimal",
            "torus:5x5,half aas wh all minimal",
            "torus:5x5 aas wh 1 minimal",
        ],
    ),
    (
        "all-to-all construction: phases of lines",
        &[
            "mesh:4x4 aas wh all minimal",
            "mesh:4x4 aab sf all minimal",
            "mesh:4x4 aas sf 1 minimal",
            "mesh:4x4,half aas sf all minimal",
            "mesh:4x4,width=2 aas sf all minimal",
            "mesh:4x4 aas sf all dimension-order",
            "torus:5x4 aas sf all minimal",
            "ring:12 aas sf all minimal",
            "hypercube:4 aas sf all minimal",
        ],
    ),
    (
        "all-to-all construction: translated hops",
        &[
            "torus:4x4 aas wh all minimal",
            "torus:4x4 aab sf all minimal",
            "torus:4x4,half aas sf all minimal",
            "mesh:4x4 aas sf all minimal",
            "petersen aas sf all minimal",
            "torus:4x4 aas sf all dimension-order",
        ],
    ),
    (
        "all-to-all construction: within limits",
        &[
            "mesh:8x8 aas wh all minimal",
            "mesh:8x8 aas sf 1 minimal",
            "mesh:8x8 aab wh 1 minimal",
            "random-regular:20,3,1 aas wh 1 minimal",
            "fat-tree:16 aas wh all dmodk",
            "torus:8x8 aas wh all updown",
        ],
    ),
    (
        "all-to-all construction: hop by hop",
        &[
            "omega:8 aas wh all minimal",
            "omega:8 aab sf all minimal",
            "omega:8 oas sf all minimal",
            "petersen aas sf all minimal",
            "mesh:5x5 aas sf all minimal",
        ],
    ),
    (
        "reversed network",
        &["ring:8 oas sf all minimal", "ring:8 aog wh all minimal", "ring:8 aab sf all minimal"],
    ),
    (
        "merged steps",
        &[
            "mesh:8x8 aas wh all minimal",
            "mesh:8x8,width=2 aas sf all minimal",
            "mesh:8x8,width=2 aab wh all minimal",
            "random-regular:20,3,1,width=2 aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: half duplex",
        &[
            "mesh:6x7 aas wh all minimal",
            "mesh:6x7,half aas sf all minimal",
            "mesh:6x7,half aab wh all minimal",
            "petersen,half aas wh all minimal",
        ],
    ),
    (
        "channel classes",
        &[
            "mesh:8x8,half aas sf all minimal",
            "mesh:22x23,half oas sf all minimal",
            "mesh:9x9 aas sf all minimal",
            "mesh:9x9 aas wh 1 minimal",
            "mesh:9x9 aab sf 1 minimal",
            "fat-tree:128 aas sf 1 minimal",
        ],
    ),
    (
        "all-to-all construction: Moebius ladder",
        &[
            "moebius-ladder:16 aas sf all minimal",
            "moebius-ladder:16 aas wh all updown",
            "moebius-ladder:16,half aas wh all minimal",
            "moebius-ladder:16 oas wh all minimal",
            "petersen aas wh all minimal",
        ],
    ),
    (
        "all-to-all construction: translated fit",
        &[
            "ring:81,simplex aas sf all minimal",
            "ring:73,simplex aas wh all minimal",
            "mesh:9x9 aas wh all minimal",
            "ring:99 aas wh all updown",
        ],
    ),
    ("first fit", &["ring:400 oab wh all minimal", "ring:40 oas wh all minimal"]),
    (
        "gossip",
        &[
            "complete:80 aas wh all minimal",
            "ring:40 aab wh all minimal",
            "fat-tree:128 aab wh all minimal",
        ],
    ),
    (
        "all-to-all construction: leaves and spines",
        &["fat-tree:8 aas wh all minimal", "dgx1:2 aas wh all minimal"],
    ),
    (
        "all-to-all construction: permutations",
        &[
            "omega:8 aas sf all minimal",
            "omega:8 oas wh all minimal",
            "binary-tree:8 aas wh all minimal",
        ],
    ),
    (
        "all-gather construction: two tiers",
        &[
            "rail:4,8,8 aas wh all minimal",
            "rail:4,8,8 aab sf all minimal",
            "dgx-a100:1 aab wh all minimal",
            "mesh:4x4 aab wh all minimal",
            "fat-tree:16 aab wh all minimal",
        ],
    ),
    (
        "all-to-all construction: two tiers",
        &[
            "rail:4,8,8 aab wh all minimal",
            "rail:4,8,8 aas sf all minimal",
            "fat-tree:16 aas wh all minimal",
            "mesh:4x4 aas wh all minimal",
        ],
    ),
];

/// Problems that a row or a reduction answers, and first fit often better.
const BEATEN: &[&str] = &[
    "mesh:9x9 aas sf 1 minimal",
    "mesh:5x5x4 aas sf 1 minimal",
    "mesh:9x9,half aas sf 1 minimal",
    "hypercube:7 aas sf 1 minimal",
    "random-regular:80,3,1 aas sf 1 minimal",
    "torus:7x7 aas wh 1 minimal",
    "torus:9x9 aas wh 1 minimal",
    "torus:5x5x3 aas wh 1 minimal",
    "mesh:7x5x3 aas wh all minimal",
    "mesh:5x5x4 aas wh all minimal",
    "mesh:9x9,half aas wh all minimal",
    "mesh:9x9 aas sf all dimension-order",
    "kautz:3,4 aas sf all minimal",
    "moebius-ladder:80 aas sf 1 minimal",
];
/// Problems with processes on every host: network, processes, width of their links.
const WITH_PROCESSES: &[(&str, u32, u32)] = &[
    ("torus:6x6", 2, 1),
    ("mesh:5x5", 3, 1),
    ("hypercube:4", 4, 1),
    ("hypercube:5", 2, 2),
    ("fat-tree:32", 2, 1),
    ("kautz:3,3", 2, 1),
    ("torus:4x4", 3, 1),
    ("ring:6", 3, 1),
    ("mesh:4x3", 2, 1),
    ("mesh:9x9", 1, 1),
];
/// Most messages of a problem whose schedule is compared with that of first fit.
const MOST_COMPARED: usize = 10_000;

fn plan(name: &str, problem: &Arc<Problem>) -> Option<Plan> {
    construct::named(name, problem, &rng_of(1, 0, 2))
}

#[test]
fn every_constructor_is_tested() {
    // No family has one host a router, and the words below name no pieces, processes, faults and groups; other
    // tests make such problems (reductions, groups side by side, packed trees in their own file).
    let mut all = construct::names();
    let elsewhere = [
        "all-gather construction: packed trees",
        "routers for hosts",
        "processes in turns",
        "whole messages",
        "mended around faults",
        "groups side by side",
    ];
    assert!(elsewhere.iter().all(|name| all.remove(name)));
    let known = [KNOWN, NEAR].concat();
    for (table, least) in [(&known[..], 3), (UNKNOWN, 2)] {
        let tested: BTreeSet<&str> = table.iter().map(|(name, _)| *name).collect();
        assert_eq!(tested, all);
        assert!(table.iter().all(|(_, problems)| problems.len() >= least));
    }
}

#[test]
fn constructors_keep_their_guarantee() {
    let mut wrong = String::new();
    for (name, problems) in KNOWN.iter().chain(NEAR) {
        let row = construct::rows().into_iter().find(|row| row.name == *name);
        let percent = match row.map(|row| row.guarantee) {
            Some(Guarantee::Within(percent)) if NEAR.iter().any(|near| near.0 == *name) => percent,
            _ => 0,
        };
        for words in some(problems) {
            let problem = problem_of(words);
            let Some(plan) = plan(name, &problem) else {
                wrong += &format!("{name}: {words}: declined\n");
                continue;
            };
            let file = file_of(&problem, &plan);
            let bound = file.bounds.iter().map(|b| b.steps).max().unwrap_or(0) as usize;
            let complaints = complaints(&problem, &plan);
            let most = bound * (100 + percent as usize) / 100;
            if plan.len() < bound || plan.len() > most || !complaints.is_empty() {
                let steps = plan.len();
                wrong += &format!("{name}: {words}: {steps} steps, bound {bound} {complaints}\n");
            }
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn constructors_decline_problems_outside_their_domain() {
    let mut wrong = String::new();
    for (name, problems) in UNKNOWN {
        for words in *problems {
            if let Some(plan) = plan(name, &problem_of(words)) {
                wrong += &format!("{name}: {words}: {} steps\n", plan.len());
            }
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn the_affine_plane_leaves_messages_with_shorter_routes_to_first_fit() {
    // Of fifty pairs of routers one is nearer by two global links than by the one between the groups.
    let most = "all-to-all construction: most of an affine plane";
    for (name, words, steps) in [
        (most, "dragonfly:4,2,2 aas wh all minimal", 71..80),
        ("merged steps", "dragonfly:4,2,2,width=2 aas wh all minimal", 36..40),
    ] {
        let problem = problem_of(words);
        let plan = plan(name, &problem);
        let plan = plan.expect("it is balanced");
        assert_eq!(complaints(&problem, &plan), "", "{words}");
        assert!(steps.contains(&plan.len()), "{words}: {} steps", plan.len());
    }
}

/// All-to-all scatter among processes.
fn among_processes(&(topology, processes, width): &(&str, u32, u32)) -> Arc<Problem> {
    let network = spec::parse(topology).unwrap();
    let network = place(&network, PerNode { processes, width }).unwrap();
    posed(network, Request::new(Collective::Aas))
}

#[test]
fn no_schedule_is_longer_than_that_of_first_fit() {
    let known = KNOWN.iter().chain(NEAR).flat_map(|(_, problems)| *problems);
    let words: BTreeSet<&str> = known.chain(BEATEN).copied().collect();
    let problems =
        words.into_iter().map(problem_of).chain(WITH_PROCESSES.iter().map(among_processes));
    let mut wrong = String::new();
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for problem in problems.filter(|problem| problem.demands().len() <= MOST_COMPARED) {
        // None of a broadcast.
        let Some(fitted) = first_fit::plan(&problem, &mut rng_of(1, 0, 2)) else { continue };
        let about = format!("{} {:?}", problem.network().name(), problem.request());
        let (plan, method) = construct::plan(&problem, 1).unwrap_or_else(|| panic!("{about}"));
        let (steps, least) = (plan.len(), fitted.len());
        let complaints = complaints(&problem, &plan);
        if steps > least || !complaints.is_empty() {
            wrong += &format!("{about}: {method}: {steps}, first fit {least} {complaints}\n");
        }
        *compared.entry(method.to_string()).or_default() += 1;
    }
    assert_eq!(wrong, "");
    let first_fits = compared.get("first fit").copied().unwrap_or_default();
    assert!(first_fits > 5 && compared.len() > 20, "{compared:?}");
}

//! Total exchanges on meshes, tori and cylinders, whatever the numbers of their vertices: how many
//! steps a construction needs, and what it declines.

use crate::support::at_once::posed;
use crate::support::checked::complaints_with;
use ccsched::engines::construct;
use ccsched::network::{Network, NetworkBuilder};
use ccsched::problem::{Collective, Problem, Request};
use ccsched::rng::rng_of;
use rand::seq::SliceRandom;
use std::sync::Arc;

/// The product of lines and rings, such as `12x5o` with a ring of 5; vertices and links are added
/// in a random order.
fn grid(text: &str, seed: u64) -> Network {
    let side = |word: &str| (word.trim_end_matches('o').parse().unwrap(), word.ends_with('o'));
    let sides: Vec<(usize, bool)> = text.split('x').map(side).collect();
    let vertices: usize = sides.iter().map(|s| s.0).product();
    let rng = &mut rng_of(seed, 0, 0);
    let mut numbers: Vec<u32> = (0..vertices as u32).collect();
    numbers.shuffle(rng);
    let mut links = Vec::new();
    for v in 0..vertices {
        let mut stride = 1;
        for &(length, is_ring) in sides.iter().rev() {
            let c = v / stride % length;
            if c + 1 < length {
                links.push((v, v + stride));
            } else if is_ring {
                links.push((v, v - c * stride));
            }
            stride *= length;
        }
    }
    links.shuffle(rng);
    let mut builder = NetworkBuilder::new(format!("grid:{text}"));
    (0..vertices).for_each(|v| {
        builder.terminal(v.to_string());
    });
    links.into_iter().for_each(|(a, b)| builder.duplex(numbers[a], numbers[b]));
    builder.build().unwrap()
}

fn total_exchange(network: Network) -> Arc<Problem> {
    posed(network, Request::new(Collective::Aas))
}

#[test]
fn lines_and_rings_multiply() {
    for (text, steps) in [
        // A line of n has floor(n^2/4) steps, a mesh as many for each row.
        ("11", 30),
        ("8x8", 128),
        ("12x12", 432),
        ("7x7", 84),
        ("11x11", 330),
        ("12x5", 180),
        ("9x2", 40),
        ("4x4x4", 64),
        ("8x4x3", 192),
        ("4x4x2x2", 64),
        // A ring of n = 8k or 8k + 4 that no other side outdoes: n^2/8 for each row.
        ("8ox8ox8o", 512),
        ("8ox6o", 48),
        ("12ox5o", 90),
        ("20ox5o", 250),
        ("16ox7o", 224),
        ("12ox3ox3o", 162),
        // Odd rings beside short ones, and equal odd rings: (n^2 - 1)/8 for each row.
        ("11ox5o", 75),
        ("13ox4", 84),
        ("7ox7o", 42),
        ("11ox11o", 165),
        ("3ox3ox3o", 9),
        // Three even sides.
        ("6x6x4", 216),
        ("6ox6ox6o", 162),
        // Two sides of even length, at the bound of the longer one.
        ("6x6", 54),
        ("10x10", 250),
        ("14x6", 294),
        ("18x4", 324),
        ("6ox10o", 75),
        ("10ox14o", 245),
        ("12ox12", 432),
        // Squares of 4k + 1, and sides 4k + 3 and 4k + 1 beside others.
        ("13x13", 546),
        ("17x17", 1224),
        ("15x14", 784),
        ("15x12", 672),
        ("17x13", 936),
        ("11x10", 300),
        // Rings of 8k and of odd length beside any that are shorter by enough.
        ("16ox15o", 480),
        ("23ox9o", 594),
        ("10ox7o", 88),
        ("14ox5o", 123),
        ("18ox15o", 608),
        ("22ox9o", 545),
        // Cylinders.
        ("8ox4", 32),
        ("6ox8", 96),
        ("16ox3", 96),
    ] {
        let problem = total_exchange(grid(text, steps));
        let (plan, name) = construct::plan(&problem, 1).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(plan.len() as u64, steps, "{text}: {name}");
        assert_eq!(complaints_with(&problem, &plan, &[]), "", "{text}: {name}");
    }
}

#[test]
fn similar_networks_are_no_grids() {
    // A rhombus of rows: a grid with one link elsewhere; another link is missing.
    let vertices = 6;
    let rows = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4)];
    for last in [vec![], vec![(2, 4)], vec![(2, 5), (0, 5)], vec![(2, 3)]] {
        let mut builder = NetworkBuilder::new("no grid");
        (0..vertices).for_each(|v| {
            builder.terminal(v.to_string());
        });
        rows.iter().chain(&last).for_each(|&(a, b)| builder.duplex(a, b));
        let problem = total_exchange(builder.build().unwrap());
        for name in ["product", "near product"] {
            let name = format!("all-to-all construction: {name}");
            let plan = construct::named(&name, &problem, &rng_of(1, 0, 2));
            assert!(plan.is_none(), "{name}: {last:?}");
        }
    }
}

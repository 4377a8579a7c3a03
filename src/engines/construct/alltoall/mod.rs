//! Total exchanges (all-to-all scatters) by wormhole switching: on networks with a known structure,
//! every step follows from a formula. The constructors use each link once per step, or in
//! proportion to its capacity over the least; where all links are wide, steps are merged. With
//! store-and-forward switching, messages follow each other along such steps hop by hop (stored.rs).

mod half_duplex;
mod limits;
pub mod merge;
mod pipelined;
mod stored;

use super::closed::{affine, moebius, permutations};
use super::grid::{
    boxes, circuits, hypercube, near_square, odd_cube, odd_square, phases, product, ring, rounds,
    shape, tilings, torus, twice_odd, two_rings,
};
use super::translations::{commuting, translated_fit};
use super::{draft, first_fit, sample, unfinished};
use crate::engines::reduce::Reduction;
use crate::network::VertexId;
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// Of a vertex of a grid with three dimensions: with more of them, paths are short, or have many ways around corners.
const MOST_NEIGHBOURS: usize = 6;

/// Lines of an affine plane, on balanced dragonflies.
pub fn affine(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, affine::plan).or_else(|| {
        let rest = unfinished(problem)?;
        Some(rest.plan(first_fit::fitted(rest.inner(), rng)))
    })
}

/// Those of them between groups, where routing allows no more.
pub fn affine_part(problem: &Problem) -> Option<Plan> {
    total(problem, affine::part)
}

/// Complementary sets of dimensions, on hypercubes.
pub fn hypercube(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, hypercube::plan)
}

/// Opposite messages, on two-dimensional tori.
pub fn torus(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, torus::plan)
}

/// Opposite messages or pairs of vertices, on rings.
pub fn ring(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, ring::plan)
}

/// Arcs of the ring, with and without a rung before them, on Moebius ladders.
pub fn moebius(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, moebius::plan)
}

/// Classes of the messages of lines and rings, on meshes, tori and cylinders.
pub fn product(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| product::plan(problem, rng))
}

/// Permutations of every dimension, on grids with short sides and one port a terminal.
pub fn rounds(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| rounds::plan(problem, rng))
}

/// Circuits of rows and columns, on grids with two sides.
pub fn circuits(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, circuits::plan)
}

/// Circuits of rows and columns that have a centre, on square meshes.
pub fn odd_square(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| odd_square::plan(problem, rng))
}

/// Circuits of rows beside near factors of columns, on meshes that are nearly square.
pub fn near_square(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| near_square::plan(problem, rng))
}

/// Circuits of a ring beside one-way classes of a shorter ring.
pub fn two_rings(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem, two_rings::plan)
}

/// Circuits of a ring beside classes of a shorter side.
pub fn twice_odd(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| twice_odd::plan(problem, rng))
}

/// Circuits of three dimensions.
pub fn boxes(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| boxes::plan(problem, rng))
}

/// Circuits of three dimensions that have a centre, on cubic meshes.
pub fn odd_cube(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| odd_cube::plan(problem, rng))
}

/// Steps whose translates use every channel, on tori with equal sides.
pub fn tilings(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| tilings::plan(problem, rng))
}

/// One permutation per step, where the network passes it.
pub fn permutations(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem, |problem| permutations::plan(problem, rng))
}

/// The steps of another of these constructions in two, where all links are half duplex.
pub fn half_duplex(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    half_duplex::plan(problem, rng)
}

/// The steps of another of these constructions with limited ports or a route for each pair.
pub fn limits(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    limits::plan(problem, rng)
}

/// With store-and-forward switching, one dimension after the other, on lines and meshes.
pub fn phases(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    phases::plan(problem)
}

/// With store-and-forward switching, the hops of every vertex alike, where translations map each to any other.
pub fn commuting(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    commuting::plan(problem, rng)
}

/// First fit of one message for many, where translations map each vertex to any other.
pub fn translated_fit(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    draft::is_total(problem).then(|| translated_fit::plan(problem, &mut rng.clone()))?
}

/// With store-and-forward switching, the steps of another of these constructions hop by hop.
pub fn stored(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    stored::plan(problem, rng)
}

/// Whether the paths of the schedule are parts of one walk: on lines, rings, grids of few dimensions, and Moebius ladders.
pub fn shares_paths(problem: &Problem) -> bool {
    let network = &problem.network;
    let mut vertices = 0..network.vertices().len() as VertexId;
    // First, because it rules out most other networks quickly.
    let is_narrow = vertices.all(|v| network.outgoing(v).len() <= MOST_NEIGHBOURS);
    let is_shared = |grid: &shape::Grid| grid.sides.len() == 1 || grid.corners().is_some();
    let is_grid = || shape::Grid::of(problem).as_ref().is_some_and(is_shared);
    is_narrow && draft::is_total(problem) && (is_grid() || moebius::applies(problem))
}

/// The schedule of a constructor, if the problem is a total exchange; steps are merged where all
/// links are wide.
fn total(problem: &Problem, construct: impl FnOnce(&Problem) -> Option<Plan>) -> Option<Plan> {
    let plan = draft::is_total(problem).then(|| construct(problem))??;
    Some(merge::merged(problem, plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Request};
    use crate::rng::rng_of;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    type Construct = fn(&Arc<Problem>, &mut Rng) -> Option<Plan>;

    /// Grids whose longest side is odd or twice odd, at the bound of this side.
    #[test]
    fn odd_grids_are_at_the_bound() {
        let cases: [(Construct, &[(&str, usize)]); 7] = [
            (
                two_rings,
                &[
                    ("torus:7x6", 36),
                    ("torus:7x5", 30),
                    ("torus:11x9", 135),
                    ("torus:12x11", 198),
                    ("torus:13x11", 231),
                    ("torus:14x11", 270),
                    ("torus:14x12", 294),
                    ("torus:15x13", 364),
                    ("torus:17x7", 252),
                    ("torus:19x18", 810),
                ],
            ),
            (odd_square, &[("mesh:13x13", 546), ("mesh:17x17", 1224)]),
            (odd_cube, &[("mesh:7x7x7", 588)]),
            (near_square, &[("mesh:13x14", 637), ("mesh:18x17", 1377)]),
            (twice_odd, &[("torus:10x7", 88), ("torus:14x5", 123), ("torus:18x11", 446)]),
            (tilings, &[("torus:5x5", 15), ("torus:15x15", 420), ("torus:7x7x7", 294)]),
            (
                product,
                &[
                    ("mesh:11x10", 300),
                    ("mesh:15x14", 784),
                    ("mesh:17x13", 936),
                    ("torus:16x15", 480),
                    ("torus:23x9", 594),
                ],
            ),
        ];
        for (construct, networks) in cases {
            for &(topology, steps) in networks {
                let request = Request::new(Collective::Aas);
                let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
                let plan = construct(&Arc::new(problem.clone()), &mut rng_of(1, 0, 0));
                let plan = plan.unwrap_or_else(|| panic!("{topology}"));
                assert_eq!(plan.len(), steps, "{topology}");
                let file = plan.record(&problem, &[], Provenance::default());
                assert!(verify(&file).is_empty(), "{topology}");
            }
        }
    }
}

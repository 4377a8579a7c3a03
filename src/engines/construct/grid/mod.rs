//! Total exchanges on lines, rings, meshes, tori and cylinders, whatever the numbers of their
//! vertices. The table [`ROWS`] is the door: which sides are served by which file, and how near to
//! the bound. The constructions use each link once a step.
//!
//! A message goes along one dimension after the other. What moves in a dimension is a circuit of a
//! factor (factors.rs), a class of several phases (classes.rs), or a one-way class
//! (two_rings.rs). The files below combine these over the dimensions.

mod boxes;
mod circuits;
pub(super) mod classes;
mod factors;
mod line;
mod moves;
mod near_square;
mod odd_cube;
mod odd_square;
mod phases;
mod product;
mod ring;
mod rounds;
mod sums_of_lines;
mod tilings;
mod two_rings;

pub use sums_of_lines::sums_of_lines;

use super::draft;
use super::row::Guarantee::{AtBound, Within};
use super::row::{Asked, Build, Domain, Guarantee, Links, PortsAsked, RoutesAsked, Row, Size};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use classes::Divisions;

/// Random numbers below a limit.
type Dice<'a> = dyn FnMut(usize) -> usize + 'a;

/// What makes the schedule of a grid.
type Make = fn(&Problem, &Grid, &mut Rng) -> Option<Plan>;

/// A search finishes smaller grids at once.
const FEWEST: usize = 10;

const DOMAIN: Domain = Domain {
    switching: Some(Switching::Wormhole),
    ports: PortsAsked::All,
    routes: RoutesAsked::Free,
    is_narrow: true,
    is_direct: true,
    size: Size::Vertices(FEWEST),
    ..Domain::of(Asked::Exchange)
};
const ANY_SIZE: Domain = Domain { size: Size::Any, ..DOMAIN };
const ONE_PORT: Domain = Domain { ports: PortsAsked::One, ..ANY_SIZE };
const STORED: Domain =
    Domain { switching: Some(Switching::StoreAndForward), links: Links::FullDuplexOfOne, ..DOMAIN };

/// Rows of grids: which sides, the longest first, at which guarantee, by which file. Where the sides
/// of several rows at the bound overlap, the faster one is before the others.
pub const ROWS: &[Row] = &[
    row("all-to-all construction: line", DOMAIN, AtBound, is_line, line::plan),
    row(
        "all-to-all construction: ring",
        ANY_SIZE,
        AtBound,
        |s| s.len() == 1 && s[0].is_ring,
        ring::plan,
    ),
    // Rings of up to 8, lines of up to 4, one port a terminal.
    row(
        "all-to-all construction: rounds",
        ONE_PORT,
        AtBound,
        |s| s.iter().all(rounds::is_short),
        rounds::plan,
    ),
    // Two or three equal odd rings; three of up to tilings::LONGEST.
    row("all-to-all construction: tilings", DOMAIN, AtBound, tilings::has, tilings::plan),
    // Two sides whose factors together are at the bound: even ones, and 4k + 3 beside some others.
    row("all-to-all construction: circuits", DOMAIN, AtBound, |s| s.len() == 2, circuits::plan),
    // A square mesh of 4k + 1.
    row(
        "all-to-all construction: odd square",
        DOMAIN,
        AtBound,
        |s| is_mesh(s, 2, 1) && s[0] == s[1],
        odd_square::plan,
    ),
    // A cubic mesh of 4k + 3.
    row(
        "all-to-all construction: odd cube",
        DOMAIN,
        AtBound,
        |s| is_mesh(s, 3, 3) && is_cube(s) && s[0].length > 3,
        odd_cube::plan,
    ),
    // A mesh of 4k + 2 by 4k + 1.
    row(
        "all-to-all construction: near square",
        DOMAIN,
        AtBound,
        |s| is_mesh(s, 2, 2) && s[0].length == s[1].length + 1,
        near_square::plan,
    ),
    // Two rings of different lengths.
    row(
        "all-to-all construction: two rings",
        DOMAIN,
        AtBound,
        |s| is_torus(s, 2) && s[0] != s[1],
        two_rings::plan,
    ),
    // Any sides whose classes sum up to the bound: a longest line of 4k or ring of 8k, one side much longer.
    by_classes("all-to-all construction: product", AtBound, product::plan),
    // Three even lines, or three even rings.
    row("all-to-all construction: boxes", DOMAIN, AtBound, is_even_box, boxes::plan),
    // Any sides whose classes nearly sum up to the bound.
    by_classes("all-to-all construction: near product", Within(25), product::near),
    // With store-and-forward switching: lines and meshes, but for hypercubes.
    row(
        "all-to-all construction: phases of lines",
        STORED,
        Within(3),
        |s| is_any_mesh(s) && s[0].length > 2,
        phases::plan,
    ),
];

const fn row(
    name: &'static str,
    domain: Domain,
    guarantee: Guarantee,
    sides: fn(&[Side]) -> bool,
    make: Make,
) -> Row {
    Row { name, domain, guarantee, of: Build::Grid(sides, make), slower: &[] }
}

const fn by_classes(
    name: &'static str,
    guarantee: Guarantee,
    make: fn(&Problem, &Grid, &Divisions) -> Option<Plan>,
) -> Row {
    let of = Build::Classes(|sides| !is_line(sides), product::of_sides, make);
    Row { name, domain: DOMAIN, guarantee, of, slower: &[] }
}

fn is_any_mesh(sides: &[Side]) -> bool {
    sides.iter().all(|side| !side.is_ring)
}

fn is_line(sides: &[Side]) -> bool {
    sides.len() == 1 && !sides[0].is_ring
}

/// Whether this many lines, the longest of this length modulo 4.
fn is_mesh(sides: &[Side], dimensions: usize, residue: usize) -> bool {
    sides.len() == dimensions && is_any_mesh(sides) && sides[0].length % 4 == residue
}

fn is_torus(sides: &[Side], dimensions: usize) -> bool {
    sides.len() == dimensions && sides.iter().all(|side| side.is_ring)
}

fn is_cube(sides: &[Side]) -> bool {
    sides.iter().all(|side| *side == sides[0])
}

fn are_even(sides: &[Side]) -> bool {
    sides.iter().all(|side| side.length.is_multiple_of(2))
}

fn is_even_box(sides: &[Side]) -> bool {
    sides.len() == 3 && are_even(sides) && (is_any_mesh(sides) || is_torus(sides, 3))
}

/// The walks that the paths of a schedule share: of a line, a ring, and grids of few dimensions.
pub fn shares_paths(problem: &Problem) -> bool {
    let is_shared = |grid: Grid| grid.sides.len() == 1 || grid.corners().is_some();
    Grid::find(problem.network()).is_some_and(is_shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use std::sync::Arc;

    /// The verified schedule of the row of this name.
    pub(super) fn built(name: &str, topology: &str, request: Request) -> Option<Plan> {
        let row = ROWS.iter().find(|row| row.name.ends_with(name)).unwrap();
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let plan = row.plan(&Arc::new(problem.clone()), &rng_of(1, 0, 0))?;
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        Some(plan)
    }

    /// Steps of the schedule of the row of this name.
    pub(super) fn steps(name: &str, topology: &str) -> Option<usize> {
        built(name, topology, Request::new(Collective::Aas)).map(|plan| plan.len())
    }

    /// Grids whose longest side is odd or twice odd, at the bound of this side.
    #[test]
    fn odd_grids_are_at_the_bound() {
        let cases: [(&str, &[(&str, usize)]); 6] = [
            (
                "two rings",
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
                    ("torus:10x7", 88),
                    ("torus:14x5", 123),
                    ("torus:18x11", 446),
                ],
            ),
            ("odd square", &[("mesh:13x13", 546), ("mesh:17x17", 1224)]),
            ("odd cube", &[("mesh:7x7x7", 588)]),
            ("near square", &[("mesh:13x14", 637), ("mesh:18x17", 1377)]),
            ("tilings", &[("torus:5x5", 15), ("torus:15x15", 420), ("torus:7x7x7", 294)]),
            (
                ": product",
                &[
                    ("mesh:11x10", 300),
                    ("mesh:15x14", 784),
                    ("mesh:17x13", 936),
                    ("torus:16x15", 480),
                    ("torus:23x9", 594),
                ],
            ),
        ];
        for (name, networks) in cases {
            for &(topology, least) in networks {
                assert_eq!(steps(name, topology), Some(least), "{topology}");
            }
        }
    }

    /// Hypercubes are products of lines of two.
    #[test]
    fn hypercubes_are_at_the_bound() {
        for dimension in 4..9 {
            let bound = 1 << (dimension - 1);
            let topology = format!("hypercube:{dimension}");
            assert_eq!(steps(": product", &topology), Some(bound), "{topology}");
        }
    }
}

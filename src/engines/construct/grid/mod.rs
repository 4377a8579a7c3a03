//! Total exchanges on lines, rings, meshes, tori and cylinders, whatever the numbers of their vertices.

pub mod boxes;
pub mod circuits;
mod classes;
mod colouring;
mod corners;
mod factors;
pub mod hypercube;
mod line;
mod line_exchange;
mod moves;
mod near_factors;
pub mod near_square;
pub mod odd_cube;
mod odd_ring;
pub mod odd_square;
mod one_way;
mod orthomorphism;
mod others;
pub mod phases;
pub mod product;
pub mod ring;
mod ring_parts;
pub mod rounds;
pub mod shape;
mod shared;
pub mod tilings;
pub mod torus;
pub mod twice_odd;
pub mod two_rings;

use super::alltoall::merge;
use super::draft;

/// Random numbers below a limit.
type Dice<'a> = dyn FnMut(usize) -> usize + 'a;

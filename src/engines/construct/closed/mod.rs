//! Total exchanges whose every step follows from a formula, on networks other than grids.

pub mod affine;
pub mod disjoint;
pub mod leaf_spine;
pub mod moebius;
pub mod permutations;

use super::draft;

//! Numbers that describe a network; the papers' tables and the lower bounds use them.

mod bisection;
mod dependency;
mod distances;
mod joints;

pub use bisection::{Bisection, NODE_LIMIT, bisection, channel_loads, crossing_bound};
pub use dependency::{Dependencies, dependency_cycle};
pub use distances::{
    Degrees, Distances, Spread, UNREACHABLE, degrees, distances_from, distances_from_any,
    distances_over_switches, distances_to, distances_to_any, girth, spread, two_nearest,
};
pub use joints::{joints_to_part_at, parts_without};

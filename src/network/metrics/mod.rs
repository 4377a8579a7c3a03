//! Numbers that describe a network; the papers' tables and the lower bounds use them.

mod bisection;
mod congestion;
mod degrees;
mod dependency;
mod distances;
mod girth;
mod halves;
mod joints;

pub use bisection::{Bisection, NODE_LIMIT, bisection};
pub use congestion::{channel_loads, crossing_bound};
pub use degrees::{Degrees, degrees};
pub use dependency::{Dependencies, dependency_cycle};
pub use distances::{
    Distances, Spread, UNREACHABLE, distances_from, distances_from_any, distances_over_switches,
    distances_to, distances_to_any, spread, two_nearest,
};
pub use girth::girth;
pub use joints::{joints_to_part_at, parts_without};

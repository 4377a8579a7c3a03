//! Leaving: with routes by destination, all messages that begin at a vertex, or at terminals whose only link leads to it,
//! go to one destination over one channel ([`least_leaving`]). So no such table, with routes of any length, has a smaller
//! load, and no schedule along one fewer steps.

use super::{Bound, Evidence};
use ccsched_model::problem::{Problem, Routing};
use ccsched_network::tables::least_leaving;

pub fn bound(problem: &Problem) -> Option<Bound> {
    match problem.routing() {
        Routing::Table(table) if table.is_by_destination() => {}
        _ => return None,
    }
    let pairs = problem.demands().iter().map(|d| (d.source, d.destination));
    let (steps, vertex) = least_leaving(problem.network(), pairs)?;
    Some(Bound { name: "leaving", steps, evidence: Evidence::Vertex(vertex) })
}

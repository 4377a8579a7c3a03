//! All-to-all broadcast where a terminal receives one message per step: the terminals form a ring,
//! and in every step each passes on to the next the message that it got from the one before (the
//! ring all-gather of MPI libraries). With N terminals that takes N - 1 steps, and a terminal that
//! receives one message per step needs as many.
//!
//! The ring is a cycle of all terminals whose transfers do not conflict, so one step holds them
//! all. In a tree the depth-first order of the leaves is such a cycle: it crosses every link once
//! each way.

use super::cycle;
use super::cycle::Ring;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;

/// A ring all-gather, where a terminal receives one message per step and a ring is found.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_narrow = |&v: &VertexId| problem.receives_at_once(v) == 1;
    if !problem.receivers().iter().any(is_narrow) {
        return None;
    }
    let mut members = [problem.senders(), problem.receivers()].concat();
    members.sort_unstable();
    members.dedup();
    cycle::find(problem, &members, rng).map(|ring| pass_on(problem, &ring))
}

/// Every message goes round to its last receiver, its pieces one after the other.
fn pass_on(problem: &Problem, ring: &Ring) -> Plan {
    let n = ring.len();
    let pieces = problem.pieces();
    let mut plan = Plan::new((n as u32 - 1) * pieces);
    let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
    for demand in of_message.map(|demands| demands[0]) {
        let start = ring.iter().position(|(v, _)| *v == demand.source);
        let start = start.expect("every sender is in the ring");
        let receives =
            |hops: &usize| problem.receivers().binary_search(&ring[(start + hops) % n].0).is_ok();
        let hops = (1..n).rev().find(receives).unwrap_or(0);
        for hop in 0..hops {
            let step = hop * pieces as usize + (demand.message % pieces) as usize;
            plan.push(step, demand.message, &ring[(start + hop) % n].1);
        }
    }
    plan.tidy();
    plan
}

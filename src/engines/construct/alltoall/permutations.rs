//! All-to-all scatter where a terminal sends or receives one message a step: every step is a
//! permutation of the terminals. With N terminals that takes N - 1 steps, and somebody who sends
//! or receives one message a step needs as many.
//!
//! Step t takes terminal i to i XOR t, or to i + t modulo N. Many networks pass such permutations
//! without a conflict: omega and butterfly (umda-multistage-networks, section 2), Clos networks and
//! fat trees. Which network it is does not matter: the paths of every step are sought and found or
//! not, with the terminals in various natural orders.

use super::disjoint::Disjoint;
use super::draft::message;
use super::merge;
use crate::engines::construct::order;
use crate::network::VertexId;
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::{Plan, Transfer};

/// Where a step takes the terminal at some place of the order: `(place, step, terminals)`.
type Scheme = fn(usize, usize, usize) -> usize;

const SCHEMES: [Scheme; 2] = [|i, t, _| i ^ t, |i, t, n| (i + t) % n];

/// Permutations step by step, where somebody sends or receives one message a step and all steps
/// are found.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let network = &problem.network;
    let members = &problem.senders;
    // As many of these steps as fit into one; then nobody can do more in it.
    let factor = merge::factor(problem) as usize;
    let is_narrow =
        |&v: &VertexId| problem.sends_at_once(v) == factor || problem.receives_at_once(v) == factor;
    if problem.has_fixed_routes() || members.len() <= 2 || !members.iter().any(is_narrow) {
        return None;
    }
    let mut orders = order::candidates(network, members);
    orders.rotate_right(1);
    let mut disjoint = Disjoint::new(problem, members);
    for order in orders {
        for scheme in SCHEMES {
            if let Some(plan) = permute(problem, &order, scheme, &mut disjoint, rng) {
                return Some(plan);
            }
        }
    }
    None
}

/// All steps of one scheme, if each of them finds its paths.
fn permute(
    problem: &Problem,
    order: &[usize],
    scheme: Scheme,
    disjoint: &mut Disjoint,
    rng: &mut Rng,
) -> Option<Plan> {
    let n = order.len();
    let mut plan = Plan::new(n as u32 - 1);
    // The last steps are the hardest in numerical order; they are the first to show that a scheme
    // does not work.
    for t in (1..n).rev() {
        let to = |i: usize| scheme(i, t, n);
        if (0..n).any(|i| to(i) >= n) {
            return None;
        }
        let pairs: Vec<(usize, usize)> = (0..n).map(|i| (order[i], order[to(i)])).collect();
        let paths = disjoint.paths(&pairs, rng)?;
        for (&(from, to), channels) in pairs.iter().zip(paths) {
            let message = message(problem, from, to);
            plan.steps[t - 1].push(Transfer { message, channels });
        }
    }
    plan.tidy();
    Some(plan)
}

//! All-to-all scatter where a terminal sends or receives one message per step: every step is a
//! permutation of the terminals. With N terminals that takes N - 1 steps, and a terminal that sends
//! or receives one message per step needs as many.
//!
//! Step t maps terminal i to i XOR t, or to i + t modulo N. Many networks pass such permutations
//! without conflict: omega and butterfly (umda-multistage-networks, section 2), Clos networks and
//! fat trees, these also under fixed routes by destination. The constructor does not recognise the network: it searches for the paths of every
//! step, with the terminals in several natural orders, and gives up if a step has none.

use super::disjoint::Disjoint;
use crate::construct::order;
use crate::ground::sample::channels_and_paths;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;

/// By how many percent the mean of the distances from some terminals may be above that of all.
const TOLERANCE: usize = 3;

/// Steps whose paths are found together.
const BLOCK: usize = 64;

/// The destination of the terminal at a place of the order: `(place, step, terminals)`.
pub type Scheme = fn(usize, usize, usize) -> usize;

pub const SCHEMES: [Scheme; 2] = [|i, t, _| i ^ t, |i, t, n| (i + t) % n];

/// One permutation per step, where a terminal sends or receives one message per step and all steps
/// find their paths.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    let members = problem.senders();
    let is_narrow =
        |&v: &VertexId| problem.sends_at_once(v) == 1 || problem.receives_at_once(v) == 1;
    if members.len() <= 2 || !members.iter().any(is_narrow) || needs_more(problem) {
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

/// Whether the shortest paths of a step have more channels than there are.
fn needs_more(problem: &Problem) -> bool {
    let (channels, paths) = channels_and_paths(problem);
    let free = problem.resources().capacity_of_links() * paths;
    100 * channels * problem.senders().len() > (100 + TOLERANCE) * free
}

/// All steps of one scheme, if each finds its paths.
fn permute(
    problem: &Problem,
    order: &[usize],
    scheme: Scheme,
    disjoint: &mut Disjoint,
    rng: &mut Rng,
) -> Option<Plan> {
    let n = order.len();
    let mut plan = Plan::new(n as u32 - 1);
    // In numerical order the last steps are the hardest, so they come first: a scheme that does not
    // work fails early.
    let steps: Vec<usize> = (1..n).rev().collect();
    let (first, others) = steps.split_at(1);
    for steps in std::iter::once(first).chain(others.chunks(BLOCK)) {
        if steps.iter().any(|&t| (0..n).any(|i| scheme(i, t, n) >= n)) {
            return None;
        }
        let pairs = |&t: &usize| (0..n).map(|i| (order[i], order[scheme(i, t, n)])).collect();
        let pairs: Vec<Vec<(usize, usize)>> = steps.iter().map(pairs).collect();
        let by_rule = disjoint.by_rule(&pairs);
        for ((&t, pairs), by_rule) in steps.iter().zip(&pairs).zip(by_rule) {
            if let Some(step) = by_rule.step {
                plan.put(t - 1, step);
                continue;
            }
            let paths = disjoint.paths(pairs, by_rule.rule, rng)?;
            for (&(from, to), channels) in pairs.iter().zip(paths) {
                plan.push(t - 1, problem.exchanged(from, to), channels);
            }
        }
    }
    plan.tidy();
    Some(plan)
}

//! Clauses of store-and-forward broadcasts: a message comes over a channel from a vertex that had
//! it before the step. No vertex needs to receive a message twice.

use super::knowledge::Message;
use crate::refute::clauses::Clauses;
use crate::refute::meaning::{Group, Meaning};
use batsat::Lit;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_from;
use std::collections::HashMap;

/// Adds all clauses about schedules of `steps` steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    let network = problem.network();
    let distances: HashMap<VertexId, Vec<u32>> =
        problem.senders().iter().map(|&s| (s, distances_from(network, s))).collect();
    let messages = Message::all(problem, steps, clauses, |source, v, step| {
        distances[&source][v as usize] <= step
    });
    for step in 1..=steps {
        // By resource of the problem, the literals of its uses.
        let mut users: Vec<Vec<Lit>> = vec![vec![]; problem.resources().capacities().len()];
        for message in &messages {
            if clauses.are_given_up() {
                return;
            }
            tell_step(problem, message, step, &mut users, clauses);
        }
        super::limit(problem, step - 1, &users, clauses);
    }
}

/// Adds the clauses of one message in one step.
fn tell_step(
    problem: &Problem,
    message: &Message,
    step: u32,
    users: &mut [Vec<Lit>],
    clauses: &mut Clauses<'_>,
) {
    let network = problem.network();
    for v in 0..network.vertices().len() as VertexId {
        let (before, after) = (message.has(v, step - 1), message.has(v, step));
        if before == clauses.yes() || after == clauses.no() {
            continue;
        }
        let mut ways = Vec::new();
        for &c in network.incoming(v) {
            let from = message.has(network.channel(c).from, step - 1);
            if from == clauses.no() {
                continue;
            }
            let source = message.number;
            let way = clauses.variable(Meaning::Crosses { source, channel: c, step: step - 1 });
            clauses.implies(way, &[from]);
            clauses.implies(way, &[!before]);
            clauses.implies(way, &[after]);
            problem.resources().uses(network, problem.switching(), &[c], |resource, _| {
                users[resource as usize].push(way);
            });
            ways.push(way);
        }
        clauses.at_most(1, &ways, Group::Ways(message.number, v, step - 1));
        ways.push(before);
        clauses.implies(after, &ways);
    }
}

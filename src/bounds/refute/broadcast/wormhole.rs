//! Clauses of wormhole broadcasts: a terminal receives a message over a path of allowed channels
//! from a terminal that had it before the step. No terminal needs to receive a message twice. Where
//! ports are unlimited, no path needs to pass through a terminal that already has the message, as
//! that terminal could send it itself.

use super::channels_toward;
use super::knowledge::Message;
use crate::refute::clauses::Clauses;
use crate::refute::meaning::Meaning;
use batsat::Lit;
use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;

/// Adds all clauses about schedules of `steps` steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    let terminals: Vec<VertexId> = problem.network().terminals().collect();
    let toward: Vec<Vec<ChannelId>> =
        terminals.iter().map(|&v| channels_toward(problem, v)).collect();
    let messages =
        Message::all(problem, steps, clauses, |_, v, _| problem.network().is_terminal(v));
    for step in 1..=steps {
        // By resource of the problem, the literals of its uses.
        let mut users: Vec<Vec<Lit>> = vec![vec![]; problem.resources().capacities().len()];
        for message in &messages {
            if clauses.are_given_up() {
                return;
            }
            for (&v, channels) in terminals.iter().zip(&toward) {
                if v != message.source {
                    let delivery = Delivery { problem, message, v, step };
                    delivery.tell(channels, &mut users, clauses);
                }
            }
        }
        super::limit(problem, step - 1, &users, clauses);
    }
}

/// The delivery of a message to a terminal in a step, which happens or not.
struct Delivery<'p> {
    problem: &'p Problem,
    message: &'p Message,
    v: VertexId,
    step: u32,
}

impl Delivery<'_> {
    fn tell(&self, channels: &[ChannelId], users: &mut [Vec<Lit>], clauses: &mut Clauses<'_>) {
        let Delivery { problem, message, v, step } = *self;
        let (network, resources) = (problem.network(), problem.resources());
        let (before, after) = (message.has(v, step - 1), message.has(v, step));
        let (source, vertex) = (message.number, v);
        let comes = clauses.variable(Meaning::Comes { source, vertex, step: step - 1 });
        clauses.implies(comes, &[!before]);
        clauses.implies(comes, &[after]);
        clauses.implies(after, &[before, comes]);
        if let Some(port) = resources.receive_port(v) {
            users[port as usize].push(comes);
        }
        // Whether the path uses a channel.
        let mut used: Vec<Option<Lit>> = vec![None; network.channels().len()];
        for &c in channels {
            let uses = Meaning::Uses { source, vertex, step: step - 1, channel: c };
            let literal = clauses.variable(uses);
            used[c as usize] = Some(literal);
            users[resources.of_channel(c) as usize].push(literal);
            clauses.implies(literal, &[comes]);
            let to = network.channel(c).to;
            if problem.ports().0.is_none() && to != v {
                clauses.implies(literal, &[!message.has(to, step - 1)]);
            }
        }
        let into = |u: VertexId| {
            network.incoming(u).iter().filter_map(|&c| used[c as usize]).collect::<Vec<Lit>>()
        };
        clauses.implies(comes, &into(v));
        let mut begins = HashMap::new();
        for &c in channels {
            let from = network.channel(c).from;
            let mut before_it = into(from);
            before_it
                .push(*begins.entry(from).or_insert_with(|| self.begins(from, users, clauses)));
            let literal = used[c as usize].expect("it is among the channels");
            clauses.implies(literal, &before_it);
        }
    }

    /// Whether the path can begin at a vertex.
    fn begins(&self, from: VertexId, users: &mut [Vec<Lit>], clauses: &mut Clauses<'_>) -> Lit {
        let has = self.message.has(from, self.step - 1);
        let Some(port) = self.problem.resources().send_port(from) else { return has };
        if has == clauses.no() {
            return has;
        }
        let (source, vertex, step) = (self.message.number, self.v, self.step - 1);
        let sends = clauses.variable(Meaning::Begins { source, vertex, step, from });
        clauses.implies(sends, &[has]);
        users[port as usize].push(sends);
        sends
    }
}

//! Literals: a vertex has a message after a step.

use crate::refute::clauses::Clauses;
use crate::refute::meaning::Meaning;
use batsat::Lit;
use ccsched_model::problem::{Demand, Problem};
use ccsched_network::VertexId;

/// One message of a broadcast.
pub struct Message {
    /// Its source.
    pub source: VertexId,
    /// Its number in the map of variables: its source, if messages are not cut.
    pub number: u32,
    /// By vertex and step, from 0: whether the vertex has the message after that many steps.
    has: Vec<Vec<Lit>>,
}

impl Message {
    /// The messages of a broadcast in `steps` steps: a vertex keeps what it has received, and in
    /// the end every receiver has every message. `can_hold(source, vertex, step)` excludes what is
    /// impossible.
    pub fn all(
        problem: &Problem,
        steps: u32,
        clauses: &mut Clauses<'_>,
        can_hold: impl Fn(VertexId, VertexId, u32) -> bool,
    ) -> Vec<Message> {
        let mut messages = Vec::with_capacity(problem.messages());
        for demands in problem.demands().chunk_by(|a, b| a.message == b.message) {
            if clauses.are_given_up() {
                break;
            }
            messages.push(Message::new(problem, steps, clauses, &can_hold, demands));
        }
        messages
    }

    fn new(
        problem: &Problem,
        steps: u32,
        clauses: &mut Clauses<'_>,
        can_hold: &impl Fn(VertexId, VertexId, u32) -> bool,
        demands: &[Demand],
    ) -> Self {
        let (source, pieces) = (demands[0].source, problem.pieces());
        let number = source * pieces + demands[0].message % pieces;
        let n = problem.network().vertices().len() as VertexId;
        let mut has = Vec::with_capacity(n as usize);
        for v in 0..n {
            let mut line = Vec::with_capacity(steps as usize + 1);
            for step in 0..=steps {
                line.push(if v == source {
                    clauses.yes()
                } else if step > 0 && can_hold(source, v, step) {
                    clauses.variable(Meaning::Has { source: number, vertex: v, steps: step })
                } else {
                    clauses.no()
                });
            }
            line.windows(2).for_each(|pair| clauses.implies(pair[0], &[pair[1]]));
            has.push(line);
        }
        demands.iter().for_each(|d| clauses.any(&[has[d.destination as usize][steps as usize]]));
        Message { source, number, has }
    }

    /// Whether a vertex has it after `step` steps.
    pub fn has(&self, v: VertexId, step: u32) -> Lit {
        self.has[v as usize][step as usize]
    }
}

//! Messages by source, destination and copy, as schedule files name them.

use super::{Content, MessageId, Problem};
use crate::network::VertexId;
use std::collections::HashMap;

/// The messages of a problem by source, destination and copy.
#[derive(Clone, Debug)]
pub struct Messages {
    content: Content,
    by_ends: HashMap<(VertexId, Option<VertexId>, u32), MessageId>,
}

impl Messages {
    /// The messages of a problem.
    pub fn of(problem: &Problem) -> Self {
        let content = problem.collective.content();
        let by_ends = problem
            .demands
            .iter()
            .zip(copies(problem))
            .map(|(d, copy)| ((d.source, told_by(content, d.destination), copy), d.message));
        Messages { content, by_ends: by_ends.collect() }
    }

    /// The message from one vertex to another; `copy`, from 1, selects one of several messages with
    /// these ends. A broadcast message is found by any of its destinations.
    pub fn find(&self, source: VertexId, destination: VertexId, copy: u32) -> Option<MessageId> {
        self.by_ends.get(&(source, told_by(self.content, destination), copy)).copied()
    }
}

/// The destination as a part of a message's key; none if a source has one message for all.
fn told_by(content: Content, destination: VertexId) -> Option<VertexId> {
    content.is_personal().then_some(destination)
}

/// By demand, its number, from 1, among the demands with the same ends, which are consecutive.
pub fn copies(problem: &Problem) -> impl Iterator<Item = u32> {
    problem.pairs().flat_map(|copies| 1..=copies.len() as u32)
}

//! Common parts of the constructors of total exchanges: assembly of a schedule from
//! walks.

use super::first_fit;
use crate::ground::in_step::fits;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, Network, VertexId, Walk};
use std::borrow::Borrow;
use std::ops::Range;

/// The channels along a walk; none if one is missing.
pub fn channels_along(network: &Network, vertices: &[VertexId]) -> Option<Vec<ChannelId>> {
    let hop = |pair: &[VertexId]| {
        let leads = |&c: &ChannelId| network.channel(c).to == pair[1];
        network.outgoing(pair[0]).iter().copied().find(leads)
    };
    vertices.windows(2).map(hop).collect()
}

/// A partial schedule of transfers, along walks given by vertices or routes given by channels.
pub struct Draft<'p> {
    problem: &'p Problem,
    /// By vertex, its index among the senders.
    place: Vec<usize>,
    plan: Plan,
}

impl<'p> Draft<'p> {
    /// An empty draft of a number of steps.
    pub fn new(problem: &'p Problem, steps: usize) -> Self {
        let place = problem.places_of_senders();
        Draft { problem, place, plan: Plan::new(steps as u32) }
    }

    /// Adds the transfer along a route between two senders to a step.
    pub fn route(
        &mut self,
        step: usize,
        ends: (VertexId, VertexId),
        channels: impl IntoIterator<Item = impl Borrow<ChannelId>>,
    ) {
        self.plan.push(step, self.message(ends), channels);
    }

    /// The same along a part of a walk that routes share.
    pub fn part(
        &mut self,
        step: usize,
        ends: (VertexId, VertexId),
        walk: &Walk,
        place: Range<usize>,
    ) {
        self.plan.push_part(step, self.message(ends), walk, place);
    }

    fn message(&self, ends: (VertexId, VertexId)) -> MessageId {
        let [from, to] = [ends.0, ends.1].map(|v| self.place[v as usize]);
        self.problem.exchanged(from, to)
    }

    /// The schedule with all messages that are missing, where they fit.
    pub fn complete(mut self) -> Option<Plan> {
        self.plan = first_fit::completed(self.problem, self.plan);
        self.finish()
    }

    /// The schedule, if it is complete and conflict-free (half-duplex links or few ports may cause
    /// conflicts).
    pub fn finish(self) -> Option<Plan> {
        let messages = self.problem.demands().len();
        self.unfinished().filter(|plan| plan.transfers().count() == messages)
    }

    /// The schedule, if it is conflict-free and no message is in it twice; some may be missing.
    pub fn unfinished(mut self) -> Option<Plan> {
        let mut is_sent = vec![false; self.problem.demands().len()];
        for transfer in self.plan.transfers() {
            if std::mem::replace(&mut is_sent[transfer.message as usize], true) {
                return None;
            }
        }
        if !fits(self.problem, &self.plan) {
            return None;
        }
        self.plan.tidy();
        Some(self.plan)
    }
}

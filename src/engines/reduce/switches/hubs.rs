//! The switches with hosts.

use ccsched_model::problem::Problem;
use ccsched_network::{Channel, ChannelId, MAX_CAPACITY, Network, VertexId};
use std::collections::BTreeMap;

/// A switch with the hosts that take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    pub switch: VertexId,
    /// Ascending; the same hosts as the receivers, or none of them.
    pub senders: Vec<VertexId>,
    /// Ascending.
    pub receivers: Vec<VertexId>,
    /// Messages that a sender sends in a step.
    pub sends: usize,
    /// Messages that a receiver receives in a step.
    pub receives: usize,
}

impl Hub {
    /// Number of hosts that send and receive.
    pub fn both(&self) -> usize {
        if self.senders == self.receivers { self.senders.len() } else { 0 }
    }

    /// Messages that the hosts send together in a step; at least 1.
    pub fn width_out(&self) -> u32 {
        (self.senders.len() * self.sends).max(1) as u32
    }

    /// Messages that the hosts receive together in a step; at least 1.
    pub fn width_into(&self) -> u32 {
        (self.receivers.len() * self.receives).max(1) as u32
    }

    fn is_sound(&self) -> bool {
        let is_apart = self.senders.iter().all(|v| self.receivers.binary_search(v).is_err());
        (self.senders == self.receivers || is_apart)
            && self.width_out().max(self.width_into()) <= MAX_CAPACITY
    }
}

/// The switches with hosts that take part, ascending; none if some terminal is not joined to one
/// switch alone, by at most one channel each way, if hosts of one switch are not alike, or if no
/// switch has several senders or several receivers.
pub fn hubs(problem: &Problem) -> Option<Vec<Hub>> {
    let network = problem.network();
    let mut hubs: BTreeMap<VertexId, Hub> = BTreeMap::new();
    for v in network.terminals() {
        let switch = switch_of(network, v)?;
        let hub = hubs.entry(switch).or_insert_with(|| Hub {
            switch,
            senders: Vec::new(),
            receivers: Vec::new(),
            sends: 0,
            receives: 0,
        });
        if problem.senders().binary_search(&v).is_ok() {
            join(&mut hub.senders, &mut hub.sends, v, problem.sends_at_once(v))?;
        }
        if problem.receivers().binary_search(&v).is_ok() {
            join(&mut hub.receivers, &mut hub.receives, v, problem.receives_at_once(v))?;
        }
    }
    let hubs: Vec<Hub> = hubs.into_values().collect();
    let has_several = hubs.iter().any(|hub| hub.senders.len().max(hub.receivers.len()) > 1);
    (has_several && hubs.iter().all(Hub::is_sound)).then_some(hubs)
}

/// Adds a host that sends, or receives, `at_once` messages in a step; none if others of its switch
/// have another number.
fn join(hosts: &mut Vec<VertexId>, each: &mut usize, v: VertexId, at_once: usize) -> Option<()> {
    let is_alike = hosts.is_empty() || *each == at_once;
    hosts.push(v);
    *each = at_once;
    is_alike.then_some(())
}

/// The switch of a host.
fn switch_of(network: &Network, v: VertexId) -> Option<VertexId> {
    let (out, into) = (network.outgoing(v), network.incoming(v));
    let channel = |c: &ChannelId| network.channel(*c);
    let is_shared = |c: &Channel| c.exclusive;
    let is_alone =
        out.len() <= 1 && into.len() <= 1 && !out.iter().chain(into).map(channel).any(is_shared);
    let mut ends = out.iter().map(|c| channel(c).to).chain(into.iter().map(|c| channel(c).from));
    let switch = ends.next()?;
    (is_alone && ends.all(|other| other == switch) && !network.is_terminal(switch))
        .then_some(switch)
}

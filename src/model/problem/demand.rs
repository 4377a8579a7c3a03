//! Demands: the deliveries that a schedule must make.

use super::Content;
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Index of a message. A broadcast message is one message for all its destinations.
pub type MessageId = u32;

/// The delivery of a message from its source to one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The message.
    pub message: MessageId,
    /// The vertex that has it at the beginning.
    pub source: VertexId,
    /// The vertex that must have it at the end.
    pub destination: VertexId,
}

/// What a transfer does with a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It hands over what its start holds of the sum.
    Reduce,
    /// It copies the complete sum.
    Gather,
}

/// Demands by sender, then receiver. A broadcast has one message a sender, a scatter one a pair.
pub(super) fn demands(
    content: Content,
    senders: &[VertexId],
    receivers: &[VertexId],
) -> Vec<Demand> {
    let mut demands = Vec::with_capacity(senders.len() * receivers.len());
    let mut message = 0;
    for &source in senders {
        let before = demands.len();
        for &destination in receivers.iter().filter(|&&d| d != source) {
            demands.push(Demand { message, source, destination });
            message += u32::from(content.is_personal());
        }
        message += u32::from(content.is_common() && demands.len() > before);
    }
    demands
}

/// The demands of each message, then those of as many messages with the same ends.
pub(super) fn twice(demands: Vec<Demand>) -> Vec<Demand> {
    let messages = demands.last().map_or(0, |d| d.message + 1);
    let again = |d: &Demand| Demand { message: d.message + messages, ..*d };
    let again: Vec<Demand> = demands.iter().map(again).collect();
    [demands, again].concat()
}

/// The demands of messages in this number of pieces, and the lengths of the pieces, if messages have
/// lengths. Those of a piece stand side by side, and the pieces of a message.
pub(super) fn cut(
    pieces: u32,
    whole: Vec<Demand>,
    lengths: Option<Vec<u64>>,
) -> (Vec<Demand>, Option<Vec<u64>>) {
    if pieces == 1 {
        return (whole, lengths);
    }
    let mut demands = Vec::with_capacity(whole.len() * pieces as usize);
    for of_message in whole.chunk_by(|a, b| a.message == b.message) {
        for piece in 0..pieces {
            let of_piece = |d: &Demand| Demand { message: d.message * pieces + piece, ..*d };
            demands.extend(of_message.iter().map(of_piece));
        }
    }
    let of_message =
        |bytes| std::iter::repeat_n(u64::div_ceil(bytes, pieces.into()), pieces as usize);
    (demands, lengths.map(|whole| whole.into_iter().flat_map(of_message).collect()))
}

/// The demands from destination to source, by destination.
pub(super) fn turned(demands: &[Demand]) -> Vec<Demand> {
    let turn = |d: &Demand| Demand { source: d.destination, destination: d.source, ..*d };
    let mut turned: Vec<Demand> = demands.iter().map(turn).collect();
    turned.sort_unstable_by_key(|d| (d.source, d.destination));
    turned
}

/// The sources and the destinations of demands, ascending.
pub(super) fn ends_of(demands: &[Demand]) -> [Vec<VertexId>; 2] {
    let ends = |end: fn(&Demand) -> VertexId| {
        let all: BTreeSet<VertexId> = demands.iter().map(end).collect();
        all.into_iter().collect()
    };
    [ends(|d| d.source), ends(|d| d.destination)]
}

//! Demands: the deliveries that a schedule must make.

use ccsched_network::VertexId;

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

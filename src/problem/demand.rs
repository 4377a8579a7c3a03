//! Deliveries.

use crate::network::VertexId;

/// Index of a message. A broadcast message is one for all its destinations.
pub type MessageId = u32;

/// One message is to get from its source to one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Which message.
    pub message: MessageId,
    /// Where it is at the beginning.
    pub source: VertexId,
    /// Where it is to be at the end.
    pub destination: VertexId,
}

//! The distances to the destination of the present message, in memory that is near: the table of all
//! distances is larger than the caches, and a row of it is read in no order.

use crate::network::VertexId;
use crate::routing::DistanceTable;

/// The row of a destination.
pub struct Near<'d> {
    distances: &'d DistanceTable,
    /// The last destination, and the one whose row is copied.
    last: Option<VertexId>,
    copied: Option<VertexId>,
    row: Vec<u16>,
}

impl<'d> Near<'d> {
    /// No row yet.
    pub fn new(distances: &'d DistanceTable) -> Self {
        Near { distances, last: None, copied: None, row: Vec::new() }
    }

    /// The distances to a destination, by vertex. The row is copied, in order, at the second message in
    /// turn: for one alone it would take longer than it saves.
    pub fn to(&mut self, destination: VertexId) -> &[u16] {
        if self.copied == Some(destination) {
            return &self.row;
        }
        let row = self.distances.row(destination);
        if self.last.replace(destination) != Some(destination) {
            return row;
        }
        self.copied = Some(destination);
        self.row.clear();
        self.row.extend_from_slice(row);
        &self.row
    }
}

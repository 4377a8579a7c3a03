//! Channels by vertex, as one flat array with offsets.

use super::{ChannelId, VertexId};
use serde::{Deserialize, Serialize};
use std::iter::repeat_n;
use std::sync::Arc;

/// For every vertex the ids of its channels on one side, ascending. Clones share the arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjacency {
    /// `offsets[v]..offsets[v + 1]` is the range of `v` in `channels`.
    offsets: Arc<[u32]>,
    channels: Arc<[ChannelId]>,
}

impl Adjacency {
    /// Groups channel `i` under the vertex that `ends` yields for it.
    pub fn group(vertices: usize, ends: impl Iterator<Item = VertexId> + Clone) -> Self {
        // Both are filled where they stay, for a large network has no memory for copies.
        let unshared = "not shared yet";
        let mut kept: Arc<[u32]> = repeat_n(0, vertices + 1).collect();
        let offsets = Arc::get_mut(&mut kept).expect(unshared);
        for v in ends.clone() {
            offsets[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut channels: Arc<[ChannelId]> = repeat_n(0, offsets[vertices] as usize).collect();
        let places = Arc::get_mut(&mut channels).expect(unshared);
        for (id, v) in ends.enumerate() {
            places[offsets[v as usize] as usize] = id as ChannelId;
            offsets[v as usize] += 1;
        }
        // Each offset has moved to the next one's place.
        offsets.rotate_right(1);
        offsets[0] = 0;
        Adjacency { offsets: kept, channels }
    }

    /// The channels of one vertex.
    #[inline]
    pub fn of(&self, v: VertexId) -> &[ChannelId] {
        let v = v as usize;
        &self.channels[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

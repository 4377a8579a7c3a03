//! Channels by vertex, as one flat array with offsets.

use super::{ChannelId, VertexId};
use serde::{Deserialize, Serialize};
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
        let mut offsets = vec![0u32; vertices + 1];
        for v in ends.clone() {
            offsets[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut channels = vec![0; offsets[vertices] as usize];
        for (id, v) in ends.enumerate() {
            channels[next[v as usize] as usize] = id as ChannelId;
            next[v as usize] += 1;
        }
        Adjacency { offsets: offsets.into(), channels: channels.into() }
    }

    /// The channels of one vertex.
    #[inline]
    pub fn of(&self, v: VertexId) -> &[ChannelId] {
        let v = v as usize;
        &self.channels[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

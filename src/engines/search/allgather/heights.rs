//! Heights: the number of hops that a message still has to go beyond a vertex on shortest paths.
//!
//! If a message reaches a vertex with fewer steps left than its height, some receiver gets it too
//! late, unless the message reaches that receiver by another path.

use super::board::Board;
use super::hops::Hops;
use ccsched_model::problem::MessageId;
use ccsched_network::VertexId;

/// The height where no shortest path leads to a receiver.
const NOWHERE: u16 = u16::MAX;

/// Heights, by message, then vertex.
#[derive(Clone, Debug)]
pub struct Heights {
    vertices: usize,
    flat: Vec<u16>,
}

impl Heights {
    /// Heights in direct hops.
    pub fn new(board: &Board, hops: &Hops) -> Self {
        let vertices = board.vertices();
        let mut flat = vec![NOWHERE; board.messages() * vertices];
        let mut distance = vec![u16::MAX; vertices];
        let mut queue: Vec<VertexId> = Vec::with_capacity(vertices);
        for (m, row) in flat.chunks_mut(vertices).enumerate() {
            let source = board.source(m as MessageId);
            let after = |v: VertexId| {
                hops.out_of(v).iter().filter(|&&h| !hops.is_long(h)).map(|&h| hops.to(h) as usize)
            };
            distance.fill(u16::MAX);
            distance[source as usize] = 0;
            queue.clear();
            queue.push(source);
            let mut next = 0;
            while let Some(&v) = queue.get(next) {
                next += 1;
                for w in after(v).filter(|&w| board.may_hold(m as MessageId, w as VertexId)) {
                    if distance[w] == u16::MAX {
                        distance[w] = distance[v as usize] + 1;
                        queue.push(w as VertexId);
                    }
                }
            }
            for &v in queue.iter().rev() {
                let here = if board.wants(m as MessageId, v) { Some(0) } else { None };
                let is_child = |w: &usize| distance[*w] == distance[v as usize] + 1;
                let above = after(v).filter(is_child).map(|w| row[w]);
                let above = above.filter(|&h| h != NOWHERE).map(|h| h + 1).max();
                row[v as usize] = above.max(here).unwrap_or(NOWHERE);
            }
        }
        Heights { vertices, flat }
    }

    /// The distance of the farthest receiver beyond a vertex; none if there is no such receiver.
    pub fn get(&self, m: MessageId, v: VertexId) -> Option<u32> {
        let height = self.flat[m as usize * self.vertices + v as usize];
        (height != NOWHERE).then_some(u32::from(height))
    }
}

//! Girth: the number of links of the shortest cycle. The two channels of one link are no cycle, two
//! parallel links are a cycle of length 2; one-way channels are followed in their direction.

use super::UNREACHABLE;
use crate::{ChannelId, Network, VertexId};

/// The length of the shortest cycle; none if there is no cycle.
pub fn girth(net: &Network) -> Option<u32> {
    let mut shortest = None;
    let mut scratch = Scratch { row: vec![UNREACHABLE; net.vertices().len()], queue: vec![] };
    for c in 0..net.channels().len() as ChannelId {
        let back = scratch.way_back(net, c, shortest.unwrap_or(UNREACHABLE));
        shortest = back.or(shortest);
    }
    shortest
}

struct Scratch {
    row: Vec<u32>,
    queue: Vec<VertexId>,
}

impl Scratch {
    /// The length of the shortest cycle through channel `c` that does not use the same link
    /// backwards, if it is less than `limit`.
    fn way_back(&mut self, net: &Network, c: ChannelId, limit: u32) -> Option<u32> {
        let channel = net.channel(c);
        self.queue.push(channel.to);
        self.row[channel.to as usize] = 1;
        let mut next = 0;
        let mut found = None;
        while let (Some(&v), None) = (self.queue.get(next), found) {
            next += 1;
            let length = self.row[v as usize] + 1;
            if length >= limit {
                break;
            }
            for &out in net.outgoing(v) {
                let to = net.channel(out).to;
                if Some(out) == channel.reverse {
                    continue;
                }
                if to == channel.from {
                    found = Some(length);
                    break;
                }
                if self.row[to as usize] == UNREACHABLE {
                    self.row[to as usize] = length;
                    self.queue.push(to);
                }
            }
        }
        for v in self.queue.drain(..) {
            self.row[v as usize] = UNREACHABLE;
        }
        found
    }
}

//! Counting, listing and sampling the walks of one length between two vertices.
//!
//! `counts[l][v]` is the number of walks of exactly `l` channels from `v` to the target. It guides
//! both the listing (dead ends occur only at vertices visited twice) and the uniform sampling of a
//! walk. Walks of the shortest length are all simple, so for them this is the shortest-path DAG.

use ccsched_network::{ChannelId, Network, VertexId};
use rand::{Rng, RngExt};

/// Numbers of walks to one target, by length and start. The counts saturate: large ones matter only
/// as proportions.
pub struct Walks<'n> {
    network: &'n Network,
    /// `counts[l * vertices + v]`.
    counts: Vec<u64>,
}

impl<'n> Walks<'n> {
    /// Counts all walks to `target` of up to `longest` channels.
    pub fn to(network: &'n Network, target: VertexId, longest: u32) -> Self {
        let n = network.vertices().len();
        let mut counts = vec![0u64; n * (longest as usize + 1)];
        counts[target as usize] = 1;
        for length in 1..=longest as usize {
            let (shorter, longer) = counts.split_at_mut(length * n);
            let shorter = &shorter[(length - 1) * n..];
            for c in network.channels() {
                // A simple path ends when it reaches the target.
                if c.from != target {
                    let sum = &mut longer[c.from as usize];
                    *sum = sum.saturating_add(shorter[c.to as usize]);
                }
            }
        }
        Walks { network, counts }
    }

    /// Number of walks of `length` channels from `v`.
    pub fn count(&self, v: VertexId, length: u32) -> u64 {
        self.counts[length as usize * self.network.vertices().len() + v as usize]
    }

    /// Appends every simple path of `length` channels from `v` to `found`.
    pub fn list(&self, v: VertexId, length: u32, found: &mut Vec<Vec<ChannelId>>) {
        let mut met = vec![v];
        self.extend(length, &mut met, &mut Vec::new(), found);
    }

    fn extend(
        &self,
        length: u32,
        met: &mut Vec<VertexId>,
        path: &mut Vec<ChannelId>,
        found: &mut Vec<Vec<ChannelId>>,
    ) {
        if length == 0 {
            found.push(path.clone());
            return;
        }
        let v = met[met.len() - 1];
        for &c in self.network.outgoing(v) {
            let to = self.network.channel(c).to;
            if self.count(to, length - 1) > 0 && !met.contains(&to) {
                met.push(to);
                path.push(c);
                self.extend(length - 1, met, path, found);
                path.pop();
                met.pop();
            }
        }
    }

    /// Draws a walk of `length` channels from `v`, uniformly; none if it visits a vertex twice.
    pub fn draw(&self, v: VertexId, length: u32, rng: &mut impl Rng) -> Option<Vec<ChannelId>> {
        let mut met = vec![v];
        let mut path = Vec::with_capacity(length as usize);
        let mut at = v;
        for left in (0..length).rev() {
            let out = self.network.outgoing(at);
            let weight = |c: &ChannelId| u128::from(self.count(self.network.channel(*c).to, left));
            let mut pick = rng.random_range(0..out.iter().map(weight).sum::<u128>());
            let c = *out.iter().find(|&c| {
                let w = weight(c);
                let hit = pick < w;
                pick = pick.wrapping_sub(w);
                hit
            })?;
            at = self.network.channel(c).to;
            if met.contains(&at) {
                return None;
            }
            met.push(at);
            path.push(c);
        }
        Some(path)
    }
}

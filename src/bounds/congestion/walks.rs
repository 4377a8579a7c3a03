//! The walks from one source that routing allows, hop by hop.
//!
//! Cell `e * vertices + v` is for the walks to v that are e channels longer than a shortest one.
//! Every reachable cell lists its last hops, so that a pass over all walks reads two arrays
//! sequentially. Paths of any length have one cell a vertex, whose last hops come from all its
//! neighbours; then passes are repeated until none finds a lighter path.

use ccsched_model::routing::Layers;
use ccsched_network::metrics::UNREACHABLE;
use ccsched_network::{ChannelId, Network};
use std::ops::Add;

/// The number of a cell.
pub type Cell = u32;

/// The weight of a walk.
pub trait Weight: Copy + Default + PartialOrd + Add<Output = Self> + Send + Sync {
    /// Where no walk leads.
    const NONE: Self;
}

impl Weight for u64 {
    const NONE: Self = u64::MAX;
}

impl Weight for f64 {
    const NONE: Self = f64::INFINITY;
}

/// The last hop of walks to a cell.
#[derive(Clone, Copy)]
pub struct Hop {
    pub before: Cell,
    pub channel: ChannelId,
}

/// The walks from one source.
pub struct Walks {
    /// The cell of the walk without a hop.
    pub start: Cell,
    /// The other cells that walks lead to, those after fewer hops first, each with the end of its hops in the list of all.
    ends: Vec<(Cell, u32)>,
    /// Of one cell, those from vertices near the source first.
    hops: Vec<Hop>,
    /// Whether they are paths of any length.
    are_free: bool,
}

impl Walks {
    /// The walks that are at most `slack` channels longer than a shortest one.
    pub fn of(network: &Network, layers: &Layers, slack: u32) -> Self {
        let n = layers.distance.len();
        let cell = |v: u32, hops: u32| {
            let extra = layers.detour(v, hops).filter(|&extra| extra <= slack)?;
            // Walks do not return to the source.
            let simple = extra < hops || hops == 0;
            simple.then(|| (extra as usize * n + v as usize) as Cell)
        };
        let start = layers.order[0];
        let mut walks = Walks { start, ends: Vec::new(), hops: Vec::new(), are_free: false };
        let mut is_reached = vec![false; (slack as usize + 1) * n];
        is_reached[start as usize] = true;
        for hops in 1..=layers.longest(slack) {
            for &v in layers.within(hops, slack) {
                let Some(to) = cell(v, hops) else { continue };
                let begin = walks.hops.len();
                for &channel in network.incoming(v) {
                    let from = network.channel(channel).from;
                    let before = cell(from, hops - 1).filter(|&cell| is_reached[cell as usize]);
                    walks.hops.extend(before.map(|before| Hop { before, channel }));
                }
                if walks.hops.len() > begin {
                    let key = |hop: &Hop| {
                        let from = network.channel(hop.channel).from;
                        (layers.distance[from as usize], from, hop.channel)
                    };
                    walks.hops[begin..].sort_unstable_by_key(key);
                    walks.ends.push((to, walks.hops.len() as u32));
                    is_reached[to as usize] = true;
                }
            }
        }
        walks.hops.shrink_to_fit();
        walks
    }

    /// The paths of any length.
    pub fn free(network: &Network, layers: &Layers) -> Self {
        let start = layers.order[0];
        let mut walks = Walks { start, ends: Vec::new(), hops: Vec::new(), are_free: true };
        for &v in &layers.order[1..] {
            let from = |&channel: &ChannelId| network.channel(channel).from;
            let is_reached = |c: &&ChannelId| layers.distance[from(c) as usize] != UNREACHABLE;
            let hop = |&channel: &ChannelId| Hop { before: from(&channel), channel };
            walks.hops.extend(network.incoming(v).iter().filter(is_reached).map(hop));
            walks.ends.push((v, walks.hops.len() as u32));
        }
        walks
    }

    /// Whether they are paths of any length.
    pub fn are_free(&self) -> bool {
        self.are_free
    }

    /// Hops of all cells.
    pub fn len(&self) -> usize {
        self.hops.len()
    }

    /// The cells that walks lead to, after more and more hops, each with the number of its first hop and its hops.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = (Cell, usize, &[Hop])> {
        (0..self.ends.len()).map(|at| {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before].1) as usize;
            let (cell, end) = self.ends[at];
            (cell, begin, &self.hops[begin..end as usize])
        })
    }

    /// Finds the lightest walks: by cell, their weight and the number of their last hop, the first of equals.
    pub fn weigh<W: Weight>(&self, by_channel: &[W], best: &mut [W], last: &mut [u32]) {
        best.fill(W::NONE);
        best[self.start as usize] = W::default();
        while self.lighten(by_channel, best, last) && self.are_free {}
    }

    /// One pass over all cells. Returns whether it has found a lighter walk.
    fn lighten<W: Weight>(&self, by_channel: &[W], best: &mut [W], last: &mut [u32]) -> bool {
        let mut is_lighter = false;
        for (cell, begin, hops) in self.cells() {
            // Only a lighter walk replaces one, so that the last hops form no cycle.
            let before = best[cell as usize];
            let mut lightest = (before, last[cell as usize]);
            for (at, hop) in (begin as u32..).zip(hops) {
                let so_far = best[hop.before as usize];
                if so_far < lightest.0 && so_far + by_channel[hop.channel as usize] < lightest.0 {
                    lightest = (so_far + by_channel[hop.channel as usize], at);
                }
            }
            is_lighter |= lightest.0 < before;
            (best[cell as usize], last[cell as usize]) = lightest;
        }
        is_lighter
    }

    /// Moves messages from the cells of their destinations back to the source, each along the last hops that were found,
    /// and counts those that take each channel.
    pub fn carry(&self, last: &[u32], messages: &mut [f64], by_channel: &mut [f64]) {
        if self.are_free {
            for (cell, ..) in self.cells() {
                let through = std::mem::take(&mut messages[cell as usize]);
                let mut at = if through > 0.0 { cell } else { self.start };
                while at != self.start {
                    let hop = self.hops[last[at as usize] as usize];
                    by_channel[hop.channel as usize] += through;
                    at = hop.before;
                }
            }
            return;
        }
        // The messages through a cell are complete before they move on to the previous one.
        for (cell, ..) in self.cells().rev() {
            let through = std::mem::take(&mut messages[cell as usize]);
            if through > 0.0 {
                let hop = self.hops[last[cell as usize] as usize];
                by_channel[hop.channel as usize] += through;
                messages[hop.before as usize] += through;
            }
        }
        messages[self.start as usize] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn walks_of_a_ring() {
        let ring = spec::parse("ring:6").unwrap();
        let cells = |slack| {
            let walks = Walks::of(&ring, &Layers::from(&ring, 0), slack);
            let cells: Vec<_> = walks.cells().map(|(cell, _, hops)| (cell, hops.len())).collect();
            assert_eq!(walks.len(), cells.iter().map(|(_, hops)| hops).sum::<usize>());
            cells
        };
        assert_eq!(cells(0), [(1, 1), (5, 1), (2, 1), (4, 1), (3, 2)]);
        // Two channels more, there and back, but not to the source.
        let longer = cells(2);
        assert_eq!(longer.len(), 5 + 5);
        assert!(longer.contains(&(12 + 1, 1)) && longer.contains(&(12 + 3, 2)), "{longer:?}");
    }

    #[test]
    fn messages_take_the_lightest_walks() {
        let mesh = spec::parse("mesh:2x2").unwrap();
        let walks = Walks::of(&mesh, &Layers::from(&mesh, 0), 0);
        let channels = mesh.channels().len();
        let heavy = mesh.outgoing(0)[0];
        let mut weights = vec![1_u64; channels];
        weights[heavy as usize] = 3;
        let (mut best, mut last) = (vec![0; 4], vec![0; 4]);
        walks.weigh(&weights, &mut best, &mut last);
        let near = mesh.channel(heavy).to as usize;
        assert_eq!((best[0], best[near], best[3], best[3 - near]), (0, 3, 2, 1));
        let (mut messages, mut loads) = (vec![0.0, 1.0, 1.0, 1.0], vec![0.0; channels]);
        walks.carry(&last, &mut messages, &mut loads);
        assert_eq!((loads[heavy as usize], loads.iter().sum::<f64>()), (1.0, 4.0));
        assert!(messages.iter().all(|&m| m == 0.0));
    }
}

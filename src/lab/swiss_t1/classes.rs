//! The allocations of the Swiss-T1, 0 to 4 nodes at each of 8 switches, and their classes: the same
//! number of nodes and the same liquid throughput (liquid-schedules, section 2). In an all-to-all
//! exchange, every node to every node and itself, the loads follow from the numbers alone.

use ccsched_network::families::{SWISS_NODES, SWISS_SWITCHES, swiss_way};
use std::collections::BTreeMap;

/// The rate of a link in MB/s (section 2).
pub const LINK_RATE: f64 = 86.0;

/// Nodes in front of every switch.
pub type Allocation = [u8; SWISS_SWITCHES];

/// Number of allocations, the empty one included.
pub const ALLOCATIONS: u64 = (SWISS_NODES as u64 + 1).pow(SWISS_SWITCHES as u32);

/// Allocations with the same number of nodes and the same liquid throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck: nodes squared over this is the liquid throughput, in links.
    pub duration: u32,
    /// Number of allocations in the class.
    pub allocations: u64,
    /// The first allocation.
    pub example: Allocation,
}

impl Class {
    /// Transfers of the exchange.
    pub fn transfers(&self) -> u32 {
        self.nodes * self.nodes
    }

    /// Throughput of a schedule of `steps` over links of `link_rate` MB/s.
    pub fn throughput(&self, steps: u32, link_rate: f64) -> f64 {
        if steps == 0 { 0.0 } else { f64::from(self.transfers()) / f64::from(steps) * link_rate }
    }

    /// The network of the example.
    pub fn spec(&self) -> String {
        let nodes: Vec<String> = self.example.iter().map(u8::to_string).collect();
        format!("swiss-t1:{}", nodes.join(","))
    }
}

/// All classes by nodes, then throughput; the empty allocation is the first.
pub fn classes() -> Vec<Class> {
    let over = pairs_by_channel();
    let mut found: BTreeMap<(u32, u32), (u64, Allocation)> = BTreeMap::new();
    for number in 0..ALLOCATIONS {
        let allocation = allocation(number);
        let nodes = allocation.iter().map(|&n| u32::from(n)).sum();
        let class = found.entry((nodes, duration(&allocation, &over)));
        class.or_insert((0, allocation)).0 += 1;
    }
    let class = |((nodes, duration), (allocations, example))| Class {
        nodes,
        duration,
        allocations,
        example,
    };
    let mut classes: Vec<Class> = found.into_iter().map(class).collect();
    classes.sort_by_key(|c| (c.nodes, std::cmp::Reverse(c.duration)));
    classes
}

fn allocation(mut number: u64) -> Allocation {
    std::array::from_fn(|_| {
        let nodes = number % (u64::from(SWISS_NODES) + 1);
        number /= u64::from(SWISS_NODES) + 1;
        nodes as u8
    })
}

/// For every channel between switches the pairs of switches whose transfers it carries.
fn pairs_by_channel() -> Vec<Vec<(usize, usize)>> {
    let mut over: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for a in 0..SWISS_SWITCHES {
        for b in 0..SWISS_SWITCHES {
            for ends in swiss_way(a, b).windows(2) {
                over.entry((ends[0], ends[1])).or_default().push((a, b));
            }
        }
    }
    over.into_values().collect()
}

/// The largest load: of the link of a node, or of a channel between switches.
fn duration(allocation: &Allocation, over: &[Vec<(usize, usize)>]) -> u32 {
    let nodes = |s: usize| u32::from(allocation[s]);
    let load = |pairs: &Vec<(usize, usize)>| pairs.iter().map(|&(a, b)| nodes(a) * nodes(b)).sum();
    let total: u32 = (0..SWISS_SWITCHES).map(nodes).sum();
    over.iter().map(load).fold(total, u32::max)
}

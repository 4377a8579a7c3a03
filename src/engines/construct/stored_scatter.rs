//! Scatters from one vertex by store-and-forward switching along a tree of shortest paths. Messages
//! never wait after they leave the root: no more leave together than every channel on their paths
//! carries. Messages with the longest paths leave first.

use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, Network, VertexId};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The schedule, where one vertex sends a message to each of the others.
pub fn plan(problem: &Problem) -> Plan {
    let (network, root) = (problem.network(), problem.demands()[0].source);
    let ends: Vec<usize> = problem.demands().iter().map(|d| d.destination as usize).collect();
    let tree = Tree::new(network, root, &ends);
    let mut plan = Plan::new(0);
    let send = |demand: usize, leaves: usize| {
        tree.send(problem.demands()[demand].message, ends[demand], leaves, &mut plan);
    };
    tree.leave(&ends, problem.ports().limit(network.capacity_out(root)), send);
    plan.tidy();
    plan
}

/// A tree of shortest paths from the root.
struct Tree<'n> {
    network: &'n Network,
    root: VertexId,
    /// By vertex, the channel from its parent.
    last: Vec<Option<ChannelId>>,
    depth: Vec<u32>,
    /// By vertex, the first channel of its path from the root.
    branch: Vec<ChannelId>,
}

impl<'n> Tree<'n> {
    /// Balances the branches greedily: each vertex joins the smallest possible branch.
    fn new(network: &'n Network, root: VertexId, ends: &[usize]) -> Self {
        let n = network.vertices().len();
        let (last, depth, branch) = (vec![None; n], vec![u32::MAX; n], vec![0; n]);
        let mut tree = Tree { network, root, last, depth, branch };
        tree.depth[root as usize] = 0;
        let mut sizes = vec![0u32; network.channels().len()];
        let mut order = VecDeque::from([root]);
        let mut waits = vec![false; n];
        ends.iter().for_each(|&v| waits[v] = true);
        while let Some(v) = order.pop_front() {
            if let Some(c) = tree.smallest(v, &sizes) {
                let branch = tree.branch(c);
                tree.last[v as usize] = Some(c);
                tree.branch[v as usize] = branch;
                sizes[branch as usize] += u32::from(waits[v as usize]);
            }
            for to in network.heads(v) {
                if tree.depth[to as usize] == u32::MAX {
                    tree.depth[to as usize] = tree.depth[v as usize] + 1;
                    order.push_back(to);
                }
            }
        }
        tree
    }

    /// The channel by which a vertex joins the smallest branch.
    fn smallest(&self, v: VertexId, sizes: &[u32]) -> Option<ChannelId> {
        let is_nearer = |&c: &ChannelId| {
            let depth = self.depth[self.network.channel(c).from as usize];
            depth != u32::MAX && depth + 1 == self.depth[v as usize]
        };
        let size = |&c: &ChannelId| sizes[self.branch(c) as usize];
        self.network.incoming(v).iter().copied().filter(is_nearer).min_by_key(size)
    }

    /// The branch that a channel belongs to.
    fn branch(&self, c: ChannelId) -> ChannelId {
        let before = self.network.channel(c).from;
        if before == self.root { c } else { self.branch[before as usize] }
    }

    /// Calls `send(demand, step)` with the step in which the message of each demand leaves the
    /// root. At most `most` messages leave in a step.
    fn leave(&self, ends: &[usize], most: usize, mut send: impl FnMut(usize, usize)) {
        // By branch, the messages, shortest paths first: the last one leaves next.
        let mut queues: Vec<(Vec<usize>, usize)> =
            self.rates(ends, most).into_iter().map(|rate| (Vec::new(), rate)).collect();
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by_key(|&d| self.depth[ends[d]]);
        order.into_iter().for_each(|d| queues[self.branch[ends[d]] as usize].0.push(d));
        queues.retain(|(queue, _)| !queue.is_empty());
        for leaves in 0.. {
            let to_go = |q: &[usize]| q.last().map(|&d| self.depth[ends[d]]);
            queues.sort_by_key(|(queue, _)| Reverse(to_go(queue)));
            if queues[0].0.is_empty() {
                break;
            }
            let mut room = most;
            for (queue, rate) in &mut queues {
                let first = queue.len().saturating_sub(room.min(*rate));
                room -= queue.len() - first;
                queue.drain(first..).rev().for_each(|d| send(d, leaves));
            }
        }
    }

    /// By branch, the number of messages that can leave the root together and never wait: the least
    /// capacity of a channel on their paths, and at most `most`.
    fn rates(&self, ends: &[usize], most: usize) -> Vec<usize> {
        let mut rates = vec![most; self.network.channels().len()];
        for &end in ends {
            let (mut v, rate) = (end, &mut rates[self.branch[end] as usize]);
            while let Some(c) = self.last[v] {
                let channel = self.network.channel(c);
                *rate = (*rate).min(channel.capacity as usize);
                v = channel.from as usize;
            }
        }
        rates
    }

    /// Sends a message that leaves the root in a step.
    fn send(&self, message: MessageId, to: usize, leaves: usize, plan: &mut Plan) {
        let mut v = to;
        while let Some(c) = self.last[v] {
            let step = leaves + self.depth[v] as usize - 1;
            plan.push(step, message, [c]);
            v = self.network.channel(c).from as usize;
        }
    }
}

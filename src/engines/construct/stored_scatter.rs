//! Scatters from one vertex, and gathers at one, by storing and forwarding along a tree of shortest
//! paths. Messages that have left the root never wait, and no more leave together than all channels on
//! their ways carry; those that have farthest to go leave first. A gather is a scatter on the reversed network, run backwards.

use crate::network::{Channel, ChannelId, VertexId};
use crate::problem::{Collective, Problem, Switching};
use crate::schedule::{Plan, Transfer};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The schedule, where one vertex has a message for each of others, or from each.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let is_meant = matches!(problem.collective, Collective::Oas | Collective::Aog)
        && problem.switching == Switching::StoreAndForward
        && !problem.has_fixed_routes();
    if !is_meant {
        return None;
    }
    let tree = Tree::new(problem, problem.collective == Collective::Aog);
    let mut plan = tree.scatter(problem);
    if tree.reversed {
        plan.steps.reverse();
    }
    plan.tidy();
    Some(plan)
}

/// A tree of shortest paths from the root, or to it.
struct Tree {
    reversed: bool,
    root: VertexId,
    /// By vertex, the channel between it and the one before it.
    last: Vec<Option<ChannelId>>,
    depth: Vec<u32>,
    /// By vertex, the channel at the root over which it is reached.
    branch: Vec<ChannelId>,
}

impl Tree {
    /// Branches are kept as equal as is easy: each vertex joins the smallest that it can.
    fn new(problem: &Problem, reversed: bool) -> Self {
        let n = problem.network.vertices().len();
        let demand = problem.demands[0];
        let root = if reversed { demand.destination } else { demand.source };
        let (last, depth, branch) = (vec![None; n], vec![u32::MAX; n], vec![0; n]);
        let mut tree = Tree { reversed, root, last, depth, branch };
        tree.depth[root as usize] = 0;
        let mut sizes = vec![0u32; problem.network.channels().len()];
        let mut order = VecDeque::from([root]);
        let mut waits = vec![false; n];
        problem.demands.iter().for_each(|d| waits[tree.other(d.source, d.destination)] = true);
        while let Some(v) = order.pop_front() {
            if let Some(c) = tree.smallest(problem, v, &sizes) {
                let before = tree.ends(problem.network.channel(c)).0;
                tree.last[v as usize] = Some(c);
                tree.branch[v as usize] =
                    if before == root { c } else { tree.branch[before as usize] };
                sizes[tree.branch[v as usize] as usize] += u32::from(waits[v as usize]);
            }
            for &c in tree.onward(problem, v) {
                let to = tree.ends(problem.network.channel(c)).1 as usize;
                if tree.depth[to] == u32::MAX {
                    tree.depth[to] = tree.depth[v as usize] + 1;
                    order.push_back(to as VertexId);
                }
            }
        }
        tree
    }

    /// Of two ends of a message, the one that is not the root.
    fn other(&self, source: VertexId, destination: VertexId) -> usize {
        if self.reversed { source as usize } else { destination as usize }
    }

    /// The ends of a channel, seen from the root.
    fn ends(&self, c: &Channel) -> (VertexId, VertexId) {
        if self.reversed { (c.to, c.from) } else { (c.from, c.to) }
    }

    /// Channels that lead on from a vertex, seen from the root.
    fn onward<'p>(&self, problem: &'p Problem, v: VertexId) -> &'p [ChannelId] {
        let network = &problem.network;
        if self.reversed { network.incoming(v) } else { network.outgoing(v) }
    }

    /// The channel by which a vertex joins the smallest branch.
    fn smallest(&self, problem: &Problem, v: VertexId, sizes: &[u32]) -> Option<ChannelId> {
        let network = &problem.network;
        let back = if self.reversed { network.outgoing(v) } else { network.incoming(v) };
        let before = |c: ChannelId| self.ends(network.channel(c)).0;
        let is_nearer = |&c: &ChannelId| {
            let depth = self.depth[before(c) as usize];
            depth != u32::MAX && depth + 1 == self.depth[v as usize]
        };
        let size = |&c: &ChannelId| {
            let branch = if before(c) == self.root { c } else { self.branch[before(c) as usize] };
            sizes[branch as usize]
        };
        back.iter().copied().filter(is_nearer).min_by_key(size)
    }

    /// The scatter from the root.
    fn scatter(&self, problem: &Problem) -> Plan {
        // By branch, the messages that have least far to go first: the last one leaves next.
        let mut queues: Vec<(Vec<usize>, usize)> =
            self.rates(problem).into_iter().map(|rate| (Vec::new(), rate)).collect();
        let vertex =
            |d: usize| self.other(problem.demands[d].source, problem.demands[d].destination);
        let mut order: Vec<usize> = (0..problem.demands.len()).collect();
        order.sort_by_key(|&d| self.depth[vertex(d)]);
        order.into_iter().for_each(|d| queues[self.branch[vertex(d)] as usize].0.push(d));
        queues.retain(|(queue, _)| !queue.is_empty());
        let most = match self.reversed {
            true => problem.receives_at_once(self.root),
            false => problem.sends_at_once(self.root),
        };
        let mut plan = Plan::new(0);
        for leaves in 0.. {
            let to_go = |q: &[usize]| q.last().map(|&d| self.depth[vertex(d)]);
            queues.sort_by_key(|(q, _)| Reverse(to_go(q)));
            if queues[0].0.is_empty() {
                break;
            }
            let mut room = most;
            for (queue, rate) in &mut queues {
                let first = queue.len().saturating_sub(room.min(*rate));
                room -= queue.len() - first;
                for d in queue.drain(first..).rev() {
                    self.send(problem, d, vertex(d), leaves, &mut plan);
                }
            }
        }
        plan
    }

    /// By branch, how many messages can leave the root together and never wait: as many as the narrowest
    /// channel on their ways carries and every terminal there can forward.
    fn rates(&self, problem: &Problem) -> Vec<usize> {
        let most = problem.ports.0.map_or(usize::MAX, |ports| ports as usize);
        let mut rates = vec![most; problem.network.channels().len()];
        for d in &problem.demands {
            let mut v = self.other(d.source, d.destination);
            let rate = &mut rates[self.branch[v] as usize];
            while let Some(c) = self.last[v] {
                let channel = problem.network.channel(c);
                *rate = (*rate).min(channel.capacity as usize);
                v = self.ends(channel).0 as usize;
            }
        }
        rates
    }

    /// Sends a message that leaves the root in a step.
    fn send(&self, problem: &Problem, demand: usize, to: usize, leaves: usize, plan: &mut Plan) {
        let arrives = leaves + self.depth[to] as usize;
        if plan.steps.len() < arrives {
            plan.steps.resize(arrives, Vec::new());
        }
        let mut v = to;
        while let Some(c) = self.last[v] {
            let message = problem.demands[demand].message;
            let step = leaves + self.depth[v] as usize - 1;
            plan.steps[step].push(Transfer { message, channels: vec![c] });
            v = self.ends(problem.network.channel(c)).0 as usize;
        }
    }
}

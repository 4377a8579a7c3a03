//! The partial broadcast tree: for each vertex with the message, its sender, path and step. It
//! never has a conflict, and every sender has the message before it sends.

use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};
use serde::{Deserialize, Serialize};

/// No vertex.
pub const NOBODY: VertexId = VertexId::MAX;
/// The step of receipt of a vertex without the message.
const NEVER: i32 = i32::MAX;

/// How a terminal gets the message.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// The sender.
    pub sender: VertexId,
    /// The step.
    pub step: u32,
    /// The channels of the path.
    pub path: Vec<ChannelId>,
}

/// A partial broadcast tree under a number of steps.
#[derive(Clone, Serialize, Deserialize)]
pub struct Tree {
    steps: usize,
    source: VertexId,
    /// By vertex: the step in which it receives the message; -1 at the source.
    received: Vec<i32>,
    sender: Vec<VertexId>,
    paths: Vec<Vec<ChannelId>>,
    children: Vec<Vec<VertexId>>,
    /// By vertex: the cost of evicting it with its subtree.
    load: Vec<u64>,
    /// By vertex: its own part of that cost.
    weight: Vec<u64>,
    /// Receiver of the transfer that holds a lane of a link, by lane, then step. A link of capacity
    /// c has c lanes.
    holder: Vec<VertexId>,
    /// First lane of the link of each channel, and the end of its lanes.
    lanes: Vec<(u32, u32)>,
    /// By vertex: the most transfers that it may send in one step.
    ports: Vec<u32>,
}

impl Tree {
    /// A tree of the source alone, without steps.
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let n = network.vertices().len();
        let channels = 0..network.channels().len() as ChannelId;
        let port = |v| problem.resources().send_port(v);
        let limit = |v| port(v).map_or(u32::MAX, |r| problem.resources().capacity(r));
        let links = &problem.resources().capacities()[..problem.resources().links()];
        let of_links: Vec<(u32, u32)> = links
            .iter()
            .scan(0, |end, capacity| {
                let first = *end;
                *end += capacity;
                Some((first, *end))
            })
            .collect();
        let lanes = |c: ChannelId| of_links[problem.resources().of_channel(c) as usize];
        Tree {
            steps: 0,
            source: problem.demands()[0].source,
            received: vec![NEVER; n],
            sender: vec![NOBODY; n],
            paths: vec![Vec::new(); n],
            children: vec![Vec::new(); n],
            load: vec![0; n],
            weight: vec![0; n],
            holder: Vec::new(),
            lanes: channels.map(lanes).collect(),
            ports: (0..n as VertexId).map(limit).collect(),
        }
    }

    /// Resets the tree to the source alone, with this number of steps and all weights 0.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps as usize;
        self.received.fill(NEVER);
        self.received[self.source as usize] = -1;
        self.children.iter_mut().for_each(Vec::clear);
        self.load.fill(0);
        self.weight.fill(0);
        let lanes = self.lanes.iter().map(|&(_, end)| end as usize).max().unwrap_or(0);
        self.holder.clear();
        self.holder.resize(lanes * self.steps, NOBODY);
    }

    /// Whether another tree belongs to the same network and source.
    pub fn is_like(&self, other: &Tree) -> bool {
        let sizes = |t: &Tree| {
            let by_vertex = [t.sender.len(), t.paths.len(), t.children.len(), t.load.len()];
            (t.received.len(), by_vertex, t.weight.len(), t.source)
        };
        sizes(self) == sizes(other) && (&self.lanes, &self.ports) == (&other.lanes, &other.ports)
    }

    /// Whether every delivery of a tree like this one comes from a vertex that has the message before,
    /// so that senders lead to the source.
    pub fn is_rooted(&self) -> bool {
        let is_later = |v: usize| {
            let sender = self.received.get(self.sender[v] as usize);
            sender.is_some_and(|&before| before < self.received[v])
        };
        let placed = (0..self.received.len()).filter(|&v| self.is_placed(v as VertexId));
        self.is_placed(self.source) && placed.filter(|&v| v != self.source as usize).all(is_later)
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// Whether a vertex has the message at the beginning of a step.
    pub fn has_before(&self, v: VertexId, step: u32) -> bool {
        self.received[v as usize] < step as i32
    }

    /// The first step in which a vertex that gets the message can send it.
    pub fn ready(&self, v: VertexId) -> u32 {
        (self.received[v as usize] + 1) as u32
    }

    /// Whether a vertex is in the tree: it gets the message or is the source.
    pub fn is_placed(&self, v: VertexId) -> bool {
        self.received[v as usize] != NEVER
    }

    /// The first step in which a vertex sends; the number of steps if it does not.
    pub fn first_sent(&self, v: VertexId) -> u32 {
        let steps = self.children[v as usize].iter().map(|&c| self.received[c as usize] as u32);
        steps.min().unwrap_or(self.steps as u32)
    }

    /// The delivery to a vertex; none if it is the source or waits.
    pub fn delivery(&self, v: VertexId) -> Option<Delivery> {
        let i = v as usize;
        let is_delivered = self.is_placed(v) && v != self.source;
        is_delivered.then(|| Delivery {
            sender: self.sender[i],
            step: self.received[i] as u32,
            path: self.paths[i].clone(),
        })
    }

    /// The cost of evicting a vertex with its subtree.
    pub fn load(&self, v: VertexId) -> u64 {
        self.load[v as usize]
    }

    /// Raises the cost of evicting a vertex, which must be waiting.
    pub fn add_weight(&mut self, v: VertexId, weight: u64) {
        self.weight[v as usize] += weight;
        self.load[v as usize] += weight;
    }

    /// The receiver whose transfer must be evicted so that a channel can carry one more in a step,
    /// the opposite channel of a half-duplex link counted: the cheapest; [`NOBODY`] if a lane is
    /// free.
    pub fn holder(&self, c: ChannelId, step: u32) -> VertexId {
        let (first, end) = self.lanes[c as usize];
        let holder = self.holder[first as usize * self.steps + step as usize];
        if end - first == 1 || holder == NOBODY {
            return holder;
        }
        let holders = || self.cells(c, step).map(|cell| self.holder[cell]);
        if holders().any(|holder| holder == NOBODY) {
            return NOBODY;
        }
        holders().min_by_key(|&holder| self.load[holder as usize]).unwrap_or(NOBODY)
    }

    /// The cells of the lanes of a channel in a step.
    fn cells(&self, c: ChannelId, step: u32) -> impl Iterator<Item = usize> + use<> {
        let ((first, end), steps) = (self.lanes[c as usize], self.steps);
        (first as usize..end as usize).map(move |lane| lane * steps + step as usize)
    }

    /// The receiver that must be evicted so that a vertex can send one more transfer in a step;
    /// [`NOBODY`] if a port is free.
    pub fn at_port(&self, v: VertexId, step: u32) -> VertexId {
        let limit = self.ports[v as usize] as usize;
        let children = &self.children[v as usize];
        if children.len() < limit {
            return NOBODY;
        }
        let served = |c: &&VertexId| self.received[**c as usize] == step as i32;
        if children.iter().filter(served).count() < limit {
            return NOBODY;
        }
        let cheapest = children.iter().filter(served).min_by_key(|&&c| self.load[c as usize]);
        cheapest.copied().unwrap_or(NOBODY)
    }

    /// Delivers to a vertex without the message. The lanes and the port must be free.
    pub fn place(&mut self, v: VertexId, delivery: &Delivery) {
        let i = v as usize;
        for &c in &delivery.path {
            let mut cells = self.cells(c, delivery.step);
            let cell = cells.find(|&cell| self.holder[cell] == NOBODY);
            self.holder[cell.expect("a lane is free")] = v;
        }
        self.received[i] = delivery.step as i32;
        self.sender[i] = delivery.sender;
        self.paths[i].clone_from(&delivery.path);
        self.children[delivery.sender as usize].push(v);
        self.add_load(delivery.sender, self.load[i] as i64);
    }

    /// Removes the subtree of a vertex; appends all its vertices to `evicted`.
    pub fn evict(&mut self, v: VertexId, evicted: &mut Vec<VertexId>) {
        let sender = self.sender[v as usize];
        self.children[sender as usize].retain(|&c| c != v);
        self.add_load(sender, -(self.load[v as usize] as i64));
        let first = evicted.len();
        evicted.push(v);
        let mut next = first;
        while next < evicted.len() {
            let u = evicted[next];
            next += 1;
            evicted.append(&mut self.children[u as usize]);
            self.lift(u);
            self.received[u as usize] = NEVER;
            self.load[u as usize] = self.weight[u as usize];
        }
    }

    /// Lifts a vertex from its place but keeps its subtree; [`Tree::place`] must put it back.
    pub fn free(&mut self, v: VertexId) {
        let sender = self.sender[v as usize];
        self.children[sender as usize].retain(|&c| c != v);
        self.add_load(sender, -(self.load[v as usize] as i64));
        self.lift(v);
    }

    fn lift(&mut self, v: VertexId) {
        let step = self.received[v as usize] as u32;
        for i in 0..self.paths[v as usize].len() {
            let c = self.paths[v as usize][i];
            let mut cells = self.cells(c, step);
            let cell = cells.find(|&cell| self.holder[cell] == v);
            self.holder[cell.expect("it holds a lane of every channel of its path")] = NOBODY;
        }
    }

    /// Adds to the load of a vertex and of its ancestors in the tree.
    fn add_load(&mut self, mut v: VertexId, change: i64) {
        loop {
            let load = &mut self.load[v as usize];
            *load = load.wrapping_add_signed(change);
            if v == self.source {
                return;
            }
            v = self.sender[v as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

    #[test]
    fn senders_lead_to_the_source() {
        let request = Request::new(Collective::Oab);
        let problem = request.pose(spec::parse("ring:6").unwrap(), vec![]).unwrap();
        let channel = |from, to| {
            let channels = problem.network().channels();
            channels.iter().position(|c| (c.from, c.to) == (from, to)).unwrap() as ChannelId
        };
        let mut tree = Tree::new(&problem);
        tree.clear(3);
        for (step, v) in [(0, 1), (1, 2), (2, 3)] {
            tree.place(v, &Delivery { sender: v - 1, step, path: vec![channel(v - 1, v)] });
        }
        assert!(tree.is_rooted());
        for (v, sender) in [(1, 3), (1, 4), (2, 2), (3, NOBODY)] {
            let mut forged = tree.clone();
            forged.sender[v] = sender;
            assert!(!forged.is_rooted(), "{sender} sends to {v}");
        }
    }
}

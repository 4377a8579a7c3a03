//! The partial broadcast tree: who has the message, from whom, along which path and since when.
//! There is never a conflict in it, and every sender has the message before it sends.

use crate::network::{ChannelId, VertexId};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Nobody.
pub const NOBODY: VertexId = VertexId::MAX;
/// When somebody who does not have the message receives it.
const NEVER: i32 = i32::MAX;

/// How a terminal gets the message.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Who sends.
    pub sender: VertexId,
    /// In which step.
    pub step: u32,
    /// Along which channels.
    pub path: Vec<ChannelId>,
}

/// A partial broadcast tree under a number of steps.
#[derive(Clone, Serialize, Deserialize)]
pub struct Tree {
    steps: usize,
    source: VertexId,
    /// Step in which a vertex receives the message; -1 at the source.
    received: Vec<i32>,
    sender: Vec<VertexId>,
    paths: Vec<Vec<ChannelId>>,
    children: Vec<Vec<VertexId>>,
    /// How dear it is to evict a vertex with all that have the message through it.
    load: Vec<u64>,
    /// What each vertex adds to that.
    weight: Vec<u64>,
    /// Receiver of the transfer that holds a lane of a link, by lane, then step. A link of capacity c
    /// has c lanes.
    holder: Vec<VertexId>,
    /// First lane of every channel's link, and one after the last.
    lanes: Vec<(u32, u32)>,
    /// How many transfers a vertex may send in one step.
    ports: Vec<u32>,
}

impl Tree {
    /// A tree of the source alone, without steps.
    pub fn new(problem: &Problem) -> Self {
        let network = &problem.network;
        let n = network.vertices().len();
        let channels = 0..network.channels().len() as ChannelId;
        let port = |v| problem.resources.send_port(v);
        let limit = |v| port(v).map_or(u32::MAX, |r| problem.resources.capacity(r));
        let links = &problem.resources.capacities()[..problem.resources.links()];
        let of_links: Vec<(u32, u32)> = links
            .iter()
            .scan(0, |end, capacity| {
                let first = *end;
                *end += capacity;
                Some((first, *end))
            })
            .collect();
        let lanes = |c: ChannelId| of_links[problem.resources.of_channel(c) as usize];
        Tree {
            steps: 0,
            source: problem.demands[0].source,
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

    /// Only the source has the message; there are so many steps, and nothing weighs anything.
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

    /// Whether another tree is of the same network.
    pub fn is_like(&self, other: &Tree) -> bool {
        let sizes = |t: &Tree| {
            let by_vertex = [t.sender.len(), t.paths.len(), t.children.len(), t.load.len()];
            (t.received.len(), by_vertex, t.weight.len(), t.source)
        };
        sizes(self) == sizes(other) && (&self.lanes, &self.ports) == (&other.lanes, &other.ports)
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

    /// Whether a vertex gets the message at all, or is its source.
    pub fn is_placed(&self, v: VertexId) -> bool {
        self.received[v as usize] != NEVER
    }

    /// The first step in which a vertex sends; the number of steps if it does not.
    pub fn first_sent(&self, v: VertexId) -> u32 {
        let steps = self.children[v as usize].iter().map(|&c| self.received[c as usize] as u32);
        steps.min().unwrap_or(self.steps as u32)
    }

    /// How a vertex gets the message.
    pub fn delivery(&self, v: VertexId) -> Option<Delivery> {
        let i = v as usize;
        let is_delivered = self.is_placed(v) && v != self.source;
        is_delivered.then(|| Delivery {
            sender: self.sender[i],
            step: self.received[i] as u32,
            path: self.paths[i].clone(),
        })
    }

    /// What it costs to evict a vertex.
    pub fn load(&self, v: VertexId) -> u64 {
        self.load[v as usize]
    }

    /// Makes it dearer to evict a vertex that waits.
    pub fn add_weight(&mut self, v: VertexId, weight: u64) {
        self.weight[v as usize] += weight;
        self.load[v as usize] += weight;
    }

    /// Whose transfer must go so that a channel can carry one more in a step, the opposite channel of a
    /// half-duplex link counted: the one that is cheapest to evict; nobody's if there is a free lane.
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

    /// Whom a vertex would have to send nothing to so that it can send one more in a step; nobody if
    /// it has a port left.
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

    /// Delivers to a vertex that has nothing yet. All that is needed must be free.
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

    /// Takes the message from a vertex and from all that have it through it; lists them all.
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

    /// Takes a vertex from its place, for [`Tree::place`] to put it back with all that it sends.
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

    /// Adds to the load of a vertex and of all that it has the message through.
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

//! Maximum flows, by shortest augmenting paths of a level graph (Dinic).

use std::collections::VecDeque;

/// A network of arcs. An arc and its residual one stand side by side.
#[derive(Clone, Debug)]
pub struct Flow {
    /// By node, its arcs.
    arcs: Vec<Vec<u32>>,
    heads: Vec<u32>,
    room: Vec<u64>,
    level: Vec<Option<u32>>,
    /// By node, the arcs that are exhausted.
    next: Vec<usize>,
}

impl Flow {
    /// Nodes without arcs.
    pub fn new(nodes: usize) -> Self {
        Flow {
            arcs: vec![Vec::new(); nodes],
            heads: Vec::new(),
            room: Vec::new(),
            level: vec![None; nodes],
            next: vec![0; nodes],
        }
    }

    /// Adds an arc; arcs are numbered from 0.
    pub fn arc(&mut self, from: usize, to: usize, room: u64) {
        for (tail, head, room) in [(from, to, room), (to, from, 0)] {
            self.arcs[tail].push(self.heads.len() as u32);
            self.heads.push(head as u32);
            self.room.push(room);
        }
    }

    /// Takes all flow back, and gives each arc the room for its number.
    pub fn refill(&mut self, room: impl Fn(usize) -> u64) {
        for (arc, pair) in self.room.chunks_exact_mut(2).enumerate() {
            pair.copy_from_slice(&[room(arc), 0]);
        }
    }

    /// The flow from one node to another, but no more than `most`; it takes the room of its arcs. If it is less,
    /// [`Flow::reaches`] tells the side of a minimum cut.
    pub fn run(&mut self, source: usize, to: usize, most: u64) -> u64 {
        let mut sum = 0;
        while sum < most && self.rank(source, to) {
            self.next.fill(0);
            loop {
                let pushed = self.push(source, to, most - sum);
                if pushed == 0 {
                    break;
                }
                sum += pushed;
            }
        }
        sum
    }

    /// Whether the source of the last flow still reaches a node.
    pub fn reaches(&self, v: usize) -> bool {
        self.level[v].is_some()
    }

    /// Ranks the nodes by distance from the source; whether it reaches the end.
    fn rank(&mut self, source: usize, to: usize) -> bool {
        self.level.fill(None);
        self.level[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(v) = queue.pop_front() {
            let next = self.level[v].map(|level| level + 1);
            for &arc in &self.arcs[v] {
                let head = self.heads[arc as usize] as usize;
                if self.room[arc as usize] > 0 && self.level[head].is_none() {
                    self.level[head] = next;
                    queue.push_back(head);
                }
            }
        }
        self.level[to].is_some()
    }

    /// Pushes along one path of rising levels.
    fn push(&mut self, v: usize, to: usize, most: u64) -> u64 {
        if v == to || most == 0 {
            return most;
        }
        while let Some(&arc) = self.arcs[v].get(self.next[v]) {
            let (arc, head) = (arc as usize, self.heads[arc as usize] as usize);
            let rises = self.level[head] == self.level[v].map(|level| level + 1);
            if rises && self.room[arc] > 0 {
                let pushed = self.push(head, to, most.min(self.room[arc]));
                if pushed > 0 {
                    self.room[arc] -= pushed;
                    self.room[arc ^ 1] += pushed;
                    return pushed;
                }
            }
            self.next[v] += 1;
        }
        0
    }
}

//! The worst cut of broadcasts: the set of vertices with the most messages from its senders over the
//! capacity of the channels that leave it, among all sets that lack a receiver. By Newton's method:
//! if a step carried the inverse of the present ratio, all messages could flow to each receiver,
//! unless a minimum cut is worse; then its ratio is the next one.

use super::Side;
use crate::load;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use std::collections::VecDeque;

/// Channels times receivers above which the flows take too long.
const MOST_WORK: usize = 4_000_000;

/// A cut, with the whole messages that leave its side and the capacity that they have in a step.
pub struct Worst {
    /// The side.
    pub side: Side,
    /// Messages.
    pub messages: u64,
    /// Capacity.
    pub capacity: u64,
}

/// The worst cut; none if the network is too large.
pub fn worst(problem: &Problem) -> Option<Worst> {
    let network = problem.network();
    let n = network.vertices().len();
    if network.channels().len().saturating_mul(problem.receivers().len()) > MOST_WORK {
        return None;
    }
    let of = |side: Side| {
        let leaves = |&c: &u32| {
            let ends = network.channel(c);
            side.has(ends.from) && !side.has(ends.to)
        };
        let channels = 0..network.channels().len() as u32;
        let capacity = load::capacity(problem, channels.filter(leaves)) as u64;
        let messages = problem.senders().iter().filter(|&&v| side.has(v)).count() as u64;
        Worst { side, messages, capacity }
    };
    let is_worse = |a: &Worst, b: &Worst| a.messages * b.capacity > b.messages * a.capacity;
    let before = |r: VertexId| of(Side::of(n, |v| v != r as usize));
    let alone = problem.receivers().iter().map(|&r| before(r));
    let mut worst = alone.reduce(|a, b| if is_worse(&b, &a) { b } else { a })?;
    let mut flow = Flow::of(problem);
    for &receiver in problem.receivers() {
        loop {
            if worst.messages == 0 || worst.capacity == 0 {
                return None;
            }
            let goal = problem.senders().len() as u64 * worst.capacity;
            if flow.run(problem, receiver, [worst.capacity, worst.messages]) >= goal {
                break;
            }
            let next = of(Side::of(n, |v| flow.level[v].is_some()));
            if !is_worse(&next, &worst) {
                break;
            }
            worst = next;
        }
    }
    Some(worst)
}

/// A maximum flow from all senders, by shortest augmenting paths of a level graph (Dinic).
struct Flow {
    /// By vertex, the super source last: its arcs. An arc and its residual one stand side by side.
    arcs: Vec<Vec<u32>>,
    heads: Vec<u32>,
    room: Vec<u64>,
    level: Vec<Option<u32>>,
    /// By vertex, the arcs that are exhausted.
    next: Vec<usize>,
}

impl Flow {
    fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let n = network.vertices().len();
        let mut flow = Flow {
            arcs: vec![Vec::new(); n + 1],
            heads: Vec::new(),
            room: Vec::new(),
            level: vec![None; n + 1],
            next: vec![0; n + 1],
        };
        network.channels().iter().for_each(|c| flow.add(c.from, c.to));
        problem.senders().iter().for_each(|&v| flow.add(n as u32, v));
        flow.room = vec![0; flow.heads.len()];
        flow
    }

    fn add(&mut self, from: u32, to: u32) {
        for (tail, head) in [(from, to), (to, from)] {
            self.arcs[tail as usize].push(self.heads.len() as u32);
            self.heads.push(head);
        }
    }

    /// The flow to a receiver, with this capacity for each message, and for each unit of a channel. Levels
    /// are left where the source still reaches.
    fn run(&mut self, problem: &Problem, to: VertexId, [message, unit]: [u64; 2]) -> u64 {
        let channels = problem.network().channels();
        for (arc, room) in self.room.iter_mut().enumerate() {
            *room = match channels.get(arc / 2) {
                _ if arc % 2 == 1 => 0,
                Some(c) => unit * u64::from(c.capacity),
                None => message,
            };
        }
        let source = self.arcs.len() - 1;
        let mut sum = 0;
        while self.rank(source, to as usize) {
            self.next.fill(0);
            loop {
                let pushed = self.push(source, to as usize, u64::MAX);
                if pushed == 0 {
                    break;
                }
                sum += pushed;
            }
        }
        sum
    }

    /// Ranks the vertices by distance from the source; whether it reaches the receiver.
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
        if v == to {
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

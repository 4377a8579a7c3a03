//! In every step, each vertex that has the message sends it as often as its ports allow, over
//! shortest paths whose links have room in that step. Each such vertex owns a cell: the receivers
//! nearer to it than to any other. Dividing a cell repeatedly takes fewer steps than informing its
//! members one by one, so the message travels towards the border of the cell: the whole way suits
//! trees, two thirds suit rings.

use super::halved;
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::{ChannelId, VertexId};
use std::collections::VecDeque;

/// Receivers from which on halving, which is quick, comes first.
const MANY: usize = 250;
/// The distance of a vertex in no cell yet.
const FAR: u32 = u32::MAX;
/// The parts of the way, in sixths, that are tried in this order.
const SIXTHS: [u32; 3] = [6, 4, 3];

/// The best schedule of those tried.
pub fn plan(problem: &Problem) -> Plan {
    let least = bounds::growth(problem, problem.demands()[0].source) as usize;
    // The tree that grows takes long on a large network.
    let halves_first = problem.demands().len() >= MANY;
    let mut best = halves_first.then(|| halved::plan(problem)).flatten();
    if best.as_ref().is_some_and(|plan| plan.len() <= least) {
        return best.unwrap_or_default();
    }
    for sixths in SIXTHS {
        let most = best.as_ref().map_or(usize::MAX, Plan::len);
        best = grow(problem, sixths, most).or(best);
        if best.as_ref().is_some_and(|plan| plan.len() <= least) {
            break;
        }
    }
    let is_longer = |plan: &Plan| plan.len() > least;
    if !halves_first && best.as_ref().is_none_or(is_longer) {
        let shorter = |plan: &Plan| best.as_ref().is_none_or(|best| plan.len() < best.len());
        best = halved::plan(problem).filter(shorter).or(best);
    }
    best.unwrap_or_default()
}

/// A schedule of fewer than `most` steps.
fn grow(problem: &Problem, sixths: u32, most: usize) -> Option<Plan> {
    let mut growth = Growth::new(problem, sixths);
    let mut plan = Plan::new(0);
    while growth.missing > 0 {
        plan.append(growth.step());
        if plan.len() >= most {
            return None;
        }
    }
    Some(plan)
}

/// A partial broadcast.
struct Growth<'p> {
    problem: &'p Problem,
    sixths: u32,
    /// Vertices that have the message.
    informed: Vec<VertexId>,
    /// By vertex, whether it still waits for the message.
    waits: Vec<bool>,
    missing: usize,
    /// By link, its free capacity in this step.
    room: Vec<u32>,
    cells: Cells,
    walk: Walk,
}

/// The nearest vertex with the message for every vertex (its owner), and the distance from it.
struct Cells {
    owner: Vec<VertexId>,
    distance: Vec<u32>,
    /// By owner, the distance of the farthest waiting vertex in its cell.
    radius: Vec<u32>,
    /// By owner, the vertices in its cell that still wait.
    waiting: Vec<u32>,
}

/// A search along shortest paths from one vertex; kept to avoid allocation.
struct Walk {
    /// By vertex, its distance, and the last channel of a path to it whose links all have room;
    /// valid where `mark` equals `present`.
    distance: Vec<u32>,
    last: Vec<Option<ChannelId>>,
    mark: Vec<u32>,
    present: u32,
    queue: VecDeque<VertexId>,
    /// Vertices in the queue to which a path has room. Without any, none beyond is reached.
    open: usize,
}

impl<'p> Growth<'p> {
    fn new(problem: &'p Problem, sixths: u32) -> Self {
        let n = problem.network().vertices().len();
        let mut waits = vec![false; n];
        problem.demands().iter().for_each(|d| waits[d.destination as usize] = true);
        Growth {
            sixths,
            informed: vec![problem.demands()[0].source],
            waits,
            missing: problem.demands().len(),
            room: vec![0; problem.resources().links()],
            cells: Cells {
                owner: vec![0; n],
                distance: vec![FAR; n],
                radius: vec![0; n],
                waiting: vec![0; n],
            },
            walk: Walk {
                distance: vec![0; n],
                last: vec![None; n],
                mark: vec![0; n],
                present: 0,
                queue: VecDeque::new(),
                open: 0,
            },
            problem,
        }
    }

    /// All transfers of a step; senders with the largest cells choose first.
    fn step(&mut self) -> Step {
        let links = self.room.len();
        self.room.copy_from_slice(&self.problem.resources().capacities()[..links]);
        self.cells.find(self.problem, &self.informed, &self.waits);
        let mut senders = self.informed.clone();
        senders.sort_by_key(|&v| std::cmp::Reverse(self.cells.radius[v as usize]));
        let message = self.problem.demands()[0].message;
        let mut step = Step::default();
        for sender in senders {
            for _ in 0..self.problem.sends_at_once(sender) {
                let Some(receiver) = self.receiver(sender) else { break };
                let channels = self.walk.path(self.problem, sender, receiver);
                for &c in &channels {
                    self.room[self.problem.resources().of_channel(c) as usize] -= 1;
                }
                self.waits[receiver as usize] = false;
                self.cells.waiting[self.cells.owner[receiver as usize] as usize] -= 1;
                self.missing -= 1;
                self.informed.push(receiver);
                step.push(message, channels);
            }
        }
        step
    }

    /// The next receiver of a sender: preferably in its own cell, at the distance nearest to the
    /// wanted part of its radius.
    fn receiver(&mut self, sender: VertexId) -> Option<VertexId> {
        let wanted = (self.sixths * self.cells.radius[sender as usize]).div_ceil(6);
        let has_own = self.cells.waiting[sender as usize] > 0;
        let mut best: Option<((bool, u32), VertexId)> = None;
        let walk = self.walk.begin(sender);
        while let Some((v, distance)) = walk.next(self.problem, &self.room) {
            let is_settled = best.is_some_and(|((is_foreign, off), _)| {
                !(is_foreign && has_own) && distance > wanted && distance - wanted > off
            });
            if is_settled {
                break;
            }
            if self.waits[v as usize] && walk.is_reached(v) {
                let is_foreign = self.cells.owner[v as usize] != sender;
                let rank = (is_foreign, distance.abs_diff(wanted));
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, v));
                }
            }
        }
        best.map(|(_, v)| v)
    }
}

impl Cells {
    fn find(&mut self, problem: &Problem, informed: &[VertexId], waits: &[bool]) {
        self.distance.fill(FAR);
        self.radius.fill(0);
        self.waiting.fill(0);
        let mut queue: VecDeque<VertexId> = informed.iter().copied().collect();
        for &v in informed {
            (self.owner[v as usize], self.distance[v as usize]) = (v, 0);
        }
        while let Some(v) = queue.pop_front() {
            let (owner, distance) = (self.owner[v as usize], self.distance[v as usize]);
            if waits[v as usize] {
                self.radius[owner as usize] = distance;
                self.waiting[owner as usize] += 1;
            }
            for next in problem.network().heads(v) {
                if self.distance[next as usize] == FAR {
                    (self.owner[next as usize], self.distance[next as usize]) =
                        (owner, distance + 1);
                    queue.push_back(next);
                }
            }
        }
    }
}

impl Walk {
    /// Begins a new search.
    fn begin(&mut self, from: VertexId) -> &mut Self {
        self.present += 1;
        self.queue.clear();
        self.queue.push_back(from);
        (self.mark[from as usize], self.distance[from as usize]) = (self.present, 0);
        self.last[from as usize] = None;
        self.open = 1;
        self
    }

    /// The next vertex and its distance, in order of distance; none if no vertex beyond is reached.
    fn next(&mut self, problem: &Problem, room: &[u32]) -> Option<(VertexId, u32)> {
        if self.open == 0 {
            return None;
        }
        let v = self.queue.pop_front()?;
        let distance = self.distance[v as usize];
        let is_open = distance == 0 || self.is_reached(v);
        self.open -= usize::from(is_open);
        for &c in problem.network().outgoing(v) {
            let to = problem.network().channel(c).to as usize;
            if self.mark[to] != self.present {
                (self.mark[to], self.distance[to]) = (self.present, distance + 1);
                self.last[to] = None;
                self.queue.push_back(to as VertexId);
            }
            let is_free = is_open && room[problem.resources().of_channel(c) as usize] > 0;
            if is_free && self.distance[to] == distance + 1 && self.last[to].is_none() {
                self.last[to] = Some(c);
                self.open += 1;
            }
        }
        Some((v, distance))
    }

    /// Whether a path to a vertex has room on all its links.
    fn is_reached(&self, v: VertexId) -> bool {
        self.last[v as usize].is_some()
    }

    /// The path to a vertex that is reached.
    fn path(&self, problem: &Problem, from: VertexId, mut to: VertexId) -> Vec<ChannelId> {
        let mut path = Vec::new();
        while to != from {
            let Some(c) = self.last[to as usize] else { break };
            path.push(c);
            to = problem.network().channel(c).from;
        }
        path.reverse();
        path
    }
}

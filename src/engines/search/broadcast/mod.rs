//! Ejection chains for one-to-all broadcasts.
//!
//! The partial broadcast tree never has a conflict; receivers without a place in it wait. A move
//! takes a waiting receiver, searches all (sender with the message, step, path) for the place whose
//! occupants are cheapest to evict, evicts them with their subtrees, and puts the receiver there.
//! The price of an eviction is the number of receivers that would wait again; a receiver that
//! evicts others becomes more expensive itself, as in guided local search. Of equally cheap places
//! the earliest is taken, because the message spreads farthest from there. Long attempts rarely
//! succeed, so there are many short attempts from scratch. (The ejections are those of Nagata and
//! Bräysy for vehicle routing, the genes those of umda-diameter-degree-networks, section 4.2.)
//!
//! In wormhole networks, terminals without a demand may relay the message. They are placed only
//! where they evict nothing, have weight 0, and are removed at the end if no receiver needs them.
//! In store-and-forward networks a place is a whole path from a vertex with the message, and all
//! vertices on the path, switches too, get the message.

mod reach;
mod tree;

use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;
use reach::{HopScan, Scan, Ways};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tree::{Delivery, NOBODY, Tree};

/// Moves of the shortest attempts, per receiver.
const MOVES_A_RECEIVER: usize = 2;
/// One in this number of moves tries to place a relay.
const RELAY_SHARE: u32 = 4;

/// A search for a broadcast tree.
#[derive(Clone)]
pub struct BroadcastSearch {
    problem: Arc<Problem>,
    ways: Arc<Ways>,
    receivers: Arc<Vec<VertexId>>,
    /// The vertices without a demand that may relay the message.
    relays: Arc<Vec<VertexId>>,
    tree: Tree,
    waiting: Vec<VertexId>,
    /// By vertex, whether it must receive the message.
    wanted: Arc<Vec<bool>>,
    /// Attempts begun.
    attempts: u64,
    /// Moves left of this attempt.
    left: usize,
    scan: Scan,
    hops: HopScan,
    /// The deliveries of the present move, each with its receiver; more than one only in
    /// store-and-forward networks.
    route: Vec<(VertexId, Delivery)>,
    /// The vertices that a move evicts; reused to avoid allocation.
    evicted: Vec<VertexId>,
}

impl BroadcastSearch {
    /// A search for a broadcast of one message; [`Walker::seek`] must follow.
    pub fn new(problem: Arc<Problem>) -> Self {
        let source = problem.demands()[0].source;
        let receivers: Vec<VertexId> = problem.demands().iter().map(|d| d.destination).collect();
        let mut wanted = vec![false; problem.network().vertices().len()];
        receivers.iter().for_each(|&v| wanted[v as usize] = true);
        let is_stored = problem.switching().stores();
        let passes_on = |v| is_stored || problem.network().is_terminal(v);
        let is_relay = |&v: &VertexId| v != source && !wanted[v as usize] && passes_on(v);
        let vertices = 0..problem.network().vertices().len() as VertexId;
        let relays: Vec<VertexId> = vertices.filter(is_relay).collect();
        let targets = if is_stored { vec![] } else { [&receivers[..], &relays].concat() };
        BroadcastSearch {
            ways: Arc::new(Ways::new(&problem, &targets)),
            tree: Tree::new(&problem),
            waiting: Vec::with_capacity(receivers.len()),
            wanted: Arc::new(wanted),
            attempts: 0,
            left: 0,
            scan: Scan::default(),
            hops: HopScan::default(),
            route: Vec::new(),
            evicted: Vec::new(),
            receivers: Arc::new(receivers),
            relays: Arc::new(relays),
            problem,
        }
    }

    /// Begins an attempt from scratch.
    fn restart(&mut self) {
        self.tree.clear(self.tree.steps());
        self.waiting.clone_from(&self.receivers);
        self.waiting.iter().for_each(|&v| self.tree.add_weight(v, 1));
        self.attempts += 1;
        self.left = MOVES_A_RECEIVER * self.receivers.len() * luby(self.attempts);
    }

    /// One move: a random waiting receiver gets its cheapest place.
    fn place_one(&mut self, rng: &mut Rng) {
        let v = self.waiting[rng.random_range(0..self.waiting.len())];
        // No route is found only if the steps are too few, whatever the rest of the tree.
        if self.find(v, u64::MAX - 1, rng) {
            self.clear_route();
            if self.evicted.iter().any(|&u| self.wanted[u as usize]) {
                self.tree.add_weight(v, 1);
            }
            self.put_route();
        }
    }

    /// Places a random relay where that evicts nothing.
    fn place_relay(&mut self, rng: &mut Rng) {
        let v = self.relays[rng.random_range(0..self.relays.len())];
        if !self.tree.is_placed(v) && self.find(v, 0, rng) {
            self.clear_route();
            self.put_route();
        }
    }

    fn tries_relay(&self, rng: &mut Rng) -> bool {
        self.problem.switching().holds_paths()
            && !self.relays.is_empty()
            && rng.random_range(0..RELAY_SHARE) == 0
    }

    /// Finds the cheapest route to a vertex; in wormhole networks one that costs at most `most`.
    fn find(&mut self, v: VertexId, most: u64, rng: &mut Rng) -> bool {
        let (network, tree) = (self.problem.network(), &self.tree);
        if self.problem.switching().stores() {
            return self.hops.cheapest(network, (tree, &self.wanted), v, &mut self.route, rng);
        }
        let steps = 0..tree.steps();
        let cost = self.scan.cheapest((network, &self.ways, tree), v, steps, most, rng);
        self.route.clear();
        self.route.push((v, self.scan.best.clone()));
        cost.is_some()
    }

    /// Evicts the occupants of the route. They received the message in the step of their delivery
    /// or later, so the first sender of the route, which has it before, is not among them.
    fn clear_route(&mut self) {
        self.evicted.clear();
        for (v, delivery) in &self.route {
            if self.tree.is_placed(*v) {
                self.tree.evict(*v, &mut self.evicted);
            }
            for &c in &delivery.path {
                let holder = self.tree.holder(c, delivery.step);
                if holder != NOBODY {
                    self.tree.evict(holder, &mut self.evicted);
                }
            }
            let at_port = self.tree.at_port(delivery.sender, delivery.step);
            if at_port != NOBODY {
                self.tree.evict(at_port, &mut self.evicted);
            }
        }
        self.waiting.extend(self.evicted.iter().filter(|&&u| self.wanted[u as usize]));
    }

    fn put_route(&mut self) {
        for (v, delivery) in &self.route {
            self.tree.place(*v, delivery);
        }
        self.waiting.retain(|&v| !self.tree.is_placed(v));
    }
}

/// The `i`-th number, from 1, of Luby, Sinclair and Zuckerman's sequence 1 1 2 1 1 2 4 1 ..: the
/// best lengths of attempts whose distribution of running times is unknown.
fn luby(i: u64) -> usize {
    let above = (i + 1).next_power_of_two();
    if above == i + 1 { above as usize / 2 } else { luby(i + 1 - above / 2) }
}

impl Walker for BroadcastSearch {
    fn seek(&mut self, steps: u32, _: &mut Rng) -> u64 {
        self.tree.clear(steps);
        self.restart();
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        for moves in 0..self.receivers.len() {
            if self.waiting.is_empty() {
                return moves as u64;
            }
            if self.left == 0 {
                self.restart();
            }
            self.left -= 1;
            if self.tries_relay(rng) {
                self.place_relay(rng);
            } else {
                self.place_one(rng);
            }
        }
        self.receivers.len() as u64
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn polish(&mut self, rng: &mut Rng) {
        if self.problem.switching().holds_paths() {
            self.shorten(rng);
        }
    }

    fn method(&self) -> Method {
        Method::EjectionChains
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.tree.steps());
        let message = self.problem.demands()[0].message;
        for &v in self.receivers.iter().chain(&*self.relays) {
            if let Some(delivery) = self.tree.delivery(v)
                && self.tree.load(v) > 0
            {
                plan.push(delivery.step as usize, message, delivery.path);
            }
        }
        plan.tidy();
        plan
    }
}

// Shortens a complete broadcast tree (of equally long schedules the one that uses fewer
// channels, then the one with the shorter longest path): each receiver moves to the shortest free
// path until nothing changes.

impl BroadcastSearch {
    /// Replaces deliveries by shorter ones as long as there are any.
    fn shorten(&mut self, rng: &mut Rng) {
        for i in 0..self.relays.len() {
            let v = self.relays[i];
            if self.tree.is_placed(v) && self.tree.load(v) == 0 {
                self.evicted.clear();
                self.tree.evict(v, &mut self.evicted);
            }
        }
        let all = [&self.receivers[..], &self.relays].concat();
        let mut order: Vec<_> = all.into_iter().filter(|&v| self.tree.is_placed(v)).collect();
        let mut improved = true;
        while improved {
            order.shuffle(rng);
            improved = false;
            for &v in &order {
                let Some(old) = self.tree.delivery(v).filter(|d| d.path.len() > 1) else {
                    continue;
                };
                let last = self.tree.first_sent(v);
                self.tree.free(v);
                let context = (self.problem.network(), &*self.ways, &self.tree);
                let length = old.path.len() as u32;
                let is_shorter =
                    self.scan.shortest_free(context, v, 0..last, length, rng).is_some();
                self.tree.place(v, if is_shorter { &self.scan.best } else { &old });
                improved |= is_shorter;
            }
        }
    }
}

// Saves and restores the state of a search for a broadcast tree.

#[derive(Serialize, Deserialize)]
struct Saved {
    tree: Tree,
    waiting: Vec<VertexId>,
    attempts: u64,
    left: usize,
}

impl Resume for BroadcastSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let BroadcastSearch {
            problem: _,
            ways: _,
            receivers: _,
            relays: _,
            wanted: _,
            scan: _,
            hops: _,
            route: _,
            evicted: _,
            tree,
            waiting,
            attempts,
            left,
        } = self;
        codec::encode(&Saved {
            tree: tree.clone(),
            waiting: waiting.clone(),
            attempts: *attempts,
            left: *left,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { tree, waiting, attempts, left } = codec::decode(state)?;
        if !tree.is_like(&self.tree) || waiting.len() > self.receivers.len() {
            return Err(CommError::Unfit("vertices"));
        }
        if !tree.is_rooted() {
            return Err(CommError::Unsound("each sender must have the message before it sends"));
        }
        (self.tree, self.waiting, self.attempts, self.left) = (tree, waiting, attempts, left);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn attempts_have_the_lengths_of_the_sequence() {
        let first: Vec<usize> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}

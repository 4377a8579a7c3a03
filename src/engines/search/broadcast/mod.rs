//! Ejection chains for one-to-all broadcasts.
//!
//! A broadcast tree is never in conflict; receivers that have no place in it wait. A move takes one
//! of them, looks at all (sender that has the message, step, path) for the one whose occupants are
//! the cheapest to evict, evicts these with all that have the message through them, and puts it
//! there. The price of an eviction is the number of those that would wait again; who had to evict
//! others gets dearer itself, as in guided local search. Of equally cheap places the earliest is
//! taken, from where the message gets farthest. What does not come to an end soon rarely does at
//! all, so there are many short attempts from nothing. (The ejections are those of Nagata
//! and Bräysy for vehicle routing, the genes those of umda-diameter-degree-networks, section 4.2.)
//!
//! In wormhole networks terminals that are not to receive anything may pass the message on. They are
//! placed where nobody is in the way, weigh nothing, and are left out in the end if nobody has needed
//! them. In store-and-forward networks a place is a whole way from somebody who has the message, and
//! all that are on the way, switches too, get it.

mod hops;
mod polish;
mod reach;
mod state;
mod tree;

use crate::engines::{Genome, Method, Walker};
use crate::network::VertexId;
use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use crate::schedule::{Plan, Transfer};
use hops::HopScan;
use rand::RngExt;
use reach::{Scan, Ways};
use std::sync::Arc;
use tree::{Delivery, NOBODY, Tree};

/// Moves of the shortest attempts, by receiver.
const MOVES_A_RECEIVER: usize = 2;
/// One in so many moves tries to place a terminal that is not to receive anything.
const RELAY_SHARE: u32 = 4;

/// A search for a broadcast tree.
#[derive(Clone)]
pub struct BroadcastSearch {
    problem: Arc<Problem>,
    ways: Arc<Ways>,
    receivers: Arc<Vec<VertexId>>,
    /// Those that neither send nor receive anything of their own but may pass the message on.
    relays: Arc<Vec<VertexId>>,
    tree: Tree,
    waiting: Vec<VertexId>,
    /// By vertex, whether it is to receive.
    wanted: Arc<Vec<bool>>,
    /// Attempts begun.
    attempts: u64,
    /// Moves left of this attempt.
    left: usize,
    scan: Scan,
    hops: HopScan,
    /// How the present move delivers, and to whom; several ones only in store-and-forward networks.
    route: Vec<(VertexId, Delivery)>,
    /// Whom a move evicts, kept to allocate nothing.
    evicted: Vec<VertexId>,
}

impl BroadcastSearch {
    /// A search for a broadcast of one message; [`Walker::seek`] must follow.
    pub fn new(problem: Arc<Problem>) -> Self {
        let source = problem.demands[0].source;
        let receivers: Vec<VertexId> = problem.demands.iter().map(|d| d.destination).collect();
        let mut wanted = vec![false; problem.network.vertices().len()];
        receivers.iter().for_each(|&v| wanted[v as usize] = true);
        let is_stored = problem.switching == Switching::StoreAndForward;
        let passes_on = |v| is_stored || problem.network.is_terminal(v);
        let is_relay = |&v: &VertexId| v != source && !wanted[v as usize] && passes_on(v);
        let vertices = 0..problem.network.vertices().len() as VertexId;
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

    /// Begins an attempt from nothing.
    fn restart(&mut self) {
        self.tree.clear(self.tree.steps());
        self.waiting.clone_from(&self.receivers);
        self.waiting.iter().for_each(|&v| self.tree.add_weight(v, 1));
        self.attempts += 1;
        self.left = MOVES_A_RECEIVER * self.receivers.len() * luby(self.attempts);
    }

    /// One move: a random receiver that waits gets its cheapest place.
    fn place_one(&mut self, rng: &mut Rng) {
        let v = self.waiting[rng.random_range(0..self.waiting.len())];
        // Too few steps to get there are too few for ever.
        if self.find(v, u64::MAX - 1, rng) {
            self.clear_route();
            if self.evicted.iter().any(|&u| self.wanted[u as usize]) {
                self.tree.add_weight(v, 1);
            }
            self.put_route();
        }
    }

    /// Lets a random terminal that is not to receive anything have the message where that costs
    /// nothing.
    fn place_relay(&mut self, rng: &mut Rng) {
        let v = self.relays[rng.random_range(0..self.relays.len())];
        if !self.tree.is_placed(v) && self.find(v, 0, rng) {
            self.clear_route();
            self.put_route();
        }
    }

    fn tries_relay(&self, rng: &mut Rng) -> bool {
        self.problem.switching == Switching::Wormhole
            && !self.relays.is_empty()
            && rng.random_range(0..RELAY_SHARE) == 0
    }

    /// Finds the cheapest way to a vertex; in wormhole networks one that costs at most `most`.
    fn find(&mut self, v: VertexId, most: u64, rng: &mut Rng) -> bool {
        let (network, tree) = (&self.problem.network, &self.tree);
        if self.problem.switching == Switching::StoreAndForward {
            return self.hops.cheapest(network, (tree, &self.wanted), v, &mut self.route, rng);
        }
        let steps = 0..tree.steps();
        let cost = self.scan.cheapest((network, &self.ways, tree), v, steps, most, rng);
        self.route.clear();
        self.route.push((v, self.scan.best.clone()));
        cost.is_some()
    }

    /// Evicts all that are in the way. Those have received in the step that is needed,
    /// or later, so that nobody is among them who has the message before, as the first sender has.
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

/// The `i`-th number, from 1, of Luby, Sinclair and Zuckerman's sequence 1 1 2 1 1 2 4 1 ..: how long
/// attempts had best be of which nobody knows how long they should be.
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

    fn cross_over(&mut self, _: &Genome, _: &mut Rng) -> u64 {
        0
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn polish(&mut self, rng: &mut Rng) {
        if self.problem.switching == Switching::Wormhole {
            self.shorten(rng);
        }
    }

    fn method(&self) -> Method {
        Method::EjectionChains
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.tree.steps());
        let message = self.problem.demands[0].message;
        for &v in self.receivers.iter().chain(&*self.relays) {
            if let Some(delivery) = self.tree.delivery(v)
                && self.tree.load(v) > 0
            {
                let transfer = Transfer { message, channels: delivery.path };
                plan.steps[delivery.step as usize].push(transfer);
            }
        }
        plan.tidy();
        plan
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

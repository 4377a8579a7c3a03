//! The cheapest route of a message: of any length, by a best-first search whose estimate is the
//! distance left, as every hop costs at least 1; or within a slack, over the graph of its walks.

use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::WalkFinder;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Memory of the search for a route; reused.
#[derive(Clone, Debug)]
pub struct Finder {
    cost: Vec<f32>,
    /// By vertex, the last channel of its route.
    last: Vec<ChannelId>,
    /// Vertices whose cost is known, to forget it.
    met: Vec<VertexId>,
    /// The vertices to expand: estimate of the whole route, as the bits of a positive number, and vertex.
    open: BinaryHeap<Reverse<(u32, VertexId)>>,
    walks: WalkFinder,
    /// Distances to the destination, for walks.
    distance: Vec<u32>,
    /// By slot of the walks, the cost and the last hop.
    slots: Vec<(f32, u32, ChannelId)>,
}

impl Finder {
    /// A finder for the network of a problem.
    pub fn new(problem: &Problem) -> Self {
        let n = problem.network().vertices().len();
        Finder {
            cost: vec![f32::INFINITY; n],
            last: vec![0; n],
            met: Vec::new(),
            open: BinaryHeap::new(),
            walks: WalkFinder::default(),
            distance: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Finds the cheapest route of a demand with at most `slack` channels more than a shortest one;
    /// `left` are the distances to its destination. A hop costs at least 1.
    pub fn cheapest(
        &mut self,
        problem: &Problem,
        (demand, slack): (&Demand, u32),
        left: &[u16],
        price: impl Fn(ChannelId, &mut Rng) -> f32,
        rng: &mut Rng,
        route: &mut Vec<ChannelId>,
    ) {
        route.clear();
        // A path has fewer channels than the network has vertices.
        let longest = u32::from(left[demand.source as usize]).saturating_add(slack);
        if (longest as usize) < problem.network().vertices().len() - 1 {
            self.within(problem, (demand, longest), left, price, rng, route);
        } else {
            self.any(problem, demand, left, price, rng, route);
        }
        route.reverse();
    }

    /// The cheapest route of any length, backwards.
    fn any(
        &mut self,
        problem: &Problem,
        demand: &Demand,
        left: &[u16],
        price: impl Fn(ChannelId, &mut Rng) -> f32,
        rng: &mut Rng,
        route: &mut Vec<ChannelId>,
    ) {
        let network = problem.network();
        self.met.drain(..).for_each(|v| self.cost[v as usize] = f32::INFINITY);
        self.open.clear();
        self.reach(demand.source, 0.0, left);
        while let Some(Reverse((estimate, u))) = self.open.pop() {
            if u == demand.destination {
                break;
            }
            let so_far = self.cost[u as usize];
            if estimate > (so_far + f32::from(left[u as usize])).to_bits() {
                continue;
            }
            for &c in network.outgoing(u) {
                let v = network.channel(c).to;
                if left[v as usize] == u16::MAX {
                    continue;
                }
                let cost = so_far + price(c, rng);
                if cost < self.cost[v as usize] {
                    self.last[v as usize] = c;
                    self.reach(v, cost, left);
                }
            }
        }
        let mut v = demand.destination;
        while v != demand.source {
            let c = self.last[v as usize];
            route.push(c);
            v = network.channel(c).from;
        }
    }

    fn reach(&mut self, v: VertexId, cost: f32, left: &[u16]) {
        self.cost[v as usize] = cost;
        self.met.push(v);
        self.open.push(Reverse(((cost + f32::from(left[v as usize])).to_bits(), v)));
    }

    /// The cheapest route of at most `longest` channels, backwards. No route with a loop is cheapest.
    fn within(
        &mut self,
        problem: &Problem,
        (demand, longest): (&Demand, u32),
        left: &[u16],
        price: impl Fn(ChannelId, &mut Rng) -> f32,
        rng: &mut Rng,
        route: &mut Vec<ChannelId>,
    ) {
        let far = |&d: &u16| if d == u16::MAX { u32::MAX } else { u32::from(d) };
        self.distance.clear();
        self.distance.extend(left.iter().map(far));
        let ends = (demand.source, demand.destination);
        let walks = self.walks.find(problem.network(), ends, &self.distance, longest);
        self.slots.clear();
        self.slots.resize(walks.slots(), (f32::INFINITY, 0, 0));
        self.slots[0].0 = 0.0;
        for slot in 1..walks.slots() {
            for hop in walks.into_slot(slot) {
                let cost = self.slots[hop.from as usize].0 + price(hop.channel, rng);
                if cost < self.slots[slot].0 {
                    self.slots[slot] = (cost, hop.from, hop.channel);
                }
            }
        }
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let (_, from, channel) = self.slots[slot];
            route.push(channel);
            slot = from as usize;
        }
    }
}

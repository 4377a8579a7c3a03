//! Scatters with store-and-forward switching over paths longer than shortest ones. A search that
//! chooses routes and steps at the same time has too many places to look at. So routes come first:
//! one for each message, such that no resource is on more routes than the steps have room for
//! (`planner`). Guided ejection then finds the steps of messages that keep to their routes, which is
//! easy even where every resource is in use in every step.

use super::scatter::{Hops, ScatterSearch};
use crate::ground::check_steps;
use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::{DistanceTable, WalkFinder};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Routes planned in an iteration.
const PLANNED: u64 = 500;
/// Iterations of guided ejection on the same routes.
const TRIES: u64 = 200;

/// A search over planned routes.
#[derive(Clone)]
pub struct Detours {
    problem: Arc<Problem>,
    planner: Planner,
    /// The search for steps, once there are routes.
    search: Option<ScatterSearch>,
    /// Its iterations.
    tried: u64,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    planned: Planned,
    search: Option<Vec<u8>>,
    tried: u64,
}

impl Detours {
    /// A search for a scatter with store-and-forward switching and a choice of paths.
    pub fn new(problem: Arc<Problem>) -> Self {
        Detours { planner: Planner::new(problem.clone()), problem, search: None, tried: 0 }
    }

    /// The search for steps along the planned routes.
    fn along_routes(&self) -> ScatterSearch {
        let routes = self.planner.plan.routes.clone();
        let hops = Arc::new(Hops::along(self.problem.clone(), routes));
        ScatterSearch::new(self.problem.clone(), hops)
    }

    /// Iterations at one number of steps before a larger one is tried.
    const PATIENCE: u64 = 1000;
}

impl Walker for Detours {
    fn seek(&mut self, steps: u32, _rng: &mut Rng) -> u64 {
        self.planner.seek(steps);
        (self.search, self.tried) = (None, 0);
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if let Some(search) = &mut self.search {
            if search.cost() == 0 {
                return 0;
            }
            self.tried += 1;
            if self.tried <= TRIES {
                return search.iterate(rng);
            }
            self.search = None;
            self.planner.stir(rng);
        }
        let planned = self.planner.some(PLANNED, rng);
        if !self.planner.is_done() {
            return planned;
        }
        let mut search = self.along_routes();
        let moves = search.seek(self.planner.plan.steps, rng);
        (self.search, self.tried) = (Some(search), 0);
        planned + moves
    }

    fn cost(&self) -> u64 {
        match &self.search {
            Some(search) => search.cost(),
            None => self.planner.over().max(1),
        }
    }

    fn polish(&mut self, rng: &mut Rng) {
        if let Some(search) = &mut self.search {
            search.polish(rng);
        }
    }

    fn patience(&self) -> u64 {
        Self::PATIENCE
    }

    fn method(&self) -> Method {
        Method::PlannedRoutes
    }

    fn plan(&self) -> Plan {
        self.search.as_ref().map_or_else(Plan::default, Walker::plan)
    }
}

impl Resume for Detours {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            planned: self.planner.plan.clone(),
            search: self.search.as_ref().map(Resume::save).transpose()?,
            tried: self.tried,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { planned, search, tried } = codec::decode(state)?;
        check_steps(planned.steps, self.problem.demands().len())?;
        if !planned.is_sound(&self.problem) || search.is_some() && !planned.is_whole() {
            return Err(CommError::Unfit("routes"));
        }
        self.planner.plan = planned;
        self.planner.count();
        self.search = match search {
            Some(saved) => {
                let mut search = self.along_routes();
                search.load(&saved)?;
                Some(search)
            }
            None => None,
        };
        self.tried = tried.min(TRIES + 1);
        Ok(())
    }
}

// A route for every message such that no resource is on more routes than a schedule of so few steps
// has room for. The routes are negotiated, as in routers for circuits (McMurchie and Ebeling 1995):
// a message on an overloaded resource takes the cheapest route anew, where an overloaded resource
// costs more from round to round, and more for good with every round that it stays overloaded.

/// The price of one message too many in the first round, its growth from round to round, and its limit.
const PRESENT: (f32, f32, f32) = (0.5, 1.05, 8.0);
/// Growth of the lasting price with every message too many at the end of a round.
const LASTING: f32 = 0.1;
/// One in this many messages on no overloaded resource takes a new route as well.
const STIRRED: u32 = 50;
/// The largest part of the price of a hop that is random, which breaks ties.
const NOISE: f32 = 0.01;

/// The planned routes.
#[derive(Clone, Debug)]
struct Planner {
    problem: Arc<Problem>,
    distances: Arc<DistanceTable>,
    finder: Finder,
    plan: Planned,
    /// By resource: the routes that it is on, and the price of one more.
    load: Vec<u32>,
    price: Vec<f32>,
    /// Routes that resources are on beyond their room.
    over: u64,
}

/// What is saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Planned {
    /// The steps for which there must be room.
    steps: u32,
    /// By demand, its route; empty before the first round.
    routes: Vec<Vec<ChannelId>>,
    /// By resource, its lasting price.
    lasting: Vec<f32>,
    /// The price of one message too many.
    present: f32,
    /// The demands in the order of this round, and the next one in it.
    order: Vec<u32>,
    next: usize,
}

impl Planner {
    /// No routes yet.
    fn new(problem: Arc<Problem>) -> Self {
        let destinations = problem.demands().iter().map(|d| d.destination);
        let distances = Arc::new(DistanceTable::to(problem.network(), destinations));
        let (demands, resources) =
            (problem.demands().len(), problem.resources().capacities().len());
        let plan = Planned {
            routes: vec![Vec::new(); demands],
            lasting: vec![0.0; resources],
            order: (0..demands as u32).collect(),
            next: demands,
            ..Planned::default()
        };
        let finder = Finder::new(&problem);
        let (load, price) = (vec![0; resources], vec![0.0; resources]);
        Planner { problem, distances, finder, plan, load, price, over: 0 }
    }

    /// Plans for a number of steps, from the routes so far.
    fn seek(&mut self, steps: u32) {
        self.plan.steps = steps;
        self.plan.present = PRESENT.0;
        self.plan.lasting.fill(0.0);
        self.plan.next = self.plan.order.len();
        self.count();
    }

    /// Whether all messages have routes for which there is room.
    fn is_done(&self) -> bool {
        self.over == 0 && self.plan.is_whole()
    }

    /// Routes beyond the room of resources.
    fn over(&self) -> u64 {
        self.over
    }

    /// Plans at most `most` routes anew. Returns their number.
    fn some(&mut self, most: u64, rng: &mut Rng) -> u64 {
        let mut planned = 0;
        while planned < most {
            if self.plan.next == self.plan.order.len() {
                if self.is_done() {
                    break;
                }
                self.begin_round(rng);
            }
            let demand = self.plan.order[self.plan.next] as usize;
            self.plan.next += 1;
            if self.wants(demand) || rng.random_range(0..STIRRED) == 0 {
                self.replan(demand, rng);
                planned += 1;
            }
        }
        planned
    }

    /// Lets some messages take new routes, although there is room for all.
    fn stir(&mut self, rng: &mut Rng) {
        for demand in 0..self.plan.routes.len() {
            if rng.random_range(0..STIRRED) == 0 {
                self.replan(demand, rng);
            }
        }
        self.plan.next = self.plan.order.len();
    }

    /// Raises prices where the last round left an overload, and shuffles the demands.
    fn begin_round(&mut self, rng: &mut Rng) {
        for r in 0..self.load.len() {
            let over = self.over_by(r as ResourceId, 0);
            self.plan.lasting[r] += LASTING * over;
        }
        self.plan.present = (self.plan.present * PRESENT.1).min(PRESENT.2);
        self.reprice_all();
        self.plan.order.shuffle(rng);
        self.plan.next = 0;
    }

    /// Whether a message has no route, or one on an overloaded resource.
    fn wants(&self, demand: usize) -> bool {
        let route = &self.plan.routes[demand];
        let is_over = |c: &ChannelId| {
            let (link, ports) = self.of_hop(*c);
            let mut all = std::iter::once(link).chain(ports.into_iter().flatten());
            all.any(|r| self.over_by(r, 0) > 0.0)
        };
        route.is_empty() || route.iter().any(is_over)
    }

    fn replan(&mut self, demand: usize, rng: &mut Rng) {
        let mut route = std::mem::take(&mut self.plan.routes[demand]);
        self.charge(&route, false);
        let Planner { problem, distances, finder, price, .. } = self;
        let d = &problem.demands()[demand];
        let (resources, network) = (problem.resources(), problem.network());
        let price = |c: ChannelId, rng: &mut Rng| {
            let (link, ports) = resources.of_hop(network, problem.switching(), c);
            let of = |r: ResourceId| price[r as usize];
            let noise = NOISE * rng.random::<f32>();
            1.0 + noise + of(link) + ports.into_iter().flatten().map(of).sum::<f32>()
        };
        let slack = problem.routing().slack();
        finder.cheapest(problem, (d, slack), distances.row(d.destination), price, rng, &mut route);
        self.charge(&route, true);
        self.plan.routes[demand] = route;
    }

    fn of_hop(&self, c: ChannelId) -> (ResourceId, [Option<ResourceId>; 2]) {
        self.problem.resources().of_hop(self.problem.network(), self.problem.switching(), c)
    }

    /// Messages too many on a resource, if `more` take it, relative to its capacity.
    fn over_by(&self, r: ResourceId, more: u32) -> f32 {
        let load = u64::from(self.load[r as usize] + more);
        let over = load.saturating_sub(self.room(r)) as f32;
        over / self.problem.resources().capacity(r) as f32
    }

    /// Routes for which a resource has room.
    fn room(&self, r: ResourceId) -> u64 {
        u64::from(self.plan.steps) * u64::from(self.problem.resources().capacity(r))
    }

    fn charge(&mut self, route: &[ChannelId], adds: bool) {
        for &c in route {
            let (link, ports) = self.of_hop(c);
            for r in std::iter::once(link).chain(ports.into_iter().flatten()) {
                let room = self.room(r);
                let load = &mut self.load[r as usize];
                if adds {
                    *load += 1;
                    self.over += u64::from(u64::from(*load) > room);
                } else {
                    self.over -= u64::from(u64::from(*load) > room);
                    *load -= 1;
                }
                self.reprice(r);
            }
        }
    }

    fn reprice(&mut self, r: ResourceId) {
        let present = self.plan.present * self.over_by(r, 1);
        self.price[r as usize] = self.plan.lasting[r as usize] + present;
    }

    /// Counts all loads, and prices them.
    fn count(&mut self) {
        self.load.fill(0);
        self.over = 0;
        let routes = std::mem::take(&mut self.plan.routes);
        routes.iter().for_each(|route| self.charge(route, true));
        self.plan.routes = routes;
        self.reprice_all();
    }

    fn reprice_all(&mut self) {
        (0..self.load.len() as ResourceId).for_each(|r| self.reprice(r));
    }
}

impl Planned {
    /// Whether all messages have routes.
    fn is_whole(&self) -> bool {
        self.routes.iter().all(|route| !route.is_empty())
    }

    /// Whether this can be the state of a planner for a problem.
    fn is_sound(&self, problem: &Problem) -> bool {
        let network = problem.network();
        let resources = problem.resources().capacities().len();
        let (demands, vertices) = (problem.demands(), network.vertices().len());
        let leads = |(d, route): (&Demand, &Vec<ChannelId>)| {
            let mut at = d.source;
            let goes_on = |&c: &ChannelId| {
                let known = (c as usize) < network.channels().len();
                known && network.channel(c).from == at && {
                    at = network.channel(c).to;
                    true
                }
            };
            route.is_empty()
                || route.len() < vertices && route.iter().all(goes_on) && at == d.destination
        };
        let mut seen = vec![false; demands.len()];
        let is_new = |&demand: &u32| {
            seen.get_mut(demand as usize).is_some_and(|seen| !std::mem::replace(seen, true))
        };
        let is_price = |price: &f32| price.is_finite() && *price >= 0.0;
        [self.routes.len(), self.order.len()] == [demands.len(); 2]
            && self.lasting.len() == resources
            && self.next <= self.order.len()
            && self.order.iter().all(is_new)
            && self.lasting.iter().chain([&self.present]).all(is_price)
            && demands.iter().zip(&self.routes).all(leads)
    }
}

// The cheapest route of a message: of any length, by a best-first search whose estimate is the
// distance left, as every hop costs at least 1; or within a slack, over the graph of its walks.

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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Routing, Switching};
    use ccsched_network::spec;

    fn planned(topology: &str, routing: Routing, ports: Option<u32>, steps: u32) -> Planner {
        let request = Request {
            routing,
            ports: Ports(ports),
            switching: Switching::StoreAndForward,
            ..Request::new(Collective::Aas)
        };
        let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
        let mut planner = Planner::new(problem);
        planner.seek(steps);
        planner.some(100_000, &mut rng_of(1, 0, 0));
        planner
    }

    /// The best loads over shortest paths, paths a channel longer, and any paths.
    #[test]
    fn longer_routes_lower_the_largest_load() {
        for (topology, routing, ports, steps, is_done) in [
            ("debruijn:2,3", Routing::Slack(0), None, 11, true),
            ("debruijn:2,3", Routing::Slack(0), None, 10, false),
            ("debruijn:2,3", Routing::Any, None, 9, true),
            ("debruijn:2,3", Routing::Any, None, 8, false),
            ("debruijn:3,3", Routing::Slack(1), None, 25, true),
            ("ring:5,half", Routing::Any, Some(1), 7, true),
        ] {
            let planner = planned(topology, routing, ports, steps);
            assert_eq!(planner.is_done(), is_done, "{topology} {routing} {steps}");
            let capacities = planner.problem.resources().capacities();
            let is_over = |(load, capacity): (&u32, &u32)| *load > steps * capacity;
            let over = planner.load.iter().zip(capacities).any(is_over);
            assert_eq!(over, !is_done, "{topology} {routing} {steps}");
            assert!(planner.plan.is_sound(&planner.problem));
            for (d, route) in planner.problem.demands().iter().zip(&planner.plan.routes) {
                let shortest = u32::from(planner.distances.row(d.destination)[d.source as usize]);
                assert!(route.len() as u32 <= shortest.saturating_add(routing.slack()));
            }
        }
    }

    #[test]
    fn forged_states_are_refused() {
        let sound = planned("ring:5", Routing::Any, None, 4);
        let refused = |change: fn(&mut Planned)| {
            let mut plan = sound.plan.clone();
            change(&mut plan);
            assert!(!plan.is_sound(&sound.problem));
        };
        refused(|plan| plan.routes[1].reverse());
        refused(|plan| plan.routes[1] = vec![99]);
        refused(|plan| drop(plan.routes.pop()));
        refused(|plan| plan.order[0] = plan.order[1]);
        refused(|plan| plan.next = 21);
        refused(|plan| plan.present = f32::NAN);
    }
}

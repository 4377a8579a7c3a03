//! A route for every message such that no resource is on more routes than a schedule of so few steps
//! has room for. The routes are negotiated, as in routers for circuits (McMurchie and Ebeling 1995):
//! a message on an overloaded resource takes the cheapest route anew, where an overloaded resource
//! costs more from round to round, and more for good with every round that it stays overloaded.

use super::finder::Finder;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::DistanceTable;
use ccsched_network::ChannelId;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
pub struct Planner {
    problem: Arc<Problem>,
    distances: Arc<DistanceTable>,
    finder: Finder,
    pub(super) plan: Planned,
    /// By resource: the routes that it is on, and the price of one more.
    load: Vec<u32>,
    price: Vec<f32>,
    /// Routes that resources are on beyond their room.
    over: u64,
}

/// What is saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Planned {
    /// The steps for which there must be room.
    pub steps: u32,
    /// By demand, its route; empty before the first round.
    pub routes: Vec<Vec<ChannelId>>,
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
    pub fn new(problem: Arc<Problem>) -> Self {
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
    pub fn seek(&mut self, steps: u32) {
        self.plan.steps = steps;
        self.plan.present = PRESENT.0;
        self.plan.lasting.fill(0.0);
        self.plan.next = self.plan.order.len();
        self.count();
    }

    /// Whether all messages have routes for which there is room.
    pub fn is_done(&self) -> bool {
        self.over == 0 && self.plan.is_whole()
    }

    /// Routes beyond the room of resources.
    pub fn over(&self) -> u64 {
        self.over
    }

    /// Plans at most `most` routes anew. Returns their number.
    pub fn some(&mut self, most: u64, rng: &mut Rng) -> u64 {
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
    pub fn stir(&mut self, rng: &mut Rng) {
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
    pub(super) fn count(&mut self) {
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
    pub fn is_whole(&self) -> bool {
        self.routes.iter().all(|route| !route.is_empty())
    }

    /// Whether this can be the state of a planner for a problem.
    pub fn is_sound(&self, problem: &Problem) -> bool {
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

//! All ports and shortest paths for limited ports and, on grids, for a route a pair, in all-to-all scatters by wormhole
//! switching. The way back drops from a schedule the transfers that violate the limit; those are re-inserted by first
//! fit.
//!
//! Few are dropped where the steps of a construction send at most one message a terminal, as those of meshes do, and
//! where the routes change the coordinates of one dimension after the other. Constructions begin with the longest
//! side. Run backwards, with every message from its destination to its source, they begin with the shortest one: so
//! that is tried as well. In the steps of a construction, the messages on a line or a ring fill it whatever line it
//! is, so most of them find their routes free even if these change the coordinates in another order.

use super::Reduction;
use crate::Method;
use crate::ground::in_step::InStep;
use crate::ground::placed::Placed;
use ccsched_model::problem::{Demand, Problem, Routing};
use ccsched_model::schedule::{Plan, Step, TransferRef};
use ccsched_network::ChannelId;
use ccsched_network::grid::Grid;
use std::sync::Arc;

/// The name of its schedules.
pub const NAME: &str = "all-to-all construction: within limits";
/// Messages, about, by which routes are judged.
const SAMPLE: usize = 1000;
/// Of 100 messages on routes, as many must find them free: to fit in more of them last takes more steps than a search.
const MOSTLY: usize = 80;

/// A problem, and the same problem without limits.
#[derive(Debug)]
pub struct PortsAndRoutes {
    outer: Arc<Problem>,
    inner: Arc<Problem>,
    /// Whether every message has one route.
    has_routes: bool,
}

impl PortsAndRoutes {
    /// None unless ports are limited, or a grid has a route for each pair.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        if problem.switching().stores() || !problem.is_exchange() {
            return None;
        }
        let grid = problem.has_fixed_routes().then(|| Grid::find(problem.network())).flatten();
        let has_routes = grid.is_some();
        let is_limited = problem.resources().have_ports() && !problem.has_fixed_routes();
        let is_in_vain = || grid.is_some_and(|grid| !are_mostly_sorted(problem, &grid));
        if !(is_limited || has_routes) || is_in_vain() {
            return None;
        }
        let inner = Arc::new(unlimited(problem));
        Some(PortsAndRoutes { outer: problem.clone(), inner, has_routes })
    }
}

impl Reduction for PortsAndRoutes {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        match self.has_routes {
            true => mostly_on_routes(&self.outer, inner),
            false => kept(&self.outer, &inner),
        }
    }

    fn may_leave(&self) -> usize {
        let all = self.outer.demands().len();
        if self.has_routes { all - MOSTLY * all / 100 } else { all }
    }

    fn method(&self, _: Method) -> Method {
        Method::Construction(NAME.into())
    }
}

/// Transfers of a plan.
fn messages(plan: &Plan) -> usize {
    plan.steps().map(Step::len).sum()
}

/// The transfers of a plan, or of the plan run backwards, on their routes.
fn mostly_on_routes(problem: &Problem, plan: Plan) -> Plan {
    let takes_routes =
        |plan: &Plan| !problem.resources().have_ports() && plan.all(|t| is_on_route(problem, t));
    if takes_routes(&plan) {
        return plan;
    }
    let back = match backwards(problem, &plan) {
        Some(back) if takes_routes(&back) => return back,
        back => back,
    };
    let (all, mut most) = (problem.demands().len(), Plan::default());
    for plan in std::iter::once(plan).chain(back) {
        let kept = on_routes(problem, &plan);
        if messages(&kept) > messages(&most) {
            most = kept;
        }
        if messages(&most) == all {
            break;
        }
    }
    most
}

/// Whether more than half of the routes return to no dimension after another one, judged by some of them.
fn are_mostly_sorted(problem: &Problem, grid: &Grid) -> bool {
    let dimension = grid.dimensions_of_channels();
    let is_sorted = |route: &[ChannelId]| {
        let runs = route.chunk_by(|&a, &b| dimension[a as usize] == dimension[b as usize]);
        let mut dimensions: Vec<_> = runs.map(|run| dimension[run[0] as usize]).collect();
        let changes = dimensions.len();
        dimensions.sort_unstable();
        dimensions.dedup();
        dimensions.len() == changes
    };
    let some = problem.demands().iter().step_by(problem.demands().len() / SAMPLE + 1);
    let routes = some.filter_map(|d| problem.fixed_route(d.source, d.destination));
    let (sorted, others): (Vec<_>, Vec<_>) = routes.partition(|route| is_sorted(route));
    sorted.len() > others.len()
}

/// The problem with as many ports as a terminal has channels, and all shortest paths.
fn unlimited(problem: &Problem) -> Problem {
    problem.without_ports().with_free_paths(Routing::Minimal)
}

/// The transfers of a plan on their routes, as far as these are free in their steps. Those that take them in the plan
/// come first. Of the others, two often change places: half of the way round a ring, one goes forth and one back.
fn on_routes(problem: &Problem, plan: &Plan) -> Plan {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    // Whether routes are long is found out once.
    let none = Placed::new(problem);
    let of_part = |first: usize, steps: &[Step]| {
        let (mut placed, mut used) = (none.clone(), InStep::new(resources));
        let (mut others, mut wanted) = (Vec::new(), Vec::new());
        for (step, number) in steps.iter().zip(first as u32..) {
            used.next();
            let mut place = |demand: &Demand, route: &[ChannelId]| {
                wanted.clear();
                resources.uses(network, switching, route, |r, _| wanted.push(r));
                if used.take_all(&wanted) {
                    placed.push(number, demand, route);
                }
            };
            for t in step.iter() {
                let demand = &problem.demands()[t.message as usize];
                match problem.fixed_route(demand.source, demand.destination) {
                    Some(route) if route == t.channels => place(demand, route),
                    route => others.extend(route.map(|route| (demand, route))),
                }
            }
            others.drain(..).for_each(|(demand, route)| place(demand, route));
        }
        placed
    };
    let mut placed = none.clone();
    plan.each_part(of_part).into_iter().for_each(|part| placed.append(part));
    placed.build()
}

/// The transfers of a plan, in its order, for which ports are left in their step.
fn kept(problem: &Problem, plan: &Plan) -> Plan {
    let (resources, switching) = (problem.resources(), problem.switching());
    plan.divided(1, || {
        let (mut used, mut wanted) = (InStep::new(resources), Vec::new());
        move |step: &Step| {
            used.next();
            let mut fits = |t: TransferRef<'_>| {
                let demand = &problem.demands()[t.message as usize];
                wanted.clear();
                wanted.extend(resources.at_ends(switching, demand.source, demand.destination));
                used.take_all(&wanted)
            };
            step.iter().map(|t| fits(t).then_some(0)).collect()
        }
    })
}

/// Whether a message takes its route, if it has one.
fn is_on_route(problem: &Problem, t: &TransferRef<'_>) -> bool {
    let demand = &problem.demands()[t.message as usize];
    let route = problem.fixed_route(demand.source, demand.destination);
    route.is_none_or(|route| route == t.channels)
}

/// The schedule in which every message takes the way of the one that goes the other way round; none if some link has
/// one direction only.
fn backwards(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let network = problem.network();
    let opposite: Vec<ChannelId> =
        network.channels().iter().map(|c| c.reverse).collect::<Option<_>>()?;
    let place = problem.places_of_senders();
    let mut plan = plan.turned(
        |c| opposite[c as usize],
        |message| {
            let demand = &problem.demands()[message as usize];
            let [from, to] = [demand.destination, demand.source].map(|v| place[v as usize]);
            problem.exchanged(from, to)
        },
    );
    plan.tidy();
    Some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::through;
    use crate::reduce::PORTS_AND_ROUTES;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_network::tables::Table;
    use ccsched_verify::verify;

    const WORMHOLE: Switching = Switching::Wormhole;

    fn problem(topology: &str, request: Request) -> Arc<Problem> {
        Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
    }

    fn plan(problem: &Arc<Problem>) -> Option<Plan> {
        Some(through(&PORTS_AND_ROUTES, problem, &rng_of(1, 0, 0))?.0)
    }

    fn with_ports(ports: u32, switching: Switching) -> Request {
        Request { ports: Ports(Some(ports)), switching, ..Request::new(Collective::Aas) }
    }

    fn with_table(name: &str) -> Request {
        let routing = Routing::Table(Table::find(name).unwrap());
        Request { routing, ..Request::new(Collective::Aas) }
    }

    #[test]
    fn few_steps_are_added_to_those_without_limits() {
        // The bound of the channels, which the construction meets, and the most steps.
        for (topology, request, bound, most) in [
            ("ring:100", with_ports(1, WORMHOLE), 1250, 1250),
            ("mesh:12x30", with_ports(1, WORMHOLE), 2700, 2700),
            ("torus:8x8x8", with_ports(2, WORMHOLE), 512, 512),
            ("torus:9x7", with_ports(1, WORMHOLE), 70, 75),
            ("mesh:15x15", with_ports(1, WORMHOLE), 840, 880),
            ("torus:15x15", with_ports(2, WORMHOLE), 420, 440),
            ("mesh:12x12", with_table("dimension-order"), 432, 432),
            ("mesh:10x14", with_table("dimension-order"), 490, 490),
            ("mesh:14x10", with_table("dimension-order"), 490, 490),
            ("torus:11x11", with_table("dimension-order"), 165, 165),
            // Half of the messages that go half of the way round change places.
            ("torus:8x8", with_table("dimension-order"), 64, 64),
            ("torus:12x4", with_table("dimension-order"), 72, 72),
            ("torus:8x8x4", with_table("dimension-order"), 256, 256),
            ("torus:4x8x4", with_table("dimension-order"), 128, 128),
        ] {
            let problem = problem(topology, request);
            let plan = plan(&problem).unwrap();
            let file = plan.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            assert!((bound..=most).contains(&plan.len()), "{topology}: {}", plan.len());
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        let none = Request::new(Collective::Aas);
        assert!(plan(&problem("mesh:8x8", none)).is_none());
        let stored = with_ports(1, Switching::StoreAndForward);
        assert!(plan(&problem("mesh:8x8", stored)).is_none());
        // No construction, no grid, and routes that are seldom shortest paths.
        assert!(plan(&problem("random-regular:50,3,1", with_ports(1, WORMHOLE))).is_none());
        assert!(plan(&problem("fat-tree:16", with_table("dmodk"))).is_none());
        assert!(plan(&problem("random-regular:20,3,1", with_table("updown"))).is_none());
    }
}

//! All-to-all scatters by wormhole switching with limited ports, and on grids with a route for each
//! pair. Drops from an unrestricted construction the transfers that violate the limit, and
//! re-inserts them by first fit.
//!
//! Few transfers violate the limits where a step has at most one message a terminal, as on meshes,
//! and where the routes change the coordinates of one dimension after the other. Constructions
//! begin with the longest side; reversed, with every message from its destination to its source,
//! with the shortest one, so both are tried. The messages of a step fill any line or ring alike, so
//! most find their routes free even if these change the coordinates in another order.

use super::draft;
use crate::engines::construct::first_fit::{self, Placed};
use crate::engines::construct::grid::shape::Grid;
use crate::engines::construct::{WITHIN_LIMITS, plan_before};
use crate::network::ChannelId;
use crate::problem::{Demand, Problem, Request, ResourceId, Routing};
use crate::rng::Rng;
use crate::schedule::{Plan, Step, TransferRef};
use std::sync::Arc;

/// Messages, about, by which routes are judged.
const SAMPLE: usize = 1000;
/// Per cent of the messages on routes that must find them free: inserting more of them last takes
/// more steps than a search.
const MOSTLY: usize = 80;

/// The schedule, if there are such limits and such a construction, most of whose messages keep to them.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let has_table = matches!(problem.routing, Routing::Table(_));
    let grid = has_table.then(|| Grid::find(&problem.network)).flatten();
    let has_routes = grid.is_some();
    let is_limited = problem.resources.have_ports() && !problem.has_fixed_routes() || has_routes;
    let is_in_vain = || grid.is_some_and(|grid| !are_mostly_sorted(problem, &grid));
    if !is_limited || !draft::is_total(problem) || is_in_vain() {
        return None;
    }
    let plan = plan_before(WITHIN_LIMITS, &Arc::new(unlimited(problem)), rng)?;
    let kept = if has_routes { mostly_on_routes(problem, plan)? } else { kept(problem, &plan) };
    let is_complete = messages(&kept) == problem.demands.len();
    Some(if is_complete { kept } else { first_fit::completed(problem, kept) })
}

/// Transfers of a plan.
fn messages(plan: &Plan) -> usize {
    plan.steps().map(Step::len).sum()
}

/// The transfers of a plan, or of the plan run backwards, on their routes; none if they are few.
fn mostly_on_routes(problem: &Problem, plan: Plan) -> Option<Plan> {
    let takes_routes =
        |plan: &Plan| !problem.resources.have_ports() && plan.all(|t| is_on_route(problem, t));
    if takes_routes(&plan) {
        return Some(plan);
    }
    let back = match backwards(problem, &plan) {
        Some(back) if takes_routes(&back) => return Some(back),
        back => back,
    };
    let (all, mut most) = (problem.demands.len(), Plan::default());
    for plan in std::iter::once(plan).chain(back) {
        let kept = on_routes(problem, &plan);
        if messages(&kept) > messages(&most) {
            most = kept;
        }
        if messages(&most) == all {
            break;
        }
    }
    (messages(&most) >= MOSTLY * all / 100).then_some(most)
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
    let some = problem.demands.iter().step_by(problem.demands.len() / SAMPLE + 1);
    let routes = some.filter_map(|d| problem.fixed_route(d.source, d.destination));
    let (sorted, others): (Vec<_>, Vec<_>) = routes.partition(|route| is_sorted(route));
    sorted.len() > others.len()
}

/// The problem with as many ports as a terminal has channels, and all shortest paths.
fn unlimited(problem: &Problem) -> Problem {
    let routing = Routing::Minimal;
    let problem = problem.without_ports();
    let request = Request { routing, ..problem.request };
    Problem { request, routing, table: None, ..problem }
}

/// The resources that transfers use in one step after the other.
struct Used {
    /// The present step.
    step: u32,
    /// By resource: the last step in which it was used, and how often.
    counts: Vec<(u32, u32)>,
    /// Those of the present transfer.
    wanted: Vec<ResourceId>,
}

impl Used {
    fn new(problem: &Problem) -> Self {
        let counts = vec![(0, 0); problem.resources.capacities().len()];
        Used { step: 0, counts, wanted: Vec::new() }
    }

    fn count(&self, resource: ResourceId) -> u32 {
        let (step, count) = self.counts[resource as usize];
        if step == self.step { count } else { 0 }
    }

    /// Takes what is wanted if all of it is free. Returns whether it was.
    fn take(&mut self, problem: &Problem) -> bool {
        let wanted = std::mem::take(&mut self.wanted);
        let is_free = |&r: &ResourceId| self.count(r) < problem.resources.capacity(r);
        let are_free = wanted.iter().all(is_free);
        if are_free {
            wanted.iter().for_each(|&r| self.counts[r as usize] = (self.step, self.count(r) + 1));
        }
        self.wanted = wanted;
        self.wanted.clear();
        are_free
    }
}

/// The transfers of a plan on their routes, as far as these are free in their steps; transfers that
/// keep their paths come first. Messages at distance n/2 on a ring swap direction so that
/// dimension-order routes fit.
fn on_routes(problem: &Problem, plan: &Plan) -> Plan {
    let Problem { network, resources, switching, .. } = problem;
    // Whether routes are long is found out once.
    let none = Placed::new(problem);
    let of_part = |first: usize, steps: &[Step]| {
        let (mut placed, mut used) = (none.clone(), Used::new(problem));
        let mut others = Vec::new();
        for (step, number) in steps.iter().zip(first as u32..) {
            used.step = number + 1;
            let mut place = |demand: &Demand, route: &[ChannelId]| {
                resources.uses(network, *switching, route, |r, _| used.wanted.push(r));
                if used.take(problem) {
                    placed.push(number, demand, route);
                }
            };
            for t in step.iter() {
                let demand = &problem.demands[t.message as usize];
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
    plan.divided(1, || {
        let mut used = Used::new(problem);
        move |step: &Step| {
            used.step += 1;
            let mut fits = |t: &TransferRef<'_>| {
                let demand = &problem.demands[t.message as usize];
                let ends = (demand.source, demand.destination);
                used.wanted.extend(problem.resources.at_ends(problem.switching, ends.0, ends.1));
                used.take(problem)
            };
            step.iter().map(|t| fits(&t).then_some(0)).collect()
        }
    })
}

/// Whether a message takes its route, if it has one.
fn is_on_route(problem: &Problem, t: &TransferRef<'_>) -> bool {
    let demand = &problem.demands[t.message as usize];
    let route = problem.fixed_route(demand.source, demand.destination);
    route.is_none_or(|route| route == t.channels)
}

/// The schedule in which every message takes the way of the one that goes the other way round; none if some link has
/// one direction only.
fn backwards(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let network = &problem.network;
    let opposite: Vec<ChannelId> =
        network.channels().iter().map(|c| c.reverse).collect::<Option<_>>()?;
    let place = problem.places_of_senders();
    let mut plan = plan.turned(&opposite, |message| {
        let demand = &problem.demands[message as usize];
        let [from, to] = [demand.destination, demand.source].map(|v| place[v as usize]);
        problem.exchanged(from, to)
    });
    plan.tidy();
    Some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::network::tables::Table;
    use crate::problem::{Collective, Ports, Switching};
    use crate::rng::rng_of;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    const WORMHOLE: Switching = Switching::Wormhole;

    fn problem(topology: &str, request: Request) -> Problem {
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
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
            // Half of the messages at distance n/2 swap direction.
            ("torus:8x8", with_table("dimension-order"), 64, 64),
            ("torus:12x4", with_table("dimension-order"), 72, 72),
            ("torus:8x8x4", with_table("dimension-order"), 256, 256),
            ("torus:4x8x4", with_table("dimension-order"), 128, 128),
        ] {
            let problem = problem(topology, request);
            let plan = plan(&problem, &mut rng_of(1, 0, 0)).unwrap();
            let file = plan.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            assert!((bound..=most).contains(&plan.len()), "{topology}: {}", plan.len());
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        let rng = &mut rng_of(1, 0, 0);
        let none = Request::new(Collective::Aas);
        assert!(plan(&problem("mesh:8x8", none), rng).is_none());
        let stored = with_ports(1, Switching::StoreAndForward);
        assert!(plan(&problem("mesh:8x8", stored), rng).is_none());
        // No construction, no grid, and routes that are seldom shortest paths.
        assert!(plan(&problem("random-regular:50,3,1", with_ports(1, WORMHOLE)), rng).is_none());
        assert!(plan(&problem("fat-tree:16", with_table("dmodk")), rng).is_none());
        assert!(plan(&problem("mesh:8x8", with_table("updown")), rng).is_none());
    }
}

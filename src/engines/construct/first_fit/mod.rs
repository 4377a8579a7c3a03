//! First fit for scatters: every message takes the first step, over all steps together, in which
//! one of its shortest paths is free; the longest paths choose first, and ties go to the channel
//! used least. A schedule at once on any network, for the searches to start from.
//!
//! Every resource has a row of bits, its free steps. Wormhole switching intersects the rows along
//! each path and unites them over paths; store-and-forward switching looks for the earliest arrival.

mod between;
mod stored;
mod wormhole;

use crate::ground::placed::Placed;
use crate::reduce;
use crate::reduce::missing;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId, Switching};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::seq::SliceRandom;
use std::sync::Arc;
pub use wormhole::Fit;

/// Messages to a destination, about, that follow each other: they read the same distances. More
/// take the same channels one after the other, which costs steps.
const TOGETHER: usize = 8;
/// The weight of the most loaded link where routes are taken by their loads.
const HEAVIEST: f64 = 64.0;
/// More cells of the table of distances do not fit into memory.
const MOST_DISTANCES: usize = 200_000_000;

/// The schedule, if the problem is a scatter.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    applies(problem).then(|| reduce::solved(problem, &mut |inner| fitted(inner, rng)))
}

/// Whether the problem is a scatter whose distances fit into memory.
fn applies(problem: &Problem) -> bool {
    let cells = problem.receivers().len() * problem.network().vertices().len();
    problem.collective().content().is_personal() && cells <= MOST_DISTANCES
}

/// A schedule of scatters by wormhole switching, with the messages that it lacks in the first steps
/// where they fit.
pub fn completed(problem: &Problem, plan: Plan) -> Plan {
    let mut order = missing(problem, &plan);
    let destinations = problem.demands().iter().map(|d| d.destination);
    let distances = DistanceTable::to(problem.network(), destinations);
    order.sort_by_key(|d| std::cmp::Reverse(distances.row(d.destination)[d.source as usize]));
    wormhole::continued(problem, &distances, &plan, &order)
}

/// The schedule of wormhole switching along fixed routes, in which those over the most loaded links choose first, if the
/// problem is a scatter. Where few links are the bottleneck, as near the root of up*/down* routes, these
/// are then seldom idle.
pub fn plan_by_loads(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let applies =
        applies(problem) && problem.switching().holds_paths() && problem.has_fixed_routes();
    applies.then(|| {
        let weight = weights(problem);
        let of_route = |route: &[ChannelId]| {
            let links = route.iter().map(|&c| problem.resources().of_channel(c));
            links.map(|link| weight[link as usize]).sum()
        };
        let (distances, order) = distances_and_order(problem, of_route, rng);
        wormhole::plan(problem, &distances, &order)
    })
}

/// By resource, a number up to [`HEAVIEST`] that grows with the square of its load.
fn weights(problem: &Problem) -> Vec<usize> {
    let (loads, capacities) = (problem.static_loads(), problem.resources().capacities());
    let relative = loads.iter().zip(capacities).map(|(&l, &c)| f64::from(l) / f64::from(c));
    let relative: Vec<f64> = relative.collect();
    let most = relative.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    relative.iter().map(|load| (HEAVIEST * (load / most).powi(2)) as usize).collect()
}

/// The schedule of a scatter.
pub(crate) fn fitted(problem: &Problem, rng: &mut Rng) -> Plan {
    let (distances, order) = distances_and_order(problem, <[ChannelId]>::len, rng);
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => by_spans(problem, &distances, &order)
            .unwrap_or_else(|| wormhole::plan(problem, &distances, &order)),
        Switching::StoreAndForward => stored::hops(problem, &distances, &order).plan(problem),
    }
}

/// The distances to all destinations, and the order in which demands are taken: by descending weight of their routes, or
/// length of their paths, in random order among equals. They are copied once, some at a time: reading millions of them in
/// random order takes longer than sorting them.
fn distances_and_order(
    problem: &Problem,
    weight: impl Fn(&[ChannelId]) -> usize + Sync,
    rng: &mut Rng,
) -> (DistanceTable, Vec<Demand>) {
    let destinations = problem.demands().iter().map(|d| d.destination);
    let distances = DistanceTable::to(problem.network(), destinations);
    let weight = |d: &Demand| match problem.fixed_route(d.source, d.destination) {
        Some(route) => weight(route),
        None => usize::from(distances.row(d.destination)[d.source as usize]),
    };
    let mut order: Vec<u32> = (0..problem.demands().len() as u32).collect();
    order.shuffle(rng);
    let some: Vec<&[u32]> = order.chunks(TOGETHER * problem.receivers().len()).collect();
    let measured = |number: usize| {
        let numbers = some[number].iter();
        let mut some: Vec<Demand> = numbers.map(|&n| problem.demands()[n as usize]).collect();
        // Messages to one destination read the same row of distances.
        some.sort_by_key(|d| d.destination);
        some.into_iter().map(|d| (weight(&d), d)).collect::<Vec<_>>()
    };
    let mut of_weight: Vec<Vec<Demand>> = Vec::new();
    cores::ahead(some.len(), measured, |some| {
        for (weight, d) in some {
            of_weight.resize_with(of_weight.len().max(weight + 1), Vec::new);
            of_weight[weight].push(d);
        }
    });
    (distances, of_weight.into_iter().rev().flatten().collect())
}

// Paths that are known before their messages are placed: fixed routes, and shortest paths without a choice, as in
// a tree. They are looked up some thousand messages ahead, on another thread.

/// Messages whose paths are looked up together.
pub const GROUP: usize = 1 << 13;

/// Calls a function with each demand of an order and its path, which is empty if there is a choice.
pub fn each(
    problem: &Problem,
    distances: &DistanceTable,
    order: &[Demand],
    mut place: impl FnMut(&Demand, &[ChannelId]),
) {
    let groups: Vec<&[Demand]> = order.chunks(GROUP).collect();
    let look_up = |group: usize| Known::of(problem, distances, groups[group]);
    let mut demands = order.iter();
    cores::ahead(groups.len(), look_up, |known| {
        known.paths().zip(demands.by_ref()).for_each(|(path, demand)| place(demand, path));
    });
}

/// The paths of some messages.
#[derive(Clone, Debug, Default)]
pub struct Known {
    channels: Vec<ChannelId>,
    /// By message, the end of its path.
    ends: Vec<u32>,
}

impl Known {
    /// The paths, which are empty where there is a choice.
    pub fn paths(&self) -> impl Iterator<Item = &[ChannelId]> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges.map(|(start, &end)| &self.channels[start as usize..end as usize])
    }

    /// Looks up the paths of some messages.
    pub fn of(problem: &Problem, distances: &DistanceTable, demands: &[Demand]) -> Self {
        let mut known = Known::default();
        for demand in demands {
            let ends = (demand.source, demand.destination);
            match problem.fixed_route(ends.0, ends.1) {
                Some(route) => known.channels.extend_from_slice(route),
                None => known.add(problem, ends, distances.row(ends.1)),
            }
            known.ends.push(known.channels.len() as u32);
        }
        known
    }

    /// Adds the shortest path if there is but one. `to` is the distance to the destination, by vertex.
    fn add(&mut self, problem: &Problem, ends: (VertexId, VertexId), to: &[u16]) {
        let network = problem.network();
        let start = self.channels.len();
        let mut v = ends.0;
        while v != ends.1 {
            let left = to[v as usize] - 1;
            let leads = |c: &&ChannelId| to[network.channel(**c).to as usize] == left;
            let mut nearer = network.outgoing(v).iter().filter(leads);
            let (Some(&c), None) = (nearer.next(), nearer.next()) else {
                self.channels.truncate(start);
                return;
            };
            self.channels.push(c);
            v = network.channel(c).to;
        }
    }
}

// First fit for wormhole switching along known paths in schedules of very many steps, as up*/down* routes of a large mesh
// need them: the rows of free steps are larger than the caches, and reading them takes nearly all of the time.
//
// Messages choose twice. At first each takes the first span of some thousand steps in which no channel of its path has a
// transfer in every step yet. Then the messages of each span take steps there, in the same order. Those that find none
// go on to a later span, and at the end to steps after all spans, which costs a few steps. Spans are filled independently of each other, every
// chain of them by another core, with short rows.

/// Steps of a span.
const SPAN: u32 = 2048;
/// Messages without a step in a span continue in the span `CHAINS` later. Nothing else passes
/// between spans.
const CHAINS: usize = 16;
/// Channels on all paths, and spans, from which on this is worth some more steps.
const LEAST: (usize, usize) = (50_000_000, 16);
/// Sampling rate for estimating the number of spans.
const SAMPLED: usize = 64;

/// The schedule that takes the demands in this order; none if some message has a choice of paths,
/// or if there are too few steps.
fn by_spans(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Option<Plan> {
    let fewest = fewest_spans(problem, distances, order)?;
    let spans = spans(problem, distances, order, Room::new(problem, SPAN, 2 * fewest))?;
    Some(filled(problem, distances, order, (SPAN, &spans)))
}

/// The schedule whose spans of `count` steps have these messages, by their places in the order.
fn filled(
    problem: &Problem,
    distances: &DistanceTable,
    order: &[Demand],
    (count, spans): (u32, &[Vec<u32>]),
) -> Plan {
    // Whether routes are long is found out once.
    let none = Placed::new(problem);
    let chain = |first: usize| {
        let (mut placed, mut left) = (none.clone(), Vec::new());
        for span in (first..spans.len()).step_by(CHAINS) {
            left.extend_from_slice(&spans[span]);
            left.sort_unstable();
            let steps = Steps { first: span as u32 * count, count };
            left = steps.fill(problem, distances, (order, &left), &mut placed);
        }
        (placed, left)
    };
    let (mut placed, mut left) = (none.clone(), Vec::new());
    for (of_chain, left_there) in cores::each((0..CHAINS).collect(), chain) {
        placed.append(of_chain);
        left.extend(left_there);
    }
    left.sort_unstable();
    let after = Steps { first: spans.len() as u32 * count, count: u32::MAX };
    after.fill(problem, distances, (order, &left), &mut placed);
    placed.build()
}

/// The fewest spans, judged by some messages: the load of the bottleneck. None if one of them has a choice of paths, or
/// if the channels or the spans are few.
fn fewest_spans(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Option<usize> {
    let some: Vec<Demand> = order.iter().step_by(SAMPLED).copied().collect();
    let capacities = problem.resources().capacities();
    let known = Known::of(problem, distances, &some);
    let channels = SAMPLED * known.paths().map(<[_]>::len).sum::<usize>();
    if channels < LEAST.0 || known.paths().any(<[_]>::is_empty) {
        return None;
    }
    let mut loads = vec![0; capacities.len()];
    for path in known.paths() {
        let add = |r: u32, _| loads[r as usize] += SAMPLED;
        problem.resources().uses(problem.network(), problem.switching(), path, add);
    }
    let steps = loads.iter().zip(capacities).map(|(load, &c)| load / c as usize);
    steps.max().map(|steps| steps / SPAN as usize).filter(|&spans| spans >= LEAST.1)
}

/// By span, the places of its messages in the order; none if there is no room for all, or if there is a choice of paths.
fn spans(
    problem: &Problem,
    distances: &DistanceTable,
    order: &[Demand],
    mut room: Room,
) -> Option<Vec<Vec<u32>>> {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    let mut spans: Vec<Vec<u32>> = vec![Vec::new(); room.spans];
    let (mut place, mut uses, mut is_over) = (0, Vec::new(), false);
    each(problem, distances, order, |_, path| {
        uses.clear();
        resources.uses(network, switching, path, |resource, _| uses.push(resource));
        match room.take(&uses).filter(|_| !is_over && !path.is_empty()) {
            Some(span) => spans[span].push(place),
            None => is_over = true,
        }
        place += 1;
    });
    spans.truncate(spans.iter().rposition(|span| !span.is_empty()).map_or(0, |last| last + 1));
    (!is_over).then_some(spans)
}

/// The transfers for which there is room in spans.
struct Room {
    /// By resource, then span: how many more can use it there.
    left: Vec<u32>,
    spans: usize,
    /// By resource, the first span with room.
    first: Vec<u32>,
}

impl Room {
    /// Empty spans of `count` steps each.
    fn new(problem: &Problem, count: u32, spans: usize) -> Self {
        let capacities = problem.resources().capacities();
        let of_all = capacities.iter().map(|capacity| capacity.saturating_mul(count));
        let left = of_all.flat_map(|left| std::iter::repeat_n(left, spans)).collect();
        Room { left, spans, first: vec![0; capacities.len()] }
    }

    /// Takes room for one transfer in the first span in which all these resources have some.
    fn take(&mut self, uses: &[ResourceId]) -> Option<usize> {
        let Room { left, spans, first } = self;
        let at = |resource: ResourceId, span| resource as usize * *spans + span;
        let begin = uses.iter().map(|&r| first[r as usize]).max()? as usize;
        let span = (begin..*spans).find(|&span| uses.iter().all(|&r| left[at(r, span)] > 0))?;
        for &r in uses {
            left[at(r, span)] -= 1;
            let first = &mut first[r as usize];
            while (*first as usize) < *spans && left[at(r, *first as usize)] == 0 {
                *first += 1;
            }
        }
        Some(span)
    }
}

/// Consecutive steps.
struct Steps {
    first: u32,
    count: u32,
}

impl Steps {
    /// Places messages of an order in these steps, which are empty. Returns those that find none.
    fn fill(
        &self,
        problem: &Problem,
        distances: &DistanceTable,
        (order, places): (&[Demand], &[u32]),
        placed: &mut Placed<'_>,
    ) -> Vec<u32> {
        let demands: Vec<Demand> = places.iter().map(|&place| order[place as usize]).collect();
        let known = Known::of(problem, distances, &demands);
        let (mut fit, mut left) = (Fit::new(problem), Vec::new());
        for ((&place, demand), path) in places.iter().zip(&demands).zip(known.paths()) {
            let step = fit.along(problem, (demand.source, demand.destination), path);
            if step < self.count {
                fit.take(problem, step);
                placed.push(self.first + step, demand, path);
            } else {
                left.push(place);
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Routing};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_network::tables::{Table, up_and_down};
    use ccsched_verify::verify;

    /// Steps of the schedule, which is verified.
    fn steps(topology: &str, request: Request) -> usize {
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let plan = fitted(&problem, &mut rng_of(1, 0, 0));
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        plan.len()
    }

    #[test]
    fn every_rule_is_kept() {
        let aas = || Request::new(Collective::Aas);
        for topology in ["mesh:4x4", "fat-tree:8", "kautz:2,3", "ring:7,half", "torus:4x4,width=2"]
        {
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                for ports in [None, Some(1), Some(2)] {
                    let request = Request { switching, ports: Ports(ports), ..aas() };
                    assert!(steps(topology, request) > 1, "{topology} {switching} {ports:?}");
                }
            }
            let request = Request { routing: Routing::Slack(1), ..aas() };
            assert!(steps(topology, request) > 1, "{topology}");
        }
        let request = Request { routing: Routing::Static, ..aas() };
        assert!(steps("swiss-t1", request) > 1);
        let request = Request { routing: Routing::Lgl, ..aas() };
        assert!(steps("dragonfly:4,2,2", request) > 1);
    }

    #[test]
    fn the_most_loaded_links_are_seldom_idle() {
        let routing = Routing::Table(Table::find("updown").unwrap());
        let request = Request { routing, ..Request::new(Collective::Aas) };
        let network = spec::parse("mesh:9x10").unwrap();
        // Plain routes up and down: a few links near the root carry most.
        let all = network.terminals();
        let pairs = all.flat_map(|a| network.terminals().map(move |b| (a, b)));
        let routes = up_and_down(&network, pairs.filter(|(a, b)| a != b)).unwrap();
        let problem = Arc::new(request.pose_again(network, vec![], Some(routes)).unwrap());
        let plan = plan_by_loads(&problem, &mut rng_of(1, 0, 0)).unwrap();
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{:?}", verify(&file));
        let load = problem.static_loads().into_iter().max().unwrap() as usize;
        assert!((load..=load + load / 20).contains(&plan.len()), "{} of {load}", plan.len());
        let free = Request::new(Collective::Aas).pose(spec::parse("mesh:9x10").unwrap(), vec![]);
        assert!(plan_by_loads(&Arc::new(free.unwrap()), &mut rng_of(1, 0, 0)).is_none());
    }

    #[test]
    fn it_is_far_below_one_message_a_step() {
        assert!(steps("mesh:8x8", Request::new(Collective::Aas)) < 150);
        let switching = Switching::StoreAndForward;
        assert!(steps("mesh:8x8", Request { switching, ..Request::new(Collective::Aas) }) < 150);
    }

    /// The steps of a schedule in spans of 16 steps, which is verified; none if there is none.
    fn steps_in_spans(topology: &str, request: Request) -> Option<usize> {
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let (distances, order) = distances_and_order(&problem, <[_]>::len, &mut rng_of(1, 0, 0));
        assert!(by_spans(&problem, &distances, &order).is_none(), "{topology}: few messages");
        let spans = spans(&problem, &distances, &order, Room::new(&problem, 16, 200))?;
        let plan = filled(&problem, &distances, &order, (16, &spans));
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        Some(plan.len())
    }

    #[test]
    fn few_steps_are_added_to_the_load_of_the_bottleneck() {
        let updown = Routing::Table(Table::find("updown").unwrap());
        let aas = || Request::new(Collective::Aas);
        for (topology, request) in [
            ("mesh:9x10", Request { routing: updown, ..aas() }),
            ("mesh:5x6,half", Request { routing: updown, ..aas() }),
            ("mesh:8x7,width=2", Request { routing: updown, ports: Ports(Some(2)), ..aas() }),
            ("full-binary-tree:63", aas()),
        ] {
            let network = spec::parse(topology).unwrap();
            let own = Request { routing: updown, ..request.clone() };
            let least = own.pose(network, vec![]).unwrap().static_duration() as usize;
            let steps = steps_in_spans(topology, request).unwrap();
            assert!((least..=least + least / 5).contains(&steps), "{topology}: {steps} of {least}");
        }
    }

    #[test]
    fn others_are_left_to_others() {
        // Messages with a choice of paths, and more than the spans have room for.
        let aas = || Request::new(Collective::Aas);
        assert!(steps_in_spans("mesh:4x4", aas()).is_none());
        assert!(steps_in_spans("mesh:130", aas()).is_none());
    }
}

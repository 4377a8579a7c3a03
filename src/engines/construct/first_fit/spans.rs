//! First fit for wormhole switching along known paths in schedules of very many steps, as up*/down* routes of a large mesh
//! need them: the rows of free steps are larger than the caches, and reading them takes nearly all of the time.
//!
//! Messages choose twice. At first each takes the first span of some thousand steps in which no channel of its path has a
//! transfer in every step yet. Then the messages of each span take steps there, in the same order. Those that find none
//! go on to a later span, and at the end to steps after all spans, which costs a few steps. Spans are filled independently of each other, every
//! chain of them by another core, with short rows.

use super::known::{self, Known};
use super::wormhole::Fit;
use crate::ground::placed::Placed;
use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;

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
pub fn plan(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Option<Plan> {
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
    known::each(problem, distances, order, |_, path| {
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
    use crate::construct::first_fit::distances_and_order;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Routing};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_network::tables::Table;
    use ccsched_verify::verify;

    /// The steps of a schedule in spans of 16 steps, which is verified; none if there is none.
    fn steps(topology: &str, request: Request) -> Option<usize> {
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let (distances, order) = distances_and_order(&problem, <[_]>::len, &mut rng_of(1, 0, 0));
        assert!(plan(&problem, &distances, &order).is_none(), "{topology}: few messages");
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
            let steps = steps(topology, request).unwrap();
            assert!((least..=least + least / 5).contains(&steps), "{topology}: {steps} of {least}");
        }
    }

    #[test]
    fn others_are_left_to_others() {
        // Messages with a choice of paths, and more than the spans have room for.
        let aas = || Request::new(Collective::Aas);
        assert!(steps("mesh:4x4", aas()).is_none());
        assert!(steps("mesh:130", aas()).is_none());
    }
}

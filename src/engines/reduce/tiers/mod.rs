//! Two tiers: boxes with a fast inside, which slower links join. The inner problem is the outer tier alone, what goes
//! from box to box. Its way back follows its steps there, and fits what happens within boxes into their shadow:
//!
//! - all-gather, reduce-scatter: a message keeps to the *lane* of its source, its counterparts in all other boxes, and
//!   spreads in each box from there;
//! - all-reduce: a part is collected in every box at the lane of its root, goes across to the root, and back;
//! - all-to-all: a message goes straight to its destination or, where shorter paths lead to others there, to one of these
//!   first, as along rails.
//!
//! In the first two the inner problem is the exchange in lanes, whose steps are repeated for each piece and phase.
//!
//! So the links between boxes are busy from the first step in which a box has something whole to send to the last one
//! after which there is time to spread it. All transfers take the first steps that have room for them, in the order of
//! lists that are improved from the end and from the begin (ground/lists.rs).

mod boxes;
mod draft;
mod routes;

use super::Reduction;
use crate::Method;
use boxes::Boxes;
use ccsched_base::rng::rng_of;
use ccsched_model::problem::{Content, Demand, Joining, MessageId, Problem, Roots, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use draft::{Draft, FEW, Outer};
use routes::{Routes, Shape, Way};
use std::collections::HashMap;
use std::sync::Arc;

/// The name of its schedules.
pub const NAME: &str = "two tiers";

/// The most transfers.
const MOST_TRANSFERS: usize = 1 << 19;

/// The outer tier, and the boxes that it joins.
#[derive(Debug)]
pub struct Tiers {
    problem: Arc<Problem>,
    inner: Arc<Problem>,
    boxes: Boxes,
    /// By demand of an exchange between boxes, the terminal of the box of its destination where it comes in.
    relays: Arc<[Option<VertexId>]>,
}

impl Tiers {
    /// None unless it is a collective of all, in boxes whose lanes lead over switches alone.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let collective = problem.collective();
        let transfers = problem.demands().len() * 2;
        let may_apply = collective.roots() == Roots::All
            && collective.joining() == Joining::Apart
            && !problem.switching().stores()
            && !problem.has_fixed_routes()
            && transfers <= MOST_TRANSFERS;
        let boxes = may_apply.then(|| Boxes::of(problem))??;
        let is_exchange = collective.content().is_personal();
        let relays = if is_exchange { relays(problem, &boxes)? } else { Vec::new() };
        let pairs = match is_exchange {
            true => {
                let crossing = problem.demands().iter().zip(&relays);
                let mut pairs: Vec<(VertexId, VertexId)> =
                    crossing.filter_map(|(d, &relay)| Some((d.source, relay?))).collect();
                pairs.sort_unstable();
                pairs
            }
            false => boxes.pairs(),
        };
        if !is_exchange && !has_paths(problem, &boxes, &pairs) {
            return None;
        }
        let demand = |(message, (source, destination))| Demand { message, source, destination };
        let demands = (0..).zip(pairs).map(demand).collect();
        let inner = problem.traffic_of(demands).with_switching(Switching::Wormhole);
        let (problem, inner) = (problem.clone(), Arc::new(inner));
        Some(Tiers { problem, inner, boxes, relays: relays.into() })
    }

    /// What goes from box to box when.
    fn outer(&self, inner: &Plan) -> Outer {
        let mut at: HashMap<(VertexId, VertexId), Vec<usize>> = HashMap::new();
        for (step, transfers) in inner.steps().enumerate() {
            transfers.iter().for_each(|t| at.entry(self.ends(t.message)).or_default().push(step));
        }
        Outer { steps: inner.len(), at, relays: self.relays.clone() }
    }

    /// Steps that schedules along the outer ones hardly go below.
    fn goal(&self, outer: &Outer) -> usize {
        let pieces = self.problem.pieces() as usize;
        match (self.problem.collective().content(), self.problem.collective().is_all_reduce()) {
            (_, true) => 2 * pieces * outer.steps + 2,
            (Content::Common, false) => pieces * outer.steps + 1,
            (Content::Personal, false) => outer.steps,
        }
    }

    fn ends(&self, message: MessageId) -> (VertexId, VertexId) {
        let Demand { source, destination, .. } = self.inner.demands()[message as usize];
        (source, destination)
    }
}

/// Whether the routing allows the paths in lanes and in boxes; sums go the way of copies, in the other direction.
fn has_paths(problem: &Problem, boxes: &Boxes, pairs: &[(VertexId, VertexId)]) -> bool {
    let mut routes = Routes::new(problem, boxes);
    let is_back = problem.collective().is_all_reduce();
    let is_two_way = problem.network().channels().iter().all(|c| c.reverse.is_some());
    let lanes = 0..boxes.members[0].len();
    let mut places =
        (0..boxes.members.len()).flat_map(|number| lanes.clone().map(move |lane| (number, lane)));
    (!is_back || is_two_way)
        && pairs.iter().all(|&(from, to)| routes.length(from, to, Way::Across).is_some())
        && places.all(|root| {
            let mut has = |shape| routes.tree(root, shape, is_back).is_some();
            has(Shape::Flat) && has(Shape::Light)
        })
}

/// By demand, none within a box, else the terminal in the box of its destination to which the message goes from the other
/// box: on the way that is shortest in all, of equal ones that which the fewest take; none at all if the routing allows
/// no such way.
fn relays(problem: &Problem, boxes: &Boxes) -> Option<Vec<Option<VertexId>>> {
    let (places, mut routes) = (boxes.places(), Routes::new(problem, boxes));
    let mut taken: HashMap<(VertexId, VertexId), usize> = HashMap::new();
    let all = boxes.members.concat();
    let across: HashMap<VertexId, Arc<[u32]>> =
        all.iter().map(|&v| (v, routes.distances(v, Way::Across))).collect();
    let of = |d: &Demand| {
        let [home, number] = [d.source, d.destination].map(|v| places[v as usize].0);
        let within = routes.distances(d.destination, Way::Within(number));
        let most = routes.most(d.source, d.destination);
        if home == number {
            return (within[d.source as usize] <= most).then_some(None);
        }
        let length = |&relay: &VertexId| {
            across[&relay][d.source as usize].saturating_add(within[relay as usize])
        };
        let members = boxes.members[number].iter().copied();
        let nearest = members.filter(|v| length(v) <= most).min_by_key(|v| {
            let load = taken.get(&(d.source, *v)).copied().unwrap_or(0);
            (length(v), load, *v != d.destination)
        })?;
        *taken.entry((d.source, nearest)).or_default() += 1;
        // A way across must be allowed for itself, too.
        let is_allowed = routes.length(d.source, nearest, Way::Across).is_some();
        is_allowed.then_some(Some(nearest))
    };
    problem.demands().iter().map(of).collect()
}

impl Reduction for Tiers {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let outer = self.outer(&inner);
        let mut rng = rng_of(0, 0, 0);
        let shapes = [Shape::Flat, Shape::Light, Shape::Mixed];
        let is_large = self.problem.demands().len() > FEW;
        let mut best: Option<Plan> = None;
        for &shape in &shapes[..if is_large { 1 } else { shapes.len() }] {
            if best.as_ref().is_some_and(|best| best.len() <= self.goal(&outer)) {
                break;
            }
            let plan = Draft::new(&self.problem, &self.boxes, &outer, shape).plan(&mut rng);
            best = best.into_iter().chain(plan).min_by_key(Plan::len);
        }
        best.unwrap_or_default()
    }

    fn method(&self, _: Method) -> Method {
        Method::Construction(NAME.into())
    }
}

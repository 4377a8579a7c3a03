//! The cheapest delivery to a receiver in a step, from any vertex with the message, over any
//! allowed path: dynamic programming from the receiver back. There is no table of paths, so no path
//! is lost on large networks.
//!
//! The `cost` of a state (detour, vertex) is that of the best walk from the vertex to the receiver
//! that is `detour` channels longer than a shortest one. A channel costs the load of its holder; a
//! holder of consecutive channels is counted once.

use super::tree::{Delivery, NOBODY, Tree};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::routing::Layers;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::RngExt;

/// The cost of what is impossible.
const IMPOSSIBLE: u64 = u64::MAX;

/// Distances to all vertices that may get the message. Made once, shared.
#[derive(Clone, Debug)]
pub struct Ways {
    slack: u32,
    /// By vertex; none if the vertex is no target.
    targets: Vec<Option<Layers>>,
}

impl Ways {
    /// The distances to `targets`.
    pub fn new(problem: &Problem, targets: &[VertexId]) -> Self {
        let network = problem.network();
        let n = network.vertices().len();
        let mut ways = Ways {
            // A simple path has fewer channels than there are vertices.
            slack: problem.routing().listed_slack().min(n as u32 - 1),
            targets: vec![None; n],
        };
        for &v in targets {
            ways.targets[v as usize] = Some(Layers::to(network, v));
        }
        ways
    }
}

/// The vertices that reach a target, nearest first, without the target itself.
fn others(target: &Layers) -> &[VertexId] {
    &target.order[1..]
}

#[derive(Clone, Copy, Debug)]
struct State {
    cost: u64,
    /// The first channel of the walk.
    next: ChannelId,
    /// The holder of the first held channel of the walk.
    holder: VertexId,
}

/// The state of a vertex without a walk.
const NOWHERE: State = State { cost: IMPOSSIBLE, next: ChannelId::MAX, holder: NOBODY };

/// Finds the cheapest deliveries; reused to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    states: Vec<State>,
    /// The cheapest delivery found.
    pub best: Delivery,
    seen: Vec<VertexId>,
}

impl Scan {
    /// The cost of the cheapest delivery to `v` in a step of `steps`, if that is at most `most`.
    /// Ties go to the earliest step, then at random; the delivery is in `best`.
    pub fn cheapest(
        &mut self,
        (network, ways, tree): (&Network, &Ways, &Tree),
        v: VertexId,
        steps: std::ops::Range<u32>,
        most: u64,
        rng: &mut Rng,
    ) -> Option<u64> {
        let target = ways.targets[v as usize].as_ref()?;
        let n = network.vertices().len();
        let mut least = None;
        for step in steps {
            // A delivery in a later step must be cheaper.
            let Some(mut most) = least.map_or(Some(most), |least: u64| least.checked_sub(1)) else {
                break;
            };
            self.walk_back((network, ways, tree), v, step, u32::MAX, most, rng);
            let mut ties = 0;
            for &s in others(target).iter().filter(|&&s| tree.has_before(s, step)) {
                let of_detour = |e: &u32| self.states[*e as usize * n + s as usize].cost;
                let Some(detour) = (0..=ways.slack).min_by_key(of_detour) else { continue };
                let state = self.states[detour as usize * n + s as usize];
                if state.cost > most {
                    continue;
                }
                let at_port = tree.at_port(s, step);
                let is_new = at_port != NOBODY && at_port != state.holder;
                let cost = state.cost + if is_new { tree.load(at_port) } else { 0 };
                if cost > most {
                    continue;
                }
                ties = if cost < most { 1 } else { ties + 1 };
                most = cost;
                if ties == 1 || rng.random_range(0..ties) == 0 {
                    least = Some(cost);
                    self.note(network, target, (s, v), step, detour);
                }
            }
        }
        least
    }

    /// The length of the shortest path of fewer than `below` channels over which `v` can get the
    /// message in a step of `steps` without an eviction; the delivery is in `best`.
    pub fn shortest_free(
        &mut self,
        (network, ways, tree): (&Network, &Ways, &Tree),
        v: VertexId,
        steps: std::ops::Range<u32>,
        mut below: u32,
        rng: &mut Rng,
    ) -> Option<u32> {
        let target = ways.targets[v as usize].as_ref()?;
        let n = network.vertices().len();
        let mut least = None;
        for step in steps {
            self.walk_back((network, ways, tree), v, step, below, 0, rng);
            let can_send =
                |s: &&VertexId| tree.has_before(**s, step) && tree.at_port(**s, step) == NOBODY;
            let limit = below;
            let is_near = |s: &&VertexId| target.distance[**s as usize] < limit;
            for &s in others(target).iter().take_while(is_near).filter(can_send) {
                let is_free = |e: &u32| self.states[*e as usize * n + s as usize].cost == 0;
                let Some(detour) = (0..=ways.slack).find(is_free) else { continue };
                let length = target.distance[s as usize] + detour;
                if length < below {
                    (least, below) = (Some(length), length);
                    self.note(network, target, (s, v), step, detour);
                }
            }
        }
        least
    }

    /// Finds the best walks to `v` in a step from all vertices nearer than `below`, if they cost at
    /// most `most`.
    fn walk_back(
        &mut self,
        (network, ways, tree): (&Network, &Ways, &Tree),
        v: VertexId,
        step: u32,
        below: u32,
        most: u64,
        rng: &mut Rng,
    ) {
        let Some(target) = &ways.targets[v as usize] else { return };
        let n = network.vertices().len();
        self.states.clear();
        self.states.resize(n * (ways.slack as usize + 1), NOWHERE);
        self.states[v as usize].cost = 0;
        for detour in 0..=ways.slack {
            for &u in others(target) {
                if target.distance[u as usize] >= below {
                    break;
                }
                // The first channel of the walk may itself make part of the detour.
                let longest = target.distance[u as usize] + detour - 1;
                let mut best = NOWHERE;
                let mut ties = 0;
                for &c in network.outgoing(u) {
                    let to = network.channel(c).to;
                    let Some(left) = target.detour(to, longest) else { continue };
                    let rest = self.states[left as usize * n + to as usize];
                    if rest.cost > most {
                        continue;
                    }
                    let holder = tree.holder(c, step);
                    let is_new = holder != NOBODY && holder != rest.holder;
                    let cost = rest.cost + if is_new { tree.load(holder) } else { 0 };
                    if cost > best.cost || cost > most {
                        continue;
                    }
                    ties = if cost < best.cost { 1 } else { ties + 1 };
                    if ties == 1 || rng.random_range(0..ties) == 0 {
                        let holder = if holder == NOBODY { rest.holder } else { holder };
                        best = State { cost, next: c, holder };
                    }
                }
                self.states[detour as usize * n + u as usize] = best;
            }
        }
    }

    /// Stores the walk from `s` as the best delivery, without its loops.
    fn note(
        &mut self,
        network: &Network,
        target: &Layers,
        (s, v): (VertexId, VertexId),
        step: u32,
        mut detour: u32,
    ) {
        let n = network.vertices().len();
        let Delivery { sender, step: at, path } = &mut self.best;
        (*sender, *at) = (s, step);
        path.clear();
        self.seen.clear();
        let mut u = s;
        while u != v {
            self.seen.push(u);
            let c = self.states[detour as usize * n + u as usize].next;
            let to = network.channel(c).to;
            detour = target.distance[u as usize] + detour - 1 - target.distance[to as usize];
            path.push(c);
            if let Some(before) = self.seen.iter().position(|&w| w == to) {
                self.seen.truncate(before);
                path.truncate(before);
            }
            u = to;
        }
    }
}

// The cheapest route of the message to a receiver in store-and-forward networks, where it advances
// one channel per step: dynamic programming over (step, vertex) from the receiver back. Every
// vertex on the route, switches too, keeps the message. So a route starts at any vertex with the
// message and leads through vertices that get it later or not at all; these are evicted and get
// the message from the route.

/// The cost of an eviction, relative to a hop to a vertex without a demand.
const EVICTION: u64 = 1 << 12;

/// Finds the cheapest routes; reused to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct HopScan {
    /// The cost of the best route from a vertex that has the message before a step, by step, then
    /// vertex.
    cost: Vec<u64>,
    /// The first hop of that route, if it is in this step.
    hop: Vec<Option<ChannelId>>,
}

impl HopScan {
    /// Writes the cheapest route to `v`, ties at random. Returns whether there is one.
    pub fn cheapest(
        &mut self,
        network: &Network,
        (tree, wanted): (&Tree, &[bool]),
        v: VertexId,
        route: &mut Vec<(VertexId, Delivery)>,
        rng: &mut Rng,
    ) -> bool {
        let n = network.vertices().len();
        self.walk_back(network, (tree, wanted), v, rng);
        let (mut least, mut start, mut ties) = (IMPOSSIBLE, (0, 0), 0);
        for u in (0..n as VertexId).filter(|&u| tree.is_placed(u)) {
            let step = tree.ready(u);
            let cost = self.cost[step as usize * n + u as usize];
            if cost == IMPOSSIBLE || cost > least {
                continue;
            }
            ties = if cost < least { 1 } else { ties + 1 };
            least = cost;
            if rng.random_range(0..ties) == 0 {
                start = (u, step);
            }
        }
        if least == IMPOSSIBLE {
            return false;
        }
        self.note(network, start, v, route);
        true
    }

    fn walk_back(
        &mut self,
        network: &Network,
        (tree, wanted): (&Tree, &[bool]),
        v: VertexId,
        rng: &mut Rng,
    ) {
        let n = network.vertices().len();
        let steps = tree.steps();
        self.cost.clear();
        self.cost.resize(n * (steps as usize + 1), IMPOSSIBLE);
        self.hop.clear();
        self.hop.resize(n * steps as usize, None);
        self.cost[steps as usize * n + v as usize] = 0;
        for step in (0..steps).rev() {
            let (now, later) = (step as usize * n, (step as usize + 1) * n);
            for u in 0..n as VertexId {
                // Waiting; at equal cost a hop at once is preferred.
                let (mut best, mut hop, mut ties) = (self.cost[later + u as usize], None, 0);
                let at_port = tree.at_port(u, step);
                for &c in network.outgoing(u).iter().filter(|_| u != v) {
                    let to = network.channel(c).to;
                    let rest = self.cost[later + to as usize];
                    // A vertex that has the message by then is a better start.
                    if rest == IMPOSSIBLE || rest > best || tree.has_before(to, step + 1) {
                        continue;
                    }
                    let holder = tree.holder(c, step);
                    let load = |w: VertexId| if w == NOBODY { 0 } else { tree.load(w) };
                    let again = if tree.is_placed(to) { tree.load(to) } else { 0 };
                    let port = if at_port == holder { 0 } else { load(at_port) };
                    let idle = u64::from(!wanted[to as usize]);
                    let cost = rest + EVICTION * (load(holder) + again + port) + idle;
                    if cost > best {
                        continue;
                    }
                    ties = if cost < best { 1 } else { ties + 1 };
                    best = cost;
                    if ties == 1 || rng.random_range(0..ties) == 0 {
                        hop = Some(c);
                    }
                }
                self.cost[now + u as usize] = best;
                self.hop[now + u as usize] = hop;
            }
        }
    }

    /// Writes the best route from a vertex that has the message before a step.
    fn note(
        &self,
        network: &Network,
        (mut u, mut step): (VertexId, u32),
        v: VertexId,
        route: &mut Vec<(VertexId, Delivery)>,
    ) {
        let n = network.vertices().len();
        route.clear();
        while u != v {
            if let Some(c) = self.hop[step as usize * n + u as usize] {
                let to = network.channel(c).to;
                // A loop at no cost is no better than waiting.
                if let Some(before) = route.iter().position(|(w, _)| *w == to) {
                    route.truncate(before + 1);
                } else {
                    route.push((to, Delivery { sender: u, step, path: vec![c] }));
                }
                u = to;
            }
            step += 1;
        }
    }
}

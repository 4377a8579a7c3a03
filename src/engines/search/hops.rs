//! The hops of messages that are kept where they stop, and the room that steps have for them. With
//! store-and-forward switching a hop is a channel, with wormhole switching a path between terminals that
//! the routing allows, with hosts switching one over switches alone.

use crate::policy;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Routing, Switching};
use ccsched_model::routing::PathTable;
use ccsched_network::metrics::{UNREACHABLE, distances_over_switches, distances_to};
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::IndexedRandom;
use std::sync::Arc;

/// The ends of a hop.
#[derive(Clone)]
pub(super) struct Hop {
    pub from: VertexId,
    pub to: VertexId,
    /// By vertex, the channels from there to the end of the hop.
    over: Arc<Vec<u32>>,
    /// Paths that are longer than the shortest, if the routing allows them.
    longer: Arc<[Vec<ChannelId>]>,
}

impl Hop {
    /// Its start and its end.
    pub fn ends(&self) -> [VertexId; 2] {
        [self.from, self.to]
    }
}

/// More paths than about this are not listed.
const MOST_PATHS: usize = 1 << 14;
/// Pairs up to which paths of any length are all listed.
const FEW_PAIRS: usize = 64;

/// The paths of one transfer between two terminals that the routing allows, by pair, shortest first, with
/// switching that holds paths; none if there are too many pairs.
pub(super) fn listed(
    problem: &Problem,
    pairs: &[(VertexId, VertexId)],
) -> Option<Vec<Vec<Vec<ChannelId>>>> {
    if pairs.len() > MOST_PATHS {
        return None;
    }
    let network = problem.network();
    let slack = match problem.routing() {
        Routing::Any if pairs.len() <= FEW_PAIRS => network.vertices().len() as u32,
        Routing::Any => policy::SLACK,
        other => other.slack(),
    };
    let table = PathTable::find_shared(network, pairs, (slack, 1), MOST_PATHS, &|| false)?;
    // With hosts switching messages stop at the terminals on their way.
    let stops = |&c: &ChannelId| match problem.switching() {
        Switching::Wormhole | Switching::StoreAndForward => false,
        Switching::Hosts => network.is_terminal(network.channel(c).to),
    };
    let most = MOST_PATHS / pairs.len().max(1);
    let of_pair = |pair: usize| {
        let paths = table.of_pair(pair).map(|path| table.channels(path));
        let direct = paths.filter(|path| !path[..path.len() - 1].iter().any(stops));
        direct.take(most).map(<[ChannelId]>::to_vec).collect()
    };
    Some((0..pairs.len()).map(of_pair).collect())
}

/// All hops of a problem.
pub(super) fn hops(problem: &Problem) -> Vec<Hop> {
    let network = problem.network();
    let vertices = 0..network.vertices().len() as VertexId;
    let stops = |&v: &VertexId| problem.switching().stores() || network.is_terminal(v);
    let stops: Vec<VertexId> = vertices.filter(stops).collect();
    let mut hops = Vec::new();
    for &to in &stops {
        let (over, most) = match problem.switching() {
            Switching::StoreAndForward => {
                let mut over = vec![UNREACHABLE; network.vertices().len()];
                let incoming = network.incoming(to).iter();
                incoming.for_each(|&c| over[network.channel(c).from as usize] = 1);
                over[to as usize] = 0;
                (over, None)
            }
            Switching::Wormhole => (distances_to(network, to), None),
            Switching::Hosts => {
                (distances_over_switches(network, to), Some(distances_to(network, to)))
            }
        };
        let over = Arc::new(over);
        let slack = problem.routing().slack();
        let is_near = |&from: &VertexId| {
            let length = over[from as usize];
            let most =
                most.as_ref().map_or(length, |most| most[from as usize].saturating_add(slack));
            from != to && length != UNREACHABLE && length <= most
        };
        let near = stops.iter().copied().filter(is_near);
        let longer: Arc<[Vec<ChannelId>]> = Arc::default();
        hops.extend(near.map(|from| Hop { from, to, over: over.clone(), longer: longer.clone() }));
    }
    if problem.switching().holds_paths() && problem.routing().slack() > 0 {
        let pairs: Vec<(VertexId, VertexId)> = hops.iter().map(|hop| (hop.from, hop.to)).collect();
        for (hop, mut paths) in hops.iter_mut().zip(listed(problem, &pairs).unwrap_or_default()) {
            paths.retain(|path| path.len() > hop.over[hop.from as usize] as usize);
            hop.longer = paths.into();
        }
    }
    hops
}

/// What the transfers of a step use, by resource, step after step.
#[derive(Default)]
pub(super) struct Used(Vec<Vec<u32>>);

impl Used {
    /// Steps up to the last that is used.
    pub fn rounds(&self) -> usize {
        self.0.len()
    }

    /// Whether a hop has room in a step.
    pub fn has_room(&self, problem: &Problem, step: usize, hop: &[ChannelId]) -> bool {
        let Some(used) = self.0.get(step) else { return true };
        let (resources, switching) = (problem.resources(), problem.switching());
        let mut has_room = true;
        resources.uses(problem.network(), switching, hop, |resource, _| {
            has_room &= used[resource as usize] < resources.capacity(resource);
        });
        has_room
    }

    pub fn take(&mut self, problem: &Problem, step: usize, hop: &[ChannelId]) {
        let (resources, switching) = (problem.resources(), problem.switching());
        while self.0.len() <= step {
            self.0.push(vec![0; resources.capacities().len()]);
        }
        let used = &mut self.0[step];
        resources.uses(problem.network(), switching, hop, |resource, _| {
            used[resource as usize] += 1;
        });
    }

    /// A path of a hop that has room in a step: a shortest one, or else a longer one.
    pub fn free_path(
        &self,
        problem: &Problem,
        step: usize,
        hop: &Hop,
        rng: &mut Rng,
    ) -> Option<Vec<ChannelId>> {
        self.free_shortest_path(problem, step, hop, rng).or_else(|| {
            let longer = &hop.longer;
            let first = if longer.is_empty() { 0 } else { rng.random_range(0..longer.len()) };
            let mut all = longer[first..].iter().chain(&longer[..first]);
            all.find(|path| self.has_room(problem, step, path)).cloned()
        })
    }

    fn free_shortest_path(
        &self,
        problem: &Problem,
        step: usize,
        hop: &Hop,
        rng: &mut Rng,
    ) -> Option<Vec<ChannelId>> {
        let network = problem.network();
        let Hop { from, to, ref over, .. } = *hop;
        let passes = |v: VertexId| match problem.switching() {
            Switching::Wormhole => true,
            Switching::StoreAndForward | Switching::Hosts => !network.is_terminal(v),
        };
        let (mut path, mut at) = (Vec::new(), from);
        while at != to {
            let is_open = |c: &&ChannelId| {
                let next = network.channel(**c).to;
                over[next as usize] < over[at as usize]
                    && (next == to || passes(next))
                    && self.has_link(problem, step, **c)
            };
            let open: Vec<ChannelId> =
                network.outgoing(at).iter().filter(is_open).copied().collect();
            let next = *open.choose(rng)?;
            path.push(next);
            at = network.channel(next).to;
        }
        self.has_room(problem, step, &path).then_some(path)
    }

    /// Whether a channel has room in a step.
    fn has_link(&self, problem: &Problem, step: usize, c: ChannelId) -> bool {
        let link = problem.resources().of_channel(c);
        let capacity = problem.resources().capacity(link);
        self.0.get(step).is_none_or(|used| used[link as usize] < capacity)
    }
}

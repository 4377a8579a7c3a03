//! The hops of messages that are kept where they stop, and the room that steps have for them. With
//! store-and-forward switching a hop is a channel, with wormhole switching a shortest path between
//! terminals, with hosts switching one over switches alone.

use crate::network::metrics::{UNREACHABLE, distances_over_switches, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use rand::seq::IndexedRandom;
use std::sync::Arc;

/// The ends of a hop.
#[derive(Clone)]
pub(super) struct Hop {
    pub from: VertexId,
    pub to: VertexId,
    /// By vertex, the channels from there to the end of the hop.
    over: Arc<Vec<u32>>,
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
        hops.extend(near.map(|from| Hop { from, to, over: over.clone() }));
    }
    hops
}

/// What the transfers of a step use, by resource, step after step.
#[derive(Default)]
pub(super) struct Used(Vec<Vec<u32>>);

impl Used {
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

    /// A shortest path of a hop that has room in a step.
    pub fn free_path(
        &self,
        problem: &Problem,
        step: usize,
        hop: &Hop,
        rng: &mut Rng,
    ) -> Option<Vec<ChannelId>> {
        let network = problem.network();
        let Hop { from, to, ref over } = *hop;
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

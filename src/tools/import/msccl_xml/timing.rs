//! Steps and channels for transfers that have none, or those of the comments. With store-and-forward
//! switching a message for one destination moves over switches hop by hop; terminals pass nothing on
//! that is not sent to them.

use super::transfers::Transfer;
use crate::import::{Imported, Wrong};
use ccsched_model::problem::Problem;
use ccsched_network::metrics::{UNREACHABLE, distances_over_switches, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::{HashMap, VecDeque};

/// The plan of the transfers.
pub(super) fn timed(problem: &Problem, transfers: &[Transfer]) -> Result<Imported, Wrong> {
    let mut imported = Imported::empty();
    // By transfer, its moves: steps and channels.
    let mut found: Vec<Moves> = Vec::with_capacity(transfers.len());
    let are_planned = transfers.iter().all(|t| t.planned.is_some());
    let mut timing = Timing { problem, used: HashMap::new(), distances: HashMap::new() };
    for t in transfers {
        let placed = match t.planned.filter(|_| are_planned) {
            Some((step, channels)) => {
                check(problem.network(), t, channels).map(|()| vec![(*step, channels.clone())])
            }
            None => {
                let end = |&other: &usize| found[other][found[other].len() - 1].0 + 1;
                let after = t.after.iter().map(end).max().unwrap_or(0);
                let first = t.before.map_or(after, |other| found[other][0].0.max(after));
                timing.place(t, first)
            }
        };
        found.push(placed.map_err(|why| (t.line, why))?);
    }
    for (t, moves) in transfers.iter().zip(&found) {
        for (step, channels) in moves {
            let messages = std::iter::once(&t.message).chain(&t.others);
            messages.for_each(|&message| imported.push(*step, message, channels, t.line));
        }
    }
    Ok(imported)
}

/// Checks that the channels of a comment lead from the sender to the receiver.
fn check(network: &Network, t: &Transfer, channels: &[ChannelId]) -> Result<(), String> {
    let all = network.channels();
    let ends = |c: &ChannelId| all.get(*c as usize).map(|c| (c.from, c.to));
    let ends = channels.iter().map(ends).collect::<Option<Vec<_>>>();
    let ends = ends.ok_or("the comment before it has channels that the network lacks")?;
    match (ends.first(), ends.last()) {
        (Some((from, _)), Some((_, to))) if (*from, *to) == (t.from, t.to) => Ok(()),
        _ => {
            let [from, to] = [t.from, t.to].map(|v| network.vertex_name(v));
            Err(format!(
                "the channels in the comment before it do not lead from '{from}' to '{to}'"
            ))
        }
    }
}

/// Steps, each with the channels of a move in it.
type Moves = Vec<(usize, Vec<ChannelId>)>;

/// What the transfers so far use.
struct Timing<'p> {
    problem: &'p Problem,
    /// By step and resource.
    used: HashMap<(usize, u32), u32>,
    /// By vertex, the distances of all vertices to it.
    distances: HashMap<VertexId, Vec<u32>>,
}

impl Timing<'_> {
    /// The moves of a transfer, each in the first step with room from `first` on.
    fn place(&mut self, t: &Transfer, first: usize) -> Result<Moves, String> {
        if self.problem.switching().stores() {
            return self.hop_by_hop(t, first);
        }
        let fixed = self.problem.fixed_route(t.from, t.to).map(<[ChannelId]>::to_vec);
        if fixed.is_none() && self.distance(t.from, t.to) == UNREACHABLE {
            return Err(self.cannot(t, "there is no way"));
        }
        // The last step in use is followed by an empty one, in which every path has room.
        let mut step = first;
        loop {
            let path = match &fixed {
                Some(route) => Some(route.clone()).filter(|route| self.has_room(step, route)),
                None => self.path(step, t),
            };
            if let Some(path) = path {
                self.take(step, &path);
                return Ok(vec![(step, path)]);
            }
            step += 1;
        }
    }

    /// The moves over switches, which alone pass on what is not sent to them.
    fn hop_by_hop(&mut self, t: &Transfer, first: usize) -> Result<Moves, String> {
        let length = self.distance(t.from, t.to);
        let is_common = self.problem.collective().content().is_common();
        if length == UNREACHABLE {
            return Err(self.cannot(t, "other terminals lie between, and pass nothing on"));
        }
        if length > 1 && is_common {
            let why = "switches lie between, which would store the message and copy it";
            return Err(self.cannot(t, why));
        }
        let (network, mut at, mut step, mut moves) =
            (self.problem.network(), t.from, first, vec![]);
        while at != t.to {
            let to = &self.distances[&t.to];
            let is_nearer = |c: &&ChannelId| to[network.channel(**c).to as usize] < to[at as usize];
            let nearer = network.outgoing(at).iter().filter(is_nearer);
            if let Some(c) = nearer.copied().find(|&c| self.has_room(step, &[c])) {
                self.take(step, &[c]);
                moves.push((step, vec![c]));
                at = network.channel(c).to;
            }
            step += 1;
        }
        Ok(moves)
    }

    /// Why a transfer is not possible.
    fn cannot(&self, t: &Transfer, why: &str) -> String {
        let [from, to] = [t.from, t.to].map(|v| self.problem.network().vertex_name(v));
        let switching = self.problem.switching();
        format!("'{from}' cannot send to '{to}' with {switching} switching: {why}")
    }

    /// Notes that a path is in use.
    fn take(&mut self, step: usize, path: &[ChannelId]) {
        let (network, resources, switching) =
            (self.problem.network(), self.problem.resources(), self.problem.switching());
        let used = &mut self.used;
        resources.uses(network, switching, path, |resource, _| {
            *used.entry((step, resource)).or_default() += 1;
        });
    }

    /// Whether the ports and channels of a path have room.
    fn has_room(&self, step: usize, path: &[ChannelId]) -> bool {
        let (network, resources, switching) =
            (self.problem.network(), self.problem.resources(), self.problem.switching());
        let mut has_room = true;
        resources.uses(network, switching, path, |resource, _| {
            let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
            has_room &= used < resources.capacity(resource);
        });
        has_room
    }

    /// A shortest path with room, found breadth first along channels that lead nearer.
    fn path(&mut self, step: usize, t: &Transfer) -> Option<Vec<ChannelId>> {
        self.distance(t.from, t.to);
        let (network, to) = (self.problem.network(), &self.distances[&t.to]);
        let mut came: HashMap<VertexId, ChannelId> = HashMap::new();
        let mut queue = VecDeque::from([t.from]);
        while let Some(v) = queue.pop_front() {
            if v == t.to {
                let mut path = Vec::new();
                let mut at = v;
                while at != t.from {
                    path.push(came[&at]);
                    at = network.channel(came[&at]).from;
                }
                path.reverse();
                // The ports at both ends are counted for the path alone.
                return Some(path).filter(|path| self.has_room(step, path));
            }
            for &c in network.outgoing(v) {
                let next = network.channel(c).to;
                let stops = next != t.to && network.is_terminal(next);
                let is_nearer = to[next as usize] < to[v as usize]
                    && !(stops && self.problem.switching().relays());
                if is_nearer && !came.contains_key(&next) && self.is_free(step, c) {
                    came.insert(next, c);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn is_free(&self, step: usize, c: ChannelId) -> bool {
        let resource = self.problem.resources().of_channel(c);
        let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
        used < self.problem.resources().capacity(resource)
    }

    /// The channels between two vertices, over switches alone where terminals store messages.
    fn distance(&mut self, from: VertexId, to: VertexId) -> u32 {
        let (network, switching) = (self.problem.network(), self.problem.switching());
        let stores = switching.relays();
        let find = || {
            if stores { distances_over_switches(network, to) } else { distances_to(network, to) }
        };
        self.distances.entry(to).or_insert_with(find)[from as usize]
    }
}

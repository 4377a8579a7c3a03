//! Hops of chunks become transfers of messages. With as many chunks a message as it has pieces, a chunk
//! is a piece. With other numbers of chunks an all-to-all has as many messages a pair, of a chunk each.
//! Of a broadcast or a sum whose chunks all go the same ways, their hops are the transfers of the block;
//! if they go different ways, they are its pieces.

use super::buffers::{Buffers, Hop};
use crate::import::{Imported, Wrong};
use ccsched_model::problem::{Collective, Message, MessageId, Pair, Problem, Request};
use ccsched_network::metrics::{UNREACHABLE, distances_over_switches, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A message moves from one terminal to another.
pub(super) struct Transfer<'f> {
    pub line: usize,
    pub message: MessageId,
    /// What joins it, where several messages are one transfer.
    pub others: Vec<MessageId>,
    pub from: VertexId,
    pub to: VertexId,
    /// The transfers that brought the message, or what it is the sum of.
    pub after: Vec<usize>,
    /// The transfer before it between the same thread blocks.
    pub before: Option<usize>,
    /// The step of the schedule and the channels.
    pub planned: Option<&'f (usize, Vec<ChannelId>)>,
}

/// The problem whose messages are the chunks, where it is another one.
pub(super) fn problem(
    hops: &[Hop],
    buffers: &Buffers,
    problem: &Problem,
    terminals: &[VertexId],
) -> Result<Option<Problem>, String> {
    let pieces = problem.pieces() as usize;
    if pieces > 1 && pieces != buffers.parts {
        return Err(format!(
            "{0} chunks a message, but {pieces} pieces are asked for; it must be {0}, or not given",
            buffers.parts
        ));
    }
    let is_common = buffers.collective.content().is_common();
    if buffers.parts == pieces || is_common && go_together(hops, buffers) {
        return Ok(None);
    }
    let pose = |request: Request, as_what: &str| {
        let posed = request.pose(problem.network().clone(), problem.faults().to_vec());
        posed.map(Some).map_err(|e| format!("{} chunks a message, {as_what}: {e}", buffers.parts))
    };
    if is_common {
        let request = Request { pieces: buffers.parts as u32, ..problem.request().clone() };
        return pose(request, "pieces that go different ways");
    }
    let name = |v: VertexId| problem.network().vertex_name(v).to_string();
    let ends = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
    let pairs = ends.filter(|(from, to)| from != to).map(|(from, to)| Pair {
        source: name(from),
        destination: name(to),
        bytes: None,
        count: buffers.parts as u32,
    });
    let request = Request {
        collective: Collective::Traffic,
        source: None,
        senders: None,
        receivers: None,
        processes: Some(terminals.iter().copied().map(name).collect()),
        pairs: Some(pairs.collect()),
        ..problem.request().clone()
    };
    pose(request, "each a message of its own")
}

/// The transfers of the hops.
pub(super) fn of<'f>(
    hops: Vec<Hop<'f>>,
    buffers: &Buffers,
    problem: &Problem,
    terminals: &[VertexId],
) -> Result<Vec<Transfer<'f>>, Wrong> {
    let is_common = buffers.collective.content().is_common();
    let are_pieces = problem.pieces() as usize == buffers.parts;
    let hops = if is_common && !are_pieces { together(hops) } else { hops };
    let transfer = |hop: Hop<'f>| {
        let destination = hop.part.destination.map(|gpu| terminals[gpu]);
        let copy = destination.map(|_| hop.part.number as u32 + 1).filter(|_| !are_pieces);
        let row = Message {
            copy,
            piece: if are_pieces { hop.part.number as u32 } else { 0 },
            phase: hop.phase.filter(|_| !buffers.collective.is_reduction()),
            ..Message::new(terminals[hop.part.source], destination)
        };
        let find = |row: &Message| {
            problem.find_message(row).ok_or_else(|| {
                let why = format!(
                    "gpu {} sends {} to gpu {}, which no GPU needs: it is at its destination",
                    hop.from,
                    buffers.name(hop.part),
                    hop.to
                );
                (hop.line, why)
            })
        };
        let contribution = |&gpu: &usize| {
            find(&Message { piece: row.piece, ..Message::new(terminals[gpu], None) })
        };
        let (message, others) = match hop.of.split_first() {
            None => (find(&row)?, Vec::new()),
            Some((first, rest)) => {
                (contribution(first)?, rest.iter().map(contribution).collect::<Result<_, _>>()?)
            }
        };
        let Hop { line, after, before, planned, .. } = hop;
        let [from, to] = [hop.from, hop.to].map(|gpu| terminals[gpu]);
        Ok(Transfer { line, message, others, from, to, after, before, planned })
    };
    hops.into_iter().map(transfer).collect()
}

/// By source, phase, sender and receiver, the hops of the chunks of a block.
fn ways(hops: &[Hop]) -> Vec<Vec<usize>> {
    let mut ways: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (number, hop) in hops.iter().enumerate() {
        let content = (hop.part.source, hop.phase, &hop.of);
        ways.entry((content, hop.from, hop.to)).or_default().push(number);
    }
    ways.into_values().collect()
}

/// Whether all chunks of each block go the same ways.
fn go_together(hops: &[Hop], buffers: &Buffers) -> bool {
    ways(hops).iter().all(|chunks| {
        let mut numbers: Vec<usize> = chunks.iter().map(|&hop| hops[hop].part.number).collect();
        numbers.sort_unstable();
        numbers.iter().copied().eq(0..buffers.parts)
    })
}

/// The hops of blocks whose chunks go the same ways.
fn together(hops: Vec<Hop<'_>>) -> Vec<Hop<'_>> {
    // By hop of a chunk, whether it is the last of its block; the others are left out.
    let mut last_of = vec![0; hops.len()];
    for chunks in ways(&hops) {
        let last = *chunks.iter().max().expect("a way has a hop");
        chunks.iter().for_each(|&hop| last_of[hop] = last);
    }
    let mut place = vec![None; hops.len()];
    let mut merged: Vec<Hop> = Vec::new();
    for (number, hop) in hops.into_iter().enumerate() {
        if last_of[number] != number {
            continue;
        }
        place[number] = Some(merged.len());
        let placed = |other: usize| place[last_of[other]].filter(|&other| other < merged.len());
        let after = hop.after.into_iter().filter_map(placed).collect();
        let before = hop.before.and_then(placed);
        merged.push(Hop { after, before, planned: None, ..hop });
    }
    merged
}

// Steps and channels for transfers that have none, or those of the comments. With store-and-forward
// switching a message for one destination moves over switches hop by hop; terminals pass nothing on
// that is not sent to them.

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

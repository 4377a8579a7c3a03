//! Hops of chunks become transfers of messages. With as many chunks a message as it has pieces, a chunk
//! is a piece. With other numbers of chunks an all-to-all has as many messages a pair, of a chunk each.
//! Of a broadcast or a sum whose chunks all go the same ways, their hops are the transfers of the block;
//! if they go different ways, they are its pieces.

use super::buffers::Buffers;
use super::contents::Hop;
use crate::import::Wrong;
use ccsched_model::problem::{Collective, Message, MessageId, Pair, Problem, Request};
use ccsched_network::{ChannelId, VertexId};
use std::collections::BTreeMap;

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

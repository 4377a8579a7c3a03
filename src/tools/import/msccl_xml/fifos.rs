//! Channels hold few blocks that are sent and not yet received. A program whose sends need more room
//! runs in theory, and on the machine waits for ever.

use super::limits::Warning;
use super::order::Order;
use super::program::Algorithm;
use std::collections::BTreeMap;

/// Blocks that a channel holds, by protocol: a block takes half of the steps of a buffer of RCCL with
/// Simple, else one of eight.
const ROOM: [(&str, usize); 3] = [("Simple", 2), ("LL", 8), ("LL128", 8)];

/// The circle of waits that limited room makes.
pub(super) fn overfull(algorithm: &Algorithm, order: &Order) -> Option<Warning> {
    let protocol = algorithm.protocol.as_deref()?;
    let (_, room) = ROOM.into_iter().find(|(name, _)| *name == protocol)?;
    // By GPU and thread block that sends, its sends and their receives.
    let mut channels: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (receive, send) in order.senders.iter().enumerate() {
        let Some(send) = *send else { continue };
        let place = order.places[send];
        channels.entry((place.gpu, place.block)).or_default().push((send, receive));
    }
    let mut before = order.before.clone();
    for pairs in channels.values() {
        let later = pairs.iter().skip(room);
        later.zip(pairs).for_each(|((send, _), (_, receive))| before[*send].push(*receive));
    }
    let places = order.places.clone();
    let mut limited = Order { places, before, senders: Vec::new(), sorted: Vec::new() };
    let (line, why) = limited.sort(algorithm).err()?;
    let why = format!(
        "a channel holds {room} blocks (proto {protocol}) that are sent and not yet received, and so {why}"
    );
    Some((line, why))
}

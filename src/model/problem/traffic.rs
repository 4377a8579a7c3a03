//! Arbitrary traffic: a list of pairs, repetitions allowed, with or without lengths
//! (liquid-schedules, section 3). Every copy of a pair is a separate message.

use super::{Collective, Demand, Roots};
use ccsched_base::limits::MESSAGES;
use ccsched_base::{Error, Result};
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Messages of a traffic with the same source, destination and length; vertices by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The sender.
    pub source: String,
    /// The receiver.
    pub destination: String,
    /// Length of each message; that of the time model by default.
    pub bytes: Option<u64>,
    /// Number of messages.
    pub count: u32,
}

/// The length of messages without a length of their own.
pub(crate) const DEFAULT_BYTES: u64 = 1024;

/// Pairs with the same ends as one message, whose length is the sum of theirs.
pub fn added_up(pairs: &[Pair]) -> Vec<Pair> {
    let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for pair in pairs {
        let sum = sums.entry((&pair.source, &pair.destination)).or_default();
        let bytes = pair.bytes.unwrap_or(DEFAULT_BYTES).saturating_mul(pair.count.into());
        *sum = sum.saturating_add(bytes);
    }
    let pair = |((source, destination), bytes): ((&str, &str), u64)| Pair {
        source: source.into(),
        destination: destination.into(),
        bytes: Some(bytes),
        count: 1,
    };
    sums.into_iter().map(pair).collect()
}

/// Pairs whose messages of more than `most` bytes are cut into messages as alike as possible, none longer
/// than that.
pub fn in_pieces(pairs: &[Pair], most: u64) -> Vec<Pair> {
    let cut = |pair: &Pair| {
        let bytes = pair.bytes.unwrap_or(DEFAULT_BYTES);
        let pieces = bytes.div_ceil(most.max(1)).max(1);
        let longer = bytes % pieces;
        let number =
            |of: u64| u32::try_from(of.saturating_mul(pair.count.into())).unwrap_or(u32::MAX);
        let all = [(bytes / pieces + 1, longer), (bytes / pieces, pieces - longer)];
        let some = all.into_iter().filter(|&(_, pieces)| pieces > 0);
        let piece = |(bytes, of)| Pair { bytes: Some(bytes), count: number(of), ..pair.clone() };
        some.map(piece).collect::<Vec<_>>()
    };
    pairs.iter().flat_map(cut).collect()
}

/// Senders, receivers, demands, and the lengths of the messages, if any has one.
type Traffic = (Vec<VertexId>, Vec<VertexId>, Vec<Demand>, Option<Vec<u64>>);

/// The messages of the pairs, whose vertices `find(what, name)` looks up. Demands are ordered by
/// source, then destination; copies of a pair keep the given order.
///
/// # Errors
/// Unknown vertices, pairs of a vertex with itself, collectives other than a traffic, too many
/// messages.
pub(super) fn traffic(
    collective: Collective,
    pairs: &[Pair],
    find: impl Fn(&str, &str) -> Result<VertexId>,
) -> Result<Traffic> {
    if collective.roots() != Roots::Listed {
        return Err(Error::problem(format!(
            "pairs make a traffic: the collective is to be 'traffic', not '{collective}'"
        )));
    }
    if pairs.iter().fold(0u64, |sum, p| sum.saturating_add(p.count.into())) > MESSAGES as u64 {
        return Err(Error::problem(format!("the traffic has more than {MESSAGES} messages")));
    }
    let mut messages = Vec::new();
    for pair in pairs {
        let (source, destination) =
            (find("source", &pair.source)?, find("destination", &pair.destination)?);
        if source == destination {
            let name = &pair.source;
            return Err(Error::problem(format!("traffic: a pair sends from '{name}' to itself")));
        }
        let one = (source, destination, pair.bytes);
        messages.extend(std::iter::repeat_n(one, pair.count as usize));
    }
    messages.sort_by_key(|&(source, destination, _)| (source, destination));
    let ends = |end: fn(&(VertexId, VertexId, Option<u64>)) -> VertexId| {
        messages.iter().map(end).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (senders, receivers) = (ends(|m| m.0), ends(|m| m.1));
    let has_lengths = messages.iter().any(|m| m.2.is_some());
    let lengths =
        has_lengths.then(|| messages.iter().map(|m| m.2.unwrap_or(DEFAULT_BYTES)).collect());
    let demand = |(message, &(source, destination, _))| Demand { message, source, destination };
    let demands = (0..).zip(&messages).map(demand).collect();
    Ok((senders, receivers, demands, lengths))
}

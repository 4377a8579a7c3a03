//! An arbitrary traffic: a list of pairs, repeated ones allowed, with lengths or without
//! (liquid-schedules, section 3). Every copy of a pair is a message of its own.

use super::{Collective, Demand, Roots};
use crate::network::VertexId;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Messages of a traffic between the same two terminals; vertices by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Who sends.
    pub source: String,
    /// Who receives.
    pub destination: String,
    /// Length of each message; the time model's if not said.
    pub bytes: Option<u64>,
    /// How many messages.
    pub count: u32,
}

/// No traffic has more messages.
const MOST_MESSAGES: u64 = 4_000_000;
/// The length of messages that have none of their own.
pub(crate) const DEFAULT_BYTES: u64 = 1024;

/// Senders, receivers, deliveries, and the lengths of the messages if they have any.
type Traffic = (Vec<VertexId>, Vec<VertexId>, Vec<Demand>, Option<Vec<u64>>);

/// Looks the pairs up: `find(what, name)`. Deliveries are by source, then destination, copies of a
/// pair in the order given.
///
/// # Errors
/// Unknown vertices, pairs of a vertex with itself, other collectives than a traffic, too many
/// messages.
pub(super) fn traffic(
    collective: Collective,
    pairs: &[Pair],
    find: impl Fn(&str, &str) -> Result<VertexId>,
) -> Result<Traffic> {
    if collective.roots() != Roots::Listed {
        return Err(Error::problem(format!(
            "pairs make a traffic, not {collective}; use -c traffic"
        )));
    }
    if pairs.iter().fold(0u64, |sum, p| sum.saturating_add(p.count.into())) > MOST_MESSAGES {
        return Err(Error::problem(format!("the traffic has more than {MOST_MESSAGES} messages")));
    }
    let mut messages = Vec::new();
    for pair in pairs {
        let (source, destination) =
            (find("source", &pair.source)?, find("destination", &pair.destination)?);
        if source == destination {
            let name = &pair.source;
            return Err(Error::problem(format!("traffic: '{name}' is to send to itself")));
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

//! Rule "structure", the lengths of messages and the starts of transfers.

use super::structure::Demand;
use ccsched_model::schedule::Entry;

/// What is wrong with the length and the start of a transfer, if anything; `whole` is which of the messages
/// between these ends it carries, from 0.
pub(super) fn flaw(
    demand: &Demand<'_>,
    (source, destination, whole): (usize, Option<usize>, u64),
    &Entry { at, bytes, .. }: &Entry,
) -> Option<String> {
    let lengths = demand.pairs.as_ref().and_then(|pairs| pairs.lengths(source, destination?));
    if let Some(lengths) = lengths {
        let Some(bytes) = bytes else { return Some("its message lacks `bytes`".into()) };
        // A message that is not asked for is told elsewhere.
        if let Some(&length) = lengths.get(whole as usize).filter(|&&length| length != bytes) {
            return Some(format!("it has {bytes} `bytes`, the message {length} of `lengths`"));
        }
    }
    if let Some(groups) = demand.groups.as_ref().filter(|groups| groups.have_lengths()) {
        let Some(bytes) = bytes else { return Some("its message lacks `bytes`".into()) };
        let length = groups.length(source, destination, whole);
        let length = length.map(|length| length.div_ceil(demand.pieces.max(1)));
        if let Some(length) = length.filter(|&length| length != bytes) {
            return Some(format!("it has {bytes} `bytes`, the messages of its group {length}"));
        }
    }
    match (demand.timed, at, bytes) {
        (false, Some(_), _) => Some("an `at` is for timed schedules".into()),
        (true, None, _) => Some("it lacks `at`, its start".into()),
        (true, _, None) => Some("its message lacks `bytes`".into()),
        (true, Some(at), Some(bytes)) if at.checked_add(bytes).is_none() => {
            Some("its end is beyond the numbers of 64 bits".into())
        }
        _ => None,
    }
}

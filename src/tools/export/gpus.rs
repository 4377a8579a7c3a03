//! What formats of programs for GPUs have in common: the collectives that they know, the ranks, the
//! lengths of a call.

use super::ranks::Ranks;
use super::{Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Collective;

/// A collective as programs for GPUs call it.
pub(super) struct Called {
    /// The name in lower case without signs: `allgather`.
    pub name: &'static str,
    pub ranks: Ranks,
}

/// The collective of a schedule whose terminals are all GPUs and all take part; `roots` are collectives of
/// one root that the format knows too.
///
/// # Errors
/// Other collectives, some of the terminals alone, paths through terminals, an all-to-all in place.
pub(super) fn called(
    format: &str,
    roots: &[Collective],
    subject: &Subject,
    settings: &Settings,
) -> Result<Called> {
    let wrong = |why: String| Err(Error::problem(format!("{format}: {why}")));
    let collective = subject.problem.collective();
    let name = match collective {
        Collective::Aab => "allgather",
        Collective::Aas => "alltoall",
        Collective::ReduceScatter => "reducescatter",
        Collective::AllReduce | Collective::AllReduceWhole => "allreduce",
        Collective::Reduce if roots.contains(&collective) => "reduce",
        other => {
            let roots: String = roots.iter().map(|root| format!(" {root},")).collect();
            return wrong(format!(
                "it is written for aab (all-gather), aas (all-to-all),{roots} reduce-scatter and \
                 all-reduce, not {other}"
            ));
        }
    };
    if settings.in_place && collective == Collective::Aas {
        let why = "an all-to-all moves messages to other offsets; in place is for the others";
        return Err(Error::field("in_place", why));
    }
    let ranks = Ranks::of_processes(subject, format)?;
    let [senders, receivers] = subject.problem.asked_ends();
    let must_receive = collective != Collective::Reduce;
    if senders.len() != ranks.len() || must_receive && receivers.len() != ranks.len() {
        return wrong("all processes must be senders and receivers, as in the format".into());
    }
    if let Some(why) = passed(subject) {
        return Err(Error::field("switching", format!("{format}: {why}")));
    }
    Ok(Called { name, ranks })
}

/// The first transfer whose path passes through a terminal: GPUs pass nothing on that is not sent to
/// them.
fn passed(subject: &Subject) -> Option<String> {
    let network = subject.network();
    (0..subject.steps()).find_map(|step| {
        subject.step(step).find_map(|t| {
            let inner = &t.channels[..t.channels.len().saturating_sub(1)];
            let through = inner.iter().map(|&c| network.channel(c).to);
            let through = through.into_iter().find(|&v| network.vertices()[v as usize].terminal)?;
            let [from, to, through] = [t.from, t.to, through].map(|v| subject.name(v));
            Some(format!(
                "step {}: the path from '{from}' to '{to}' passes through '{through}', but GPUs \
                 pass nothing on that is not sent to them; a schedule with hosts switching stops there",
                step + 1
            ))
        })
    })
}

/// The least and the greatest call that a program is for: the bytes of the vector of an all-reduce of one
/// part or a reduce, else of all blocks of a GPU. Without lengths of messages all calls, up to `all` bytes.
pub(super) fn bytes_of_call(
    gpus: usize,
    is_one: bool,
    lengths: Option<(u64, Option<u64>)>,
    all: u64,
) -> [u64; 2] {
    let messages = if is_one { 1 } else { gpus as u64 };
    let (least, most) = lengths.unwrap_or((0, None));
    // A call is longer than the greatest message of the schedule, if not all of its messages are.
    let next = most.map(|most| most.saturating_add(1).saturating_mul(messages));
    [least.saturating_mul(messages), next.map_or(all, |next| next.saturating_sub(1))]
}

/// A text as the name of a program, of at most 200 characters; the readers know no entities.
pub(super) fn quoted(text: &str) -> String {
    text.chars().filter(|c| !"\"<>&'".contains(*c) && c.is_ascii()).take(200).collect()
}

//! MSCCL XML, which RCCL and Azure's msccl-executor run: a thread block for each peer and direction,
//! with its sends or receives in the order of the schedule. A send waits for the receive that
//! brought its message, or for the last that added to the sum; nothing else orders the thread blocks,
//! so that the steps are those of the schedule only in their order.
//!
//! The step and the channels of a transfer stand in a comment before its send: readers of the format
//! skip it, and `import` takes the schedule from it.

mod blocks;
mod vectors;

use super::ranks::Ranks;
use super::{Output, Settings, Subject};
use blocks::{Block, Blocks, Step};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Collective;
use std::fmt::Write;

/// Limits of RCCL's reader: thread blocks of a GPU, steps of a thread block, nodes that it keeps of a
/// file, children of a node.
const MOST_BLOCKS: usize = 64;
const MOST_STEPS: usize = 64;
const MOST_NODES: usize = 4096;
const MOST_GPUS: usize = 1024;

/// The longest call of a program that is for all lengths.
const MOST_BYTES: u64 = 1 << 40;

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let wrong = |why: String| Err(Error::problem(format!("msccl-xml: {why}")));
    let problem = &subject.problem;
    let name = match problem.collective() {
        Collective::Aab => "allgather",
        Collective::Aas => "alltoall",
        Collective::ReduceScatter => "reducescatter",
        Collective::AllReduce | Collective::AllReduceWhole => "allreduce",
        Collective::Reduce => "reduce",
        other => {
            return wrong(format!(
                "it is written for aab (all-gather), aas (all-to-all), reduce, reduce-scatter and \
                 all-reduce, not {other}"
            ));
        }
    };
    if settings.in_place && problem.collective() == Collective::Aas {
        let why = "an all-to-all moves messages to other offsets; in place is for the others";
        return Err(Error::field("in_place", why));
    }
    let ranks = Ranks::of_processes(subject, "msccl-xml")?;
    let [senders, receivers] = problem.asked_ends();
    let must_receive = problem.collective() != Collective::Reduce;
    if senders.len() != ranks.len() || must_receive && receivers.len() != ranks.len() {
        return wrong("all processes must be senders and receivers, as in the format".into());
    }
    if ranks.len() > MOST_GPUS {
        let gpus = ranks.len();
        return wrong(format!(
            "{gpus} GPUs; RCCL's reader has at most {MOST_GPUS} children a node"
        ));
    }
    if let Some(why) = passed(subject) {
        return Err(Error::field("switching", format!("msccl-xml: {why}")));
    }
    let blocks = Blocks::of(subject, &ranks, settings.in_place);
    for (gpu, of_gpu) in blocks.by_gpu.iter().enumerate() {
        if let Some(why) = excess(of_gpu, ranks.len()) {
            return wrong(format!("gpu {gpu} ('{}') has {why}", subject.name(ranks.vertices[gpu])));
        }
    }
    let is_reduce = problem.collective() == Collective::Reduce;
    let root = problem.root().filter(|_| is_reduce).map(|root| ranks.of_vertex(root));
    Ok(Output::File(text(subject, (name, root), &blocks, settings)))
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

/// The limit that a GPU exceeds.
fn excess(blocks: &[Block], gpus: usize) -> Option<String> {
    if blocks.len() > MOST_BLOCKS {
        let most = format!("RCCL's reader takes at most {MOST_BLOCKS}");
        return Some(format!("{} thread blocks, two for each peer; {most}", blocks.len()));
    }
    if let Some(block) = blocks.iter().find(|block| block.steps.len() > MOST_STEPS) {
        let what = match block.send.or(block.receive) {
            Some(peer) => format!("transfers with gpu {peer}"),
            None => "copies and sums".into(),
        };
        return Some(format!(
            "{} {what} in a thread block; RCCL's reader takes at most {MOST_STEPS} steps",
            block.steps.len()
        ));
    }
    let steps: usize = blocks.iter().map(|block| block.steps.len() + 1).sum();
    let nodes = 1 + gpus + steps;
    (nodes > MOST_NODES)
        .then(|| format!("{nodes} XML nodes to read; RCCL's reader keeps at most {MOST_NODES}"))
}

fn text(
    subject: &Subject,
    (collective, root): (&str, Option<usize>),
    blocks: &Blocks,
    settings: &Settings,
) -> String {
    let gpus = blocks.by_gpu.len();
    let problem = &subject.problem;
    let is_one = problem.collective().joins() || problem.collective() == Collective::Reduce;
    let pieces = problem.pieces() as usize;
    let chunks = if is_one { pieces } else { gpus * pieces };
    let mut out = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    let name = quoted(&subject.title());
    let (inside, outside) = (u8::from(settings.in_place), u8::from(!settings.in_place));
    let [least, most] = bytes_of_call(gpus, is_one, settings.lengths);
    // RCCL's reader demands minBytes, maxBytes and outofplace.
    line(format_args!(
        "<algo name=\"{name}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{chunks}\" \
         ngpus=\"{gpus}\" coll=\"{collective}\" inplace=\"{inside}\" outofplace=\"{outside}\" \
         minBytes=\"{least}\" maxBytes=\"{most}\">",
        blocks.channels
    ));
    if let Some(root) = root {
        line(format_args!(
            " <!-- the root is gpu {root}; the format names none: readers take this program for any -->"
        ));
    }
    for (gpu, of_gpu) in blocks.by_gpu.iter().enumerate() {
        let inputs = if collective == "allgather" { pieces } else { chunks };
        let outputs = if collective == "reducescatter" { pieces } else { chunks };
        let slots = blocks.slots[gpu];
        line(format_args!(
            " <gpu id=\"{gpu}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{slots}\">"
        ));
        for (id, block) in of_gpu.iter().enumerate() {
            let peer = |peer: Option<usize>| peer.map_or("-1".into(), |peer| peer.to_string());
            let (send, receive) = (peer(block.send), peer(block.receive));
            line(format_args!(
                "  <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{}\">",
                block.channel
            ));
            for (number, step) in block.steps.iter().enumerate() {
                if let Some((time, channels)) = &step.planned {
                    let channels: Vec<String> = channels.iter().map(u32::to_string).collect();
                    line(format_args!(
                        "   <!-- step {} channels {} -->",
                        time + 1,
                        channels.join(" ")
                    ));
                }
                line(format_args!("   {}", element(number, step)));
            }
            line(format_args!("  </tb>"));
        }
        line(format_args!(" </gpu>"));
    }
    out + "</algo>\n"
}

/// The least and the greatest call that a program is for, as RCCL counts it: the bytes of the vector of an
/// all-reduce or a reduce, else of all blocks of a GPU. Without lengths of messages all calls.
fn bytes_of_call(gpus: usize, is_one: bool, lengths: Option<(u64, Option<u64>)>) -> [u64; 2] {
    let messages = if is_one { 1 } else { gpus as u64 };
    let (least, most) = lengths.unwrap_or((0, None));
    // A call is longer than the greatest message of the schedule, if not all of its messages are.
    let next = most.map(|most| most.saturating_add(1).saturating_mul(messages));
    [least.saturating_mul(messages), next.map_or(MOST_BYTES, |next| next.saturating_sub(1))]
}

/// The element of a step.
fn element(number: usize, step: &Step) -> String {
    let Step { kind, from, to, waits_for, is_awaited, .. } = step;
    let [depid, deps] = waits_for
        .map_or(["-1".into(), "-1".into()], |[block, step]| [block.to_string(), step.to_string()]);
    format!(
        "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" \
         cnt=\"1\" depid=\"{depid}\" deps=\"{deps}\" hasdep=\"{}\"/>",
        from.0,
        from.1,
        to.0,
        to.1,
        u8::from(*is_awaited)
    )
}

/// A text as the value of an attribute of at most 255 characters; the readers know no entities.
fn quoted(text: &str) -> String {
    text.chars().filter(|c| !"\"<>&'".contains(*c) && c.is_ascii()).take(200).collect()
}

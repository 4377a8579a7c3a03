//! Execution plans of MSCCL++ (JSON), which its executor runs, and RCCL with it. A plan is one-sided: a
//! GPU writes into the memory of another one and signals; that one waits. `moves` says what is written and
//! added where, `blocks` which thread block does it and where blocks wait for each other.
//!
//! Source: github.com/microsoft/mscclpp, the executor's reader of plans and its limits.

mod blocks;

use super::moves::Moves;
use super::{Output, Settings, Subject, gpus};
use blocks::{Block, Channel, Operation, Span};
use ccsched_base::{Error, Result};
use serde::Serialize;
use std::collections::HashMap;

/// What a chunk is a multiple of, in bytes.
const ALIGNMENT: u64 = 16;
const THREADS: usize = 1024;

/// A plan as its file has it; the names are those of the format.
#[derive(Serialize)]
struct Plan {
    name: String,
    collective: &'static str,
    protocol: &'static str,
    inplace: bool,
    reuse_resources: bool,
    gpus: Vec<GpuPlan>,
    num_threads_per_block: usize,
    use_double_scratch_buffer: bool,
    buffer_alignment: u64,
    min_message_size: u64,
    max_message_size: u64,
}

#[derive(Serialize)]
struct GpuPlan {
    id: usize,
    input_chunks: usize,
    output_chunks: usize,
    scratch_chunks: usize,
    threadblocks: Vec<ThreadBlock>,
    channels: Vec<ChannelList>,
    remote_buffers: Vec<RemoteBuffer>,
    semaphores: [(); 0],
}

#[derive(Serialize)]
struct ThreadBlock {
    id: usize,
    ops: Vec<Op>,
    channels: Vec<ChannelRefs>,
    remote_buffer_refs: Vec<RemoteRefs>,
}

#[derive(Serialize)]
struct ChannelList {
    channel_type: &'static str,
    connected_to: Vec<usize>,
}

#[derive(Serialize)]
struct ChannelRefs {
    channel_type: &'static str,
    channel_ids: [usize; 1],
}

#[derive(Serialize)]
struct RemoteBuffer {
    rank: usize,
    #[serde(rename = "type")]
    kind: char,
    access_channel_types: [&'static str; 1],
}

#[derive(Serialize)]
struct RemoteRefs {
    access_channel_type: &'static str,
    remote_buffer_ids: Vec<usize>,
}

#[derive(Default, Serialize)]
struct Op {
    name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    src_buff: Vec<Buffer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dst_buff: Vec<Buffer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channel_ids: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduce_op: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barrier_id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_threadblocks: Option<usize>,
}

#[derive(Serialize)]
struct Buffer {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer_id: Option<usize>,
    index: usize,
    size: usize,
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let wrong = |why: String| Error::problem(format!("mscclpp: {why}"));
    let gpus::Called { name, ranks } = gpus::called("mscclpp", &[], subject, settings)?;
    let problem = &subject.problem;
    let of_node = settings.gpus_per_node.unwrap_or(ranks.len());
    if of_node == 0 || !ranks.len().is_multiple_of(of_node) {
        let why = format!("{} GPUs are no whole number of nodes of {of_node}", ranks.len());
        return Err(Error::field("gpus_per_node", why));
    }
    let channel = |a: usize, b: usize| match a / of_node == b / of_node {
        true => Channel::Memory,
        false => Channel::Port,
    };
    let moves = Moves::of(subject, &ranks, settings.in_place);
    let all = blocks::blocks(&moves, channel).map_err(wrong)?;
    let (pieces, is_whole) = (problem.pieces() as usize, problem.collective().joins());
    let chunks = if is_whole { pieces } else { ranks.len() * pieces };
    let of_gpu = |(id, blocks): (usize, &Vec<Block>)| GpuPlan {
        input_chunks: if name == "allgather" { pieces } else { chunks },
        output_chunks: if name == "reducescatter" { pieces } else { chunks },
        scratch_chunks: moves.slots[id],
        ..gpu_plan(id, blocks)
    };
    let [least, most] = gpus::bytes_of_call(ranks.len(), is_whole, settings.lengths, u64::MAX);
    let plan = Plan {
        name: gpus::quoted(&subject.title()),
        collective: name,
        protocol: "Simple",
        inplace: settings.in_place,
        reuse_resources: false,
        gpus: all.iter().enumerate().map(of_gpu).collect(),
        num_threads_per_block: THREADS,
        use_double_scratch_buffer: false,
        buffer_alignment: ALIGNMENT,
        min_message_size: least,
        max_message_size: most,
    };
    let text = serde_json::to_string_pretty(&plan).map_err(|e| wrong(e.to_string()))?;
    Ok(Output::File(text + "\n"))
}

/// The name of a kind of channel.
fn name_of(channel: Channel) -> &'static str {
    match channel {
        Channel::Memory => "memory",
        Channel::Port => "port",
    }
}

/// The blocks of a GPU, with its channels and the buffers of others that they write to.
fn gpu_plan(id: usize, blocks: &[Block]) -> GpuPlan {
    let mut connected: [Vec<usize>; 2] = Default::default();
    let mut buffers: Vec<(usize, char, &'static str)> = Vec::new();
    let mut numbers: HashMap<(usize, char, &'static str), usize> = HashMap::new();
    let mut threadblocks = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let Some((peer, channel)) = block.peer else {
            let ops = block.operations.iter().map(|o| op(o, None, &[])).collect();
            threadblocks.push(ThreadBlock {
                id: number,
                ops,
                channels: Vec::new(),
                remote_buffer_refs: Vec::new(),
            });
            continue;
        };
        let (kind, list) = (name_of(channel), &mut connected[channel as usize]);
        list.push(peer);
        let channels = vec![ChannelRefs { channel_type: kind, channel_ids: [list.len() - 1] }];
        let written = block.operations.iter().flat_map(targets);
        let mut kinds: Vec<char> = Vec::new();
        written.for_each(|span| {
            if !kinds.contains(&span.buffer) {
                kinds.push(span.buffer);
            }
        });
        let number_of = |&buffer: &char| {
            *numbers.entry((peer, buffer, kind)).or_insert_with(|| {
                buffers.push((peer, buffer, kind));
                buffers.len() - 1
            })
        };
        let remote_buffer_ids: Vec<usize> = kinds.iter().map(number_of).collect();
        let refs = RemoteRefs { access_channel_type: kind, remote_buffer_ids };
        threadblocks.push(ThreadBlock {
            id: number,
            ops: block.operations.iter().map(|o| op(o, Some(channel), &kinds)).collect(),
            channels,
            remote_buffer_refs: if kinds.is_empty() { Vec::new() } else { vec![refs] },
        });
    }
    let kinds = [Channel::Memory, Channel::Port].map(name_of);
    let lists = kinds.into_iter().zip(connected).filter(|(_, list)| !list.is_empty());
    GpuPlan {
        id,
        input_chunks: 0,
        output_chunks: 0,
        scratch_chunks: 0,
        threadblocks,
        channels: lists
            .map(|(channel_type, connected_to)| ChannelList { channel_type, connected_to })
            .collect(),
        remote_buffers: buffers
            .into_iter()
            .map(|(rank, kind, access)| RemoteBuffer { rank, kind, access_channel_types: [access] })
            .collect(),
        semaphores: [],
    }
}

/// What an operation writes in the memory of the peer.
fn targets(operation: &Operation) -> Vec<Span> {
    match operation {
        Operation::Put(spans) => spans.iter().map(|&(_, target)| target).collect(),
        Operation::PutAndSignal(_, target, _) => vec![*target],
        _ => Vec::new(),
    }
}

/// An operation as the format has it. Buffers of the peer are numbered by their place in `kinds`.
fn op(operation: &Operation, channel: Option<Channel>, kinds: &[char]) -> Op {
    let local = |span: &Span| Buffer {
        kind: Some(span.buffer),
        buffer_id: None,
        index: span.first,
        size: span.chunks,
    };
    let remote = |span: &Span| Buffer {
        kind: None,
        buffer_id: kinds.iter().position(|&kind| kind == span.buffer),
        index: span.first,
        size: span.chunks,
    };
    let kind = channel.map(name_of);
    let on_channel = |name| Op { name, channel_ids: vec![0], channel_type: kind, ..Op::default() };
    let is_port = channel == Some(Channel::Port);
    match operation {
        Operation::Meet => Op { name: "nop", ..Op::default() },
        Operation::Barrier(id, blocks) => Op {
            name: "barrier",
            barrier_id: Some(*id),
            num_threadblocks: Some(*blocks),
            ..Op::default()
        },
        Operation::SignalBegin => on_channel(if is_port { "signal" } else { "rlxsignal" }),
        Operation::WaitBegin => on_channel(if is_port { "wait" } else { "rlxwait" }),
        Operation::Signal => on_channel("signal"),
        Operation::Wait => on_channel("wait"),
        Operation::Put(spans) => Op {
            src_buff: spans.iter().map(|(source, _)| local(source)).collect(),
            dst_buff: spans.iter().map(|(_, target)| remote(target)).collect(),
            // A proxy has a channel for each buffer.
            channel_ids: vec![0; if is_port { spans.len() } else { 1 }],
            ..on_channel("put")
        },
        Operation::PutAndSignal(source, target, waits) => Op {
            src_buff: vec![local(source)],
            dst_buff: vec![remote(target)],
            ..on_channel(if *waits { "pwsf" } else { "pws" })
        },
        Operation::Copy(source, target) => Op {
            src_buff: vec![local(source)],
            dst_buff: vec![local(target)],
            ..Op { name: "copy", ..Op::default() }
        },
        Operation::Add(of, into) => Op {
            src_buff: of.iter().map(local).collect(),
            dst_buff: vec![local(into)],
            ..Op { name: "re", reduce_op: Some("sum"), ..Op::default() }
        },
    }
}

//! Tables of slots: by vertex and step, what is injected into the network, forwarded from an input
//! to an output, and ejected. These are the injection tables of the nodes and the crossbar settings
//! of the switches in a network whose time is divided into slots.
//!
//! Inputs and outputs are numbers of channels in the schedule file. A channel of capacity c has the
//! lanes 0 to c - 1, and no two transfers of a step have the same lane of a link.
//!
//! One file has the lines of all vertices, or of one; a folder has the table of each vertex by itself ([`vertex`]).

mod vertex;

use super::{Output, Settings, Subject, Transfer};
use crate::network::{ChannelId, VertexId};
use crate::schedule::cells::cell;
use crate::{Error, Result};
use std::collections::HashMap;

/// The columns. Steps are counted from 1; an input or output that is the vertex itself is empty.
const COLUMNS: [&str; 12] = [
    "vertex",
    "step",
    "action",
    "input",
    "input_lane",
    "input_from",
    "output",
    "output_lane",
    "output_to",
    "source",
    "destination",
    "copy",
];

/// A lane of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    channel: ChannelId,
    lane: u32,
}

/// A line: what a vertex does in a step.
struct Slot<'f> {
    vertex: VertexId,
    step: usize,
    input: Option<Lane>,
    output: Option<Lane>,
    transfer: Transfer<'f>,
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let mut slots = slots(subject);
    if let Some(node) = &settings.node {
        let unknown = || {
            let why = format!("'{node}' is no vertex of {}", subject.network().name());
            Error::field("node", why)
        };
        let v = subject.network().find(node).ok_or_else(unknown)?;
        slots.retain(|slot| slot.vertex == v);
    }
    if settings.folder {
        return vertex::files(subject, &slots, settings.node.is_some()).map(Output::Folder);
    }
    text(subject, slots).map(Output::File).map_err(|e| Error::problem(format!("slots: {e}")))
}

fn text(subject: &Subject, slots: Vec<Slot<'_>>) -> Result<String, Box<dyn std::error::Error>> {
    let network = subject.network();
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(COLUMNS)?;
    for slot in slots {
        let number = |lane: Option<Lane>| lane.map(|l| l.channel.to_string()).unwrap_or_default();
        let lane = |lane: Option<Lane>| lane.map(|l| l.lane.to_string()).unwrap_or_default();
        let name = |v: VertexId| cell(subject.name(v));
        let from = |l: Lane| name(network.channel(l.channel).from);
        let to = |l: Lane| name(network.channel(l.channel).to);
        let action = match (slot.input, slot.output) {
            (None, _) => "inject",
            (Some(_), Some(_)) => "forward",
            (Some(_), None) => "eject",
        };
        out.write_record([
            &*name(slot.vertex),
            &(slot.step + 1).to_string(),
            action,
            &number(slot.input),
            &lane(slot.input),
            &slot.input.map_or("".into(), from),
            &number(slot.output),
            &lane(slot.output),
            &slot.output.map_or("".into(), to),
            &name(slot.transfer.message.origin),
            &slot.transfer.message.destination.map_or("".into(), name),
            &slot.transfer.message.copy.map_or(String::new(), |copy| copy.to_string()),
        ])?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

/// All lines by vertex, step, input and output. Injections come first in a step.
fn slots(subject: &Subject) -> Vec<Slot<'_>> {
    let resources = subject.problem.resources();
    let mut slots = Vec::new();
    for step in 0..subject.steps() {
        // The channels of a half-duplex link share its lanes.
        let mut used: HashMap<u32, u32> = HashMap::new();
        for transfer in subject.step(step) {
            let mut lane = |&channel: &ChannelId| {
                let next = used.entry(resources.of_channel(channel)).or_default();
                *next += 1;
                Some(Lane { channel, lane: *next - 1 })
            };
            let lanes: Vec<Option<Lane>> = transfer.channels.iter().map(&mut lane).collect();
            let inputs = std::iter::once(None).chain(lanes.iter().copied());
            let outputs = lanes.iter().copied().chain([None]);
            let vertices = subject.path(transfer.channels);
            for ((vertex, input), output) in vertices.into_iter().zip(inputs).zip(outputs) {
                slots.push(Slot { vertex, step, input, output, transfer });
            }
        }
    }
    slots.sort_by_key(|slot| (slot.vertex, slot.step, slot.input, slot.output));
    slots
}

//! Tables of slots: by vertex and step, what is injected into the network, forwarded from an input
//! to an output, and ejected. These are the injection tables of the nodes and the crossbar settings
//! of the switches in a network whose time is divided into slots.
//!
//! Inputs and outputs are numbers of channels in the schedule file. A channel of capacity c has the
//! lanes 0 to c - 1, and no two transfers of a step have the same lane of a link.
//!
//! One file has the lines of all vertices, or of one; a folder has the table of each vertex by itself
//! ([`vertex`]). A patch has what differs from the tables of an older schedule ([`patch`]).

mod vertex;

use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Message;
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::cells::cell;
use ccsched_network::{ChannelId, VertexId};
use std::collections::{HashMap, HashSet};

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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Lane {
    channel: ChannelId,
    lane: u32,
}

/// A line: what a vertex does in a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Slot {
    vertex: VertexId,
    step: usize,
    input: Option<Lane>,
    output: Option<Lane>,
    message: Message,
}

/// A transfer on the lanes of its path.
struct Taken {
    step: usize,
    message: Message,
    lanes: Vec<Lane>,
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let own = Numbering::of(subject);
    let Some(path) = &settings.since else {
        let slots = of_node(slots(&taken(subject, &own, &[]), &own), &own, settings)?;
        if settings.folder {
            return vertex::files(&own, &slots, subject.steps(), settings.node.is_some())
                .map(Output::Folder);
        }
        return text(&own, &slots).map(Output::File).map_err(unwritten);
    };
    let wrong = |e: Error| Error::field("since", format!("{}: {e}", path.display()));
    let old = Subject::of(&ScheduleFile::read(path)?).map_err(wrong)?;
    super::check(super::find("slots")?, &old).map_err(wrong)?;
    let before = Numbering::of(&old);
    let both = before.with(subject);
    let old_taken = taken(&old, &before, &[]);
    let new_taken = taken(subject, &both, &old_taken);
    let [old_slots, new_slots] =
        [&old_taken, &new_taken].map(|taken| of_node(slots(taken, &both), &both, settings));
    let (old_slots, new_slots) = (old_slots?, new_slots?);
    if settings.folder {
        let periods = [old.steps(), subject.steps()];
        let is_one = settings.node.is_some();
        return vertex::patch_files(&both, (&old_slots, &new_slots), periods, is_one)
            .map(Output::Folder);
    }
    vertex::text(&both, &old_slots, &new_slots).map(Output::File).map_err(unwritten)
}

/// What writing to memory does not do.
fn unwritten(e: Box<dyn std::error::Error>) -> Error {
    Error::problem(format!("slots: {e}"))
}

/// The slots of the vertex that is asked for, or all.
fn of_node(
    mut slots: Vec<Slot>,
    numbering: &Numbering<'_>,
    settings: &Settings,
) -> Result<Vec<Slot>> {
    if let Some(node) = &settings.node {
        let unknown = || {
            let why = format!("'{node}' is no vertex of {}", numbering.network);
            Error::field("node", why)
        };
        let v = numbering.find(node).ok_or_else(unknown)?;
        slots.retain(|slot| slot.vertex == v);
    }
    Ok(slots)
}

fn text(numbering: &Numbering<'_>, slots: &[Slot]) -> Result<String, Box<dyn std::error::Error>> {
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(COLUMNS)?;
    for slot in slots {
        out.write_record(slot.row(numbering))?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

impl Slot {
    /// The order of lines. Injections come first in a step.
    fn place(&self) -> (VertexId, usize, Option<Lane>, Option<Lane>) {
        (self.vertex, self.step, self.input, self.output)
    }

    /// The values of the columns.
    fn row(&self, numbering: &Numbering<'_>) -> [String; 12] {
        let number = |lane: Option<Lane>| lane.map(|l| l.channel.to_string()).unwrap_or_default();
        let lane = |lane: Option<Lane>| lane.map(|l| l.lane.to_string()).unwrap_or_default();
        let name = |v: VertexId| cell(numbering.name(v)).to_string();
        let from = |l: Lane| name(numbering.ends[l.channel as usize].0);
        let to = |l: Lane| name(numbering.ends[l.channel as usize].1);
        let action = match (self.input, self.output) {
            (None, _) => "inject",
            (Some(_), Some(_)) => "forward",
            (Some(_), None) => "eject",
        };
        [
            name(self.vertex),
            (self.step + 1).to_string(),
            action.into(),
            number(self.input),
            lane(self.input),
            self.input.map_or(String::new(), from),
            number(self.output),
            lane(self.output),
            self.output.map_or(String::new(), to),
            name(self.message.origin),
            self.message.destination.map_or(String::new(), name),
            self.message.copy.map_or(String::new(), |copy| copy.to_string()),
        ]
    }
}

/// Gives each transfer the lowest free lanes of its path; transfers of `before` keep theirs.
fn taken(subject: &Subject, numbering: &Numbering<'_>, before: &[Taken]) -> Vec<Taken> {
    let resources = subject.problem.resources();
    let mut old: HashMap<(usize, Message), Vec<&Taken>> = HashMap::new();
    before.iter().for_each(|t| old.entry((t.step, t.message)).or_default().push(t));
    let mut all = Vec::new();
    for step in 0..subject.steps() {
        // By resource, the lanes that are taken, and one below which all are. The channels of a
        // half-duplex link share its lanes.
        let mut used: HashMap<u32, (HashSet<u32>, u32)> = HashMap::new();
        let mut others = Vec::new();
        for transfer in subject.step(step) {
            let message = numbering.message(transfer.message);
            let resource = |c: &ChannelId| resources.of_channel(*c);
            let is_kept = |t: &&Taken| {
                let mut lanes = t.lanes.iter().zip(transfer.channels);
                t.lanes.len() == transfer.channels.len()
                    && lanes.all(|(lane, c)| {
                        lane.channel == numbering.channel(*c)
                            && lane.lane < resources.capacities()[resource(c) as usize]
                            && !used.get(&resource(c)).is_some_and(|u| u.0.contains(&lane.lane))
                    })
            };
            let kept = old.get_mut(&(step, message)).and_then(|list| {
                let place = list.iter().position(is_kept)?;
                Some(list.swap_remove(place).lanes.clone())
            });
            let Some(lanes) = kept else {
                others.push((message, transfer.channels));
                continue;
            };
            for (lane, c) in lanes.iter().zip(transfer.channels) {
                used.entry(resource(c)).or_default().0.insert(lane.lane);
            }
            all.push(Taken { step, message, lanes });
        }
        for (message, channels) in others {
            let mut lane = |&c: &ChannelId| {
                let (taken, next) = used.entry(resources.of_channel(c)).or_default();
                while !taken.insert(*next) {
                    *next += 1;
                }
                Lane { channel: numbering.channel(c), lane: *next }
            };
            all.push(Taken { step, message, lanes: channels.iter().map(&mut lane).collect() });
        }
    }
    all
}

/// All lines by vertex, step, input and output.
fn slots(taken: &[Taken], numbering: &Numbering<'_>) -> Vec<Slot> {
    let mut slots = Vec::new();
    for Taken { step, message, lanes } in taken {
        let first = lanes.first().map(|l| numbering.ends[l.channel as usize].0);
        let others = lanes.iter().map(|l| numbering.ends[l.channel as usize].1);
        let inputs = std::iter::once(None).chain(lanes.iter().copied().map(Some));
        let outputs = lanes.iter().copied().map(Some).chain([None]);
        for ((vertex, input), output) in first.into_iter().chain(others).zip(inputs).zip(outputs) {
            slots.push(Slot { vertex, step: *step, input, output, message: *message });
        }
    }
    slots.sort_by_key(Slot::place);
    slots
}

// The numbers of vertices and channels in tables of slots: those of a schedule file. A patch has those
// of the older file, to which the tables belong, and adds what is new after them.

/// Numbers, and what they stand for.
struct Numbering<'s> {
    /// The name of the network.
    network: &'s str,
    names: Vec<&'s str>,
    /// By vertex, whether it is a terminal.
    terminal: Vec<bool>,
    /// By channel, where it begins and ends.
    ends: Vec<(VertexId, VertexId)>,
    /// The numbers of the vertices and channels of the subject.
    vertices: Vec<VertexId>,
    channels: Vec<ChannelId>,
}

impl<'s> Numbering<'s> {
    /// The numbers of a schedule file.
    fn of(subject: &'s Subject) -> Self {
        let network = subject.network();
        let none = Numbering {
            network: network.name(),
            names: Vec::new(),
            terminal: Vec::new(),
            ends: Vec::new(),
            vertices: Vec::new(),
            channels: Vec::new(),
        };
        none.with(subject)
    }

    /// These numbers for a newer schedule: vertices are the same by their names, parallel channels by
    /// their order.
    fn with(&self, subject: &'s Subject) -> Self {
        let network = subject.network();
        let (mut names, mut terminal) = (self.names.clone(), self.terminal.clone());
        let mut known: HashMap<&str, VertexId> = names.iter().copied().zip(0..).collect();
        let mut vertices = Vec::new();
        for (id, v) in (0..).zip(network.vertices()) {
            let name = network.vertex_name(id);
            let next = names.len() as VertexId;
            let number = *known.entry(name).or_insert(next);
            if number == next {
                names.push(name);
                terminal.push(v.terminal);
            }
            vertices.push(number);
        }
        let mut ends = self.ends.clone();
        let mut between: HashMap<_, Vec<ChannelId>> = HashMap::new();
        (0..).zip(&ends).for_each(|(c, &ends)| between.entry(ends).or_default().push(c));
        let mut before: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        let mut channels = Vec::new();
        for c in network.channels() {
            let of = (vertices[c.from as usize], vertices[c.to as usize]);
            let rank = before.entry(of).or_default();
            let number = between.get(&of).and_then(|list| list.get(*rank)).copied();
            *rank += 1;
            channels.push(number.unwrap_or(ends.len() as ChannelId));
            if number.is_none() {
                ends.push(of);
            }
        }
        Numbering { network: network.name(), names, terminal, ends, vertices, channels }
    }

    /// The name of a vertex.
    fn name(&self, v: VertexId) -> &'s str {
        self.names[v as usize]
    }

    /// The vertex of a name.
    fn find(&self, name: &str) -> Option<VertexId> {
        self.names.iter().position(|other| *other == name).map(|v| v as VertexId)
    }

    /// The number of vertices.
    fn vertices(&self) -> usize {
        self.names.len()
    }

    /// The number of a channel of the subject.
    fn channel(&self, c: ChannelId) -> ChannelId {
        self.channels[c as usize]
    }

    /// A message of the subject, its ends by these numbers.
    fn message(&self, message: Message) -> Message {
        message.mapped(|v| self.vertices.get(v as usize).copied()).unwrap_or(message)
    }
}

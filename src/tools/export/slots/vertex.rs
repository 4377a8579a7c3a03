//! The table of one router or node: a word for each slot of the period, which says for every output the input that
//! it gets. Outputs are the lanes of outgoing channels in use, then those to the processor; inputs the lanes of incoming
//! channels, then those from the processor, numbered from 1; 0 is none. CSV has a line for each slot and a column for each
//! output; JSON also says which channels these are and which messages begin and end here.

use super::{Lane, Numbering, Slot, unwritten};
use ccsched_base::Result;
use ccsched_model::schedule::cells::cell;
use ccsched_network::VertexId;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A table as JSON.
#[derive(Serialize)]
struct Table<'s> {
    format: &'static str,
    network: &'s str,
    vertex: &'s str,
    terminal: bool,
    /// Slots after which the table begins anew.
    period: usize,
    inputs: Vec<Port<'s>>,
    outputs: Vec<Port<'s>>,
    /// By slot and output, the number of the input, from 1.
    words: Vec<Vec<u32>>,
    messages: Vec<Message<'s>>,
}

/// An input or output: a lane of a channel with the vertex at its other end, or a line of the processor.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Port<'s> {
    Channel { channel: u32, lane: u32, beside: &'s str },
    Processor { processor: u32 },
}

impl Port<'_> {
    /// The name of its column.
    pub fn column(&self) -> String {
        match self {
            Port::Channel { channel, lane, beside } => format!("{channel}.{lane}:{}", cell(beside)),
            Port::Processor { processor } => format!("processor.{processor}"),
        }
    }
}

/// A message that comes from the processor, or goes to it.
#[derive(Clone, Copy, Serialize, PartialEq, Eq, Hash)]
pub(super) struct Message<'s> {
    /// From 1.
    pub slot: usize,
    /// Its input if it begins here, its output if it ends here.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<u32>,
    source: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy: Option<u32>,
}

/// A port by what it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Line {
    Lane(Lane),
    Processor(u32),
}

/// Lines, each with its number from 0.
#[derive(Default)]
struct Lines {
    list: Vec<Line>,
    numbers: HashMap<Line, u32>,
}

impl Lines {
    /// The number of a line; that of a new one follows the others.
    fn number(&mut self, line: Line) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(line).or_insert(next);
        if number == next {
            self.list.push(line);
        }
        number
    }
}

/// The inputs and outputs of a vertex, by number from 0.
pub(super) struct Ports {
    inputs: Lines,
    outputs: Lines,
}

impl Ports {
    /// The lanes that slots use. Lines of the processor follow when [`Ports::places`] needs them.
    pub fn of(slots: &[Slot]) -> Self {
        let lanes = |of: fn(&Slot) -> Option<Lane>| {
            let (all, mut lines) = (slots.iter().filter_map(of), Lines::default());
            for lane in all.collect::<BTreeSet<Lane>>() {
                lines.number(Line::Lane(lane));
            }
            lines
        };
        Ports { inputs: lanes(|slot| slot.input), outputs: lanes(|slot| slot.output) }
    }

    /// By slot, its input and its output. Kept slots have theirs already; what is new has new numbers.
    pub fn places(&mut self, slots: &[Slot], kept: &HashMap<Slot, [u32; 2]>) -> Vec<[u32; 2]> {
        let mut places = Vec::with_capacity(slots.len());
        for step in slots.chunk_by(|a, b| a.step == b.step) {
            let of_kept = |which: usize| step.iter().filter_map(move |s| Some(kept.get(s)?[which]));
            let mut taken: [HashSet<u32>; 2] = [0, 1].map(|which| of_kept(which).collect());
            let mut next = [0; 2];
            for slot in step {
                places.push(kept.get(slot).copied().unwrap_or_else(|| {
                    let [inputs, outputs] = &mut taken;
                    let [from, to] = &mut next;
                    [
                        number(&mut self.inputs, slot.input, inputs, from),
                        number(&mut self.outputs, slot.output, outputs, to),
                    ]
                }));
            }
        }
        places
    }

    /// How many inputs and outputs there are.
    pub fn count(&self) -> [usize; 2] {
        [self.inputs.list.len(), self.outputs.list.len()]
    }

    /// The inputs or outputs after the first ones.
    pub fn after<'s>(
        &self,
        first: usize,
        numbering: &Numbering<'s>,
        are_inputs: bool,
    ) -> Vec<Port<'s>> {
        let port = |line: &Line| match *line {
            Line::Lane(Lane { channel, lane }) => {
                let (from, to) = numbering.ends[channel as usize];
                let beside = numbering.name(if are_inputs { from } else { to });
                Port::Channel { channel, lane, beside }
            }
            Line::Processor(processor) => Port::Processor { processor },
        };
        let lines = if are_inputs { &self.inputs } else { &self.outputs };
        lines.list.iter().skip(first).map(port).collect()
    }
}

/// The number of a lane, or of the next free line of the processor.
fn number(lines: &mut Lines, lane: Option<Lane>, taken: &mut HashSet<u32>, next: &mut u32) -> u32 {
    if let Some(lane) = lane {
        return lines.number(Line::Lane(lane));
    }
    loop {
        let number = lines.number(Line::Processor(*next));
        *next += 1;
        if taken.insert(number) {
            return number;
        }
    }
}

/// The messages that begin or end in slots, whose inputs and outputs are given.
pub(super) fn messages<'s>(
    slots: &[Slot],
    places: &[[u32; 2]],
    numbering: &Numbering<'s>,
) -> Vec<Message<'s>> {
    let ends = slots.iter().zip(places).filter(|(s, _)| s.input.is_none() || s.output.is_none());
    let message = |(slot, &[input, output]): (&Slot, &[u32; 2])| Message {
        slot: slot.step + 1,
        input: slot.input.is_none().then_some(input + 1),
        output: slot.output.is_none().then_some(output + 1),
        source: numbering.name(slot.message.origin),
        destination: slot.message.destination.map(|v| numbering.name(v)),
        copy: slot.message.copy,
    };
    ends.map(message).collect()
}

/// Two files for every vertex, or for those with slots alone.
pub(super) fn files(
    numbering: &Numbering<'_>,
    slots: &[Slot],
    period: usize,
    is_one: bool,
) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    let mut taken = HashSet::new();
    let mut of = slots.chunk_by(|a, b| a.vertex == b.vertex).peekable();
    for v in 0..numbering.vertices() as VertexId {
        let here = of.next_if(|slots| slots[0].vertex == v);
        if is_one && here.is_none() {
            continue;
        }
        let table = Table::of(numbering, v, here.unwrap_or(&[]), period);
        let name = file_name(numbering.name(v), v, &mut taken);
        files.push((format!("{name}.csv"), table.csv().map_err(unwritten)?));
        let json = serde_json::to_string(&table).map_err(|e| unwritten(e.into()))?;
        files.push((format!("{name}.json"), json + "\n"));
    }
    Ok(files)
}

/// The name of a vertex as that of a file; with its number if it has other characters, or another file is like it.
pub(super) fn file_name(name: &str, v: VertexId, taken: &mut HashSet<String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    // Some file systems do not tell capitals from small letters.
    while plain != name || plain.starts_with(['.', '-']) || !taken.insert(plain.to_lowercase()) {
        // Nor does a name begin as an option does, or hide.
        let rest = plain.trim_start_matches(['.', '-']);
        plain = format!("{}-{v}", if rest.is_empty() { "vertex" } else { rest });
        if taken.insert(plain.to_lowercase()) {
            break;
        }
    }
    plain
}

impl<'s> Table<'s> {
    fn of(numbering: &Numbering<'s>, v: VertexId, slots: &[Slot], period: usize) -> Self {
        let mut ports = Ports::of(slots);
        let places = ports.places(slots, &HashMap::new());
        let mut words: Vec<Vec<u32>> = vec![vec![0; ports.outputs.list.len()]; period];
        for (slot, [input, output]) in slots.iter().zip(&places) {
            words[slot.step][*output as usize] = input + 1;
        }
        Table {
            format: "ccsched-slots/1",
            network: numbering.network,
            vertex: numbering.name(v),
            terminal: numbering.terminal[v as usize],
            period,
            inputs: ports.after(0, numbering, true),
            outputs: ports.after(0, numbering, false),
            words,
            messages: messages(slots, &places, numbering),
        }
    }

    /// A line for each slot; the columns are named by where they lead.
    fn csv(&self) -> std::result::Result<String, Box<dyn std::error::Error>> {
        let mut out = csv::Writer::from_writer(Vec::new());
        let head = std::iter::once("slot".to_string()).chain(self.outputs.iter().map(Port::column));
        out.write_record(head)?;
        for (slot, word) in (1..).zip(&self.words) {
            let slot: u32 = slot;
            out.write_record([slot].iter().chain(word).map(u32::to_string))?;
        }
        Ok(String::from_utf8(out.into_inner()?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_has_a_file_with_a_name() {
        let mut taken = HashSet::new();
        let names = ["a", "A", "n/1", "..", ".x", "a.b"];
        let files = names.iter().zip(0..).map(|(name, v)| file_name(name, v, &mut taken));
        let files: Vec<String> = files.collect();
        assert_eq!(files, ["a", "A-1", "n_1-2", "vertex-3", "x-4", "a.b"]);
    }
}

//! The table of one router or node: a word for each slot of the period, which says for every output the input that
//! it gets. Outputs are the lanes of outgoing channels in use, then those to the processor; inputs the lanes of incoming
//! channels, then those from the processor, numbered from 1; 0 is none. CSV has a line for each slot and a column for each
//! output; JSON also says which channels these are and which messages begin and end here.

use super::{COLUMNS, Lane, Numbering, Slot, unwritten};
use ccsched_base::Result;
use ccsched_model::schedule::cells::cell;
use ccsched_network::VertexId;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::error::Error;

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
enum Port<'s> {
    Channel { channel: u32, lane: u32, beside: &'s str },
    Processor { processor: u32 },
}

impl Port<'_> {
    /// The name of its column.
    fn column(&self) -> String {
        match self {
            Port::Channel { channel, lane, beside } => format!("{channel}.{lane}:{}", cell(beside)),
            Port::Processor { processor } => format!("processor.{processor}"),
        }
    }
}

/// A message that comes from the processor, or goes to it.
#[derive(Clone, Copy, Serialize, PartialEq, Eq, Hash)]
struct Message<'s> {
    /// From 1.
    slot: usize,
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
struct Ports {
    inputs: Lines,
    outputs: Lines,
}

impl Ports {
    /// The lanes that slots use. Lines of the processor follow when [`Ports::places`] needs them.
    fn of(slots: &[Slot]) -> Self {
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
    fn places(&mut self, slots: &[Slot], kept: &HashMap<Slot, [u32; 2]>) -> Vec<[u32; 2]> {
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
    fn count(&self) -> [usize; 2] {
        [self.inputs.list.len(), self.outputs.list.len()]
    }

    /// The inputs or outputs after the first ones.
    fn after<'s>(
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
fn messages<'s>(
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
fn file_name(name: &str, v: VertexId, taken: &mut HashSet<String>) -> String {
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

// What differs between the tables of two schedules, by the numbers of the older one. Transfers that stay
// keep their lanes, and in the tables of vertices their lines of the processor, so that a patch has
// what has changed and nothing else. A patch is for the tables that were written for the older schedule.

const FORMAT: &str = "ccsched-slots-patch/1";

/// The lines that go (`-`), and those that come (`+`).
pub(super) fn text(
    numbering: &Numbering<'_>,
    old: &[Slot],
    new: &[Slot],
) -> Result<String, Box<dyn Error>> {
    let [before, after]: [HashSet<&Slot>; 2] = [old, new].map(|slots| slots.iter().collect());
    let gone = old.iter().filter(|slot| !after.contains(slot)).map(|slot| ("-", slot));
    let come = new.iter().filter(|slot| !before.contains(slot)).map(|slot| ("+", slot));
    let mut lines: Vec<(&str, &Slot)> = gone.chain(come).collect();
    // In a step of a vertex lines go before others come.
    lines.sort_by_key(|(sign, slot)| (slot.vertex, slot.step, *sign == "+", slot.place()));
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(["change"].iter().chain(&COLUMNS))?;
    for (sign, slot) in lines {
        out.write_record(std::iter::once(sign.to_string()).chain(slot.row(numbering)))?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

/// The head of a folder of patches.
#[derive(Serialize)]
struct Head<'s> {
    format: &'static str,
    network: &'s str,
    old_period: usize,
    period: usize,
    /// The vertices that have a patch.
    vertices: Vec<&'s str>,
}

/// The patch of the table of a vertex.
#[derive(Serialize)]
struct Patch<'s> {
    format: &'static str,
    network: &'s str,
    vertex: &'s str,
    period: usize,
    /// Ports with the numbers after those of the table.
    inputs: Vec<Port<'s>>,
    outputs: Vec<Port<'s>>,
    words: Vec<Word>,
    removed: Vec<Message<'s>>,
    added: Vec<Message<'s>>,
}

/// An output that gets another input in a slot.
#[derive(Serialize)]
struct Word {
    slot: usize,
    output: u32,
    /// 0 if it gets none any more.
    input: u32,
}

/// Two files for every vertex whose table changes, and `patch.json`.
pub(super) fn patch_files(
    numbering: &Numbering<'_>,
    (old, new): (&[Slot], &[Slot]),
    [old_period, period]: [usize; 2],
    is_one: bool,
) -> ccsched_base::Result<Vec<(String, String)>> {
    let [mut before, mut after] =
        [old, new].map(|slots| slots.chunk_by(|a, b| a.vertex == b.vertex).peekable());
    let mut files = Vec::new();
    let mut head =
        Head { format: FORMAT, network: numbering.network, old_period, period, vertices: vec![] };
    let mut taken = HashSet::from(["patch".to_string()]);
    let json = |text: serde_json::Result<String>| match text {
        Ok(text) => Ok(text + "\n"),
        Err(e) => Err(unwritten(e.into())),
    };
    for v in 0..numbering.vertices() as VertexId {
        let [old, new] = [&mut before, &mut after]
            .map(|of| of.next_if(|slots| slots[0].vertex == v).unwrap_or(&[]));
        if is_one && old.is_empty() && new.is_empty() {
            continue;
        }
        // The name of the file of the table.
        let name = file_name(numbering.name(v), v, &mut taken);
        let Some((patch, columns)) = Patch::of(numbering, v, (old, new), period) else { continue };
        files.push((format!("{name}.csv"), patch.csv(&columns).map_err(unwritten)?));
        files.push((format!("{name}.json"), json(serde_json::to_string(&patch))?));
        head.vertices.push(numbering.name(v));
    }
    files.push(("patch.json".into(), json(serde_json::to_string(&head))?));
    Ok(files)
}

impl<'s> Patch<'s> {
    /// The patch and the names of all outputs; none if the table stays as it is.
    fn of(
        numbering: &Numbering<'s>,
        v: VertexId,
        (old, new): (&[Slot], &[Slot]),
        period: usize,
    ) -> Option<(Self, Vec<String>)> {
        let mut ports = Ports::of(old);
        let old_places = ports.places(old, &HashMap::new());
        let [inputs, outputs] = ports.count();
        let after: HashSet<&Slot> = new.iter().collect();
        let places = old.iter().copied().zip(old_places.iter().copied());
        let kept: HashMap<Slot, [u32; 2]> = places.filter(|(s, _)| after.contains(s)).collect();
        let new_places = ports.places(new, &kept);
        let words = |slots: &[Slot], places: &[[u32; 2]]| -> BTreeMap<(usize, u32), u32> {
            let word = |(s, [i, o]): (&Slot, &[u32; 2])| ((s.step + 1, o + 1), i + 1);
            slots.iter().zip(places).map(word).collect()
        };
        let [before, after] = [words(old, &old_places), words(new, &new_places)];
        // Slots after the period go with all that is in them.
        let gone = before.keys().filter(|at| at.0 <= period && !after.contains_key(at));
        let gone = gone.map(|&(slot, output)| Word { slot, output, input: 0 });
        let come = after.iter().filter(|(at, input)| before.get(at) != Some(*input));
        let come = come.map(|(&(slot, output), &input)| Word { slot, output, input });
        let mut words: Vec<Word> = gone.chain(come).collect();
        words.sort_by_key(|word| (word.slot, word.output));
        let mut before = messages(old, &old_places, numbering);
        let mut after = messages(new, &new_places, numbering);
        let all = |list: &[Message<'s>]| list.iter().copied().collect::<HashSet<_>>();
        let (in_old, in_new) = (all(&before), all(&after));
        before.retain(|m| m.slot <= period && !in_new.contains(m));
        after.retain(|m| !in_old.contains(m));
        if words.is_empty() && before.is_empty() && after.is_empty() {
            return None;
        }
        let columns = ports.after(0, numbering, false).iter().map(Port::column).collect();
        let patch = Patch {
            format: FORMAT,
            network: numbering.network,
            vertex: numbering.name(v),
            period,
            inputs: ports.after(inputs, numbering, true),
            outputs: ports.after(outputs, numbering, false),
            words,
            removed: before,
            added: after,
        };
        Some((patch, columns))
    }

    /// A line for each word, with its output by the name of the column.
    fn csv(&self, columns: &[String]) -> Result<String, Box<dyn Error>> {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(["slot", "output", "input"])?;
        for Word { slot, output, input } in &self.words {
            let output = &columns[*output as usize - 1];
            out.write_record([&slot.to_string(), output, &input.to_string()])?;
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

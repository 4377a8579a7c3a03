//! The table of one router or node: a word for each slot of the period, which says for every output the input that
//! it gets. Outputs are the lanes of outgoing channels in use, then those to the processor; inputs the lanes of incoming
//! channels, then those from the processor, numbered from 1; 0 is none. CSV has a line for each slot and a column for each
//! output; JSON also says which channels these are and which messages begin and end here.

use super::{Lane, Slot};
use crate::export::Subject;
use crate::network::VertexId;
use crate::schedule::cells::cell;
use crate::{Error, Result};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};

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

/// A message that comes from the processor, or goes to it.
#[derive(Serialize)]
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

/// Two files for every vertex, or for those with slots alone.
pub(super) fn files(
    subject: &Subject,
    slots: &[Slot<'_>],
    is_one: bool,
) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    let mut taken = HashSet::new();
    let mut of = slots.chunk_by(|a, b| a.vertex == b.vertex).peekable();
    for v in 0..subject.network().vertices().len() as VertexId {
        let here = of.next_if(|slots| slots[0].vertex == v);
        if is_one && here.is_none() {
            continue;
        }
        let table = Table::of(subject, v, here.unwrap_or(&[]));
        let name = file_name(subject.name(v), v, &mut taken);
        let wrong = |e: Box<dyn std::error::Error>| Error::problem(format!("slots: {e}"));
        files.push((format!("{name}.csv"), table.csv().map_err(wrong)?));
        let json = serde_json::to_string(&table).map_err(|e| wrong(e.into()))?;
        files.push((format!("{name}.json"), json + "\n"));
    }
    Ok(files)
}

/// The name of a vertex as that of a file; with its number if it has other characters, or another file is like it.
fn file_name(name: &str, v: VertexId, taken: &mut HashSet<String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    // Some file systems do not tell capitals from small letters.
    while plain != name || plain.starts_with('.') || !taken.insert(plain.to_lowercase()) {
        plain = format!("{}-{v}", plain.trim_start_matches('.'));
        if taken.insert(plain.to_lowercase()) {
            break;
        }
    }
    plain
}

impl<'s> Table<'s> {
    fn of(subject: &'s Subject, v: VertexId, slots: &[Slot<'s>]) -> Self {
        let network = subject.network();
        let lanes = |of: fn(&Slot<'_>) -> Option<Lane>| -> Vec<Lane> {
            slots.iter().filter_map(of).collect::<BTreeSet<Lane>>().into_iter().collect()
        };
        let (inputs, outputs) = (lanes(|slot| slot.input), lanes(|slot| slot.output));
        let place =
            |lanes: &[Lane], lane: Lane| lanes.binary_search(&lane).map_or(0, |place| place as u32);
        let mut words: Vec<Vec<u32>> = vec![vec![0; outputs.len()]; subject.steps()];
        let mut messages = Vec::new();
        let [mut sent, mut received] = [0, 0];
        for step in slots.chunk_by(|a, b| a.step == b.step) {
            let [mut from, mut to] = [0, 0];
            for slot in step {
                let input = slot.input.map_or(inputs.len() as u32 + from, |l| place(&inputs, l));
                let output = slot.output.map_or(outputs.len() as u32 + to, |l| place(&outputs, l));
                from += u32::from(slot.input.is_none());
                to += u32::from(slot.output.is_none());
                let word = &mut words[slot.step];
                word.resize(word.len().max(output as usize + 1), 0);
                word[output as usize] = input + 1;
                if slot.input.is_none() || slot.output.is_none() {
                    let message = slot.transfer.message;
                    messages.push(Message {
                        slot: slot.step + 1,
                        input: slot.input.is_none().then_some(input + 1),
                        output: slot.output.is_none().then_some(output + 1),
                        source: subject.name(message.origin),
                        destination: message.destination.map(|v| subject.name(v)),
                        copy: message.copy,
                    });
                }
            }
            (sent, received) = (sent.max(from), received.max(to));
        }
        words.iter_mut().for_each(|word| word.resize(outputs.len() + received as usize, 0));
        let ports = |lanes: &[Lane], of_processor: u32, is_input: bool| {
            let lanes = lanes.iter().map(|lane| {
                let channel = network.channel(lane.channel);
                let beside = subject.name(if is_input { channel.from } else { channel.to });
                Port::Channel { channel: lane.channel, lane: lane.lane, beside }
            });
            let processor = (0..of_processor).map(|processor| Port::Processor { processor });
            lanes.chain(processor).collect()
        };
        Table {
            format: "ccsched-slots/1",
            network: network.name(),
            vertex: subject.name(v),
            terminal: network.is_terminal(v),
            period: subject.steps(),
            inputs: ports(&inputs, sent, true),
            outputs: ports(&outputs, received, false),
            words,
            messages,
        }
    }

    /// A line for each slot; the columns are named by where they lead.
    fn csv(&self) -> std::result::Result<String, Box<dyn std::error::Error>> {
        let mut out = csv::Writer::from_writer(Vec::new());
        let column = |port: &Port<'_>| match port {
            Port::Channel { channel, lane, beside } => {
                format!("{channel}.{lane}:{}", cell(beside))
            }
            Port::Processor { processor } => format!("processor.{processor}"),
        };
        let head = std::iter::once("slot".to_string()).chain(self.outputs.iter().map(column));
        out.write_record(head)?;
        for (slot, word) in (1..).zip(&self.words) {
            let slot: u32 = slot;
            out.write_record([slot].iter().chain(word).map(u32::to_string))?;
        }
        Ok(String::from_utf8(out.into_inner()?)?)
    }
}

//! What the chunks hold: the steps run one after the other, every send gives a hop, and in the end
//! every GPU must have every block in its place.

use super::buffers::{Buffers, Part};
use super::order::Order;
use super::program::{Algorithm, Chunk, Kind, Place, shown};
use crate::import::Wrong;
use crate::network::ChannelId;
use std::collections::HashMap;

/// A chunk of a message moves from one GPU to another.
pub(super) struct Hop<'f> {
    pub line: usize,
    pub part: Part,
    pub from: usize,
    pub to: usize,
    /// The hop that brought it.
    pub after: Option<usize>,
    /// The last hop of the send before it on this connection.
    pub before: Option<usize>,
    /// The step of the schedule and the channels.
    pub planned: Option<&'f (usize, Vec<ChannelId>)>,
}

/// A chunk of a message in memory.
#[derive(Clone, Copy)]
struct Held {
    part: Part,
    /// The hop that brought it to this GPU.
    hop: Option<usize>,
    /// The line of the step that wrote it.
    line: usize,
}

/// By GPU, where its blocks have been written last, and the line.
type Written = Vec<HashMap<Part, (Chunk, usize)>>;

/// All GPUs while the steps run.
struct Machine<'f> {
    algorithm: &'f Algorithm,
    order: &'f Order,
    buffers: Buffers,
    /// By GPU.
    memory: Vec<HashMap<Chunk, Held>>,
    written: Written,
    /// By step, what it has sent.
    sent: Vec<Vec<Held>>,
    last: HashMap<(usize, usize, usize), usize>,
    hops: Vec<Hop<'f>>,
}

/// The hops of a program, in an order in which they can happen.
pub(super) fn run<'f>(
    algorithm: &'f Algorithm,
    order: &'f Order,
    buffers: &Buffers,
) -> Result<Vec<Hop<'f>>, Wrong> {
    let line_of = |gpu: usize| algorithm.gpus[gpu].line;
    let beginning = |gpu: usize| -> HashMap<Chunk, Held> {
        let held = |part| Held { part, hop: None, line: line_of(gpu) };
        buffers.beginning(gpu).map(|(chunk, part)| (chunk, held(part))).collect()
    };
    let mut machine = Machine {
        algorithm,
        order,
        buffers: *buffers,
        memory: (0..algorithm.gpus.len()).map(beginning).collect(),
        written: vec![HashMap::new(); algorithm.gpus.len()],
        sent: vec![Vec::new(); order.places.len()],
        last: HashMap::new(),
        hops: Vec::new(),
    };
    for &number in &order.sorted {
        let place = order.places[number];
        machine.step(number).map_err(|why| (algorithm.step(place).line, why))?;
    }
    (0..algorithm.gpus.len()).try_for_each(|gpu| machine.check_end(gpu))?;
    Ok(machine.hops)
}

impl<'f> Machine<'f> {
    /// Runs a step.
    fn step(&mut self, number: usize) -> Result<(), String> {
        let (algorithm, place) = (self.algorithm, self.order.places[number]);
        let step = algorithm.step(place);
        let contents: Vec<Held> = match step.kind {
            Kind::Nothing => return Ok(()),
            Kind::Send | Kind::Copy => {
                step.reads().map(|chunk| self.held(place, chunk)).collect::<Result<_, _>>()?
            }
            Kind::Receive | Kind::Forward => {
                let sender = self.order.senders[number].expect("every receive has its send");
                std::mem::take(&mut self.sent[sender])
            }
        };
        for (chunk, held) in step.writes().zip(&contents) {
            let chunk = self.buffers.canonical(place.gpu, chunk);
            self.memory[place.gpu].insert(chunk, Held { line: step.line, ..*held });
            self.written[place.gpu].insert(held.part, (chunk, step.line));
        }
        if step.kind.sends() {
            self.sent[number] = self.send(place, contents);
        }
        Ok(())
    }

    /// What a chunk holds that a step reads.
    fn held(&self, place: Place, chunk: Chunk) -> Result<Held, String> {
        let found = self.memory[place.gpu].get(&self.buffers.canonical(place.gpu, chunk));
        found.copied().ok_or_else(|| {
            format!(
                "{place} reads {}, which holds nothing yet: no step before it writes there",
                shown(chunk)
            )
        })
    }

    /// The hops of a send, and what is under way.
    fn send(&mut self, place: Place, contents: Vec<Held>) -> Vec<Held> {
        let (step, block) = (self.algorithm.step(place), self.algorithm.block(place));
        let to = block.send.expect("the order has only sends that have a peer");
        let connection = (place.gpu, to, block.channel);
        let before = self.last.get(&connection).copied();
        let sent = contents.into_iter().map(|held| {
            self.hops.push(Hop {
                line: step.line,
                part: held.part,
                from: place.gpu,
                to,
                after: held.hop,
                before,
                planned: step.planned.as_ref(),
            });
            Held { hop: Some(self.hops.len() - 1), ..held }
        });
        let sent = sent.collect();
        self.last.insert(connection, self.hops.len() - 1);
        sent
    }

    /// Checks that a GPU has every block in its place.
    fn check_end(&self, gpu: usize) -> Result<(), Wrong> {
        let memory = &self.memory[gpu];
        for (chunk, part) in self.buffers.end(gpu) {
            let there = memory.get(&chunk);
            if there.is_some_and(|held| held.part == part) {
                continue;
            }
            let (place, what) = (shown(chunk), self.buffers.name(part));
            let has = match there {
                Some(held) => {
                    let (name, line) = (self.buffers.name(held.part), held.line);
                    format!("{place} of gpu {gpu} has {name} in the end (line {line})")
                }
                None => format!("{place} of gpu {gpu} is empty in the end"),
            };
            let other = there.map_or(self.algorithm.gpus[gpu].line, |held| held.line);
            let (line, right) = match self.written[gpu].get(&part) {
                // It was there, and is no more.
                Some((place, _)) if *place == chunk => {
                    (other, format!("line {other} must not write over it"))
                }
                Some((place, line)) => {
                    (*line, format!("line {line} puts it into {}", shown(*place)))
                }
                None if part.source == gpu => {
                    (other, "the own block of a GPU must be copied there, and stay".into())
                }
                None => (other, "no step brings it there".into()),
            };
            return Err((line, format!("{has}; {what} belongs there: {right}")));
        }
        Ok(())
    }
}

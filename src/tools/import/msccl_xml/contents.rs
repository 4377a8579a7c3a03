//! What the chunks hold: the steps run one after the other, every send gives a hop, and in the end
//! every GPU must have every block in its place. Of a sum a chunk holds the contributions of some
//! GPUs; none may be added twice, and in the end all are there.

use super::buffers::{Buffers, Part};
use super::order::Order;
use super::program::{Algorithm, Chunk, Place, shown};
use crate::import::Wrong;
use ccsched_model::problem::Phase;
use ccsched_network::ChannelId;
use std::collections::{BTreeSet, HashMap};

/// A chunk of a message moves from one GPU to another.
pub(super) struct Hop<'f> {
    pub line: usize,
    pub part: Part,
    pub from: usize,
    pub to: usize,
    /// Of a sum: whether it is complete.
    pub phase: Option<Phase>,
    /// Of an all-reduce of one part: the GPUs whose contributions it has.
    pub of: Vec<usize>,
    /// The hops that brought it, or what it is the sum of.
    pub after: Vec<usize>,
    /// The last hop of the send before it on this connection.
    pub before: Option<usize>,
    /// The step of the schedule and the channels.
    pub planned: Option<&'f (usize, Vec<ChannelId>)>,
}

/// A chunk of a message in memory.
#[derive(Clone)]
struct Held {
    part: Part,
    /// Of a sum: the GPUs whose contributions it has.
    of: BTreeSet<usize>,
    /// The hops that brought it to this GPU.
    hops: Vec<usize>,
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
        let of: BTreeSet<usize> = buffers.adds().then_some(gpu).into_iter().collect();
        let held = |part| Held { part, of: of.clone(), hops: Vec::new(), line: line_of(gpu) };
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
        let read = step.reads().map(|chunk| self.held(place, chunk));
        let mut contents: Vec<Held> = read.collect::<Result<_, _>>()?;
        // What it adds to what it reads first.
        let mut others = contents.split_off(contents.len().min(step.count));
        if step.kind.receives() {
            let sender = self.order.senders[number].expect("every receive has its send");
            others = std::mem::take(&mut self.sent[sender]);
        }
        if step.kind.adds() {
            let both = contents.into_iter().zip(others);
            contents = both.map(|(a, b)| self.sum(place, a, b)).collect::<Result<_, _>>()?;
        } else if step.kind.receives() {
            contents = others;
        }
        for (chunk, held) in step.writes().zip(&contents) {
            let chunk = self.buffers.canonical(place.gpu, chunk);
            self.memory[place.gpu].insert(chunk, Held { line: step.line, ..held.clone() });
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
        found.cloned().ok_or_else(|| {
            format!(
                "{place} reads {}, which holds nothing yet: no step before it writes there",
                shown(chunk)
            )
        })
    }

    /// The sum of two chunks that hold different contributions to one part.
    fn sum(&self, place: Place, a: Held, b: Held) -> Result<Held, String> {
        let [first, second] = [a.part, b.part].map(|part| self.buffers.name(part));
        if !self.buffers.adds() {
            return Err(format!(
                "{place} adds {second} to {first}; an {} adds nothing",
                self.algorithm.collective
            ));
        }
        if a.part != b.part {
            return Err(format!("{place} adds {second} to {first}; both must be the same part"));
        }
        if let Some(twice) = a.of.intersection(&b.of).next() {
            return Err(format!("{place} adds the contribution of gpu {twice} to {first} twice"));
        }
        let of = a.of.union(&b.of).copied().collect();
        Ok(Held { of, hops: [a.hops, b.hops].concat(), ..a })
    }

    /// Of a sum: whether it is complete.
    fn phase(&self, held: &Held) -> Option<Phase> {
        let is_complete = held.of.len() == self.buffers.gpus;
        let phase = if is_complete { Phase::Gather } else { Phase::Reduce };
        self.buffers.collective.has_sums().then_some(phase)
    }

    /// The hops of a send, and what is under way.
    fn send(&mut self, place: Place, contents: Vec<Held>) -> Vec<Held> {
        let (step, block) = (self.algorithm.step(place), self.algorithm.block(place));
        let to = block.send.expect("the order has only sends that have a peer");
        let connection = (place.gpu, to, block.channel);
        let before = self.last.get(&connection).copied();
        let joins = self.buffers.collective.joins();
        let sent = contents.into_iter().map(|held| {
            self.hops.push(Hop {
                line: step.line,
                part: held.part,
                from: place.gpu,
                to,
                phase: self.phase(&held),
                of: if joins { held.of.iter().copied().collect() } else { Vec::new() },
                after: held.hops,
                before,
                planned: step.planned.as_ref(),
            });
            Held { part: held.part, of: held.of, hops: vec![self.hops.len() - 1], line: held.line }
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
            if let Some(held) = there.filter(|held| held.part == part) {
                let lacking = (0..self.buffers.gpus).find(|other| !held.of.contains(other));
                let Some(lacking) = lacking.filter(|_| self.buffers.adds()) else {
                    continue;
                };
                let (place, what) = (shown(chunk), self.buffers.name(part));
                let why = format!(
                    "{place} of gpu {gpu} lacks the contribution of gpu {lacking} to {what} in the \
                     end: no step adds it"
                );
                return Err((held.line, why));
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
                None if part.source == gpu && !self.buffers.adds() => {
                    (other, "the own block of a GPU must be copied there, and stay".into())
                }
                None => (other, "no step brings it there".into()),
            };
            return Err((line, format!("{has}; {what} belongs there: {right}")));
        }
        Ok(())
    }
}

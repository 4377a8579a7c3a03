//! The buffers of a program: their sizes, the number of chunks that a message has, and where the
//! input is. In place, the input is the part of the output at the place of its GPU (all-gather), or
//! the output itself (all-to-all, all-reduce); the output of a reduce-scatter is part of its input. Then
//! a program may leave one of the two buffers empty.

use super::order::Order;
use super::program::{Algorithm, Chunk, Gpu, Step, StepAt, shown};
use crate::import::Wrong;
use ccsched_model::problem::{Collective, Phase};
use ccsched_network::ChannelId;
use std::collections::{BTreeSet, HashMap};

/// What the chunks of a program mean.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    pub collective: Collective,
    /// The GPU that gets the sum of a reduce.
    root: Option<usize>,
    gpus: usize,
    /// Chunks of a message, or of a sum.
    pub parts: usize,
    /// Whether the input is in its place in the output.
    in_place: bool,
}

/// A chunk of a message: its source, its destination unless it is for all, and which chunk it is. In
/// place of the source a sum has its root; the one sum of an all-reduce of one part has the first GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MessageChunk {
    pub source: usize,
    pub destination: Option<usize>,
    pub number: usize,
}

/// What is wrong with the chunks of a loop: they are not those of the buffer that is named; in a
/// reduce-scatter they must be a number that follows from the GPUs.
fn uneven_loop(
    chunks: usize,
    (named, size): (&str, usize),
    of_gpus: Option<(usize, usize)>,
) -> String {
    match of_gpus {
        Some((gpus, all)) => format!(
            "nchunksperloop is {chunks}, but {named} is {size}; the {gpus} GPUs begin \
             with nchunksperloop chunks, and each ends with its part of the sum, so it must \
             be {all}"
        ),
        None => format!(
            "nchunksperloop is {chunks}, but {named} is {size}; a GPU ends with \
             nchunksperloop chunks, so they must be equal"
        ),
    }
}

impl Buffers {
    /// The buffers of a program that is called in place or not, if their sizes fit.
    pub fn of(
        algorithm: &Algorithm,
        collective: Collective,
        root: Option<usize>,
        in_place: bool,
    ) -> Result<Self, Wrong> {
        let gpus = algorithm.gpus.len();
        let mut buffers = Buffers { collective, root, gpus, parts: 1, in_place };
        let (scatters, messages) = (collective == Collective::ReduceScatter, buffers.outputs());
        // The chunks that a GPU ends with, and the attribute that says so.
        let of_gpu = |gpu: &Gpu| match in_place && gpu.outputs == 0 && collective != Collective::Aab
        {
            true => (gpu.inputs * messages / buffers.inputs().max(1), "i_chunks", gpu.inputs),
            false => (gpu.outputs, "o_chunks", gpu.outputs),
        };
        let (outputs, named, size) = algorithm.gpus.first().map_or((0, "o_chunks", 0), of_gpu);
        let sizes: Vec<_> = algorithm.gpus.iter().map(of_gpu).collect();
        let parts = outputs / messages.max(1);
        buffers.parts = parts;
        let all = parts * if scatters { gpus } else { messages };
        if let Some(chunks) = algorithm.chunks.filter(|&chunks| chunks != all) {
            let why = uneven_loop(chunks, (named, size), scatters.then_some((gpus, all)));
            return Err((algorithm.line, why));
        }
        let input = parts * buffers.inputs();
        for (g, (gpu, (its, named, size))) in algorithm.gpus.iter().zip(sizes).enumerate() {
            if its != outputs || parts == 0 || !outputs.is_multiple_of(messages) {
                let multiple = if messages == 1 {
                    "from 1 on, and ".into()
                } else {
                    format!("a multiple of the {gpus} GPUs, and ")
                };
                let why =
                    format!("gpu {g}: {named} is {size}; it must be {multiple}the same for all");
                return Err((gpu.line, why));
            }
            if gpu.inputs != input && !(in_place && gpu.inputs == 0) {
                let zero = if in_place && gpu.outputs > 0 {
                    ", or 0 as it is called in place"
                } else {
                    ""
                };
                let why = format!(
                    "gpu {g}: i_chunks is {}; with {parts} chunks a message it must be {input}{zero}",
                    gpu.inputs
                );
                return Err((gpu.line, why));
            }
        }
        Ok(buffers)
    }

    /// The messages, or sums, that a GPU begins with.
    fn inputs(&self) -> usize {
        match self.collective {
            Collective::Aab | Collective::Reduce | Collective::AllReduceWhole => 1,
            _ => self.gpus,
        }
    }

    /// The messages, or sums, that a GPU ends with.
    fn outputs(&self) -> usize {
        match self.collective {
            Collective::ReduceScatter | Collective::Reduce | Collective::AllReduceWhole => 1,
            _ => self.gpus,
        }
    }

    /// Whether chunks are added up.
    fn adds(&self) -> bool {
        self.collective.has_sums() || self.collective.joins()
    }

    /// Checks that a step stays within the buffers of its GPU.
    pub fn check(algorithm: &Algorithm, place: StepAt, step: &Step) -> Result<(), Wrong> {
        let gpu = &algorithm.gpus[place.gpu];
        let size = |buffer| match buffer {
            'i' => ("i_chunks", gpu.inputs),
            'o' => ("o_chunks", gpu.outputs),
            _ => ("s_chunks", gpu.scratch),
        };
        let beyond = |chunk: &Chunk| chunk.1 >= size(chunk.0).1;
        let reads = step.reads().find(beyond).map(|chunk| ("reads", chunk));
        let writes = || step.writes().find(beyond).map(|chunk| ("writes", chunk));
        match reads.or_else(writes) {
            None => Ok(()),
            Some((does, chunk)) => {
                let (name, size) = size(chunk.0);
                let why = format!(
                    "{place} {does} {}, but {name} of gpu {} is {size}: that is beyond the buffer",
                    shown(chunk),
                    place.gpu
                );
                Err((step.line, why))
            }
        }
    }

    /// The chunk under its one name: in place, a chunk of the input is one of the output.
    pub fn canonical(&self, gpu: usize, chunk: Chunk) -> Chunk {
        if !self.in_place {
            return chunk;
        }
        match (chunk, self.collective) {
            (('o', offset), Collective::ReduceScatter) => ('i', gpu * self.parts + offset),
            (('i', offset), Collective::Aab) => ('o', gpu * self.parts + offset),
            (
                ('i', offset),
                Collective::Aas
                | Collective::Reduce
                | Collective::AllReduce
                | Collective::AllReduceWhole,
            ) => ('o', offset),
            _ => chunk,
        }
    }

    /// What the chunks of a GPU hold in the beginning.
    pub fn beginning(&self, gpu: usize) -> impl Iterator<Item = (Chunk, MessageChunk)> + use<> {
        let buffers = *self;
        (0..self.inputs() * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.is_personal().then_some(message);
            let source = if buffers.adds() { buffers.root.unwrap_or(message) } else { gpu };
            let part = MessageChunk { source, destination, number };
            (buffers.canonical(gpu, ('i', offset)), part)
        })
    }

    /// What the chunks of a GPU must hold in the end.
    fn end(&self, gpu: usize) -> impl Iterator<Item = (Chunk, MessageChunk)> + use<> {
        let buffers = *self;
        let gets = self.root.is_none_or(|root| root == gpu);
        let messages = if gets { self.outputs() } else { 0 };
        (0..messages * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.is_personal().then_some(gpu);
            let source = if buffers.collective.is_reduction() { gpu } else { message };
            let place = buffers.canonical(gpu, ('o', offset));
            (place, MessageChunk { source, destination, number })
        })
    }

    /// Whether each GPU gets messages of its own.
    fn is_personal(&self) -> bool {
        self.collective.content().is_personal()
    }

    /// `chunk 1 of the block of gpu 3 for gpu 2`; of sums `part 3`.
    pub fn name(&self, part: MessageChunk) -> String {
        let chunk =
            if self.parts > 1 { format!("chunk {} of ", part.number) } else { String::new() };
        if self.adds() {
            return match self.outputs() {
                1 if self.collective != Collective::ReduceScatter => format!("{chunk}the vector"),
                _ => format!("{chunk}part {}", part.source),
            };
        }
        let to = part.destination.map_or(String::new(), |gpu| format!(" for gpu {gpu}"));
        format!("{chunk}the block of gpu {}{to}", part.source)
    }
}

// What the chunks hold: the steps run one after the other, every send gives a hop, and in the end
// every GPU must have every block in its place. Of a sum a chunk holds the contributions of some
// GPUs; none may be added twice, and in the end all are there.

/// A chunk of a message moves from one GPU to another.
pub(super) struct Hop<'f> {
    pub line: usize,
    pub part: MessageChunk,
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
    part: MessageChunk,
    /// Of a sum: the GPUs whose contributions it has.
    of: BTreeSet<usize>,
    /// The hops that brought it to this GPU.
    hops: Vec<usize>,
    /// The line of the step that wrote it.
    line: usize,
}

/// By GPU, where its blocks have been written last, and the line.
type Written = Vec<HashMap<MessageChunk, (Chunk, usize)>>;

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
    fn held(&self, place: StepAt, chunk: Chunk) -> Result<Held, String> {
        let found = self.memory[place.gpu].get(&self.buffers.canonical(place.gpu, chunk));
        found.cloned().ok_or_else(|| {
            format!(
                "{place} reads {}, which holds nothing yet: no step before it writes there",
                shown(chunk)
            )
        })
    }

    /// The sum of two chunks that hold different contributions to one part.
    fn sum(&self, place: StepAt, a: Held, b: Held) -> Result<Held, String> {
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
    fn send(&mut self, place: StepAt, contents: Vec<Held>) -> Vec<Held> {
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

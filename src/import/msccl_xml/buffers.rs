//! The buffers of a program: their sizes, the number of chunks that a message has, and where the
//! input is. In place, the input is the part of the output at the place of its GPU (all-gather), or
//! the output itself (all-to-all, all-reduce); the output of a reduce-scatter is part of its input.

use super::program::{Algorithm, Chunk, Place, Step, shown};
use crate::import::Wrong;
use crate::problem::Collective;

/// What the chunks of a program mean.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    pub collective: Collective,
    pub gpus: usize,
    /// Chunks of a message, or of a sum.
    pub parts: usize,
    /// Whether the input is in its place in the output.
    pub in_place: bool,
}

/// A chunk of a message: its source, its destination unless it is for all, and which chunk it is. In
/// place of the source a sum has its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub source: usize,
    pub destination: Option<usize>,
    pub number: usize,
}

impl Buffers {
    /// The buffers of a program that is called in place or not, if their sizes fit.
    pub fn of(
        algorithm: &Algorithm,
        collective: Collective,
        in_place: bool,
    ) -> Result<Self, Wrong> {
        let gpus = algorithm.gpus.len();
        let outputs = algorithm.gpus.first().map_or(0, |gpu| gpu.outputs);
        // A reduce-scatter ends with one sum, all others with a message or sum for each GPU.
        let scatters = collective.is_reduction();
        let messages = if scatters { 1 } else { gpus };
        let parts = outputs / messages.max(1);
        let all = parts * gpus;
        if let Some(chunks) = algorithm.chunks.filter(|&chunks| chunks != all) {
            let why = match scatters {
                true => format!(
                    "nchunksperloop is {chunks}, but o_chunks is {outputs}; the {gpus} GPUs begin \
                     with nchunksperloop chunks, and each ends with its part of the sum, so it must \
                     be {all}"
                ),
                false => format!(
                    "nchunksperloop is {chunks}, but o_chunks is {outputs}; a GPU ends with \
                     nchunksperloop chunks, so they must be equal"
                ),
            };
            return Err((algorithm.line, why));
        }
        let input = if collective == Collective::Aab { parts } else { all };
        for (g, gpu) in algorithm.gpus.iter().enumerate() {
            if gpu.outputs != outputs || parts == 0 || !outputs.is_multiple_of(messages) {
                let multiple = if scatters {
                    String::new()
                } else {
                    format!("a multiple of the {gpus} GPUs, and ")
                };
                let why = format!(
                    "gpu {g}: o_chunks is {}; it must be {multiple}the same for all",
                    gpu.outputs
                );
                return Err((gpu.line, why));
            }
            if gpu.inputs != input && !(in_place && gpu.inputs == 0) {
                let zero = if in_place { ", or 0 as it is called in place" } else { "" };
                let why = format!(
                    "gpu {g}: i_chunks is {}; with {parts} chunks a message it must be {input}{zero}",
                    gpu.inputs
                );
                return Err((gpu.line, why));
            }
        }
        Ok(Buffers { collective, gpus, parts, in_place })
    }

    /// Checks that a step stays within the buffers of its GPU.
    pub fn check(algorithm: &Algorithm, place: Place, step: &Step) -> Result<(), Wrong> {
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
            (('i', offset), Collective::Aas | Collective::AllReduce) => ('o', offset),
            _ => chunk,
        }
    }

    /// What the chunks of a GPU hold in the beginning.
    pub fn beginning(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        let messages = if self.collective == Collective::Aab { 1 } else { self.gpus };
        (0..messages * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.is_personal().then_some(message);
            let source = if buffers.collective.has_sums() { message } else { gpu };
            let part = Part { source, destination, number };
            (buffers.canonical(gpu, ('i', offset)), part)
        })
    }

    /// What the chunks of a GPU must hold in the end.
    pub fn end(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        let messages = if self.collective.is_reduction() { 1 } else { self.gpus };
        (0..messages * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.is_personal().then_some(gpu);
            let source = if buffers.collective.is_reduction() { gpu } else { message };
            let place = buffers.canonical(gpu, ('o', offset));
            (place, Part { source, destination, number })
        })
    }

    /// Whether each GPU gets messages of its own.
    fn is_personal(&self) -> bool {
        self.collective.content().is_personal()
    }

    /// `chunk 1 of the block of gpu 3 for gpu 2`; of sums `part 3`.
    pub fn name(&self, part: Part) -> String {
        let chunk =
            if self.parts > 1 { format!("chunk {} of ", part.number) } else { String::new() };
        if self.collective.has_sums() {
            return format!("{chunk}part {}", part.source);
        }
        let to = part.destination.map_or(String::new(), |gpu| format!(" for gpu {gpu}"));
        format!("{chunk}the block of gpu {}{to}", part.source)
    }
}

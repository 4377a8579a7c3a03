//! The buffers of a program: their sizes, the number of chunks that a message has, and where the
//! input is. In place, the input is the part of the output at the place of its GPU (all-gather), or
//! the output itself (all-to-all).

use super::program::{Algorithm, Chunk, Place, Step, shown};
use crate::import::Wrong;
use crate::problem::Content;

/// What the chunks of a program mean.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    pub content: Content,
    pub gpus: usize,
    /// Chunks of a message.
    pub parts: usize,
    /// Whether the input is in its place in the output.
    pub in_place: bool,
}

/// A chunk of a message: its source, its destination unless it is for all, and which chunk it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub source: usize,
    pub destination: Option<usize>,
    pub number: usize,
}

impl Buffers {
    /// The buffers of a program that is called in place or not, if their sizes fit.
    pub fn of(algorithm: &Algorithm, content: Content, in_place: bool) -> Result<Self, Wrong> {
        let gpus = algorithm.gpus.len();
        let outputs = algorithm.gpus.first().map_or(0, |gpu| gpu.outputs);
        let parts = outputs / gpus.max(1);
        if let Some(chunks) = algorithm.chunks.filter(|&chunks| chunks != outputs) {
            let why = format!(
                "nchunksperloop is {chunks}, but o_chunks is {outputs}; a GPU ends with \
                 nchunksperloop chunks, so they must be equal"
            );
            return Err((algorithm.line, why));
        }
        let input = if content.is_common() { parts } else { outputs };
        for (g, gpu) in algorithm.gpus.iter().enumerate() {
            if gpu.outputs != outputs || parts == 0 || !outputs.is_multiple_of(gpus) {
                let why = format!(
                    "gpu {g}: o_chunks is {}; it must be a multiple of the {gpus} GPUs, and the \
                     same for all",
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
        Ok(Buffers { content, gpus, parts, in_place })
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
        match (chunk, self.content) {
            (('i', offset), Content::Common) if self.in_place => ('o', gpu * self.parts + offset),
            (('i', offset), Content::Personal) if self.in_place => ('o', offset),
            _ => chunk,
        }
    }

    /// What the chunks of a GPU hold in the beginning.
    pub fn beginning(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        let messages = if self.content.is_common() { 1 } else { self.gpus };
        (0..messages * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.content.is_personal().then_some(message);
            let part = Part { source: gpu, destination, number };
            (buffers.canonical(gpu, ('i', offset)), part)
        })
    }

    /// What the chunks of a GPU must hold in the end.
    pub fn end(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        (0..self.gpus * self.parts).map(move |offset| {
            let (source, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.content.is_personal().then_some(gpu);
            (('o', offset), Part { source, destination, number })
        })
    }

    /// `chunk 1 of the block of gpu 3 for gpu 2`.
    pub fn name(&self, part: Part) -> String {
        let chunk =
            if self.parts > 1 { format!("chunk {} of ", part.number) } else { String::new() };
        let to = part.destination.map_or(String::new(), |gpu| format!(" for gpu {gpu}"));
        format!("{chunk}the block of gpu {}{to}", part.source)
    }
}

//! The buffers of a program: their sizes, the number of chunks that a message has, and where the
//! input is. In place, the input is the part of the output at the place of its GPU (all-gather), or
//! the output itself (all-to-all, all-reduce); the output of a reduce-scatter is part of its input. Then
//! a program may leave one of the two buffers empty.

use super::program::{Algorithm, Chunk, Gpu, Place, Step, shown};
use crate::import::Wrong;
use ccsched_model::problem::Collective;

/// What the chunks of a program mean.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    pub collective: Collective,
    /// The GPU that gets the sum of a reduce.
    pub root: Option<usize>,
    pub gpus: usize,
    /// Chunks of a message, or of a sum.
    pub parts: usize,
    /// Whether the input is in its place in the output.
    pub in_place: bool,
}

/// A chunk of a message: its source, its destination unless it is for all, and which chunk it is. In
/// place of the source a sum has its root; the one sum of an all-reduce of one part has the first GPU.
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
            let why = match scatters {
                true => format!(
                    "nchunksperloop is {chunks}, but {named} is {size}; the {gpus} GPUs begin \
                     with nchunksperloop chunks, and each ends with its part of the sum, so it must \
                     be {all}"
                ),
                false => format!(
                    "nchunksperloop is {chunks}, but {named} is {size}; a GPU ends with \
                     nchunksperloop chunks, so they must be equal"
                ),
            };
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
    pub fn adds(&self) -> bool {
        self.collective.has_sums() || self.collective.joins()
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
    pub fn beginning(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        (0..self.inputs() * self.parts).map(move |offset| {
            let (message, number) = (offset / buffers.parts, offset % buffers.parts);
            let destination = buffers.is_personal().then_some(message);
            let source = if buffers.adds() { buffers.root.unwrap_or(message) } else { gpu };
            let part = Part { source, destination, number };
            (buffers.canonical(gpu, ('i', offset)), part)
        })
    }

    /// What the chunks of a GPU must hold in the end.
    pub fn end(&self, gpu: usize) -> impl Iterator<Item = (Chunk, Part)> + use<> {
        let buffers = *self;
        let gets = self.root.is_none_or(|root| root == gpu);
        let messages = if gets { self.outputs() } else { 0 };
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

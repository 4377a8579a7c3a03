//! A program: GPUs, their thread blocks, and the steps of these.

use ccsched_network::ChannelId;

/// A buffer (input, output, scratch) and an offset in it.
pub(super) type Chunk = (char, usize);

/// A whole file.
#[derive(Default)]
pub(super) struct Algorithm {
    pub line: usize,
    pub collective: String,
    /// The protocol, if the file says so.
    pub protocol: Option<String>,
    /// Whether it may be called with the input in its place in the output.
    pub in_place: bool,
    /// Whether it may be called with another input.
    pub out_of_place: bool,
    /// The chunks of all messages that a GPU ends with, if the file says so.
    pub chunks: Option<usize>,
    /// The number of channels, if the file says so.
    pub channels: Option<usize>,
    /// The number of GPUs, if the file says so.
    pub named_gpus: Option<usize>,
    /// The attributes of <algo> that RCCL demands and the file lacks.
    pub missing: Vec<&'static str>,
    pub gpus: Vec<Gpu>,
}

/// A GPU.
pub(super) struct Gpu {
    pub line: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub scratch: usize,
    pub blocks: Vec<Block>,
}

/// A thread block.
pub(super) struct Block {
    pub line: usize,
    pub send: Option<usize>,
    pub receive: Option<usize>,
    pub channel: usize,
    pub steps: Vec<Step>,
}

/// A step.
pub(super) struct Step {
    pub line: usize,
    pub kind: Kind,
    pub from: Chunk,
    pub to: Chunk,
    pub count: usize,
    /// The thread block and step that must be done before.
    pub waits_for: Option<(usize, usize)>,
    /// Whether it tells others that it is done.
    pub is_awaited: bool,
    /// The step of the schedule, from 0, and the channels, from a comment before it.
    pub planned: Option<(usize, Vec<ChannelId>)>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    Receive,
    Copy,
    /// Receives, copies, and sends on.
    Forward,
    /// Adds a chunk to another.
    Add,
    /// Adds what it receives to a chunk, and writes the sum.
    AddReceived,
    /// The same, but sends the sum in place of writing it.
    AddAndSend,
    /// Both writes and sends the sum.
    AddAndForward,
    Nothing,
}

impl Kind {
    /// Whether it sends to the peer.
    pub fn sends(self) -> bool {
        matches!(self, Kind::Send | Kind::Forward | Kind::AddAndSend | Kind::AddAndForward)
    }

    /// Whether it receives from the peer.
    pub fn receives(self) -> bool {
        matches!(self, Kind::Receive | Kind::Forward) || self.adds_received()
    }

    /// Whether it adds what it receives to what it reads.
    pub fn adds_received(self) -> bool {
        matches!(self, Kind::AddReceived | Kind::AddAndSend | Kind::AddAndForward)
    }

    /// Whether it computes.
    pub fn adds(self) -> bool {
        self == Kind::Add || self.adds_received()
    }

    /// Whether it reads the chunks of the source.
    pub fn reads(self) -> bool {
        matches!(self, Kind::Send | Kind::Copy) || self.adds()
    }

    /// Whether it writes the chunks of the destination.
    pub fn writes(self) -> bool {
        !matches!(self, Kind::Send | Kind::AddAndSend | Kind::Nothing)
    }
}

impl Step {
    /// The chunks that it reads from the memory of its GPU.
    pub fn reads(&self) -> impl Iterator<Item = Chunk> + use<> {
        let also = if self.kind == Kind::Add { self.count } else { 0 };
        let count = if self.kind.reads() { self.count } else { 0 };
        chunks(self.from, count).chain(chunks(self.to, also))
    }

    /// The chunks that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Chunk> + use<> {
        chunks(self.to, if self.kind.writes() { self.count } else { 0 })
    }
}

/// Chunks one after the other.
fn chunks((buffer, first): Chunk, count: usize) -> impl Iterator<Item = Chunk> {
    (first..first + count).map(move |offset| (buffer, offset))
}

/// A step by its GPU, thread block and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub gpu: usize,
    pub block: usize,
    pub step: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "gpu {}, tb {}, step {}", self.gpu, self.block, self.step)
    }
}

impl Algorithm {
    /// The step at a place.
    pub fn step(&self, place: Place) -> &Step {
        &self.block(place).steps[place.step]
    }

    /// The thread block of a place.
    pub fn block(&self, place: Place) -> &Block {
        &self.gpus[place.gpu].blocks[place.block]
    }

    /// All steps.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        self.gpus.iter().enumerate().flat_map(|(gpu, of_gpu)| {
            of_gpu.blocks.iter().enumerate().flat_map(move |(block, of_block)| {
                (0..of_block.steps.len()).map(move |step| Place { gpu, block, step })
            })
        })
    }
}

/// `o[3]`.
pub(super) fn shown((buffer, offset): Chunk) -> String {
    format!("{buffer}[{offset}]")
}

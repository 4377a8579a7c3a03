//! The thread blocks of a plan. A block of a GPU has one peer: it puts into the memory of the peer and
//! signals, and waits for what the peer puts here. A block that uses what another one wrote needs a
//! barrier of the GPU between the two.
//!
//! The executor takes a limited number of operations of a block, so the steps are cut into *segments* with
//! blocks of their own, at the same steps for all GPUs: the channels of two GPUs pair up by their order.

use crate::export::moves::{Chunk, Moves, Put, Step, Sum};
use std::collections::HashMap;

/// Limits of the executor: operations of a block, buffers of an operation at each side, barriers of a GPU.
const MOST_OPERATIONS: usize = 64;
const MOST_BUFFERS: usize = 8;
const MOST_BARRIERS: usize = 16;

/// Barriers that may be added to a block when its segment is complete: before it and after it.
const RESERVED: usize = 2;

/// A buffer of an operation: of the GPU itself, or of the peer of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub buffer: char,
    pub first: usize,
    pub chunks: usize,
}

impl Span {
    fn of((buffer, first): Chunk) -> Self {
        Span { buffer, first, chunks: 1 }
    }

    /// Whether it ends where a chunk begins.
    fn goes_on_at(&self, (buffer, at): Chunk) -> bool {
        self.buffer == buffer && self.first + self.chunks == at
    }
}

/// What a block does.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// All threads of the block reach this point.
    Meet,
    /// All blocks reach this point: a barrier, and how many blocks take part.
    Barrier(usize, usize),
    /// Tells the peer that this GPU has begun.
    SignalBegin,
    WaitBegin,
    Signal,
    Wait,
    /// Writes into the memory of the peer.
    Put(Vec<(Span, Span)>),
    /// The same, and signals. The second says whether it waits until the source has been read.
    PutAndSignal(Span, Span, bool),
    Copy(Span, Span),
    /// Adds up local chunks.
    Add(Vec<Span>, Span),
}

/// How two GPUs reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Threads write into the memory of the other GPU, which is in the same node.
    Memory,
    /// A proxy of the host sends.
    Port,
}

/// A thread block.
#[derive(Clone)]
pub(super) struct Block {
    /// None if it moves local chunks alone.
    pub peer: Option<(usize, Channel)>,
    pub operations: Vec<Operation>,
    /// What came since all threads met: other threads may have written, or have been waited for; this block
    /// has written into other memory.
    is_new: bool,
    has_put: bool,
}

impl Block {
    /// Lets threads meet before an operation that reads; before a signal also what was put must be there.
    fn meet(&mut self, before_signal: bool) {
        if self.is_new || before_signal && self.has_put {
            self.operations.push(Operation::Meet);
            (self.is_new, self.has_put) = (false, false);
        }
    }
}

/// The blocks of a GPU in the segment under way, and those before.
#[derive(Clone, Default)]
struct Gpu {
    complete: Vec<Block>,
    /// Of these, the number before the last segment with blocks.
    before_last: usize,
    blocks: Vec<Block>,
    by_peer: HashMap<Option<usize>, usize>,
    /// Barriers of the segment so far, at which all of its blocks meet.
    barriers: usize,
    /// Numbers of barriers that are taken.
    taken: usize,
    /// By chunk, the block of the segment that wrote it, and the barriers of that time; those of earlier
    /// segments can be used by all.
    written: HashMap<Chunk, (usize, usize)>,
}

impl Gpu {
    /// The block for a peer, or without one.
    fn block(&mut self, peer: Option<(usize, Channel)>) -> usize {
        let key = peer.map(|(peer, _)| peer);
        if let Some(&block) = self.by_peer.get(&key) {
            return block;
        }
        let mut block = Block { peer, operations: Vec::new(), is_new: false, has_put: false };
        // It takes part in all barriers of the segment, how many blocks that are is written at its end.
        block.operations.extend((0..self.barriers).map(|_| Operation::Barrier(self.taken, 0)));
        if peer.is_some() {
            block.operations.extend([Operation::SignalBegin, Operation::WaitBegin]);
            block.is_new = true;
        }
        self.blocks.push(block);
        self.by_peer.insert(key, self.blocks.len() - 1);
        self.blocks.len() - 1
    }

    /// Puts a barrier before what a block does next, if one of these chunks was written by another one since
    /// the last barrier.
    fn make_ready(&mut self, block: usize, chunks: impl IntoIterator<Item = Chunk>) {
        let is_ready = |chunk: &Chunk| {
            self.written.get(chunk).is_none_or(|&(by, at)| by == block || at < self.barriers)
        };
        if !chunks.into_iter().all(|chunk| is_ready(&chunk)) {
            self.barriers += 1;
            for block in &mut self.blocks {
                block.operations.push(Operation::Barrier(self.taken, 0));
                (block.is_new, block.has_put) = (false, false);
            }
        }
    }

    fn copy(&mut self, copies: &[(Chunk, Chunk, usize)]) {
        for &(source, target, chunks) in copies {
            let block = self.block(None);
            let span = |chunk| Span { chunks, ..Span::of(chunk) };
            self.blocks[block].operations.push(Operation::Copy(span(source), span(target)));
            self.blocks[block].is_new = true;
            let (buffer, first) = target;
            let written = (0..chunks).map(|k| ((buffer, first + k), (block, self.barriers)));
            self.written.extend(written);
        }
    }

    /// Adds up, in the block that received one of the operands.
    fn add(&mut self, sum: &Sum) {
        let writer = sum.of.iter().rev().find_map(|chunk| self.written.get(chunk));
        let block = writer.map(|&(block, _)| block).unwrap_or_else(|| self.block(None));
        self.make_ready(block, sum.of.iter().copied());
        let mut operands = sum.of.iter().map(|&chunk| Span::of(chunk));
        let Some(mut first) = operands.next() else { return };
        let rest: Vec<Span> = operands.collect();
        let into = Span::of(sum.into);
        for some in rest.chunks(MOST_BUFFERS) {
            self.blocks[block].meet(false);
            let of = std::iter::once(first).chain(some.iter().copied()).collect();
            self.blocks[block].operations.push(Operation::Add(of, into));
            self.blocks[block].is_new = true;
            first = into;
        }
        self.written.insert(sum.into, (block, self.barriers));
    }

    /// Puts chunks into the memory of a peer and signals.
    fn put(&mut self, peer: (usize, Channel), puts: &[&Put]) {
        let block = self.block(Some(peer));
        let mut spans: Vec<(Span, Span)> = Vec::new();
        for put in puts {
            match spans.last_mut() {
                Some((source, target))
                    if source.goes_on_at(put.source) && target.goes_on_at(put.target) =>
                {
                    source.chunks += 1;
                    target.chunks += 1;
                }
                _ => spans.push((Span::of(put.source), Span::of(put.target))),
            }
        }
        let block = &mut self.blocks[block];
        block.meet(false);
        if peer.1 == Channel::Port {
            let Some((source, target)) = spans.pop() else { return };
            for some in spans.chunks(MOST_BUFFERS) {
                block.operations.push(Operation::Put(some.to_vec()));
                block.has_put = true;
            }
            block.meet(true);
            block.operations.push(Operation::PutAndSignal(source, target, false));
            return;
        }
        // The executor reads the sources of an operation in one buffer.
        for of_buffer in spans.chunk_by(|(a, _), (b, _)| a.buffer == b.buffer) {
            for some in of_buffer.chunks(MOST_BUFFERS) {
                block.operations.push(Operation::Put(some.to_vec()));
            }
        }
        block.has_put = true;
        block.meet(true);
        block.operations.push(Operation::Signal);
    }

    /// Waits for what a peer puts here.
    fn wait(&mut self, peer: (usize, Channel), targets: impl Iterator<Item = Chunk>) {
        let block = self.block(Some(peer));
        self.blocks[block].operations.push(Operation::Wait);
        self.blocks[block].is_new = true;
        self.written.extend(targets.map(|chunk| (chunk, (block, self.barriers))));
    }

    /// The most operations of a block.
    fn most(&self) -> usize {
        self.blocks.iter().map(|block| block.operations.len()).max().unwrap_or(0)
    }

    /// Completes the segment: its barriers know their number of blocks, and one more parts its blocks from
    /// those of the segment before.
    fn end_segment(&mut self) {
        if self.blocks.is_empty() {
            return;
        }
        let count = self.blocks.len();
        for block in &mut self.blocks {
            for operation in &mut block.operations {
                if let Operation::Barrier(_, blocks) = operation {
                    *blocks = count;
                }
            }
            // Before the program ends, what proxies send must have been read.
            let last = |o: &&mut Operation| matches!(o, Operation::PutAndSignal(..));
            if let Some(Operation::PutAndSignal(_, _, waits)) =
                block.operations.iter_mut().rev().find(last)
            {
                *waits = true;
            }
        }
        self.taken += usize::from(self.barriers > 0);
        let before = &mut self.complete[self.before_last..];
        if !before.is_empty() {
            let barrier = Operation::Barrier(self.taken, before.len() + count);
            before.iter_mut().for_each(|block| block.operations.push(barrier.clone()));
            self.blocks.iter_mut().for_each(|block| block.operations.insert(0, barrier.clone()));
            self.taken += 1;
        }
        self.before_last = self.complete.len();
        self.complete.append(&mut self.blocks);
        self.by_peer.clear();
        self.written.clear();
        self.barriers = 0;
    }
}

/// The blocks of all GPUs. `channel` tells how two GPUs reach each other.
///
/// # Errors
/// The limit of the executor that a GPU exceeds.
pub(super) fn blocks(
    moves: &Moves,
    channel: impl Fn(usize, usize) -> Channel,
) -> Result<Vec<Vec<Block>>, String> {
    let mut gpus: Vec<Gpu> = vec![Gpu::default(); moves.slots.len()];
    for (gpu, copies) in gpus.iter_mut().zip(&moves.copies) {
        gpu.copy(copies);
    }
    for (number, step) in moves.steps.iter().enumerate() {
        let before = gpus.clone();
        add_step(&mut gpus, step, &channel);
        let is_too_long = |gpu: &Gpu| gpu.most() + RESERVED > MOST_OPERATIONS;
        if gpus.iter().any(is_too_long) {
            gpus = before;
            gpus.iter_mut().for_each(Gpu::end_segment);
            add_step(&mut gpus, step, &channel);
        }
        if let Some(gpu) = gpus.iter().position(is_too_long) {
            return Err(format!(
                "gpu {gpu} needs {} operations of a thread block in step {}; the executor takes at most \
                 {MOST_OPERATIONS}",
                gpus[gpu].most() + RESERVED,
                number + 1
            ));
        }
    }
    gpus.iter_mut().for_each(Gpu::end_segment);
    match gpus.iter().position(|gpu| gpu.taken > MOST_BARRIERS) {
        Some(gpu) => Err(format!(
            "gpu {gpu} needs {} barriers; the executor has {MOST_BARRIERS}: the schedule has too many steps",
            gpus[gpu].taken
        )),
        None => Ok(gpus.into_iter().map(|gpu| gpu.complete).collect()),
    }
}

/// Adds a step: sums, puts, waits.
fn add_step(gpus: &mut [Gpu], step: &Step, channel: &impl Fn(usize, usize) -> Channel) {
    for sum in &step.sums {
        gpus[sum.gpu].add(sum);
    }
    let mut puts: Vec<&Put> = step.puts.iter().collect();
    puts.sort_by_key(|put| (put.from, put.to, put.source, put.target));
    let pairs: Vec<&[&Put]> = puts.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)).collect();
    // All blocks that the step needs are there before a barrier is.
    for of_pair in &pairs {
        let (from, to) = (of_pair[0].from, of_pair[0].to);
        let way = channel(from, to);
        gpus[to].block(Some((from, way)));
        let block = gpus[from].block(Some((to, way)));
        gpus[from].make_ready(block, of_pair.iter().map(|put| put.source));
    }
    for of_pair in &pairs {
        let (from, to) = (of_pair[0].from, of_pair[0].to);
        gpus[from].put((to, channel(from, to)), of_pair);
    }
    for of_pair in &pairs {
        let (from, to) = (of_pair[0].from, of_pair[0].to);
        gpus[to].wait((from, channel(from, to)), of_pair.iter().map(|put| put.target));
    }
}

//! The flow of messages: the steps of all thread blocks run as far as they can, round after round,
//! and every send gives a transfer.

use super::file::{Algorithm, Block, Chunk, Kind, Step};
use crate::import::Wrong;
use crate::network::{ChannelId, VertexId};
use crate::problem::{MessageId, Messages, Problem};
use std::collections::{HashMap, VecDeque};

/// A message moves from one terminal to another.
pub(super) struct Transfer<'f> {
    pub line: usize,
    pub message: MessageId,
    pub from: VertexId,
    pub to: VertexId,
    /// The transfer that brought the message.
    pub after: Option<usize>,
    /// The transfer before it between the same thread blocks.
    pub before: Option<usize>,
    /// The step of the schedule and the channels.
    pub planned: Option<&'f (usize, Vec<ChannelId>)>,
}

/// A message in a chunk: its source, its destination unless it is for all, and the transfer that
/// brought it.
#[derive(Clone, Copy)]
struct Content {
    source: usize,
    destination: Option<usize>,
    brought_by: Option<usize>,
}

/// Sender, receiver, channel.
type Connection = (usize, usize, usize);

/// All GPUs while the steps run.
struct Machine<'f> {
    algorithm: &'f Algorithm,
    terminals: Vec<VertexId>,
    messages: Messages,
    /// By GPU, what its chunks hold.
    memory: Vec<HashMap<Chunk, Content>>,
    /// By GPU and thread block, the steps that are done.
    done: Vec<Vec<usize>>,
    /// What has been sent and not yet received.
    under_way: HashMap<Connection, VecDeque<Vec<Content>>>,
    last: HashMap<Connection, usize>,
    transfers: Vec<Transfer<'f>>,
}

/// The transfers of a file, in an order in which they can happen.
pub(super) fn transfers<'f>(
    algorithm: &'f Algorithm,
    problem: &Problem,
) -> Result<Vec<Transfer<'f>>, Wrong> {
    let mut machine = Machine {
        algorithm,
        terminals: problem.processes.clone(),
        messages: Messages::of(problem),
        memory: memory(algorithm),
        done: algorithm.gpus.iter().map(|gpu| vec![0; gpu.blocks.len()]).collect(),
        under_way: HashMap::new(),
        last: HashMap::new(),
        transfers: Vec::new(),
    };
    while machine.round()? {}
    for (gpu, done) in algorithm.gpus.iter().zip(&machine.done) {
        let blocked = gpu.blocks.iter().zip(done).find_map(|(block, &done)| block.steps.get(done));
        if let Some(step) = blocked {
            return Err((
                step.line,
                "this step waits for ever for others, or for a message".into(),
            ));
        }
    }
    match machine.under_way.iter().filter(|(_, queue)| !queue.is_empty()).map(|(c, _)| c).min() {
        None => Ok(machine.transfers),
        Some((from, to, channel)) => {
            let why = format!("gpu {to} does not receive all from gpu {from} on channel {channel}");
            Err((algorithm.gpus[*to].line, why))
        }
    }
}

/// What the chunks hold in the beginning.
fn memory(algorithm: &Algorithm) -> Vec<HashMap<Chunk, Content>> {
    let gpus = algorithm.gpus.len();
    let of_gpu = |source: usize| -> HashMap<Chunk, Content> {
        let content = |destination| Content { source, destination, brought_by: None };
        match (algorithm.collective.as_str(), algorithm.in_place) {
            ("allgather", true) => [(('o', source), content(None))].into(),
            ("allgather", false) => [(('i', 0), content(None))].into(),
            _ => (0..gpus).map(|to| (('i', to), content(Some(to)))).collect(),
        }
    };
    (0..gpus).map(of_gpu).collect()
}

impl<'f> Machine<'f> {
    /// Runs each thread block by a step, if it can go on; whether one could.
    fn round(&mut self) -> Result<bool, Wrong> {
        let mut moved = false;
        let algorithm = self.algorithm;
        for (g, gpu) in algorithm.gpus.iter().enumerate() {
            for (b, block) in gpu.blocks.iter().enumerate() {
                let Some(step) = block.steps.get(self.done[g][b]) else { continue };
                let is_ready = match step.waits_for {
                    None => true,
                    Some((other, number)) => {
                        let done = self.done[g].get(other).ok_or_else(|| {
                            (step.line, format!("depid is {other}, which is no thread block"))
                        })?;
                        *done > number
                    }
                };
                if is_ready && self.step(g, block, step).map_err(|why| (step.line, why))? {
                    self.done[g][b] += 1;
                    moved = true;
                }
            }
        }
        Ok(moved)
    }

    /// Runs a step; false if its message has not come yet.
    fn step(&mut self, gpu: usize, block: &Block, step: &'f Step) -> Result<bool, String> {
        match step.kind {
            Kind::Nothing => {}
            Kind::Copy => {
                let contents = self.contents(gpu, step.from, step.count)?;
                self.put(gpu, step.to, contents);
            }
            Kind::Send => self.send(gpu, block, step, step.from)?,
            Kind::Receive | Kind::Forward => {
                let peer = self.peer(block.receive, "recv")?;
                let queue = self.under_way.entry((peer, gpu, block.channel)).or_default();
                let Some(contents) = queue.pop_front() else { return Ok(false) };
                if contents.len() != step.count {
                    let (sent, count) = (contents.len(), step.count);
                    return Err(format!("cnt is {count}, but the send of gpu {peer} has {sent}"));
                }
                self.put(gpu, step.to, contents);
                if step.kind == Kind::Forward {
                    self.send(gpu, block, step, step.to)?;
                }
            }
        }
        Ok(true)
    }

    /// A GPU that exists.
    fn peer(&self, peer: Option<usize>, name: &str) -> Result<usize, String> {
        let is_known = |peer: &usize| *peer < self.algorithm.gpus.len();
        peer.filter(is_known).ok_or_else(|| format!("the thread block has no GPU as {name}"))
    }

    fn contents(
        &self,
        gpu: usize,
        (buffer, first): Chunk,
        count: usize,
    ) -> Result<Vec<Content>, String> {
        let content = |offset: usize| {
            let found = self.memory[gpu].get(&(buffer, offset)).copied();
            found.ok_or_else(|| format!("chunk {offset} of buffer {buffer} holds no message yet"))
        };
        (first..first + count).map(content).collect()
    }

    fn put(&mut self, gpu: usize, (buffer, first): Chunk, contents: Vec<Content>) {
        let chunks = (first..).map(|offset| (buffer, offset));
        self.memory[gpu].extend(chunks.zip(contents));
    }

    fn send(
        &mut self,
        gpu: usize,
        block: &Block,
        step: &'f Step,
        chunk: Chunk,
    ) -> Result<(), String> {
        let peer = self.peer(block.send, "send")?;
        let connection = (gpu, peer, block.channel);
        let mut contents = self.contents(gpu, chunk, step.count)?;
        for content in &mut contents {
            let [from, to] = [gpu, peer].map(|gpu| self.terminals[gpu]);
            let source = self.terminals[content.source];
            let destination = content.destination.map_or(source, |gpu| self.terminals[gpu]);
            let message = self.messages.find(source, destination, 1).ok_or(
                "it sends a message to its own source, which the collective does not ask for",
            )?;
            self.transfers.push(Transfer {
                line: step.line,
                message,
                from,
                to,
                after: content.brought_by,
                before: self.last.get(&connection).copied(),
                planned: step.planned.as_ref(),
            });
            content.brought_by = Some(self.transfers.len() - 1);
            self.last.insert(connection, self.transfers.len() - 1);
        }
        self.under_way.entry(connection).or_default().push_back(contents);
        Ok(())
    }
}

//! Thread blocks: the sends and receives of each GPU by peer and direction, with the chunks that
//! they read and write.

use crate::export::ranks::Ranks;
use crate::export::{Subject, Transfer};
use ccsched_model::problem::{Message, Phase, Roots};
use ccsched_network::ChannelId;
use std::collections::HashMap;

/// Thread blocks of a channel in RCCL's reader.
const MOST_OF_CHANNEL: usize = 32;

/// Kinds of steps.
pub(super) const SEND: &str = "s";
pub(super) const RECEIVE: &str = "r";
pub(super) const COPY: &str = "cpy";
pub(super) const ADD: &str = "rrc";
pub(super) const ADD_HERE: &str = "re";
pub(super) const NOTHING: &str = "nop";

/// A buffer (input, output, scratch) and an offset in it.
pub(super) type Chunk = (char, usize);

/// A step of a thread block.
pub(super) struct Step<'f> {
    pub kind: &'static str,
    pub from: Chunk,
    pub to: Chunk,
    /// The thread block and step of this GPU that must be done before.
    pub waits_for: Option<[usize; 2]>,
    /// Whether another step waits for this one.
    pub is_awaited: bool,
    /// Of a send: the step of the schedule, from 0, and the path.
    pub planned: Option<(usize, &'f [ChannelId])>,
}

impl Step<'_> {
    /// A step that waits for nothing.
    pub(super) fn of(kind: &'static str, from: Chunk, to: Chunk) -> Self {
        Step { kind, from, to, waits_for: None, is_awaited: false, planned: None }
    }
}

/// A thread block.
pub(super) struct Block<'f> {
    pub send: Option<usize>,
    pub receive: Option<usize>,
    pub channel: usize,
    pub steps: Vec<Step<'f>>,
}

/// All thread blocks.
pub(super) struct Blocks<'f> {
    pub by_gpu: Vec<Vec<Block<'f>>>,
    /// Number of channels.
    pub channels: usize,
    /// By GPU, the chunks of scratch memory.
    pub slots: Vec<usize>,
    /// The thread block of a GPU by peer and direction.
    index: HashMap<(usize, usize, bool), usize>,
}

/// The chunk of a message, and the thread block and step that received it, if one did.
type Held = (Chunk, Option<[usize; 2]>);

impl<'f> Blocks<'f> {
    /// The thread blocks of a schedule in which all ranks take part. In place, a GPU has its message in
    /// the output from the beginning.
    pub fn of(subject: &'f Subject, ranks: &Ranks, in_place: bool) -> Self {
        let gpus = ranks.len();
        // With (a + b) mod c as the channel of two peers, a GPU has as many thread blocks on each.
        let channels = (2 * (gpus - 1)).div_ceil(MOST_OF_CHANNEL).max(1);
        let mut blocks = Blocks {
            by_gpu: (0..gpus).map(|_| Vec::new()).collect(),
            channels,
            slots: vec![0; gpus],
            index: HashMap::new(),
        };
        if subject.problem.collective().has_sums() {
            blocks.add_sums(subject, ranks);
            return blocks;
        }
        if subject.problem.collective().joins() {
            blocks.add_vectors(subject, ranks, in_place);
            return blocks;
        }
        if !in_place {
            blocks.copy_own(subject, gpus);
        }
        let pieces = subject.problem.pieces() as usize;
        let mut held: HashMap<(usize, Message), Held> = HashMap::new();
        for step in 0..subject.steps() {
            let mut received = Vec::new();
            for t in subject.step(step) {
                let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
                let message = t.message;
                let origin = ranks.of_vertex(message.origin);
                let destination = message.destination.map(|v| ranks.of_vertex(v));
                let piece = message.piece as usize;
                let output = ('o', origin * pieces + piece);
                let own = match destination {
                    None if in_place => output,
                    None => ('i', piece),
                    Some(destination) => ('i', destination * pieces + piece),
                };
                let (source, waits_for) =
                    held.get(&(from, message)).copied().unwrap_or((own, None));
                let target = match destination {
                    Some(destination) if destination != to => {
                        blocks.slots[to] += 1;
                        ('s', blocks.slots[to] - 1)
                    }
                    _ => output,
                };
                blocks.expect(from, waits_for);
                let planned = Some((step, t.channels));
                let send = Step { waits_for, planned, ..Step::of(SEND, source, target) };
                blocks.add(from, to, send);
                let place = blocks.add(to, from, Step::of(RECEIVE, source, target));
                received.push(((to, message), (target, Some(place))));
            }
            // What is received can be sent in the next step.
            held.extend(received);
        }
        blocks
    }

    /// The sums: a GPU adds what it receives to its own contribution, or to the sum so far. Of two
    /// that exchange their parts, each sends before it adds.
    fn add_sums(&mut self, subject: &'f Subject, ranks: &Ranks) {
        let scatters = subject.problem.collective().is_reduction();
        let pieces = subject.problem.pieces() as usize;
        let is_one = subject.problem.collective().roots() == Roots::One;
        // The input has one part if there is one sum.
        let input = |part: usize| ('i', if is_one { part % pieces } else { part });
        // By GPU and part, where the sum so far is, and the step that wrote it last.
        let mut sums: HashMap<(usize, usize), Held> = HashMap::new();
        let part_of =
            |t: &Transfer| ranks.of_vertex(t.message.origin) * pieces + t.message.piece as usize;
        let ends = |t: &Transfer| [t.from, t.to].map(|v| ranks.of_vertex(v));
        for step in 0..subject.steps() {
            // By GPU and part, the step that sends it now.
            let mut sent = HashMap::new();
            for t in subject.step(step) {
                let ([from, to], part) = (ends(&t), part_of(&t));
                let (chunk, waits_for) =
                    sums.get(&(from, part)).copied().unwrap_or((input(part), None));
                self.expect(from, waits_for);
                let planned = Some((step, t.channels));
                let send = Step { waits_for, planned, ..Step::of(SEND, chunk, chunk) };
                sent.insert((from, part), self.add(from, to, send));
            }
            for t in subject.step(step) {
                let ([from, to], part) = (ends(&t), part_of(&t));
                let before = sums.get(&(to, part)).copied();
                let (chunk, written) = before.unwrap_or((input(part), None));
                let target = match (scatters, before) {
                    (true, _) if part / pieces == to => ('o', part % pieces),
                    (true, Some((chunk, _))) => chunk,
                    (true, None) => {
                        self.slots[to] += 1;
                        ('s', self.slots[to] - 1)
                    }
                    (false, _) => ('o', part),
                };
                let place = if t.message.phase == Some(Phase::Gather) {
                    self.add(to, from, Step::of(RECEIVE, target, target))
                } else {
                    let waits_for = sent.remove(&(to, part)).or(written);
                    self.expect(to, waits_for);
                    self.add(to, from, Step { waits_for, ..Step::of(ADD, chunk, target) })
                };
                sums.insert((to, part), (target, Some(place)));
            }
        }
    }

    /// Notes that a step of a GPU is awaited.
    pub(super) fn expect(&mut self, gpu: usize, awaited: Option<[usize; 2]>) {
        if let Some([block, step]) = awaited {
            self.by_gpu[gpu][block].steps[step].is_awaited = true;
        }
    }

    /// A thread block of each GPU that copies its own message, piece by piece.
    fn copy_own(&mut self, subject: &Subject, gpus: usize) {
        use ccsched_model::problem::Content::Common;
        let is_common = subject.problem.collective().content() == Common;
        let pieces = subject.problem.pieces() as usize;
        for gpu in 0..gpus {
            let first = if is_common { 0 } else { gpu * pieces };
            let copy = |piece| Step::of(COPY, ('i', first + piece), ('o', gpu * pieces + piece));
            let steps = (0..pieces).map(copy).collect();
            self.by_gpu[gpu].push(Block { send: None, receive: None, channel: 0, steps });
        }
    }

    /// Adds a step to the thread block for this peer and direction; its place.
    fn add(&mut self, gpu: usize, peer: usize, step: Step<'f>) -> [usize; 2] {
        let sends = step.kind == SEND;
        self.add_to((gpu, peer, sends), step)
    }

    /// Adds a step to the thread block of a GPU that sends to a peer, or not. Steps with the GPU itself as
    /// the peer need none.
    pub(super) fn add_to(
        &mut self,
        (gpu, peer, sends): (usize, usize, bool),
        step: Step<'f>,
    ) -> [usize; 2] {
        let is_local = gpu == peer;
        let channel = if is_local { 0 } else { (gpu + peer) % self.channels };
        let blocks = &mut self.by_gpu[gpu];
        let block = *self.index.entry((gpu, peer, sends)).or_insert_with(|| {
            let [send, receive] = [sends, !sends].map(|is_it| (is_it && !is_local).then_some(peer));
            blocks.push(Block { send, receive, channel, steps: Vec::new() });
            blocks.len() - 1
        });
        let steps = &mut blocks[block].steps;
        steps.push(step);
        [block, steps.len() - 1]
    }
}

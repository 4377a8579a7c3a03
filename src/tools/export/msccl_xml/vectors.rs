//! An all-reduce of one part: each piece of the input and the output of a GPU is a chunk, other vectors have
//! chunks of scratch memory. A vector that is received for one sum alone is added as it comes (`rrc`);
//! other sums are made by a thread block without a peer (`cpy`, `re`).

use super::blocks::{ADD, ADD_HERE, Blocks, COPY, Chunk, NOTHING, RECEIVE, SEND, Step};
use crate::export::Subject;
use crate::export::ranks::Ranks;
use ccsched_model::schedule::vectors::{Act, Acts};
use ccsched_network::ChannelId;

/// A step of a GPU by its thread block and number.
type Place = [usize; 2];

/// The vectors of a piece at a GPU while its steps are written.
struct Gpu<'b> {
    gpu: usize,
    piece: usize,
    acts: &'b Acts,
    in_place: bool,
    /// By vector, its chunk and the step that wrote it.
    held: Vec<Option<(Chunk, Option<Place>)>>,
    /// By received vector, the sum that takes it as it comes, and the other operand.
    fused: Vec<Option<[usize; 2]>>,
    /// The steps that read the input.
    readers: Vec<Place>,
}

impl<'f> Blocks<'f> {
    /// The steps of all GPUs.
    pub(super) fn add_vectors(&mut self, subject: &'f Subject, ranks: &Ranks, in_place: bool) {
        let pieces = subject.problem.pieces();
        let of_step = |step| subject.sent(step).map(move |t| (step, t));
        let sent: Vec<_> = (0..subject.steps()).flat_map(of_step).collect();
        let of_piece = |piece| {
            let sent = sent.iter().filter(move |(_, t)| t.message.piece == piece);
            sent.map(|(step, t)| (*step, t.channels)).collect()
        };
        let planned: Vec<Vec<(usize, &'f [ChannelId])>> = (0..pieces).map(of_piece).collect();
        let acts: Vec<Vec<Acts>> = (0..pieces).map(|piece| ranks.vectors(subject, piece)).collect();
        for gpu in 0..ranks.len() {
            let mut of: Vec<Gpu<'_>> = Vec::new();
            let mut in_order: Vec<(usize, usize, Act)> = Vec::new();
            for (piece, acts) in acts.iter().enumerate() {
                of.push(Gpu::new([gpu, piece], &acts[gpu], in_place));
                in_order.extend(acts[gpu].acts.iter().map(|&(step, act)| (step, piece, act)));
            }
            in_order.sort_by_key(|&(step, ..)| step);
            of.iter_mut().for_each(|of| of.move_own(self));
            for (_, piece, act) in in_order {
                let of = &mut of[piece];
                match act {
                    Act::Send { to, vector, transfer } => {
                        of.send(self, to, vector, planned[piece][transfer]);
                    }
                    Act::Receive { from, into, .. } => {
                        of.receive(self, from, into);
                        of.add_ready(self, into);
                    }
                    // It is made when the last vector of it has come.
                    Act::Add { .. } => (),
                }
            }
        }
    }
}

impl<'b> Gpu<'b> {
    fn new([gpu, piece]: [usize; 2], acts: &'b Acts, in_place: bool) -> Self {
        let vectors = acts.newest.len();
        let mut uses = vec![0; vectors];
        uses[acts.result] += 1;
        let mut is_received = vec![false; vectors];
        for (_, act) in &acts.acts {
            match *act {
                Act::Add { of, .. } => of.iter().for_each(|&v| uses[v] += 1),
                Act::Send { vector, .. } => uses[vector] += 1,
                Act::Receive { into, .. } => is_received[into] = true,
            }
        }
        // The operand that comes last, if nothing else reads it.
        let mut fused = vec![None; vectors];
        for (_, act) in &acts.acts {
            if let Act::Add { of: [a, b], into } = *act
                && is_received[b]
                && uses[b] == 1
                && acts.newest[a] < b
            {
                fused[b] = Some([into, a]);
            }
        }
        let mut held = vec![None; vectors];
        held[0] = Some((('i', piece), None));
        Gpu { gpu, piece, acts, in_place, held, fused, readers: Vec::new() }
    }

    /// In place, where the own contribution is sent after the result has taken its place, it is copied
    /// at first.
    fn move_own(&mut self, blocks: &mut Blocks<'_>) {
        let newest = self.acts.newest[self.acts.result];
        let acts = self.acts.acts.iter().map(|(_, act)| act);
        let later =
            acts.skip_while(|act| !matches!(act, Act::Receive { into, .. } if *into == newest));
        let is_sent = later.into_iter().any(|act| matches!(act, Act::Send { vector: 0, .. }));
        if self.in_place && is_sent {
            blocks.slots[self.gpu] += 1;
            let chunk = ('s', blocks.slots[self.gpu] - 1);
            let copy = Step::of(COPY, ('i', self.piece), chunk);
            let place = blocks.add_to((self.gpu, self.gpu, false), copy);
            self.readers.push(place);
            self.held[0] = Some((chunk, Some(place)));
        }
    }

    /// The chunk that a vector is written to.
    fn target(&mut self, blocks: &mut Blocks<'_>, vector: usize) -> Chunk {
        if vector == self.acts.result {
            return ('o', self.piece);
        }
        blocks.slots[self.gpu] += 1;
        ('s', blocks.slots[self.gpu] - 1)
    }

    /// The chunk of a vector that a step reads, and the step that wrote it.
    fn read(&mut self, blocks: &mut Blocks<'_>, vector: usize) -> (Chunk, Option<Place>) {
        let (chunk, writer) = self.held[vector].expect("a vector is read after it is made");
        blocks.expect(self.gpu, writer);
        (chunk, writer)
    }

    /// In place, the result takes the place of the input: its step waits for those that read the input.
    fn wait_for_readers(&mut self, blocks: &mut Blocks<'_>, peer: usize, target: Chunk) {
        if !self.in_place || target != ('o', self.piece) {
            return;
        }
        for reader in std::mem::take(&mut self.readers) {
            blocks.expect(self.gpu, Some(reader));
            let step = Step {
                waits_for: Some(reader),
                ..Step::of(NOTHING, ('i', self.piece), ('o', self.piece))
            };
            blocks.add_to((self.gpu, peer, false), step);
        }
    }

    fn send<'f>(
        &mut self,
        blocks: &mut Blocks<'f>,
        to: usize,
        vector: usize,
        planned: (usize, &'f [ChannelId]),
    ) {
        let (chunk, waits_for) = self.read(blocks, vector);
        let step = Step { waits_for, planned: Some(planned), ..Step::of(SEND, chunk, chunk) };
        let place = blocks.add_to((self.gpu, to, true), step);
        self.note(vector, place);
    }

    /// Notes a step that reads a vector, if that is the input.
    fn note(&mut self, vector: usize, reader: Place) {
        if self.held[vector].is_some_and(|(chunk, _)| chunk.0 == 'i') {
            self.readers.push(reader);
        }
    }

    fn receive(&mut self, blocks: &mut Blocks<'_>, from: usize, vector: usize) {
        let Some([sum, other]) = self.fused[vector] else {
            let target = self.target(blocks, vector);
            self.wait_for_readers(blocks, from, target);
            let step = Step::of(RECEIVE, target, target);
            let place = blocks.add_to((self.gpu, from, false), step);
            self.held[vector] = Some((target, Some(place)));
            return;
        };
        let (chunk, waits_for) = self.read(blocks, other);
        let target = self.target(blocks, sum);
        self.wait_for_readers(blocks, from, target);
        let step = Step { waits_for, ..Step::of(ADD, chunk, target) };
        let place = blocks.add_to((self.gpu, from, false), step);
        self.note(other, place);
        self.held[sum] = Some((target, Some(place)));
    }

    /// Makes the sums whose last vector is this one, but those that are made as it comes.
    fn add_ready(&mut self, blocks: &mut Blocks<'_>, newest: usize) {
        let acts = self.acts;
        for (_, act) in &acts.acts {
            let Act::Add { of: [a, b], into } = *act else { continue };
            if acts.newest[into] != newest || self.held[into].is_some() {
                continue;
            }
            let (gpu, target) = (self.gpu, self.target(blocks, into));
            for (kind, vector) in [(COPY, a), (ADD_HERE, b)] {
                let (chunk, waits_for) = self.read(blocks, vector);
                if kind == COPY {
                    self.wait_for_readers(blocks, gpu, target);
                }
                let step = Step { waits_for, ..Step::of(kind, chunk, target) };
                let place = blocks.add_to((gpu, gpu, false), step);
                self.note(vector, place);
                self.held[into] = Some((target, Some(place)));
            }
        }
    }
}

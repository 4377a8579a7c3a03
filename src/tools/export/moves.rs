//! What GPUs put into each other's memory, and what they add up, step by step. Every put has a chunk of
//! its own at the receiver, so that no two write to one place; sums are made where their parts lie.

use super::ranks::Ranks;
use super::{Subject, Transfer};
use ccsched_model::problem::{Message, Phase};
use ccsched_model::schedule::vectors::{Act, Acts};
use std::collections::HashMap;

/// A buffer (`i` input, `o` output, `s` scratch) and an offset in it, in chunks.
pub(super) type Chunk = (char, usize);

/// A chunk that a GPU writes into the memory of another one.
pub(super) struct Put {
    pub from: usize,
    pub to: usize,
    pub source: Chunk,
    pub target: Chunk,
}

/// Chunks of a GPU that it adds up.
pub(super) struct Sum {
    pub gpu: usize,
    /// The first may be where the sum is written.
    pub of: Vec<Chunk>,
    pub into: Chunk,
}

/// A step: sums of what has come before, then puts.
#[derive(Default)]
pub(super) struct Step {
    pub sums: Vec<Sum>,
    pub puts: Vec<Put>,
}

/// All that is moved.
pub(super) struct Moves {
    /// One more than the schedule has: the last has sums alone.
    pub steps: Vec<Step>,
    /// By GPU, what it copies at first: source, target, chunks.
    pub copies: Vec<Vec<(Chunk, Chunk, usize)>>,
    /// By GPU, the chunks of scratch memory.
    pub slots: Vec<usize>,
}

impl Moves {
    /// The moves of a schedule in which all ranks take part. In place, an all-gather has the message of a
    /// GPU in the output from the beginning, and the vector of an all-reduce is input and output.
    pub fn of(subject: &Subject, ranks: &Ranks, in_place: bool) -> Self {
        let gpus = ranks.len();
        let mut moves = Moves {
            steps: (0..=subject.steps()).map(|_| Step::default()).collect(),
            copies: vec![Vec::new(); gpus],
            slots: vec![0; gpus],
        };
        if subject.problem.collective().has_sums() {
            moves.add_parts(subject, ranks);
        } else if subject.problem.collective().joins() {
            moves.add_vectors(subject, ranks, in_place);
        } else {
            moves.add_messages(subject, ranks, in_place);
        }
        moves
    }

    /// A new chunk of scratch memory.
    fn slot(&mut self, gpu: usize) -> Chunk {
        self.slots[gpu] += 1;
        ('s', self.slots[gpu] - 1)
    }

    /// Messages as they are: those on their way to others wait in scratch memory.
    fn add_messages(&mut self, subject: &Subject, ranks: &Ranks, in_place: bool) {
        let pieces = subject.problem.pieces() as usize;
        let is_common = subject.problem.collective().content().is_common();
        if !in_place {
            for (gpu, copies) in self.copies.iter_mut().enumerate() {
                let first = gpu * pieces;
                copies.push((('i', if is_common { 0 } else { first }), ('o', first), pieces));
            }
        }
        let mut held: HashMap<(usize, Message), Chunk> = HashMap::new();
        for step in 0..subject.steps() {
            let mut received = Vec::new();
            for t in subject.step(step) {
                let [from, to] = ends(&t, ranks);
                let origin = ranks.of_vertex(t.message.origin);
                let destination = t.message.destination.map(|v| ranks.of_vertex(v));
                let piece = t.message.piece as usize;
                let output = ('o', origin * pieces + piece);
                let own = match destination {
                    None if in_place => output,
                    None => ('i', piece),
                    Some(destination) => ('i', destination * pieces + piece),
                };
                let source = held.get(&(from, t.message)).copied().unwrap_or(own);
                let target = match destination {
                    Some(destination) if destination != to => self.slot(to),
                    _ => output,
                };
                self.steps[step].puts.push(Put { from, to, source, target });
                received.push(((to, t.message), target));
            }
            // What is received can be sent in the next step.
            held.extend(received);
        }
    }

    /// Sums in parts: a contribution comes into scratch memory, and is added in the next step. The first sum
    /// of a part takes another place than the input, which stays as it is.
    fn add_parts(&mut self, subject: &Subject, ranks: &Ranks) {
        let scatters = subject.problem.collective().is_reduction();
        let pieces = subject.problem.pieces() as usize;
        // By GPU and part, where the sum so far is.
        let mut sums: HashMap<(usize, usize), Chunk> = HashMap::new();
        for step in 0..subject.steps() {
            let mut received = Vec::new();
            let mut added: Vec<((usize, usize), Vec<Chunk>)> = Vec::new();
            for t in subject.step(step) {
                let [from, to] = ends(&t, ranks);
                let part = ranks.of_vertex(t.message.origin) * pieces + t.message.piece as usize;
                let source = sums.get(&(from, part)).copied().unwrap_or(('i', part));
                let target = match t.message.phase {
                    Some(Phase::Gather) => {
                        received.push(((to, part), ('o', part)));
                        ('o', part)
                    }
                    _ => {
                        let slot = self.slot(to);
                        match added.iter_mut().find(|(place, _)| *place == (to, part)) {
                            Some((_, of)) => of.push(slot),
                            None => added.push(((to, part), vec![slot])),
                        }
                        slot
                    }
                };
                self.steps[step].puts.push(Put { from, to, source, target });
            }
            sums.extend(received);
            for ((gpu, part), slots) in added {
                let before = sums.get(&(gpu, part)).copied();
                let into = match (scatters, before) {
                    (true, _) if part / pieces == gpu => ('o', part % pieces),
                    (true, Some(chunk)) => chunk,
                    (true, None) => self.slot(gpu),
                    (false, _) => ('o', part),
                };
                let of = std::iter::once(before.unwrap_or(('i', part))).chain(slots).collect();
                self.steps[step + 1].sums.push(Sum { gpu, of, into });
                sums.insert((gpu, part), into);
            }
        }
    }

    /// Whole vectors: each that comes, and each sum but the result, has a chunk of scratch memory. In place,
    /// the result may come while the own contribution still has to be sent, so this is copied at first.
    fn add_vectors(&mut self, subject: &Subject, ranks: &Ranks, in_place: bool) {
        for piece in 0..subject.problem.pieces() {
            let all: Vec<Acts> = ranks.vectors(subject, piece);
            let [input, output] = [('i', piece as usize), ('o', piece as usize)];
            // By GPU and vector, its chunk; by transfer, that of the receiver.
            let mut held: Vec<Vec<Chunk>> = Vec::new();
            let mut targets = HashMap::new();
            for (gpu, acts) in all.iter().enumerate() {
                let mut chunks = vec![input; acts.newest.len()];
                if in_place {
                    chunks[0] = self.slot(gpu);
                    self.copies[gpu].push((input, chunks[0], 1));
                }
                for (vector, chunk) in chunks.iter_mut().enumerate().skip(1) {
                    *chunk = if vector == acts.result { output } else { self.slot(gpu) };
                }
                for (_, act) in &acts.acts {
                    if let Act::Receive { into, transfer, .. } = *act {
                        targets.insert(transfer, chunks[into]);
                    }
                }
                held.push(chunks);
            }
            for (gpu, acts) in all.iter().enumerate() {
                for &(step, act) in &acts.acts {
                    let chunk = |vector: usize| held[gpu][vector];
                    match act {
                        Act::Add { of, into } => {
                            let of = of.map(chunk).to_vec();
                            self.steps[step].sums.push(Sum { gpu, of, into: chunk(into) });
                        }
                        Act::Send { to, vector, transfer } => self.steps[step].puts.push(Put {
                            from: gpu,
                            to,
                            source: chunk(vector),
                            target: targets[&transfer],
                        }),
                        Act::Receive { .. } => (),
                    }
                }
            }
        }
    }
}

/// The GPUs that send and receive.
fn ends(t: &Transfer, ranks: &Ranks) -> [usize; 2] {
    [t.from, t.to].map(|v| ranks.of_vertex(v))
}

//! Where a rank has each message: in the buffer that it sends from, in the buffer that it receives
//! into, or in a slot of its own while it forwards the message.

use crate::export::ranks::Ranks;
use crate::export::{Subject, Transfer};
use ccsched_model::problem::{Collective, Content, Direction, Message, Problem, Roots};
use ccsched_network::VertexId;
use std::collections::{HashMap, HashSet};

/// A block of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferBlock {
    /// In the buffer of the caller's messages.
    Send(usize),
    /// In the buffer of the messages for the caller.
    Receive(usize),
    /// In the memory of the function.
    Slot(usize),
}

/// The places of all messages at all ranks.
pub(super) struct Places {
    collective: Collective,
    pieces: usize,
    /// By vertex, its rank.
    ranks: HashMap<VertexId, usize>,
    receivers: HashSet<VertexId>,
    /// Of a traffic and of groups, the places of the messages.
    listed: Listed,
    /// By rank and message that is forwarded, its slot, and the sends that are still to come.
    kept: HashMap<(usize, Message), (usize, usize)>,
    /// By rank and message, how often the rank sends it.
    sends: HashMap<(usize, Message), usize>,
    /// By rank, slots that are free.
    free: Vec<Vec<usize>>,
    /// Slots that are free after the step.
    freed: Vec<(usize, usize)>,
    /// By rank, the number of slots.
    pub slots: Vec<usize>,
}

impl Places {
    /// All messages are at their sources.
    pub fn of(subject: &Subject, ranks: &Ranks) -> Self {
        let problem = &subject.problem;
        let mut sends = HashMap::new();
        for step in 0..subject.steps() {
            for t in subject.step(step) {
                *sends.entry((ranks.of_vertex(t.from), t.message)).or_default() += 1;
            }
        }
        Places {
            collective: problem.collective(),
            pieces: problem.pieces() as usize,
            ranks: ranks.vertices.iter().copied().zip(0..).collect(),
            receivers: problem.receivers().iter().copied().collect(),
            listed: Listed::of(problem),
            kept: HashMap::new(),
            sends,
            free: vec![Vec::new(); ranks.len()],
            freed: Vec::new(),
            slots: vec![0; ranks.len()],
        }
    }

    /// Where a rank has the message that it sends.
    pub fn sent(&mut self, rank: usize, t: &Transfer) -> BufferBlock {
        let message = t.message;
        if t.from == message.origin {
            return BufferBlock::Send(self.block_of_source(message));
        }
        let Some((slot, left)) = self.kept.get_mut(&(rank, message)) else {
            return BufferBlock::Receive(self.block_of_receiver(message, t.from));
        };
        *left -= 1;
        let slot = *slot;
        if *left == 0 {
            self.kept.remove(&(rank, message));
            self.freed.push((rank, slot));
        }
        BufferBlock::Slot(slot)
    }

    /// Begins a step: slots whose messages left in earlier steps are free. Those of messages that
    /// leave in the same step are not, because the sends are not complete yet.
    pub fn begin_step(&mut self) {
        let freed = std::mem::take(&mut self.freed);
        freed.into_iter().for_each(|(rank, slot)| self.free[rank].push(slot));
    }

    /// Where a rank puts the message that it receives.
    pub fn received(&mut self, rank: usize, t: &Transfer) -> BufferBlock {
        let message = t.message;
        let is_end = match message.destination {
            Some(destination) => t.to == destination,
            None if self.collective == Collective::Groups => {
                self.listed.received.contains_key(&(message, t.to))
            }
            None => self.receivers.contains(&t.to),
        };
        if is_end {
            return BufferBlock::Receive(self.block_of_receiver(message, t.to));
        }
        let slot = self.free[rank].pop().unwrap_or_else(|| {
            self.slots[rank] += 1;
            self.slots[rank] - 1
        });
        let sends = self.sends.get(&(rank, message)).copied().unwrap_or(0);
        if sends > 0 {
            self.kept.insert((rank, message), (slot, sends));
        }
        BufferBlock::Slot(slot)
    }

    /// The blocks of the message of a vertex to itself in both buffers, as in MPI; -1 if there is
    /// none.
    pub fn own(&self, subject: &Subject, v: VertexId) -> [i64; 2] {
        let takes_part = |list: &[VertexId]| list.contains(&v);
        let problem = &subject.problem;
        if self.collective.roots() == Roots::Listed
            || !takes_part(problem.senders())
            || !takes_part(problem.receivers())
        {
            return [-1, -1];
        }
        let message = Message::new(v, Some(v));
        [self.whole_of_source(message), self.whole_of_receiver(message, v)]
            .map(|block| block as i64)
    }

    /// The block of a message in the buffer of its source. Pieces are blocks of their own.
    fn block_of_source(&self, message: Message) -> usize {
        self.whole_of_source(message) * self.pieces + message.piece as usize
    }

    fn whole_of_source(&self, message: Message) -> usize {
        let rank = |v: Option<VertexId>| v.map_or(0, |v| self.ranks[&v]);
        let shape = self.collective.shape();
        match (shape.roots, shape.content, shape.direction) {
            (Roots::Listed, ..) => self.listed.sent[&Message { piece: 0, ..message }],
            (_, Content::Personal, Direction::FromRoots) => rank(message.destination),
            // A message for all, or for the one root.
            _ => 0,
        }
    }

    /// The block of a message in the buffer of a receiver.
    fn block_of_receiver(&self, message: Message, receiver: VertexId) -> usize {
        self.whole_of_receiver(message, receiver) * self.pieces + message.piece as usize
    }

    fn whole_of_receiver(&self, message: Message, receiver: VertexId) -> usize {
        match (self.collective.roots(), self.collective.direction()) {
            (Roots::Listed, _) => {
                self.listed.received[&(Message { piece: 0, ..message }, receiver)]
            }
            // The message of the one root.
            (Roots::One, Direction::FromRoots) => 0,
            _ => self.ranks[&message.origin],
        }
    }
}

/// The messages of a traffic or of groups, numbered at each source and at each receiver, in the order of
/// the demands.
#[derive(Default)]
struct Listed {
    sent: HashMap<Message, usize>,
    received: HashMap<(Message, VertexId), usize>,
}

impl Listed {
    fn of(problem: &Problem) -> Self {
        let mut listed = Listed::default();
        if problem.collective().roots() != Roots::Listed {
            return listed;
        }
        let mut counts: HashMap<(VertexId, bool), usize> = HashMap::new();
        let mut next = |v: VertexId, sends: bool| {
            let count = counts.entry((v, sends)).or_default();
            *count += 1;
            *count - 1
        };
        for d in problem.demands() {
            let message = problem.message(d.message);
            if message.piece > 0 {
                continue;
            }
            listed.sent.entry(message).or_insert_with(|| next(d.source, true));
            listed.received.insert((message, d.destination), next(d.destination, false));
        }
        listed
    }
}

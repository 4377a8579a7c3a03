//! What crosses a cut: messages, and the capacity of links.

use super::Side;
use crate::bounds::load;
use crate::network::{ChannelId, VertexId};
use crate::problem::{Demand, Problem, Roots};

/// The counts of a problem, cut by cut.
pub struct Crossing<'p> {
    problem: &'p Problem,
    senders: Side,
    receivers: Side,
    /// Number of receivers.
    all: u64,
    /// The channels out of the side of the present cut, and back into it.
    there: Vec<ChannelId>,
    back: Vec<ChannelId>,
}

impl<'p> Crossing<'p> {
    /// For the cuts of a problem.
    pub fn of(problem: &'p Problem) -> Self {
        let n = problem.network().vertices().len();
        let set = |vertices: &[VertexId]| {
            let mut flags = vec![false; n];
            vertices.iter().for_each(|&v| flags[v as usize] = true);
            Side::of(n, |v| flags[v])
        };
        let (senders, receivers) = (set(problem.senders()), set(problem.receivers()));
        let all = receivers.common(&receivers);
        Crossing { problem, senders, receivers, all, there: vec![], back: vec![] }
    }

    /// Collects the channels that cross a cut.
    pub fn look_at(&mut self, side: &Side) {
        self.there.clear();
        self.back.clear();
        for (c, channel) in (0..).zip(self.problem.network().channels()) {
            match (side.has(channel.from), side.has(channel.to)) {
                (true, false) => self.there.push(c),
                (false, true) => self.back.push(c),
                _ => {}
            }
        }
    }

    /// Steps for all messages from the side looked at to the rest, or back if not `forward`; and, if
    /// half-duplex links cross, steps for the messages of both directions.
    pub fn steps(&self, side: &Side, forward: bool) -> (u64, u64) {
        let channels = self.problem.network().channels();
        let (there, back) =
            if forward { (&self.there, &self.back) } else { (&self.back, &self.there) };
        let capacity = load::capacity(self.problem, there.iter().copied());
        let out = self.messages(side, forward);
        let steps = load::time(out, capacity);
        if !there.iter().any(|&c| channels[c as usize].exclusive) {
            return (steps, 0);
        }
        let both = load::capacity(self.problem, there.iter().chain(back).copied());
        (steps, load::time(out + self.messages(side, !forward), both))
    }

    /// Whether the first message from the side looked at, or from the rest if not `forward`, crosses the cut in its
    /// first step, and the last one in its last. Not told of listed messages.
    pub fn is_at_once(&self, forward: bool) -> bool {
        let channels = if forward { &self.there } else { &self.back };
        let mut ends = channels.iter().map(|&c| self.problem.network().channel(c));
        self.problem.collective().roots() != Roots::Listed
            && ends.clone().any(|c| self.senders.has(c.from))
            && ends.any(|c| self.receivers.has(c.to))
    }

    /// Messages that must cross from the vertices that are in `side`, or that are not, to the
    /// others.
    fn messages(&self, side: &Side, inside: bool) -> u64 {
        let problem = self.problem;
        if problem.collective().roots() == Roots::Listed {
            let crosses =
                |d: &Demand| side.has(d.source) == inside && side.has(d.destination) != inside;
            let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
            let crossing = of_message.filter(|demands| demands.iter().any(crosses));
            return crossing.map(|demands| problem.volume(&demands[0])).sum();
        }
        let pieces = u64::from(problem.pieces());
        let [of_side, in_side] = [&self.senders, &self.receivers].map(|set| set.common(side));
        let senders = problem.senders().len() as u64;
        let (sending, receiving) =
            if inside { (of_side, self.all - in_side) } else { (senders - of_side, in_side) };
        if problem.collective().content().is_personal() {
            // Every pair of a sender and another receiver is a demand, and the two sides are
            // disjoint.
            return sending * receiving * pieces;
        }
        if receiving > 0 { sending * pieces } else { 0 }
    }
}

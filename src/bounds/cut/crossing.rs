//! What crosses a cut: messages, and the capacity of links.

use super::Side;
use crate::load;
use ccsched_model::problem::{Demand, Problem, Roots};
use ccsched_network::{ChannelId, VertexId};

/// Listed messages with one destination each, by source.
pub struct Listed {
    /// By vertex, the end of its messages.
    ends: Vec<usize>,
    /// Destinations, and what their messages count.
    to: Vec<(VertexId, u64)>,
    /// By vertex, what it sends and receives.
    sent: Vec<u64>,
    received: Vec<u64>,
}

impl Listed {
    /// None if messages are not listed, or some have several destinations.
    pub fn of(problem: &Problem) -> Option<Self> {
        let demands = problem.demands();
        let is_listed = problem.collective().roots() == Roots::Listed;
        if !is_listed || demands.windows(2).any(|two| two[0].message == two[1].message) {
            return None;
        }
        let n = problem.network().vertices().len();
        let (mut sent, mut received, mut next) = (vec![0; n], vec![0; n], vec![0; n + 1]);
        for d in demands {
            let volume = problem.volume(d);
            sent[d.source as usize] += volume;
            received[d.destination as usize] += volume;
            next[d.source as usize + 1] += 1;
        }
        (0..n).for_each(|v| next[v + 1] += next[v]);
        let mut to = vec![(0, 0); demands.len()];
        for d in demands {
            let place = &mut next[d.source as usize];
            to[*place] = (d.destination, problem.volume(d));
            *place += 1;
        }
        next.pop();
        Some(Listed { ends: next, to, sent, received })
    }

    /// What crosses a cut from the side to the rest, and back.
    fn across(&self, side: &Side) -> (u64, u64) {
        let n = self.ends.len();
        // What stays within the smaller part is counted message by message.
        let is_small = 2 * side.common(side) <= n as u64;
        let (mut out, mut into, mut within) = (0, 0, 0);
        for v in (0..n as VertexId).filter(|&v| side.has(v) == is_small) {
            let v = v as usize;
            let first = v.checked_sub(1).map_or(0, |before| self.ends[before]);
            let stays = |to: &&(VertexId, u64)| side.has(to.0) == is_small;
            within += self.to[first..self.ends[v]].iter().filter(stays).map(|to| to.1).sum::<u64>();
            out += self.sent[v];
            into += self.received[v];
        }
        let (out, into) = (out - within, into - within);
        if is_small { (out, into) } else { (into, out) }
    }
}

/// The counts of a problem, cut by cut.
pub struct Crossing<'p> {
    problem: &'p Problem,
    listed: Option<&'p Listed>,
    /// What crosses the present cut from its side, and back, if messages are listed.
    across: (u64, u64),
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
    pub fn of(problem: &'p Problem, listed: Option<&'p Listed>) -> Self {
        let n = problem.network().vertices().len();
        let set = |vertices: &[VertexId]| {
            let mut flags = vec![false; n];
            vertices.iter().for_each(|&v| flags[v as usize] = true);
            Side::of(n, |v| flags[v])
        };
        let (senders, receivers) = (set(problem.senders()), set(problem.receivers()));
        let all = receivers.common(&receivers);
        let (across, there, back) = ((0, 0), vec![], vec![]);
        Crossing { problem, listed, across, senders, receivers, all, there, back }
    }

    /// Collects the channels, and listed messages, that cross a cut.
    pub fn look_at(&mut self, side: &Side) {
        self.across = self.listed.map_or((0, 0), |listed| listed.across(side));
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

    /// Messages that must cross from the vertices that are in the side looked at, or that are not, to the
    /// others.
    fn messages(&self, side: &Side, inside: bool) -> u64 {
        let problem = self.problem;
        if self.listed.is_some() {
            return if inside { self.across.0 } else { self.across.1 };
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Pair, Request};
    use ccsched_network::spec;
    use rand::RngExt as _;

    #[test]
    fn listed_messages_are_counted_as_one_by_one() {
        let mut rng = rng_of(1, 0, 0);
        let network = spec::parse("mesh:3x3").unwrap();
        let name = |v: VertexId| network.vertex_name(v).to_string();
        let ends = (0..9).flat_map(|a| (0..9).map(move |b| (a, b))).filter(|(a, b)| a != b);
        let pair = |(a, b): (VertexId, VertexId)| {
            let (source, destination) = (name(a), name(b));
            Pair { source, destination, bytes: Some(rng.random_range(0..99)), count: 1 }
        };
        let pairs = Some(ends.map(pair).collect());
        let request = Request { pairs, ..Request::new(Collective::Traffic) };
        let problem = request.pose(network.clone(), vec![]).unwrap().in_bytes();
        let listed = Listed::of(&problem);
        assert!(listed.is_some());
        let count = |listed, side: &Side| {
            let mut crossing = Crossing::of(&problem, listed);
            crossing.look_at(side);
            [true, false].map(|inside| crossing.messages(side, inside))
        };
        for set in 1..511_usize {
            let side = Side::of(9, |v| set >> v & 1 == 1);
            assert_eq!(count(listed.as_ref(), &side), count(None, &side), "{set}");
        }
    }
}

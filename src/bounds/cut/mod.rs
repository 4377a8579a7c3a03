//! Cuts: the messages from a set of vertices to the rest, over the capacity of the links that
//! cross. In a store-and-forward scatter the first message also takes steps to reach the cut, and
//! the last takes steps after it: no message crosses in those steps.
//!
//! Only cuts that matter in practice are tried (sides.rs): the halves of meshes and hypercubes, the
//! subtrees of trees, the leaf switches of fat trees.

mod sides;

use super::lengths::Lengths;
use super::{Bound, Evidence, load};
use ccsched_base::cores;
use ccsched_base::flow::Flow;
use ccsched_model::problem::{Demand, Problem, Roots};
use ccsched_network::metrics::{distances_from_any, distances_to_any};
use ccsched_network::{ChannelId, VertexId};
pub use sides::{Side, sides};
use std::collections::HashSet;

/// With more vertices, cuts of listed messages cost too much: each is counted message by message.
const MOST_LISTED: usize = 1024;

/// Cuts that are listed before all cores look at them.
const AT_ONCE: usize = 512;

pub fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    let (steps, side) = tightest_of_all(problem, lengths)?;
    let evidence = Evidence::Side(side.vertices().collect());
    Some(Bound { name: "cut", steps: steps as u32, evidence })
}

/// The tightest cut, and its steps, or bytes where these count.
pub fn tightest_of_all(problem: &Problem, lengths: &Lengths) -> Option<(u64, Side)> {
    let is_listed = problem.collective().roots() == Roots::Listed;
    if is_listed && problem.network().vertices().len() > MOST_LISTED {
        return None;
    }
    let is_stored_scatter =
        problem.switching().stores() && problem.collective().content().is_personal();
    // A message that crosses a cut goes there, over a channel, and on.
    let most_around = is_stored_scatter.then(|| lengths.longest().saturating_sub(1));
    let size = problem.network().vertices().len() + problem.network().channels().len();
    let listed = Listed::of(problem);
    let mut tried = HashSet::new();
    let mut sides = sides(problem.network()).filter(|side| tried.insert(side.clone().canonical()));
    let mut best: Option<Cut> = None;
    loop {
        let some: Vec<Side> = sides.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let parts = cores::parts(some.len(), |side| (side + 1) * size);
        let found = cores::each(parts, |part| {
            tightest((problem, listed.as_ref()), &some[part], most_around)
        });
        best = found.into_iter().flatten().fold(best, tighter);
    }
    // Of whole messages, a cut that is worse by a fraction rarely takes another step.
    let is_alike = problem.collective().content().is_common() && problem.groups().is_none();
    if problem.pieces() > 1 && is_alike {
        let of_pieces = |worst: Worst| Cut {
            steps: load::time(
                worst.messages * u64::from(problem.pieces()),
                worst.capacity as usize,
            ),
            side: worst.side,
        };
        best = worst(problem).map(of_pieces).into_iter().fold(best, tighter);
    }
    let Cut { steps, side } = best?;
    Some((steps, side))
}

/// A cut and its bound.
struct Cut {
    steps: u64,
    side: Side,
}

/// The tighter of two cuts, the first of equal ones.
fn tighter(best: Option<Cut>, cut: Cut) -> Option<Cut> {
    best.filter(|best| best.steps >= cut.steps).or(Some(cut))
}

/// The tightest of some cuts.
fn tightest(
    (problem, listed): (&Problem, Option<&Listed>),
    sides: &[Side],
    most_around: Option<u32>,
) -> Option<Cut> {
    let mut crossing = Crossing::of(problem, listed);
    let mut best: Option<Cut> = None;
    for side in sides {
        crossing.look_at(side);
        for forward in [true, false] {
            let (there, both) = crossing.steps(side, forward);
            let most = best.as_ref().map_or(0, |best| best.steps);
            let may_be_more =
                |around: &u32| there > 0 && there + u64::from(*around) > most.max(both);
            let sending = || if forward { side.clone() } else { side.reverse() };
            let takes_time = |_: &u32| !crossing.is_at_once(forward);
            let most_around = most_around.filter(may_be_more).filter(takes_time);
            let around = most_around.map_or(0, |_| u64::from(around(problem, &sending())));
            let steps = both.max(there + around);
            if best.as_ref().is_none_or(|best| steps > best.steps) {
                best = Some(Cut { steps, side: sending() });
            }
        }
    }
    best
}

/// Steps that the first message from `side` to the rest takes to reach the cut, plus those that the
/// last takes after it. At least one message crosses.
fn around(problem: &Problem, side: &Side) -> u32 {
    let network = problem.network();
    let crosses = |from: VertexId, to: VertexId| side.has(from) && !side.has(to);
    let (sources, destinations) = if problem.collective().roots() == Roots::Listed {
        let crossing = problem.demands().iter().filter(|d| crosses(d.source, d.destination));
        crossing.map(|d| (d.source, d.destination)).unzip()
    } else {
        // Every sender sends to every receiver.
        let of = |ends: &[VertexId], inside| {
            ends.iter().copied().filter(|&v| side.has(v) == inside).collect()
        };
        (of(problem.senders(), true), of(problem.receivers(), false))
    };
    let from = distances_from_any(network, sources);
    let to = distances_to_any(network, destinations);
    let over = || network.channels().iter().filter(|c| crosses(c.from, c.to));
    let before = over().map(|c| from[c.from as usize]).min().unwrap_or(0);
    before + over().map(|c| to[c.to as usize]).min().unwrap_or(0)
}

// What crosses a cut: messages, and the capacity of links.

/// Listed messages with one destination each, by source.
struct Listed {
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
    fn of(problem: &Problem) -> Option<Self> {
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
struct Crossing<'p> {
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
    fn of(problem: &'p Problem, listed: Option<&'p Listed>) -> Self {
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
    fn look_at(&mut self, side: &Side) {
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
    fn steps(&self, side: &Side, forward: bool) -> (u64, u64) {
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
    fn is_at_once(&self, forward: bool) -> bool {
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

// The worst cut of broadcasts: the set of vertices with the most messages from its senders over the
// capacity of the channels that leave it, among all sets that lack a receiver. By Newton's method:
// if a step carried the inverse of the present ratio, all messages could flow to each receiver,
// unless a minimum cut is worse; then its ratio is the next one.

/// Channels times receivers above which the flows take too long.
const MOST_WORK: usize = 4_000_000;

/// A cut, with the whole messages that leave its side and the capacity that they have in a step.
pub struct Worst {
    /// The side.
    pub side: Side,
    /// Messages.
    pub messages: u64,
    /// Capacity.
    pub capacity: u64,
}

/// The worst cut; none if the network is too large.
pub fn worst(problem: &Problem) -> Option<Worst> {
    let network = problem.network();
    let n = network.vertices().len();
    if network.channels().len().saturating_mul(problem.receivers().len()) > MOST_WORK {
        return None;
    }
    let of = |side: Side| {
        let leaves = |&c: &u32| {
            let ends = network.channel(c);
            side.has(ends.from) && !side.has(ends.to)
        };
        let channels = 0..network.channels().len() as u32;
        let capacity = load::capacity(problem, channels.filter(leaves)) as u64;
        let messages = problem.senders().iter().filter(|&&v| side.has(v)).count() as u64;
        Worst { side, messages, capacity }
    };
    let is_worse = |a: &Worst, b: &Worst| a.messages * b.capacity > b.messages * a.capacity;
    let before = |r: VertexId| of(Side::of(n, |v| v != r as usize));
    let alone = problem.receivers().iter().map(|&r| before(r));
    let mut worst = alone.reduce(|a, b| if is_worse(&b, &a) { b } else { a })?;
    // The channels, then an arc from beyond all vertices to each sender.
    let mut flow = Flow::new(n + 1);
    network.channels().iter().for_each(|c| flow.arc(c.from as usize, c.to as usize, 0));
    problem.senders().iter().for_each(|&v| flow.arc(n, v as usize, 0));
    for &receiver in problem.receivers() {
        loop {
            if worst.messages == 0 || worst.capacity == 0 {
                return None;
            }
            let goal = problem.senders().len() as u64 * worst.capacity;
            flow.refill(|arc| match network.channels().get(arc) {
                Some(c) => worst.messages * u64::from(c.capacity),
                None => worst.capacity,
            });
            if flow.run(n, receiver as usize, u64::MAX) >= goal {
                break;
            }
            let next = of(Side::of(n, |v| flow.reaches(v)));
            if !is_worse(&next, &worst) {
                break;
            }
            worst = next;
        }
    }
    Some(worst)
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

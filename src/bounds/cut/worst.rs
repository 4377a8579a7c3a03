//! The worst cut of broadcasts: the set of vertices with the most messages from its senders over the
//! capacity of the channels that leave it, among all sets that lack a receiver. By Newton's method:
//! if a step carried the inverse of the present ratio, all messages could flow to each receiver,
//! unless a minimum cut is worse; then its ratio is the next one.

use super::Side;
use crate::load;
use ccsched_base::flow::Flow;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;

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

//! All-to-all scatter of a ring, every link of which works both ways at once, in as few steps as the
//! congestion bound allows: an eighth of the square of the number of vertices, rounded down if that is
//! odd, up if it is even.
//!
//! Of 2m vertices, i and i + m are of one class; in every step a class sends messages of one distance.
//! Round the ring, and back, distances a and m - a of suitable classes fill all channels; m / 2 is one
//! of itself. Who sends to the vertex opposite takes all channels of one direction; half the classes do
//! so one way, half the other.
//!
//! Of 2m + 1 vertices, 0 is there at first, and then come t and t + m, one pair after the other. Each of
//! those that are there already lies on the way from t to t + m, or from t + m to t. So t steps have
//! room for the messages of the new pair: in each somebody on the one way and somebody on the other
//! hear from one of the pair and send to the other one. On the way from t to t + m is one vertex less;
//! in its place t sends to t + m. The mirror image goes round the other way.

use super::draft::{Draft, is_of_all_vertices};
use crate::network::{Network, VertexId};
use crate::problem::Problem;
use crate::schedule::Plan;

/// The schedule, where the network is such a ring.
pub fn plan(problem: &Problem) -> Option<Plan> {
    if !is_of_all_vertices(problem) {
        return None;
    }
    let at = order(&problem.network)?;
    let all = at.len();
    let ring = Ring { draft: Draft::new(problem, (all * all).div_ceil(8) - all % 2), at };
    if all % 2 == 0 { even(ring, all / 2) } else { odd(ring, all / 2) }
}

/// Of 2m vertices.
fn even(mut ring: Ring<'_>, m: usize) -> Option<Plan> {
    let half = m.div_ceil(2);
    for a in 1..half {
        for turn in 0..m {
            let step = (a - 1) * m + turn;
            ring.send(step, turn, a, true)?;
            ring.send(step, turn + a, m - a, true)?;
            ring.send(step, turn, a, false)?;
            ring.send(step, turn + m - a, m - a, false)?;
        }
    }
    let done = (half - 1) * m;
    let last = done + (m - half) * usize::from(m.is_multiple_of(2));
    for step in done..last {
        for class in [step - done, step - done + half] {
            ring.send(step, class, half, true)?;
            ring.send(step, class, half, false)?;
        }
    }
    for class in 0..m {
        ring.send(last + class % half, class, m, class < half)?;
    }
    ring.draft.finish()
}

/// Of 2m + 1 vertices.
fn odd(mut ring: Ring<'_>, m: usize) -> Option<Plan> {
    let all = 2 * m + 1;
    let mut step = 0;
    for t in 1..=m {
        for place in 0..t {
            let between = (place + 1 < t).then_some(m + 1 + place);
            let stops = [Some(t), between, Some(t + m), Some(all + place), Some(all + t)];
            let stops: Vec<usize> = stops.into_iter().flatten().collect();
            for hop in stops.windows(2) {
                ring.walk(step, hop[0], hop[1] - hop[0], true)?;
                ring.walk(step, 2 * all - hop[0], hop[1] - hop[0], false)?;
            }
            step += 1;
        }
    }
    ring.draft.finish()
}

/// The vertices of a ring in their order; none if the network is no ring.
fn order(network: &Network) -> Option<Vec<VertexId>> {
    let mut at = vec![0, network.heads(0).next()?];
    while at.len() < network.vertices().len() {
        let (before, last) = (at[at.len() - 2], at[at.len() - 1]);
        let mut on = network.heads(last).filter(|&v| v != before);
        at.push(on.next()?);
        if on.next().is_some() {
            return None;
        }
    }
    Some(at)
}

/// A schedule on its way round a ring.
struct Ring<'p> {
    at: Vec<VertexId>,
    draft: Draft<'p>,
}

impl Ring<'_> {
    /// Lets both vertices of a class send over a distance, one way round or the other.
    fn send(&mut self, step: usize, class: usize, distance: usize, forth: bool) -> Option<()> {
        self.walk(step, class, distance, forth)?;
        self.walk(step, class + self.at.len() / 2, distance, forth)
    }

    /// Lets one vertex send.
    fn walk(&mut self, step: usize, source: usize, distance: usize, forth: bool) -> Option<()> {
        let all = self.at.len();
        let place = |hops: usize| source + if forth { hops } else { all - hops };
        let walk: Vec<VertexId> = (0..=distance).map(|i| self.at[place(i) % all]).collect();
        self.draft.walk(step, &walk)
    }
}

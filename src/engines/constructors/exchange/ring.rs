//! All-to-all scatter of a ring of 2m vertices, every link of which works both ways at once, in as
//! few steps as the congestion bound allows: half the square of m, rounded up.
//!
//! Vertices i and i + m are of one class; in every step a class sends messages of one distance. Round
//! the ring, and back, distances a and m - a of suitable classes fill all channels; m / 2 is one of
//! itself. Who sends to the vertex opposite takes all channels of one direction; half the classes do
//! so one way, half the other.

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
    let m = at.len() / 2;
    let half = m.div_ceil(2);
    if at.len() != 2 * m {
        return None;
    }
    let mut ring = Ring { at, draft: Draft::new(problem, (m * m).div_ceil(2)) };
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
    let last = done + (m - half) * usize::from(m % 2 == 0);
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
        let all = self.at.len();
        for source in [class, class + all / 2] {
            let place = |hops: usize| source + if forth { hops } else { all - hops };
            let walk: Vec<VertexId> = (0..=distance).map(|i| self.at[place(i) % all]).collect();
            self.draft.walk(step, &walk)?;
        }
        Some(())
    }
}

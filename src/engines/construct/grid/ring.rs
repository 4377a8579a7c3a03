//! All-to-all scatter of a ring with full-duplex links, in as few steps as the congestion bound
//! allows: the number of vertices squared over eight, rounded down for an odd number of vertices,
//! up for an even one.
//!
//! On 2m vertices, i and i + m form a class; in a step both send messages of the same distance. In
//! each direction, distance a from one class and m - a from another fill all channels; distance
//! m / 2 pairs with itself. A class that sends to the opposite vertices fills all channels of one
//! direction; half the classes use one direction, half the other. Messages in either direction start at different
//! classes in a step, so that hardly any vertex sends or receives two at once.
//!
//! On 2m + 1 vertices, the construction starts with vertex 0 and adds the pairs (t, t + m) one by
//! one. Each vertex already present lies on the arc from t to t + m or on the arc from t + m to t.
//! So t steps carry the messages of the new pair: in each step one vertex of each arc receives from
//! one of the pair and sends to the other. The arc from t to t + m has one vertex fewer; in its
//! place t sends to t + m. The mirror image uses the other direction.

use super::draft::{Draft, channels_along};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use ccsched_network::{ChannelId, Network, VertexId, Walk};

/// The schedule of a ring.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let at = grid.at.clone();
    let all = at.len();
    let [forth, back] = [1, all - 1].map(|on| around(problem.network(), &at, on));
    let walk = [forth?, back?].concat().into();
    let draft = Draft::new(problem, (all * all).div_ceil(8) - all % 2);
    let ring = Ring { draft, walk, at };
    if all.is_multiple_of(2) { even(ring, all / 2) } else { odd(ring, all / 2) }
}

/// The schedule on 2m vertices.
fn even(mut ring: Ring<'_>, m: usize) -> Option<Plan> {
    let half = m.div_ceil(2);
    for a in 1..half {
        // The classes of a step in one direction are 0 and a after the first.
        let apart = (1..m).find(|apart| ![a, 2 * a].contains(apart)).unwrap_or(0);
        for turn in 0..m {
            let step = (a - 1) * m + turn;
            ring.send(step, turn, a, true);
            ring.send(step, turn + a, m - a, true);
            let back = turn + apart;
            ring.send(step, back, a, false);
            ring.send(step, back + m - a, m - a, false);
        }
    }
    let done = (half - 1) * m;
    let last = done + (m - half) * usize::from(m.is_multiple_of(2));
    for step in done..last {
        for class in [step - done, step - done + half] {
            ring.send(step, class, half, true);
            ring.send(step, class + 1, half, false);
        }
    }
    for class in 0..m {
        ring.send(last + class % half, class, m, class < half);
    }
    ring.draft.finish()
}

/// The schedule on 2m + 1 vertices.
fn odd(mut ring: Ring<'_>, m: usize) -> Option<Plan> {
    let all = 2 * m + 1;
    let mut step = 0;
    for t in 1..=m {
        for place in 0..t {
            let between = (place + 1 < t).then_some(m + 1 + place);
            let stops = [Some(t), between, Some(t + m), Some(all + place), Some(all + t)];
            let stops: Vec<usize> = stops.into_iter().flatten().collect();
            for hop in stops.windows(2) {
                ring.walk(step, hop[0], hop[1] - hop[0], true);
                ring.walk(step, 2 * all - hop[0], hop[1] - hop[0], false);
            }
            step += 1;
        }
    }
    ring.draft.finish()
}

/// The channels from each vertex to the one `on` places ahead, one after the other, twice around
/// the ring; none if one is missing.
fn around(network: &Network, at: &[VertexId], on: usize) -> Option<Vec<ChannelId>> {
    let stops: Vec<VertexId> = (0..=2 * at.len()).map(|hops| at[hops * on % at.len()]).collect();
    channels_along(network, &stops)
}

/// A partial schedule of a ring.
struct Ring<'p> {
    at: Vec<VertexId>,
    /// Twice around the ring in one direction, from the first vertex on, then in the other.
    walk: Walk,
    draft: Draft<'p>,
}

impl Ring<'_> {
    /// Lets both vertices of a class send over a distance, in one direction or the other.
    fn send(&mut self, step: usize, class: usize, distance: usize, forth: bool) {
        self.walk(step, class, distance, forth);
        self.walk(step, class + self.at.len() / 2, distance, forth);
    }

    /// Lets one vertex send over a distance.
    fn walk(&mut self, step: usize, source: usize, distance: usize, forth: bool) {
        let all = self.at.len();
        let (source, on) = (source % all, if forth { distance } else { all - distance });
        let ends = (self.at[source], self.at[(source + on) % all]);
        let first = if forth { source } else { 2 * all + (all - source) % all };
        self.draft.part(step, ends, &self.walk, first..first + distance);
    }
}

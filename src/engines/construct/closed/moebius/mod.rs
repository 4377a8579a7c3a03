//! All-to-all scatters of Moebius ladders with full-duplex links, at the congestion bound (quarters.rs) or a step above
//! (halves.rs).
//!
//! The ladder is a ring with a rung between opposite vertices. With 4k or 4k + 2 vertices, a message goes along the ring
//! to a vertex at most k away; to all others it takes the rung first, then at most k hops of the ring. So in
//! each direction of the ring every vertex sends *arcs* of some lengths without a rung before them, and of some with one.
//! Arcs that follow each other fill the ring, or a part of it that is repeated; rotated by one vertex in each step, they
//! are all arcs of their lengths.

mod halves;
mod quarters;

use super::draft::{Draft, channels_along};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{VertexId, Walk};

/// Of smaller ladders, links of the ring are in as many squares as rungs.
const FEWEST: usize = 8;

/// The schedule, if the network is such a ladder.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let mut ladder = Ladder::of(problem)?;
    let k = ladder.at.len() / 4;
    match ladder.at.len() % 4 {
        0 => quarters::write(&mut ladder, k),
        _ => halves::write(&mut ladder, k),
    }
    ladder.draft.finish()
}

/// Whether the network is such a ladder.
pub fn applies(problem: &Problem) -> bool {
    around(problem).is_some()
}

/// How an arc goes, and whether a rung leads to it.
#[derive(Clone, Copy)]
struct Course {
    has_rung: bool,
    is_ahead: bool,
}

/// A partial schedule of a ladder.
struct Ladder<'p> {
    /// The vertices around the ring.
    at: Vec<VertexId>,
    /// By vertex of the ring and direction (backward, ahead), its rung and about a quarter of the ring from there.
    walk: Walk,
    draft: Draft<'p>,
}

impl<'p> Ladder<'p> {
    /// None if the network is no Moebius ladder of two-way links, or too small.
    fn of(problem: &'p Problem) -> Option<Self> {
        let at = around(problem)?;
        let (count, k) = (at.len(), at.len() / 4);
        let mut walk = Vec::with_capacity(2 * count * (k + 1));
        for (from, on) in (0..count).flat_map(|from| [(from, count - 1), (from, 1)]) {
            let ring = (0..=k).map(|hops| at[(from + count / 2 + hops * on) % count]);
            let stops: Vec<VertexId> = std::iter::once(at[from]).chain(ring).collect();
            walk.extend(channels_along(problem.network(), &stops)?);
        }
        Some(Ladder { at, walk: walk.into(), draft: Draft::new(problem, 0) })
    }

    /// Lets one vertex send over an arc that begins so far on in its direction.
    fn send(&mut self, step: usize, begins: usize, hops: usize, course: Course) {
        let count = self.at.len();
        let place = |on: usize| {
            let on = on % count;
            if course.is_ahead { on } else { (count - on) % count }
        };
        let (from, to) = (place(begins), place(begins + hops));
        let opposite = (from + count / 2) % count;
        let source = if course.has_rung { opposite } else { from };
        // The rung of the opposite vertex leads to where the arc begins.
        let rung = (2 * opposite + usize::from(course.is_ahead)) * (count / 4 + 1);
        let first = rung + usize::from(!course.has_rung);
        let ends = (self.at[source], self.at[to]);
        self.draft.part(step, ends, &self.walk, first..rung + 1 + hops);
    }

    /// Lets the vertex opposite to this one send to it, over the rung alone.
    fn cross(&mut self, step: usize, to: usize) {
        self.send(step, to, 0, Course { has_rung: true, is_ahead: true });
    }
}

/// The vertices around the ring; none if there is no ring of all, with rungs between opposite vertices, or it is too small.
fn around(problem: &Problem) -> Option<Vec<VertexId>> {
    let network = problem.network();
    let vertices = 0..network.vertices().len() as VertexId;
    let is_cubic = vertices.clone().all(|v| network.outgoing(v).len() == 3);
    if vertices.len() < FEWEST || !is_cubic {
        return None;
    }
    let others = |v: VertexId, w: VertexId| network.heads(v).filter(move |&x| x != w);
    // A link of the ring is in one square, a rung in those on both sides.
    let squares = |v, w| {
        let across = others(v, w).flat_map(|a| others(w, v).map(move |b| (a, b)));
        across.filter(|&(a, b)| network.heads(a).any(|x| x == b)).count()
    };
    let rung = |v| network.heads(v).find(|&w| squares(v, w) == 2);
    let rungs = vertices.map(rung).collect::<Option<Vec<_>>>()?;
    let mut at = vec![0, others(0, rungs[0]).next()?];
    while at.len() < rungs.len() {
        let (before, last) = (at[at.len() - 2], at[at.len() - 1]);
        at.push(others(last, before).find(|&v| v != rungs[last as usize])?);
    }
    let half = at.len() / 2;
    let is_opposite = |place: usize| rungs[at[place] as usize] == at[(place + half) % at.len()];
    (0..at.len()).all(is_opposite).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn ladders_are_at_the_bound_of_their_channels_or_a_step_above() {
        let quarters = [(8, Some(4)), (12, Some(9)), (40, Some(100)), (52, Some(169))];
        let halves =
            [(10, Some(7)), (14, Some(13)), (18, Some(21)), (50, Some(157)), (54, Some(183))];
        for (vertices, steps) in quarters.into_iter().chain(halves) {
            let network = spec::parse(&format!("moebius-ladder:{vertices}")).unwrap();
            let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
            let plan = plan(&problem);
            assert_eq!(plan.as_ref().map(Plan::len), steps, "{vertices}");
            let file = plan.map(|plan| plan.record(&problem, &[], Provenance::default()));
            assert!(file.is_none_or(|file| verify(&file).is_empty()), "{vertices}");
        }
        for other in ["petersen", "hypercube:3", "heawood", "ring:8"] {
            let network = spec::parse(other).unwrap();
            let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
            assert!(!applies(&problem), "{other}");
        }
    }
}

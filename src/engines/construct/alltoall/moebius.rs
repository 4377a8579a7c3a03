//! All-to-all scatter of a Moebius ladder of 4k vertices with full-duplex links, in k * k steps: as few as the
//! congestion bound allows.
//!
//! The ladder is a ring with a rung between opposite vertices. To a vertex at most k away a message goes along the
//! ring; to all others it takes the rung first, then at most k - 1 hops of the ring. So every vertex sends,
//! in each direction of the ring, arcs of 1 to k hops without a rung before them, and of 1 to k - 1 hops with one.
//!
//! Four arcs of d hops and four of k - d, by turns, fill the ring in one direction; k rotations of them have all arcs of
//! these lengths (half as many, if d is k / 2). Four arcs of k hops fill it alone. In a step, arcs with
//! a rung go in one direction and arcs without in the other, so that no rung is taken twice. The last k steps, of arcs
//! of k hops, need no rungs: the first of them has the messages to opposite vertices as well.

use super::draft::{Draft, is_of_all_vertices};
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::Problem;
use crate::schedule::{Plan, Walk};

/// In smaller ladders, links of the ring are in as many squares as rungs.
const FEWEST: usize = 8;

/// The schedule, if the network is such a ladder.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let mut ladder = Ladder::of(problem)?;
    let k = ladder.at.len() / 4;
    let mut step = 0;
    for hops in 1..=k / 2 {
        let turns = if 2 * hops == k { hops } else { k };
        for (turn, is_ahead) in (0..turns).flat_map(|turn| [(turn, true), (turn, false)]) {
            ladder.fill(step, [hops, k - hops], turn, Arc { has_rung: true, is_ahead });
            ladder.fill(step, [hops, k - hops], turn, Arc { has_rung: false, is_ahead: !is_ahead });
            step += 1;
        }
    }
    (0..4 * k).for_each(|from| ladder.send(step, from, 0, Arc { has_rung: true, is_ahead: true }));
    for turn in 0..k {
        for is_ahead in [true, false] {
            ladder.fill(step + turn, [k, 0], turn, Arc { has_rung: false, is_ahead });
        }
    }
    ladder.draft.finish()
}

/// Whether the network is such a ladder.
pub fn applies(problem: &Problem) -> bool {
    Ladder::of(problem).is_some()
}

/// How a message goes.
#[derive(Clone, Copy)]
struct Arc {
    has_rung: bool,
    is_ahead: bool,
}

/// A partial schedule of a ladder.
struct Ladder<'p> {
    /// The vertices around the ring.
    at: Vec<VertexId>,
    /// By vertex of the ring and direction, its rung and a quarter of the ring from there.
    walk: Walk,
    draft: Draft<'p>,
}

impl<'p> Ladder<'p> {
    /// None if the network is no Moebius ladder of 4k vertices.
    fn of(problem: &'p Problem) -> Option<Self> {
        let network = &problem.network;
        let count = network.vertices().len();
        let is_cubic = (0..count as VertexId).all(|v| network.outgoing(v).len() == 3);
        if count < FEWEST || !count.is_multiple_of(4) || !is_cubic || !is_of_all_vertices(problem) {
            return None;
        }
        let (at, k) = (around(network)?, count / 4);
        let mut walk = Vec::with_capacity(2 * count * (k + 1));
        for (from, on) in (0..count).flat_map(|from| [(from, count - 1), (from, 1)]) {
            let ring = (0..=k).map(|hops| at[(from + 2 * k + hops * on) % count]);
            let stops: Vec<VertexId> = std::iter::once(at[from]).chain(ring).collect();
            for hop in stops.windows(2) {
                let leads = |&&c: &&ChannelId| network.channel(c).to == hop[1];
                walk.push(*network.outgoing(hop[0]).iter().find(leads)?);
            }
        }
        Some(Ladder { at, walk: walk.into(), draft: Draft::new(problem, k * k) })
    }

    /// Lets arcs of two lengths, together a quarter of the ring, go around it by turns, in a direction.
    fn fill(&mut self, step: usize, hops: [usize; 2], turn: usize, arc: Arc) {
        let mut from = turn;
        for hops in hops.repeat(4).into_iter().filter(|&hops| hops > 0) {
            self.send(step, from, hops, arc);
            from += hops;
        }
    }

    /// Lets one vertex send over an arc that begins so far on in its direction.
    fn send(&mut self, step: usize, begins: usize, hops: usize, arc: Arc) {
        let (count, k) = (self.at.len(), self.at.len() / 4);
        let place = |on: usize| (if arc.is_ahead { on } else { 3 * count - on }) % count;
        let (from, to) = (place(begins), place(begins + hops));
        let opposite = (from + 2 * k) % count;
        let source = if arc.has_rung { opposite } else { from };
        // The rung of the opposite vertex leads to where the arc begins.
        let rung = (2 * opposite + usize::from(arc.is_ahead)) * (k + 1);
        let first = rung + usize::from(!arc.has_rung);
        let ends = (self.at[source], self.at[to]);
        self.draft.part(step, ends, &self.walk, first..rung + 1 + hops);
    }
}

/// The vertices around the ring; none if there is no ring of all, with rungs between opposite vertices.
fn around(network: &Network) -> Option<Vec<VertexId>> {
    let others = |v: VertexId, w: VertexId| network.heads(v).filter(move |&x| x != w);
    // A link of the ring is in one square, a rung in those on both sides.
    let squares = |v, w| {
        let across = others(v, w).flat_map(|a| others(w, v).map(move |b| (a, b)));
        across.filter(|&(a, b)| network.heads(a).any(|x| x == b)).count()
    };
    let rung = |v| network.heads(v).find(|&w| squares(v, w) == 2);
    let rungs = (0..network.vertices().len() as VertexId).map(rung).collect::<Option<Vec<_>>>()?;
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
    use crate::network::spec;
    use crate::problem::{Collective, Request};
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    #[test]
    fn ladders_are_at_the_bound_of_their_channels() {
        for (vertices, steps) in
            [(8, Some(4)), (12, Some(9)), (40, Some(100)), (52, Some(169)), (50, None)]
        {
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

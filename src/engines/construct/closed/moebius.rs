//! All-to-all scatters of Moebius ladders with full-duplex links, at the congestion bound or a step
//! above it.
//!
//! The ladder is a ring with a rung between opposite vertices. With 4k or 4k + 2 vertices, a message goes along the ring
//! to a vertex at most k away; to all others it takes the rung first, then at most k hops of the ring. So in
//! each direction of the ring every vertex sends *arcs* of some lengths without a rung before them, and of some with one.
//! Arcs that follow each other fill the ring, or a part of it that is repeated; rotated by one vertex in each step, they
//! are all arcs of their lengths.

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
        0 => write_quarters(&mut ladder, k),
        _ => write_halves(&mut ladder, k),
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

// The schedule of a ladder of 4k + 2 vertices, in k (k + 1) + 1 steps: one more than the messages over each channel of
// the ring.
//
// Arcs have 1 to k hops, without a rung before them or with one: of a vertex in one direction, together k (k + 1) hops.
// Two arcs of d and k + 1 - d hops without rungs and two of d and k - d with rungs are half of the ring.
// Repeated in the other half, they fill it; 2k + 1 rotations of them are all arcs of these lengths. In the other
// direction the same arcs go in the mirrored place, where none has the rung of another.
//
// *Even k*, d from 1 to k / 2. With d = k / 2, one arc of k hops takes the place of the two with rungs. Arcs of k / 2 hops
// with rungs are left. They begin at multiples of k / 2, which are all vertices of a half: four that follow each other
// fill it but for one channel. The two directions have different ones at a time.
//
// *Odd k*, d below k / 2. Arcs of k hops with rungs are left, and of (k + 1) / 2 without. One of k hops and two of the
// others are half of the ring: k rotations, by k each, leave those others that begin at one vertex of the half, which
// take a step. The arcs of k hops that are left begin at multiples of k that follow each other, and go in pairs.

/// An arc: its hops, and whether it has a rung.
type Arc = (usize, bool);

/// Adds all messages.
fn write_halves(ladder: &mut Ladder<'_>, k: usize) {
    let half = 2 * k + 1;
    let mut step = 0;
    for hops in 1..=k / 2 {
        let mut arcs = vec![(hops, false), (k + 1 - hops, false)];
        match 2 * hops == k {
            true => arcs.push((k, true)),
            false => arcs.extend([(hops, true), (k - hops, true)]),
        }
        for turn in 0..half {
            fill_half(ladder, step + turn, turn, &arcs, true);
            fill_half(ladder, step + turn, half - turn, &arcs, false);
        }
        step += half;
    }
    if k.is_multiple_of(2) { even(ladder, k, step) } else { odd(ladder, k, step) }
}

/// Adds the rest for an even k, from step `begun` on.
fn even(ladder: &mut Ladder<'_>, k: usize, begun: usize) {
    let half = 2 * k + 1;
    // The rungs of the steps with arcs of k hops are idle, but for those of two vertices of a half.
    for to in 0..2 * half {
        let is_taken = [k, k + 1].contains(&(to % half));
        ladder.cross(begun - half + if is_taken { 2 } else { 0 }, to);
    }
    let starts: Vec<usize> = (0..half).collect();
    let groups: Vec<&[usize]> = starts.chunks(4).collect();
    let arcs = [(k / 2, true); 4];
    for (turn, ahead) in groups.iter().enumerate() {
        let back = groups[(turn + 1) % groups.len()];
        // Those that go back follow each other from the last on.
        let begins = [ahead[0], half - back[back.len() - 1]].map(|start| start * (k / 2));
        fill_half(ladder, begun + turn, begins[0], &arcs[..ahead.len()], true);
        fill_half(ladder, begun + turn, begins[1], &arcs[..back.len()], false);
    }
}

/// Adds the rest for an odd k, from step `begun` on.
fn odd(ladder: &mut Ladder<'_>, k: usize, begun: usize) {
    let (half, short) = (2 * k + 1, k.div_ceil(2));
    let mut step = begun;
    for turn in 1..=k {
        for is_ahead in [true, false] {
            let arcs = [(k, true), (short, false), (short, false)];
            fill_half(ladder, step, (half - k) * turn, &arcs, is_ahead);
        }
        step += 1;
    }
    let pairs = k.div_ceil(2);
    for turn in 0..pairs {
        for (pair, is_ahead) in [(turn, true), ((turn + 1) % pairs, false)] {
            fill_half(ladder, step, (half - k) * (k + 2 + 2 * pair), &[(k, true); 2], is_ahead);
        }
        step += 1;
    }
    for is_ahead in [true, false] {
        fill_half(ladder, step, 2 * k * short, &[(short, false)], is_ahead);
    }
    (0..2 * half).for_each(|to| ladder.cross(step, to));
}

/// Adds arcs that follow each other in a direction, and those opposite to them.
fn fill_half(ladder: &mut Ladder<'_>, step: usize, begins: usize, arcs: &[Arc], is_ahead: bool) {
    let half = ladder.at.len() / 2;
    let mut begins = begins;
    for &(hops, has_rung) in arcs {
        for begins in [begins, begins + half] {
            ladder.send(step, begins, hops, Course { has_rung, is_ahead });
        }
        begins += hops;
    }
}

// The schedule of a ladder of 4k vertices, in k * k steps: as few as the congestion bound allows.
//
// Arcs have 1 to k hops without a rung before them, and 1 to k - 1 with one: of a vertex in one direction, together
// k * k hops. No other paths are as short, so each channel of the ring has k * k messages, and is in use in every step.
//
// Four arcs of d hops and four of k - d, by turns, fill the ring in one direction; k rotations of them are all arcs of
// these lengths (half as many, if d is k / 2). Four arcs of k hops fill it alone. In a step, arcs with
// a rung go in one direction and arcs without in the other, so that no rung is taken twice. The last k steps, of arcs
// of k hops, need no rungs: the first of them has the messages to opposite vertices as well.

/// Adds all messages.
fn write_quarters(ladder: &mut Ladder<'_>, k: usize) {
    let mut step = 0;
    for hops in 1..=k / 2 {
        let turns = if 2 * hops == k { hops } else { k };
        for (turn, is_ahead) in (0..turns).flat_map(|turn| [(turn, true), (turn, false)]) {
            for has_rung in [true, false] {
                let course = Course { has_rung, is_ahead: is_ahead == has_rung };
                fill_quarters(ladder, step, turn, &[hops, k - hops], course);
            }
            step += 1;
        }
    }
    (0..4 * k).for_each(|to| ladder.cross(step, to));
    for turn in 0..k {
        for is_ahead in [true, false] {
            fill_quarters(ladder, step + turn, turn, &[k], Course { has_rung: false, is_ahead });
        }
    }
}

/// Adds arcs of these lengths, together a quarter of the ring, by turns around all of it.
fn fill_quarters(
    ladder: &mut Ladder<'_>,
    step: usize,
    turn: usize,
    lengths: &[usize],
    course: Course,
) {
    let mut begins = turn;
    for hops in lengths.repeat(4) {
        ladder.send(step, begins, hops, course);
        begins += hops;
    }
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

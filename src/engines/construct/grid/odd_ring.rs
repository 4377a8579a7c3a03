//! The messages of a ring of odd length in classes of as many phases as its bound, all together; in
//! a phase one circuit runs forward and one backward, so no channel is idle.
//!
//! The circuits are those of ring.rs: on 2m + 1 vertices, for every t up to m and every s below t,
//! the walk once round the ring over t, s + m + 1, t + m and s (the second and the third are one
//! vertex if s + 1 = t), and its mirror image. Circuits of a phase have different vertices, and each
//! vertex stays in one phase; which circuits share a phase a search finds out.
//!
//! - *One class*: from 11 vertices on a search finds it at once; 7 vertices have more messages than
//!   phases, 9 too few pairs of circuits.
//! - *Many classes* of n/8 phases, rounded down (ring_parts.rs), for rings of whose circuits
//!   these classes hold all, such as that of 23 vertices.

use super::Dice;
use super::class::Class;
use super::colouring;
use super::factors::{Move, go};
use super::ring_parts::{Part, parts, stays};
use ccsched_network::grid::Side;

/// The shortest ring with enough phases.
const SHORTEST: usize = 11;
/// The fewest phases of one of many classes.
const FEWEST: usize = 2;

/// The one class; none if the ring is too short, or the search fails.
pub fn whole(side: Side, dice: &mut Dice<'_>) -> Option<Class> {
    let n = side.length;
    if n < SHORTEST {
        return None;
    }
    let mut circuits = circuits(side);
    let phases = circuits.len() / 2;
    circuits.extend(stays(n));
    // Resources: vertices, then the two directions.
    let uses = |circuit: &Vec<Move>| {
        let direction = is_back(circuit).map(|is_back| n + usize::from(is_back));
        circuit.iter().map(|m| m.from).chain(direction).collect()
    };
    let uses: Vec<Vec<usize>> = circuits.iter().map(uses).collect();
    let colours = colouring::colours(&uses, phases, dice)?;
    let with_phase =
        |(circuit, phase): (Vec<Move>, usize)| circuit.into_iter().map(move |m| (m, phase));
    let moves = circuits.into_iter().zip(colours).flat_map(with_phase).collect();
    Some(Class { moves, phases, gap: Some(1) })
}

/// The many classes; none if the ring is too short, or the search fails.
pub fn parted(side: Side, dice: &mut Dice<'_>) -> Option<Vec<Class>> {
    let n = side.length;
    let phases = n / 8;
    // With 8k + 1 vertices, the circuits leave hardly any vertex to stay; nor do they in a class with
    // a phase more.
    if phases < FEWEST || n % 8 == 1 || !(n * n / 8).is_multiple_of(phases) {
        return None;
    }
    let (forward, backward): (Vec<_>, Vec<_>) =
        circuits(side).into_iter().partition(|c| is_back(c) == Some(false));
    let class = |part: Part| {
        let rest = part.rest.into_iter().map(|m| (m, 0));
        let moves = part.circuits.into_iter().flatten().chain(rest).collect();
        Class { moves, phases: part.phases, gap: None }
    };
    let parts = parts(n, [forward, backward], stays(n).collect(), phases, dice)?;
    Some(parts.into_iter().map(class).collect())
}

/// Every circuit, followed by its mirror image.
fn circuits(side: Side) -> Vec<Vec<Move>> {
    let n = side.length;
    let m = n / 2;
    let mut circuits: Vec<Vec<Move>> = Vec::new();
    for (t, s) in (1..=m).flat_map(|t| (0..t).map(move |s| (t, s))) {
        let mut stops = vec![t, s + m + 1, t + m, s];
        stops.dedup();
        let walk = |place: fn(usize, usize) -> usize, forward: bool| -> Vec<Move> {
            let next = stops.iter().cycle().skip(1);
            let ends = stops.iter().zip(next).map(|(&a, &b)| (place(a, n), place(b, n)));
            ends.map(|(from, to)| go(side, from, to, forward)).collect()
        };
        circuits.push(walk(|v, _| v, true));
        circuits.push(walk(|v, n| (n - v) % n, false));
    }
    circuits
}

/// Whether a circuit runs backward; none of a vertex that stays.
fn is_back(circuit: &[Move]) -> Option<bool> {
    let hops = circuit[0].hops;
    (hops != 0).then_some(hops < 0)
}

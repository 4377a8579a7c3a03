//! All messages of a ring of odd length in one class: as many phases as its bound, and every vertex
//! sends and receives at most one message in a phase, stays at home in one.
//!
//! The circuits are those of ring.rs: on 2m + 1 vertices, for every t up to m and every s below t,
//! the walk once round the ring over t, s + m + 1, t + m and s (the second and the third are one
//! vertex if s + 1 = t), and its mirror image. A phase has one circuit of each direction, on
//! different vertices; which ones a search finds out. From 11 vertices on it finds them at once; 7
//! vertices have more messages than phases, 9 too few pairs of circuits.

use super::classes::Class;
use super::factors::{Move, go};
use super::grid::Side;
use super::packing;
use super::tiler::Dice;

/// The shortest ring with enough phases.
const SHORTEST: usize = 11;

/// The class; none if the ring is too short, or the search fails.
pub fn whole(side: Side, dice: &mut Dice<'_>) -> Option<Class> {
    let n = side.length;
    if n < SHORTEST {
        return None;
    }
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
    let phases = circuits.len() / 2;
    circuits.extend((0..n).map(|v| vec![Move { from: v, to: v, hops: 0 }]));
    // Resources: vertices, then the two directions.
    let uses = |circuit: &Vec<Move>| {
        let direction = match circuit[0].hops {
            0 => None,
            hops => Some(n + usize::from(hops < 0)),
        };
        circuit.iter().map(|m| m.from).chain(direction).collect()
    };
    let uses: Vec<Vec<usize>> = circuits.iter().map(uses).collect();
    let colours = packing::colours(&uses, phases, dice)?;
    let with_phase =
        |(circuit, phase): (Vec<Move>, usize)| circuit.into_iter().map(move |m| (m, phase));
    let moves = circuits.into_iter().zip(colours).flat_map(with_phase).collect();
    Some(Class { moves, phases, gap: Some(1) })
}

//! The schedule of a ladder of 4k vertices, in k * k steps: as few as the congestion bound allows.
//!
//! Arcs have 1 to k hops without a rung before them, and 1 to k - 1 with one: of a vertex in one direction, together
//! k * k hops. No other paths are as short, so each channel of the ring has k * k messages, and is in use in every step.
//!
//! Four arcs of d hops and four of k - d, by turns, fill the ring in one direction; k rotations of them are all arcs of
//! these lengths (half as many, if d is k / 2). Four arcs of k hops fill it alone. In a step, arcs with
//! a rung go in one direction and arcs without in the other, so that no rung is taken twice. The last k steps, of arcs
//! of k hops, need no rungs: the first of them has the messages to opposite vertices as well.

use super::{Course, Ladder};

/// Adds all messages.
pub fn write(ladder: &mut Ladder<'_>, k: usize) {
    let mut step = 0;
    for hops in 1..=k / 2 {
        let turns = if 2 * hops == k { hops } else { k };
        for (turn, is_ahead) in (0..turns).flat_map(|turn| [(turn, true), (turn, false)]) {
            for has_rung in [true, false] {
                let course = Course { has_rung, is_ahead: is_ahead == has_rung };
                fill(ladder, step, turn, &[hops, k - hops], course);
            }
            step += 1;
        }
    }
    (0..4 * k).for_each(|to| ladder.cross(step, to));
    for turn in 0..k {
        for is_ahead in [true, false] {
            fill(ladder, step + turn, turn, &[k], Course { has_rung: false, is_ahead });
        }
    }
}

/// Adds arcs of these lengths, together a quarter of the ring, by turns around all of it.
fn fill(ladder: &mut Ladder<'_>, step: usize, turn: usize, lengths: &[usize], course: Course) {
    let mut begins = turn;
    for hops in lengths.repeat(4) {
        ladder.send(step, begins, hops, course);
        begins += hops;
    }
}

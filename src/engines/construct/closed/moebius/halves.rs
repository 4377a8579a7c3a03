//! The schedule of a ladder of 4k + 2 vertices, in k (k + 1) + 1 steps: one more than the messages over each channel of
//! the ring.
//!
//! Arcs have 1 to k hops, without a rung before them or with one: of a vertex in one direction, together k (k + 1) hops.
//! Two arcs of d and k + 1 - d hops without rungs and two of d and k - d with rungs are half of the ring.
//! Repeated in the other half, they fill it; 2k + 1 rotations of them are all arcs of these lengths. In the other
//! direction the same arcs go in the mirrored place, where none has the rung of another.
//!
//! *Even k*, d from 1 to k / 2. With d = k / 2, one arc of k hops takes the place of the two with rungs. Arcs of k / 2 hops
//! with rungs are left. They begin at multiples of k / 2, which are all vertices of a half: four that follow each other
//! fill it but for one channel. The two directions have different ones at a time.
//!
//! *Odd k*, d below k / 2. Arcs of k hops with rungs are left, and of (k + 1) / 2 without. One of k hops and two of the
//! others are half of the ring: k rotations, by k each, leave those others that begin at one vertex of the half, which
//! take a step. The arcs of k hops that are left begin at multiples of k that follow each other, and go in pairs.

use super::{Course, Ladder};

/// An arc: its hops, and whether it has a rung.
type Arc = (usize, bool);

/// Adds all messages.
pub fn write(ladder: &mut Ladder<'_>, k: usize) {
    let half = 2 * k + 1;
    let mut step = 0;
    for hops in 1..=k / 2 {
        let mut arcs = vec![(hops, false), (k + 1 - hops, false)];
        match 2 * hops == k {
            true => arcs.push((k, true)),
            false => arcs.extend([(hops, true), (k - hops, true)]),
        }
        for turn in 0..half {
            fill(ladder, step + turn, turn, &arcs, true);
            fill(ladder, step + turn, half - turn, &arcs, false);
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
        fill(ladder, begun + turn, begins[0], &arcs[..ahead.len()], true);
        fill(ladder, begun + turn, begins[1], &arcs[..back.len()], false);
    }
}

/// Adds the rest for an odd k, from step `begun` on.
fn odd(ladder: &mut Ladder<'_>, k: usize, begun: usize) {
    let (half, short) = (2 * k + 1, k.div_ceil(2));
    let mut step = begun;
    for turn in 1..=k {
        for is_ahead in [true, false] {
            let arcs = [(k, true), (short, false), (short, false)];
            fill(ladder, step, (half - k) * turn, &arcs, is_ahead);
        }
        step += 1;
    }
    let pairs = k.div_ceil(2);
    for turn in 0..pairs {
        for (pair, is_ahead) in [(turn, true), ((turn + 1) % pairs, false)] {
            fill(ladder, step, (half - k) * (k + 2 + 2 * pair), &[(k, true); 2], is_ahead);
        }
        step += 1;
    }
    for is_ahead in [true, false] {
        fill(ladder, step, 2 * k * short, &[(short, false)], is_ahead);
    }
    (0..2 * half).for_each(|to| ladder.cross(step, to));
}

/// Adds arcs that follow each other in a direction, and those opposite to them.
fn fill(ladder: &mut Ladder<'_>, step: usize, begins: usize, arcs: &[Arc], is_ahead: bool) {
    let half = ladder.at.len() / 2;
    let mut begins = begins;
    for &(hops, has_rung) in arcs {
        for begins in [begins, begins + half] {
            ladder.send(step, begins, hops, Course { has_rung, is_ahead });
        }
        begins += hops;
    }
}

//! Insertion: messages in an order, each as early as its path allows among those before it; and
//! justification, which inserts a schedule into reversed time in the order of falling ends, so that it
//! never gets longer.

use super::Choices;
use super::line::Line;
use crate::ground::Timetable;
use ccsched_model::routing::PathId;
use std::cmp::Reverse;

/// Messages from one look at whether time is over to the next.
const LOOK: usize = 1024;

impl Timetable {
    /// The same schedule backwards in time.
    pub fn reversed(mut self, choices: &Choices) -> Self {
        for (start, bytes) in self.starts.iter_mut().zip(&choices.lengths) {
            *start = self.end - (*start + bytes);
        }
        self
    }
}

/// The time lines of all resources.
pub struct Board<'c> {
    choices: &'c Choices,
    lines: Vec<Line>,
}

impl<'c> Board<'c> {
    /// Nothing is held.
    pub fn new(choices: &'c Choices) -> Self {
        Board { choices, lines: vec![Line::default(); choices.capacity.len()] }
    }

    /// The earliest start of a message on a path; a later one than `limit` need not be exact.
    pub fn earliest(&self, path: PathId, bytes: u64, limit: u64) -> u64 {
        earliest(self.choices, &self.lines, path, (bytes, limit))
    }

    /// Holds a path from `start` on.
    pub fn hold(&mut self, path: PathId, start: u64, bytes: u64) {
        for &r in self.choices.held(path) {
            self.lines[r as usize].hold(start, start + bytes);
        }
    }

    /// Inserts all messages in an order. Beside its route, a message may take one of `tries` others that
    /// `other` gives it, if it starts earlier there. None if `is_over` returns true meanwhile.
    pub fn insert(
        &mut self,
        order: &[u32],
        routes: &[PathId],
        (tries, mut other): (usize, impl FnMut(u32) -> PathId),
        is_over: &dyn Fn() -> bool,
    ) -> Option<Timetable> {
        self.lines.iter_mut().for_each(Line::clear);
        let mut made = Timetable { routes: routes.to_vec(), starts: vec![0; routes.len()], end: 0 };
        for (number, &m) in order.iter().enumerate() {
            if number % LOOK == LOOK - 1 && is_over() {
                return None;
            }
            let (i, bytes) = (m as usize, self.choices.lengths[m as usize]);
            let mut best = (self.earliest(routes[i], bytes, u64::MAX), routes[i]);
            let all = self.choices.paths(m);
            let are_all = all.len() <= tries;
            for n in 0..tries.min(all.len()) as PathId {
                if best.0 == 0 {
                    break;
                }
                let path = if are_all { all.start + n } else { other(m) };
                let start = self.earliest(path, bytes, best.0);
                if start < best.0 {
                    best = (start, path);
                }
            }
            (made.starts[i], made.routes[i]) = best;
            made.end = made.end.max(best.0 + bytes);
            self.hold(best.1, best.0, bytes);
        }
        Some(made)
    }
}

/// The earliest start of a message of some bytes on a path, by the time line of each resource; a later
/// one than `limit` need not be exact.
pub fn earliest(
    choices: &Choices,
    lines: &[Line],
    path: PathId,
    (bytes, limit): (u64, u64),
) -> u64 {
    let held = choices.held(path);
    let mut start = 0;
    loop {
        let before = start;
        for &r in held {
            let r = r as usize;
            start = lines[r].earliest(start, bytes, choices.capacity[r]);
        }
        if start == before || start > limit {
            return start;
        }
    }
}

/// The messages in the order of falling ends.
pub fn by_falling_ends(choices: &Choices, table: &Timetable) -> Vec<u32> {
    let mut order: Vec<u32> = (0..choices.len() as u32).collect();
    let end = |m: u32| table.starts[m as usize] + choices.lengths[m as usize];
    order.sort_by_cached_key(|&m| (Reverse(end(m)), Reverse(choices.lengths[m as usize])));
    order
}

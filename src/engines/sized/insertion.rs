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
        for (m, start) in (0..).zip(&mut self.starts) {
            *start = self.end - (*start + choices.span(m, self.routes[m as usize]));
        }
        self
    }
}

/// The time lines of all resources.
pub struct Board<'c> {
    choices: &'c Choices,
    lines: Vec<Line>,
    /// Whether time runs backwards: then the end of a path is held first.
    pub is_backward: bool,
}

impl<'c> Board<'c> {
    /// Nothing is held.
    pub fn new(choices: &'c Choices) -> Self {
        let lines = vec![Line::default(); choices.capacity.len()];
        Board { choices, lines, is_backward: false }
    }

    /// The earliest start of a message on a path; a later one than `limit` need not be exact.
    pub fn earliest(&self, path: PathId, bytes: u64, limit: u64) -> u64 {
        earliest((self.choices, self.is_backward), &self.lines, path, (bytes, limit))
    }

    /// Holds a path from `start` on.
    pub fn hold(&mut self, path: PathId, start: u64, bytes: u64) {
        let across = self.choices.across(path);
        for (r, before) in self.choices.held_after(path) {
            let start = start + if self.is_backward { across - before } else { before };
            self.lines[r].hold(start, start + bytes);
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
                if best.0 == 0 && !self.choices.has_delays() {
                    break;
                }
                let path = if are_all { all.start + n } else { other(m) };
                // What counts is the end, which a longer path delays.
                let later = self.choices.across(path).saturating_sub(self.choices.across(best.1));
                let sooner = self.choices.across(best.1).saturating_sub(self.choices.across(path));
                let start = self.earliest(path, bytes, best.0.saturating_add(sooner));
                if start + later < best.0 + sooner {
                    best = (start, path);
                }
            }
            (made.starts[i], made.routes[i]) = best;
            made.end = made.end.max(best.0 + self.choices.span(m, best.1));
            self.hold(best.1, best.0, bytes);
        }
        Some(made)
    }
}

/// The earliest start of a message of some bytes on a path, by the time line of each resource; a later
/// one than `limit` need not be exact.
pub fn earliest(
    (choices, is_backward): (&Choices, bool),
    lines: &[Line],
    path: PathId,
    (bytes, limit): (u64, u64),
) -> u64 {
    if choices.has_delays() {
        return earliest_after((choices, is_backward), lines, path, (bytes, limit));
    }
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

/// The same where each resource of a path is held after the delays before it.
fn earliest_after(
    (choices, is_backward): (&Choices, bool),
    lines: &[Line],
    path: PathId,
    (bytes, limit): (u64, u64),
) -> u64 {
    let across = choices.across(path);
    let mut start = 0;
    loop {
        let before = start;
        for (r, after) in choices.held_after(path) {
            let after = if is_backward { across - after } else { after };
            start = lines[r].earliest(start + after, bytes, choices.capacity[r]) - after;
        }
        if start == before || start > limit {
            return start;
        }
    }
}

/// The messages in the order of falling ends.
pub fn by_falling_ends(choices: &Choices, table: &Timetable) -> Vec<u32> {
    let mut order: Vec<u32> = (0..choices.len() as u32).collect();
    let end = |m: u32| table.starts[m as usize] + choices.span(m, table.routes[m as usize]);
    order.sort_by_cached_key(|&m| (Reverse(end(m)), Reverse(choices.lengths[m as usize])));
    order
}

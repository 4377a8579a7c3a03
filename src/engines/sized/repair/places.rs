//! The places of messages during a repair, and the log of what has changed.

use super::{Home, TimedRepair};
use ccsched_model::routing::PathId;

impl TimedRepair<'_> {
    /// Takes out what is in the way of a message.
    pub(super) fn clear_for(&mut self, m: u32, path: PathId, start: u64) {
        let first = self.waiting.len();
        let bytes = self.held.choices().lengths[m as usize];
        self.held.clear(path, (start, bytes), &mut self.waiting);
        for at in first..self.waiting.len() {
            let other = self.waiting[at];
            self.note_lift(other);
        }
    }

    pub(super) fn is_home(&self, m: u32) -> bool {
        let table = &self.held.table;
        self.home[m as usize] == Some((table.routes[m as usize], table.starts[m as usize]))
    }

    /// Puts a message in a place if that is free and within its limit.
    pub(super) fn occupy(&mut self, m: u32, place: Home) -> bool {
        let bytes = self.held.choices().lengths[m as usize];
        let is_fit = |&(path, start): &(PathId, u64)| {
            self.last(m, path).is_some_and(|last| start <= last)
                && self.held.is_free(path, (start, bytes))
        };
        let place = place.filter(is_fit);
        place.into_iter().for_each(|(path, start)| self.put(m, path, start));
        place.is_some()
    }

    pub(super) fn put(&mut self, m: u32, path: PathId, start: u64) {
        self.held.put(m, path, start);
        self.away -= usize::from(self.is_home(m));
        self.log.push((m, None));
    }

    pub(super) fn lift(&mut self, m: u32) {
        self.held.lift(m);
        self.note_lift(m);
    }

    /// Counts a message that was taken out.
    fn note_lift(&mut self, m: u32) {
        let table = &self.held.table;
        self.log.push((m, Some((table.routes[m as usize], table.starts[m as usize]))));
        self.away += usize::from(self.is_home(m));
    }
}

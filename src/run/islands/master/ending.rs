//! The conditions on which the master ends a search or breaks it off.

use super::Master;
use crate::islands::{Progress, StopReason};
use std::cell::{Cell, RefCell};

impl Master<'_> {
    /// Whether to break off the current leg of the islands.
    pub(in crate::islands) fn breaks(&self) -> bool {
        self.held.is_none() && self.break_reason().is_some()
    }

    /// Whether the time is over, or an interrupt has come, also while states are being saved.
    pub(in crate::islands) fn is_over(&self) -> bool {
        self.break_reason().is_some()
    }

    /// The first schedule of the least time is made even if time is over.
    pub(super) fn break_reason(&self) -> Option<StopReason> {
        if self.is_told {
            return Some(StopReason::Interrupted);
        }
        if self.search.form.is_none() {
            return self.stop.breaks();
        }
        // Its iterations end early, and need no time after the limit.
        self.stop.cuts().filter(|&reason| self.shown.is_some() || reason != StopReason::Time)
    }

    /// The reason to stop now, if any. A resumed search repeats a refutation that was cut short.
    pub(super) fn check(&mut self, polls: &mut dyn FnMut() -> bool) -> Option<StopReason> {
        self.limit().or_else(|| {
            let is_refuted = self.is_refuted(polls);
            if is_refuted { Some(StopReason::Refuted) } else { self.limit() }
        })
    }

    /// The limit that is reached, if any, or an interrupt of another rank.
    fn limit(&mut self) -> Option<StopReason> {
        let Progress { iterations, evaluations, best, .. } = self.state.progress;
        let least = self.state.target.bound().max(self.observer.least());
        if best.is_some_and(|best| best <= least) && !self.state.target.has_goal() {
            return Some(StopReason::Goal);
        }
        if best.is_some_and(|best| self.stop.is_near(best, least)) {
            return Some(StopReason::Gap);
        }
        let told = self.is_told.then_some(StopReason::Interrupted);
        self.stop.check(iterations, evaluations).or(told)
    }

    /// Whether a refutation proves that no better schedule exists.
    pub(super) fn is_refuted(&mut self, polls: &mut dyn FnMut() -> bool) -> bool {
        let Progress { best, iterations, improved_at, .. } = self.state.progress;
        let fewer = best.map(|best| best as u32 - 1);
        let Some(steps) = self.search.goal.or(fewer) else { return false };
        let Some(refuter) = &mut self.refuter else { return false };
        let (told, polls) = (Cell::new(self.is_told), RefCell::new(polls));
        let stop = self.stop;
        let is_over = || {
            told.set(told.get() || (polls.borrow_mut())());
            told.get() || stop.check(0, 0).is_some()
        };
        let quiet = (iterations - improved_at, self.passed);
        let is_refuted = refuter.shows(steps, quiet, &|| stop.room(), &is_over);
        self.is_told = told.get();
        is_refuted
    }
}

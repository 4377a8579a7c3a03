//! Why the master ends a search, or breaks it off.

use super::Master;
use crate::islands::{Progress, StopReason};
use std::cell::{Cell, RefCell};

impl Master<'_> {
    /// Whether to break off what the islands are about to do.
    pub(in crate::islands) fn breaks(&self) -> bool {
        self.held.is_none() && self.break_reason().is_some()
    }

    pub(super) fn break_reason(&self) -> Option<StopReason> {
        if self.is_told { Some(StopReason::Interrupted) } else { self.stop.breaks() }
    }

    /// Why to stop now, if at all. An attempt at a proof that is cut short is made again by whoever
    /// goes on from here.
    pub(super) fn check(&mut self, overhears: &mut dyn FnMut() -> bool) -> Option<StopReason> {
        self.limit().or_else(|| {
            let is_refuted = self.is_refuted(overhears);
            if is_refuted { Some(StopReason::Refuted) } else { self.limit() }
        })
    }

    /// What the stop condition says, or an interrupt of another rank.
    fn limit(&self) -> Option<StopReason> {
        let Progress { iterations, evaluations, .. } = self.state.progress;
        let told = self.is_told.then_some(StopReason::Interrupted);
        self.stop.check(iterations, evaluations).or(told)
    }

    /// Whether what is left to seek has been shown not to exist.
    pub(super) fn is_refuted(&mut self, overhears: &mut dyn FnMut() -> bool) -> bool {
        let Progress { best, iterations, improved_at, .. } = self.state.progress;
        let fewer = best.map(|best| best as u32 - 1);
        let Some(steps) = self.search.goal.or(fewer) else { return false };
        let Some(refuter) = &mut self.refuter else { return false };
        let (told, overhears) = (Cell::new(self.is_told), RefCell::new(overhears));
        let stop = self.stop;
        let is_over = || {
            told.set(told.get() || (overhears.borrow_mut())());
            told.get() || stop.check(0, 0).is_some()
        };
        let quiet = (iterations - improved_at, self.search.exchange_every);
        let is_refuted = refuter.shows(steps, quiet, &is_over);
        self.is_told = told.get();
        is_refuted
    }
}

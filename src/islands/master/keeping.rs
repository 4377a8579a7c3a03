//! The master resumes from a state, and saves one: at an exchange, or after an interrupt within a
//! leg.

use super::Master;
use crate::comm::CommError;
use crate::islands::protocol::{FromIsland, FromMaster, Report};
use crate::islands::state::State;
use crate::islands::{Progress, SearchError, StopReason};

/// A state that still lacks the islands' states, and whether the search ends with it.
pub(super) struct Held {
    pub state: State,
    pub ends: bool,
}

impl Master<'_> {
    /// The first messages to all islands; `overhears` as for [`Master::reply`].
    pub(in crate::islands) fn begin(
        &mut self,
        overhears: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<FromMaster>, SearchError> {
        let Some(state) = self.keeper.as_mut().and_then(|keeper| keeper.resumes()) else {
            return Ok(self.to_all(FromMaster::Seek(self.state.target.seeking())));
        };
        self.state = state.master;
        if let (Some(best), Some(method)) = (&self.state.best, &self.state.method) {
            self.observer.improved(best, method).map_err(SearchError::Observer)?;
            self.shown = Some(best.rank());
        }
        if state.is_over {
            return Ok(self.to_all(FromMaster::End));
        }
        let Progress { iterations, evaluations, .. } = self.state.progress;
        if let Some(reason) = self.stop.is_over(iterations, evaluations) {
            self.reason = reason;
            return Ok(self.to_all(FromMaster::End));
        }
        if self.is_refuted(overhears) {
            self.reason = StopReason::Refuted;
            return Ok(self.to_all(FromMaster::End));
        }
        self.early = state.reports;
        self.early.resize(self.islands, None);
        let load = |(island, then)| FromMaster::Load(Box::new(island), Box::new(then));
        let mut orders: Vec<FromMaster> =
            state.islands.into_iter().zip(state.orders).map(load).collect();
        // Islands beyond those of the state start like those of a new search.
        orders.resize(self.islands, FromMaster::Seek(self.state.target.seeking()));
        Ok(orders)
    }

    /// Ends the search after an interrupt within a leg.
    pub(super) fn break_off(
        &mut self,
        mut reports: Vec<Report>,
    ) -> Result<Vec<FromMaster>, SearchError> {
        self.reason = self.break_reason().unwrap_or(StopReason::Interrupted);
        let wanted = self.wants_state(true);
        if wanted {
            let whole = |r: &Report| (!r.broken_off).then(|| r.clone());
            let state = self.state(vec![], reports.iter().map(whole).collect());
            self.held = Some(Held { state, ends: true });
        }
        // A schedule of this leg counts, though the resumed search will find it again.
        self.keep_best(&mut reports)?;
        Ok(self.to_all(if wanted { FromMaster::Save } else { FromMaster::End }))
    }

    /// Saves the state after all islands have sent theirs.
    pub(super) fn keep_state(
        &mut self,
        held: Held,
        words: Vec<FromIsland>,
    ) -> Result<Vec<FromMaster>, SearchError> {
        let Held { mut state, ends } = held;
        let is_broken = state.orders.is_empty();
        for (island, word) in words.into_iter().enumerate() {
            match word {
                FromIsland::State(Some(told)) => {
                    state.islands.push(told.0);
                    if is_broken {
                        state.orders.push(told.1);
                    }
                }
                // Interrupted before the first snapshot: an existing checkpoint stays as it is.
                FromIsland::State(None) => return Ok(self.to_all(FromMaster::End)),
                _ => return Err(CommError::OutOfTurn(island).into()),
            }
        }
        let orders = if ends { self.to_all(FromMaster::End) } else { state.orders.clone() };
        self.keep(state)?;
        Ok(orders)
    }

    pub(super) fn state(&self, orders: Vec<FromMaster>, reports: Vec<Option<Report>>) -> State {
        let master = self.state.clone();
        State { master, is_over: false, islands: vec![], orders, reports }
    }
}

//! The master resumes from a state, and saves one: at an exchange, or after an interrupt within a
//! leg.

use super::Master;
use crate::islands::groups::{Decision, GroupState, Summary, regroup};
use crate::islands::state::State;
use crate::islands::{Progress, SearchError, StopReason};

/// A state that still lacks the islands' states, and whether the search ends with it.
pub(super) struct Held {
    pub state: State,
    pub ends: bool,
}

impl Master<'_> {
    /// The first decision; `polls` as for [`Master::reply`].
    pub(in crate::islands) fn begin(
        &mut self,
        polls: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, SearchError> {
        let Some(state) = self.keeper.as_mut().and_then(|keeper| keeper.resumes()) else {
            return Ok(Decision::Seek(self.seeking()));
        };
        self.state = state.master;
        if let (Some(best), Some(method)) = (&self.state.best, &self.state.method) {
            self.observer.improved(best, method).map_err(SearchError::Observer)?;
            self.shown = Some(best.rank());
        }
        if state.is_over {
            return Ok(Decision::End);
        }
        let Progress { iterations, evaluations, .. } = self.state.progress;
        if let Some(reason) = self.stop.is_over(iterations, evaluations) {
            self.reason = reason;
            return Ok(Decision::End);
        }
        if self.is_refuted(polls) {
            self.reason = StopReason::Refuted;
            return Ok(Decision::End);
        }
        let (islands, search) = (self.islands, self.search);
        let groups = regroup(state.groups, islands, search.exchange_group, search.seed);
        Ok(Decision::Load(self.seeking(), groups))
    }

    /// Ends the search after an interrupt within a leg.
    pub(super) fn break_off(&mut self, summary: Summary) -> Result<Decision, SearchError> {
        self.reason = self.break_reason().unwrap_or(StopReason::Interrupted);
        let wanted = self.wants_state(true);
        if wanted {
            self.held = Some(Held { state: self.state(), ends: true });
        }
        // A schedule of this leg counts, though the resumed search will find it again.
        self.keep_best(summary.plan)?;
        Ok(if wanted { Decision::Save(None) } else { Decision::End })
    }

    /// Saves the state after all groups have sent theirs.
    pub(super) fn keep_state(
        &mut self,
        held: Held,
        groups: Option<Vec<GroupState>>,
    ) -> Result<Decision, SearchError> {
        let mut ends = held.ends;
        match groups {
            Some(groups) => self.keep(State { groups, ..held.state })?,
            // Interrupted before the first snapshot, or an island has panicked: an existing checkpoint stays as it is.
            None => ends |= self.is_over(),
        }
        Ok(if ends { Decision::End } else { Decision::Proceed })
    }

    /// The state of the search without those of the groups.
    pub(super) fn state(&self) -> State {
        State {
            master: self.state.clone(),
            is_over: false,
            groups: vec![],
            is_narrow: self.is_narrow,
        }
    }
}

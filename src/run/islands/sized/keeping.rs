//! Checkpoints of a run for messages of different lengths: the islands and the best schedule between two
//! rounds. A round that was cut short is none, so that a resumed run gives the file of an uninterrupted one.

use super::team::{IslandState, Team};
use super::{Choices, Form, Timetable};
use crate::islands::{Keeper, SearchError, State};
use ccsched_base::counted::counted;
use serde::{Deserialize, Serialize};

/// A run between two rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizedState {
    pub(super) form: Form,
    /// Whether each message has one path.
    pub(super) is_narrow: bool,
    pub(super) best: Option<Timetable>,
    /// The islands that go on from the best schedule in the next round.
    pub(super) adopting: Vec<usize>,
    pub(in crate::islands) islands: Vec<IslandState>,
}

impl SizedState {
    /// Whether a run of this form, with this number of islands, can go on from it.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn check(
        &self,
        form: Form,
        islands: usize,
        choices: &Choices,
    ) -> Result<(), SearchError> {
        let refused = |why: String| Err(SearchError::Observer(format!("the checkpoint: {why}")));
        if self.form != form {
            return refused("its schedules have another form, or other start-up times".into());
        }
        if self.islands.len() != islands {
            return refused(format!(
                "it is of {}, here are {islands}",
                counted(self.islands.len(), "island")
            ));
        }
        let startup = match form {
            Form::Timed => None,
            Form::Steps { startup } => Some(startup),
        };
        let all = self.islands.iter().try_for_each(|(_, kept)| kept.check(choices, startup));
        let best = self.best.iter().try_for_each(|best| best.check(choices, startup));
        all.and(best).or_else(|why| refused(format!("it is damaged: {why}")))
    }
}

/// Keeps states of a run, if that is asked for.
pub(super) struct Keeping<'k> {
    keeper: Option<&'k mut dyn Keeper>,
    /// The last state, which is not saved yet.
    last: Option<State>,
}

impl<'k> Keeping<'k> {
    pub fn new(keeper: Option<&'k mut dyn Keeper>) -> Self {
        Keeping { keeper, last: None }
    }

    /// The state to go on from, with its iterations.
    ///
    /// # Errors
    /// It is of a search for the fewest steps.
    pub fn resumes(&mut self) -> Result<Option<(SizedState, u64)>, SearchError> {
        let Some(state) = self.keeper.as_mut().and_then(|keeper| keeper.resumes()) else {
            return Ok(None);
        };
        let iterations = state.iterations();
        let why = "the checkpoint is of a search for the fewest steps, not for the least time";
        let sized = state.sized.ok_or_else(|| SearchError::Observer(why.into()))?;
        Ok(Some((sized, iterations)))
    }

    /// Takes the state after a round, and saves it when it is due.
    ///
    /// # Errors
    /// It cannot be saved; a rank is gone.
    pub fn after_round(
        &mut self,
        team: &mut dyn Team,
        iterations: u64,
        state: impl FnOnce(Vec<IslandState>) -> SizedState,
    ) -> Result<(), SearchError> {
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        // Whether states are kept at all.
        if !keeper.wants_state(true) {
            return Ok(());
        }
        if let Some(islands) = team.states()? {
            self.last = Some(State::of_sized(state(islands), iterations));
        }
        if keeper.wants_state(false) { self.save() } else { Ok(()) }
    }

    /// Saves the last state, if it is not saved yet.
    ///
    /// # Errors
    /// It cannot be saved.
    pub fn save(&mut self) -> Result<(), SearchError> {
        match (&mut self.keeper, self.last.take()) {
            (Some(keeper), Some(state)) => keeper.keep(state).map_err(SearchError::Observer),
            _ => Ok(()),
        }
    }
}

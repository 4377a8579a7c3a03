//! The keeper: saves the state of a search, so that a later run can resume it.

use super::State;

/// Saves states of a search, and provides one to resume from.
pub trait Keeper {
    /// The state to resume from, if there is one and it has not been taken.
    fn resuming(&self) -> Option<&State> {
        None
    }

    /// The state to resume from; none for a new search. Called once, at the start.
    fn resumes(&mut self) -> Option<State>;

    /// Whether to save the state now; called after each exchange and before the search ends.
    fn wants_state(&mut self, ends: bool) -> bool;

    /// Saves the state.
    ///
    /// # Errors
    /// A state that cannot be saved ends the search.
    fn keep(&mut self, state: State) -> Result<(), String>;
}

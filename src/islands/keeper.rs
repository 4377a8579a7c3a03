//! What keeps the state of a search beyond its end.

use super::State;

/// Keeps states of a search, and has one to go on from.
pub trait Keeper {
    /// Where to go on from, asked once at the beginning; nowhere for a new search.
    fn resumes(&mut self) -> Option<State>;

    /// Whether the state is to be kept now; asked after every exchange, and when the search is about
    /// to end.
    fn wants_state(&mut self, ends: bool) -> bool;

    /// Keeps the state.
    ///
    /// # Errors
    /// A state that cannot be kept ends the search.
    fn keep(&mut self, state: State) -> Result<(), String>;
}

//! States of a search, kept in memory, that it can resume from.

use ccsched::islands::{Job, Keeper, State, checkpoint};

/// A keeper that resumes from a state and keeps states in memory.
#[derive(Default)]
pub struct Kept {
    pub from: Option<State>,
    pub keeps_all: bool,
    pub kept: Vec<State>,
}

impl Keeper for Kept {
    fn resumes(&mut self) -> Option<State> {
        self.from.take()
    }

    fn wants_state(&mut self, ends: bool) -> bool {
        ends || self.keeps_all
    }

    fn keep(&mut self, state: State) -> Result<(), String> {
        self.kept.push(state);
        Ok(())
    }
}

/// A state, written to a checkpoint and read back.
pub fn reread(job: &Job, state: &State) -> State {
    checkpoint::from_bytes(&checkpoint::to_bytes(job, state).unwrap(), job).unwrap()
}

//! The state of step packing, which is saved as it is. The rest of the search is scratch memory.

use super::finish::{self, Finish};
use super::fitting::Fitting;
use super::ground::Ground;
use super::packed::Packed;
use super::routes::{Routes, Share};
use super::team::Team;
use super::values::Values;
use super::{Packing, rounds};
use crate::Resume;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use serde::{Deserialize, Serialize};

/// The part of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Routes are planned: rounds left, and the next pair.
    Plan(u32, u32),
    /// Messages are placed by first fit over the planned routes.
    Fit,
    /// Steps are filled.
    Fill,
    /// The last steps are packed together.
    Finish,
}

/// The state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    pub phase: Phase,
    pub pass: u32,
    pub routes: Routes,
    pub values: Values,
    /// Messages left, by pair and in all.
    pub left: Vec<u32>,
    pub messages: u64,
    /// The number of messages left at which first fit completes the schedule, so that there is one
    /// in time.
    pub completed_at: u64,
    /// The messages that first fit places.
    pub fitting: Fitting,
    /// The schedule of this pass.
    pub packed: Packed,
    /// The best schedule of all passes, and whether it was not shown yet.
    pub best: Packed,
    pub is_new: bool,
    /// Iterations since a schedule was shown.
    pub quiet: u32,
    /// What it knows of a team, if it packs steps together with other islands.
    pub team: Option<Team>,
}

impl State {
    /// Before the first pass.
    pub fn new(ground: &Ground) -> Self {
        State {
            phase: Phase::Plan(rounds(ground), 0),
            pass: 0,
            routes: Routes::new(ground, Share::default()),
            values: Values::default(),
            left: ground.messages(),
            messages: ground.problem.demands().len() as u64,
            completed_at: 0,
            fitting: Fitting::default(),
            packed: Packed::default(),
            best: Packed::default(),
            is_new: false,
            quiet: 0,
            team: None,
        }
    }
}

impl Resume for Packing {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let finish = self.finish.as_ref().map(Finish::save).transpose()?;
        codec::encode(&(&self.state, finish))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (state, finish): (State, Option<finish::Saved>) = codec::decode(state)?;
        let share = |state: &State| state.team.as_ref().map(|team| team.share);
        if share(&state) != share(&self.state) {
            // The team is another one, and begins anew.
            return Ok(());
        }
        if state.team.as_ref().is_some_and(|team| !team.is_sound(&self.ground, &state.packed)) {
            return Err(CommError::Unfit("windows"));
        }
        // The first island of a team plans for all at first.
        let planned = state.routes.share();
        let is_like = (planned == Share::default() || Some(planned) == share(&state))
            && state.routes.is_like(&Routes::new(&self.ground, planned));
        if state.left.len() != self.state.left.len() || !is_like {
            return Err(CommError::Unfit("pairs"));
        }
        if !state.packed.is_sound(&self.ground) {
            return Err(CommError::Unfit("pairs"));
        }
        let load = |saved| Finish::load(&self.ground, &state.packed, &saved);
        self.finish = finish.map(load).transpose()?;
        self.state = state;
        Ok(())
    }
}

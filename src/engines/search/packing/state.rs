//! The state of step packing, which is saved as it is. The rest of the search is scratch memory.

use super::finish::{self, Finish};
use super::fitting::Fitting;
use super::ground::Ground;
use super::packed::Packed;
use super::routes::Routes;
use super::values::Values;
use super::{Packing, rounds};
use crate::comm::{CommError, codec};
use crate::engines::Resume;
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
    /// When so few are left, first fit completes the schedule, so that there is one in time.
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
}

impl State {
    /// Before the first pass.
    pub fn new(ground: &Ground) -> Self {
        State {
            phase: Phase::Plan(rounds(ground), 0),
            pass: 0,
            routes: Routes::new(ground),
            values: Values::default(),
            left: ground.messages(),
            messages: ground.problem.demands.len() as u64,
            completed_at: 0,
            fitting: Fitting::default(),
            packed: Packed::default(),
            best: Packed::default(),
            is_new: false,
            quiet: 0,
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
        let is_like = state.routes.is_like(&self.state.routes);
        if state.left.len() != self.state.left.len() || !is_like {
            return Err(CommError::Unfit("pairs"));
        }
        if state.packed.pairs().iter().any(|&pair| pair as usize >= state.left.len()) {
            return Err(CommError::Unfit("pairs"));
        }
        let load = |saved| Finish::load(&self.ground, &state.packed, &saved);
        self.finish = finish.map(load).transpose()?;
        self.state = state;
        Ok(())
    }
}

//! The state of step packing, which is saved as it is. The rest of the search is scratch memory.

use super::fitting::Fitting;
use super::ground::Ground;
use super::packed::Packed;
use super::routes::Routes;
use super::tail::Tail;
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
    /// The last steps are packed; moves since the last progress.
    Tail(u64),
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
    /// The messages that first fit places.
    pub fitting: Fitting,
    /// Repairs of every step in this pass.
    pub repairs: u64,
    /// The schedule of this pass.
    pub packed: Packed,
    /// Its first step that belongs to the tail.
    pub first: usize,
    pub tail: Tail,
    /// The steps that were dropped from the tail last.
    pub drops: usize,
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
            left: ground.pairs.iter().map(|pair| pair.messages).collect(),
            messages: ground.problem.demands.len() as u64,
            fitting: Fitting::default(),
            repairs: 0,
            packed: Packed::default(),
            first: 0,
            tail: Tail::default(),
            drops: 1,
            best: Packed::default(),
            is_new: false,
            quiet: 0,
        }
    }
}

impl Resume for Packing {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        let is_like = state.routes.is_like(&self.state.routes);
        if state.left.len() != self.state.left.len() || !is_like {
            return Err(CommError::Unfit("pairs"));
        }
        self.state = state;
        self.state.tail.restore(&self.ground);
        Ok(())
    }
}

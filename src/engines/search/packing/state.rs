//! Saves and restores the state of step packing.

use super::packed::Packed;
use super::routes::Routes;
use super::tail::Tail;
use super::values::Values;
use super::{Packing, Phase};
use crate::comm::{CommError, codec};
use crate::engines::Resume;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved {
    phase: Phase,
    pass: u32,
    routes: Routes,
    values: Values,
    left: Vec<u32>,
    messages: u64,
    repairs: u64,
    packed: Packed,
    first: usize,
    tail: Tail,
    best: Packed,
    is_new: bool,
    quiet: u32,
}

impl Resume for Packing {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let Packing {
            ground: _,
            phase,
            pass,
            routes,
            values,
            left,
            messages,
            repairs,
            packed,
            first,
            tail,
            best,
            is_new,
            quiet,
            step: _,
            filler: _,
            finder: _,
        } = self.clone();
        codec::encode(&Saved {
            phase,
            pass,
            routes,
            values,
            left,
            messages,
            repairs,
            packed,
            first,
            tail,
            best,
            is_new,
            quiet,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: Saved = codec::decode(state)?;
        if state.left.len() != self.left.len() || !state.routes.is_like(&self.routes) {
            return Err(CommError::Unfit("pairs"));
        }
        (self.phase, self.pass, self.routes) = (state.phase, state.pass, state.routes);
        (self.values, self.left, self.messages) = (state.values, state.left, state.messages);
        (self.repairs, self.packed, self.first) = (state.repairs, state.packed, state.first);
        (self.tail, self.best) = (state.tail, state.best);
        (self.is_new, self.quiet) = (state.is_new, state.quiet);
        self.tail.restore(&self.ground);
        Ok(())
    }
}

//! What a search by turns has come to, to go on from another time. The groups are found anew with
//! the same seed; which of them has its turn is kept as its number.

use super::turns::Turns;
use crate::comm::{CommError, codec};
use crate::engines::Walker;
use crate::engines::symmetry::{Action, Images};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct State {
    whole: Vec<u8>,
    part: Option<Part>,
    steps: u32,
    is_whole_ready: bool,
    island: u64,
    turn: u64,
    left: u64,
    length: u64,
}

/// The search under a group.
#[derive(Serialize, Deserialize)]
struct Part {
    group: usize,
    action: Action,
    search: Vec<u8>,
}

impl Turns {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, CommError> {
        // Named one by one, so that nothing new is forgotten.
        let Turns {
            problem: _,
            groups,
            whole,
            part,
            steps,
            is_whole_ready,
            island,
            turn,
            left,
            length,
        } = self;
        let part = match part.as_ref().and_then(|part| Some((part, part.images()?))) {
            None => None,
            Some((part, images)) => {
                let group = groups.iter().position(|group| Arc::ptr_eq(group, images.group()));
                let group = group.ok_or(CommError::Unfit("groups"))?;
                Some(Part { group, action: images.action().clone(), search: part.save()? })
            }
        };
        codec::encode(&State {
            whole: whole.save()?,
            part,
            steps: *steps,
            is_whole_ready: *is_whole_ready,
            island: *island,
            turn: *turn,
            left: *left,
            length: *length,
        })
    }

    pub(super) fn set_from(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        self.whole.load(&state.whole)?;
        self.part = match state.part {
            None => None,
            Some(Part { group, action, search }) => {
                let unfit = || CommError::Unfit("groups");
                let group = self.groups.get(group).ok_or_else(unfit)?;
                if !action.is_of(group, state.steps) {
                    return Err(CommError::Unfit("steps"));
                }
                let images = Images::new(&self.problem, group, action).ok_or_else(unfit)?;
                let mut part = self.whole.under(images);
                part.load(&search)?;
                Some(Box::new(part))
            }
        };
        (self.steps, self.is_whole_ready) = (state.steps, state.is_whole_ready);
        (self.island, self.turn) = (state.island, state.turn);
        (self.left, self.length) = (state.left, state.length);
        Ok(())
    }
}

//! The saved state of a race. The groups are found again from the same seed, so each search in the
//! race saves its group as indices.

use super::Race;
use crate::Resume;
use crate::search::scatter::ScatterSearch;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_model::symmetry::{Action, Group, Images};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct Saved {
    whole: Vec<u8>,
    parts: Vec<Part>,
    turn: usize,
    steps: u32,
    is_whole_ready: bool,
    island: usize,
    left: u64,
    lengths: (u64, u64),
}

/// The search under a group.
#[derive(Serialize, Deserialize)]
struct Part {
    /// Index of the order, and of the group among those of that order.
    group: (usize, usize),
    action: Action,
    search: Vec<u8>,
}

impl Resume for Race {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Exhaustive, so that a new field cannot be forgotten.
        let Race {
            lookup: _,
            hops: _,
            ejects: _,
            tally: _,
            groups,
            whole,
            parts,
            turn,
            steps,
            is_whole_ready,
            island,
            left,
            lengths,
        } = self;
        codec::encode(&Saved {
            whole: whole.save()?,
            parts: parts.iter().map(|part| save(part, groups)).collect::<Result<_, _>>()?,
            turn: *turn,
            steps: *steps,
            is_whole_ready: *is_whole_ready,
            island: *island,
            left: *left,
            lengths: *lengths,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: Saved = codec::decode(state)?;
        if state.turn > state.parts.len() {
            return Err(CommError::Unfit("turns"));
        }
        self.whole.load(&state.whole)?;
        let parts = state.parts.into_iter().map(|part| self.load_part(part, state.steps));
        self.parts = parts.collect::<Result<_, _>>()?;
        (self.turn, self.steps, self.is_whole_ready) =
            (state.turn, state.steps, state.is_whole_ready);
        (self.island, self.left, self.lengths) = (state.island, state.left, state.lengths);
        Ok(())
    }
}

impl Race {
    fn load_part(&self, part: Part, steps: u32) -> Result<ScatterSearch, CommError> {
        let Part { group: (order, index), action, search } = part;
        let unfit = || CommError::Unfit("groups");
        let group = self.groups.get(order).and_then(|groups| groups.get(index));
        let group = group.ok_or_else(unfit)?;
        if !action.is_of(group, action.steps()) || action.steps() > steps {
            return Err(CommError::Unfit("steps"));
        }
        let images = Images::new(&self.lookup, group, action).ok_or_else(unfit)?;
        let mut part = ScatterSearch::under(self.lookup.problem(), &self.hops, images);
        part.load(&search)?;
        Ok(part)
    }
}

fn save(part: &ScatterSearch, groups: &[Vec<Arc<Group>>]) -> Result<Part, CommError> {
    let unfit = CommError::Unfit("groups");
    let Some(images) = part.images() else { return Err(unfit) };
    let is_own = |group: &Arc<Group>| Arc::ptr_eq(group, images.group());
    let index = |groups: &Vec<Arc<Group>>| groups.iter().position(is_own);
    let mut found = groups.iter().enumerate().filter_map(|(order, g)| Some((order, index(g)?)));
    let group = found.next().ok_or(unfit)?;
    Ok(Part { group, action: images.action().clone(), search: part.save()? })
}

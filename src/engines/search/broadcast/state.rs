//! Saves and restores the state of a search for a broadcast tree.

use super::BroadcastSearch;
use super::tree::Tree;
use crate::Resume;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved {
    tree: Tree,
    waiting: Vec<VertexId>,
    attempts: u64,
    left: usize,
}

impl Resume for BroadcastSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let BroadcastSearch {
            problem: _,
            ways: _,
            receivers: _,
            relays: _,
            wanted: _,
            scan: _,
            hops: _,
            route: _,
            evicted: _,
            tree,
            waiting,
            attempts,
            left,
        } = self;
        codec::encode(&Saved {
            tree: tree.clone(),
            waiting: waiting.clone(),
            attempts: *attempts,
            left: *left,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { tree, waiting, attempts, left } = codec::decode(state)?;
        if !tree.is_like(&self.tree) || waiting.len() > self.receivers.len() {
            return Err(CommError::Unfit("vertices"));
        }
        if !tree.is_rooted() {
            return Err(CommError::Unsound("each sender must have the message before it sends"));
        }
        (self.tree, self.waiting, self.attempts, self.left) = (tree, waiting, attempts, left);
        Ok(())
    }
}

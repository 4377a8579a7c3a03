//! Saves and restores the state of a search by flood and repair.

use super::AllgatherSearch;
use super::board::{Arrival, NEVER};
use super::settings::Settings;
use crate::Resume;
use crate::ground::check_steps;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_model::problem::MessageId;
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    arrivals: Vec<Arrival>,
    /// Work done but not yet reported.
    decisions: u64,
    cost: u64,
    least: u64,
    stale: u64,
    island: usize,
    attempt: usize,
}

impl Resume for AllgatherSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let AllgatherSearch {
            hops: _,
            heights: _,
            board,
            flood,
            deliveries: _,
            cost,
            least,
            stale,
            island,
            attempt,
            settings: _,
            ripped: _,
            failing: _,
        } = self;
        codec::encode(&Saved {
            steps: board.steps(),
            arrivals: board.arrivals().to_vec(),
            decisions: flood.decisions,
            cost: *cost,
            least: *least,
            stale: *stale,
            island: *island,
            attempt: *attempt,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: Saved = codec::decode(state)?;
        if state.arrivals.len() != self.board.arrivals().len() {
            return Err(CommError::Unfit("messages or vertices"));
        }
        check_steps(state.steps, state.arrivals.len())?;
        self.board.clear(state.steps);
        let vertices = self.board.vertices();
        for (place, &arrival) in state.arrivals.iter().enumerate().filter(|(_, a)| **a != NEVER) {
            let (m, v) = ((place / vertices) as MessageId, (place % vertices) as VertexId);
            let known = (arrival.hop as usize) < self.hops.len();
            if !known || arrival.step >= state.steps || self.hops.to(arrival.hop) != v {
                return Err(CommError::Unfit("hops"));
            }
            self.board.put(&self.hops, m, arrival);
        }
        // The settings of the current attempt; `attempt` is the number of the next.
        self.settings = Settings::of(state.island, state.attempt.saturating_sub(1));
        self.flood.decisions = state.decisions;
        (self.cost, self.least, self.stale) = (state.cost, state.least, state.stale);
        (self.island, self.attempt) = (state.island, state.attempt);
        Ok(())
    }
}

//! Saves and restores the state of a guided ejection search.

use super::ScatterSearch;
use super::board::Board;
use super::places::Places;
use super::style::Style;
use crate::comm::{CommError, codec};
use crate::engines::Resume;
use crate::engines::ground::check_steps;
use crate::symmetry::Images;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    board: Board,
    places: Places,
    waiting: Vec<u32>,
    weight: Vec<i16>,
    price: Vec<i16>,
    style: Style,
    pay_once: bool,
    newest: Option<u32>,
    iteration: u64,
    fewest: usize,
    vain: usize,
    scanned: u64,
}

impl ScatterSearch {
    /// The images under the group that the schedule is invariant under, if any.
    pub fn images(&self) -> Option<&Arc<Images>> {
        self.images.as_ref()
    }
}

impl Resume for ScatterSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let ScatterSearch {
            problem: _,
            hops: _,
            kept: _,
            steps,
            board,
            places,
            waiting,
            weight,
            price,
            max_weight: _,
            style,
            newest,
            iteration,
            fewest,
            vain,
            scanned,
            exchanges: _,
            images: _,
            scan,
            wander: _,
            scratch: _,
        } = self;
        codec::encode(&Saved {
            steps: *steps,
            board: board.clone(),
            places: places.clone(),
            waiting: waiting.clone(),
            weight: weight.clone(),
            price: price.clone(),
            style: *style,
            pay_once: scan.pay_once,
            newest: *newest,
            iteration: *iteration,
            fewest: *fewest,
            vain: *vain,
            scanned: *scanned,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: Saved = codec::decode(state)?;
        let transfers = self.places.len();
        let sizes = [state.places.len(), state.weight.len(), state.price.len()];
        if sizes != [transfers; 3] || state.waiting.iter().any(|&t| t as usize >= transfers) {
            return Err(CommError::Unfit("transfers"));
        }
        check_steps(state.steps, transfers)?;
        let capacities = self.problem.resources().capacities();
        let empty = match &self.images {
            None => Board::new(capacities, state.steps),
            Some(images) => Board::under(images, capacities, state.steps, self.places.longest()),
        };
        self.board = state.board.like(&empty).ok_or(CommError::Unfit("resources"))?;
        (self.steps, self.places, self.waiting) = (state.steps, state.places, state.waiting);
        (self.weight, self.price) = (state.weight, state.price);
        (self.style, self.scan.pay_once) = (state.style, state.pay_once);
        (self.newest, self.iteration) = (state.newest, state.iteration);
        (self.fewest, self.vain, self.scanned) = (state.fewest, state.vain, state.scanned);
        Ok(())
    }
}

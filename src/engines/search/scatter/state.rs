//! Saves and restores the state of a guided ejection search.

use super::ScatterSearch;
use super::board::Board;
use super::changes::Log;
use super::places::Places;
use super::style::Style;
use crate::ground::check_steps;
use crate::{Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::symmetry::Images;
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

impl ScatterSearch {
    /// Number of transfers.
    pub(super) fn transfers(&self) -> usize {
        self.places.len()
    }

    /// Forgets all places, and seeks the same number of steps. Returns the number of moves.
    pub(super) fn seek_anew(&mut self, rng: &mut Rng) -> u64 {
        (0..self.places.len() as u32).for_each(|t| self.places.set(t, &[]));
        self.seek(self.steps, rng)
    }

    /// Begins to note changes.
    pub(super) fn begin_log(&mut self) {
        match &mut self.log {
            Some(log) => log.clear(),
            None => self.log = Some(Log::new(self.places.len())),
        }
    }

    /// Undoes all changes that were noted.
    pub(super) fn undo(&mut self) {
        let Some(mut log) = self.log.take() else { return };
        log.before.transfers().iter().for_each(|&t| self.lift(t));
        for (t, weight, place) in log.before.iter() {
            self.set_weight(t, weight);
            self.put(t, place);
        }
        log.clear();
        self.log = Some(log);
    }

    /// Lists all transfers that wait.
    pub(super) fn collect_all_waiting(&mut self) {
        let waits = |&t: &u32| !self.places.is_placed(t);
        self.waiting = (0..self.places.len() as u32).filter(waits).collect();
    }
}

impl Resume for ScatterSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let ScatterSearch {
            problem: _,
            hops: _,
            kept: _,
            ejected: _,
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
            relocations: _,
            log: _,
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

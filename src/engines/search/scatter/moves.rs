//! The moves: ejections, which give a waiting transfer its cheapest place, and relocations of
//! placed transfers between them.

use super::ScatterSearch;
use super::places::uses;
use super::style::Style;
use super::wanted::Wanted;
use ccsched_base::rng::Rng;
use ccsched_model::symmetry::Images;
use rand::RngExt;
use std::sync::Arc;

/// Attempts to relocate a placed transfer after each ejection move of the style `Weights`.
pub(super) const RELOCATIONS: usize = 12;
/// Moves of an iteration per transfer of the search under a group, at most the number of demands.
const MOVES_UNDER_GROUP: usize = 8;
/// Most moves of an iteration, so that islands of large problems exchange messages in time.
const MOST_MOVES: usize = 10_000;

impl ScatterSearch {
    /// One iteration. The number of ejections is the same in all styles, so that islands take
    /// equally long: one for every `1 + RELOCATIONS` transfers. Returns the number of moves,
    /// ejections and relocations.
    pub(super) fn repair(&mut self, rng: &mut Rng) -> u64 {
        self.eject(self.ejections(), rng)
    }

    /// Ejection moves of an iteration.
    pub(super) fn ejections(&self) -> u64 {
        let most = (MOVES_UNDER_GROUP * self.places.len()).min(self.problem.demands().len());
        most.min(MOST_MOVES).div_ceil(1 + RELOCATIONS) as u64
    }

    /// At most this number of ejection moves, each with its relocations. Returns the number of moves.
    pub(super) fn eject(&mut self, most: u64, rng: &mut Rng) -> u64 {
        let (mut ejections, mut moves) = (0, 0);
        while !self.waiting.is_empty() && !self.is_stuck() && ejections < most {
            self.eject_for_one(rng);
            self.fewest = self.fewest.min(self.waiting.len());
            ejections += 1;
            moves += 1;
            if self.style == Style::Weights {
                (0..self.relocations).for_each(|_| self.relocate(rng));
                moves += self.relocations as u64;
            }
        }
        self.ejected += ejections;
        moves
    }

    /// One ejection move: a random waiting transfer gets its cheapest place.
    fn eject_for_one(&mut self, rng: &mut Rng) {
        let i = rng.random_range(0..self.waiting.len());
        let t = self.waiting.swap_remove(i);
        let cost = self.cheapest(t, rng);
        if cost == i16::MAX {
            // No walk fits in the steps.
            self.waiting.push(t);
            self.vain += 1;
            return;
        }
        self.vain = 0;
        if cost > 0 {
            self.clear_for_scanned();
            self.raise_weight(t);
        }
        self.put_where_scanned(t);
        if self.style == Style::Cells {
            let before = self.newest.replace(t);
            before.into_iter().for_each(|t| self.reprice(t, 1));
            self.reprice(t, self.max_weight);
        }
    }

    /// Ejects the occupants of the place that the scan found.
    pub(super) fn clear_for_scanned(&mut self) {
        let problem = self.problem.clone();
        let place = std::mem::take(&mut self.scan.place);
        for (resource, step) in uses(&problem, &place) {
            if let Some(owner) = self.board.occupant(resource, step, &self.price) {
                self.lift(owner);
                self.waiting.push(owner);
            }
        }
        self.scan.place = place;
    }

    /// Tries to move a random placed transfer to a random free place.
    fn relocate(&mut self, rng: &mut Rng) {
        let t = rng.random_range(0..self.places.len()) as u32;
        self.relocate_one(t, rng);
    }

    /// Tries to move a transfer to a random free place, if it has a place; whether it moved.
    pub(super) fn relocate_one(&mut self, t: u32, rng: &mut Rng) -> bool {
        if !self.places.is_placed(t) {
            return false;
        }
        let d = self.demand(t);
        let (images, kept) = (self.images.as_deref(), self.kept.as_deref());
        let walks = self.hops.of((t, d), images, kept, &mut self.scratch);
        let wanted = Wanted::new(&self.problem, &self.board, d, walks);
        if !self.wander.find(&wanted, rng) {
            return false;
        }
        let collide =
            |images: &Arc<Images>| images.collide(uses(&self.problem, &self.wander.place));
        if self.images.as_ref().is_some_and(collide) {
            return false;
        }
        self.lift(t);
        let place = std::mem::take(&mut self.wander.place);
        self.put(t, &place);
        self.wander.place = place;
        true
    }
}

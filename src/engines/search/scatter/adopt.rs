//! Change of the step target: the places that still fit are kept.

use super::ScatterSearch;
use super::board::Board;
use ccsched_base::rng::Rng;
use rand::RngExt;

impl ScatterSearch {
    /// Keeps the places within the steps; every other transfer moves to a free place or waits.
    /// Returns the number of these moves.
    pub(super) fn adopt(&mut self, rng: &mut Rng) -> u64 {
        let capacities = self.problem.resources().capacities();
        self.board = match &self.images {
            None => Board::new(capacities, self.steps),
            Some(images) => Board::under(images, capacities, self.steps, self.places.longest()),
        };
        self.waiting.clear();
        let mut place = Vec::new();
        for t in 0..self.places.len() as u32 {
            place.clear();
            place.extend_from_slice(self.places.of(t));
            self.places.set(t, &[]);
            let is_within = place.last().is_some_and(|&(_, step)| step < self.steps);
            if is_within {
                self.put(t, &place);
            } else {
                self.waiting.push(t);
            }
        }
        // Transfers with the longest paths first, while many places are free.
        let length = |&t: &u32| (self.hops.distance(self.demand(t)), rng.random::<u32>());
        let mut order = self.waiting.clone();
        order.sort_by_cached_key(length);
        order.reverse();
        self.waiting.clear();
        let moves = order.len() as u64;
        // Fitted places and kept ones could conflict.
        let none_is_kept = order.len() == self.places.len();
        if none_is_kept
            && self.begins_by_first_fit()
            && let Some(images) = self.images.clone()
        {
            self.fit(&images, &order);
            return moves;
        }
        for t in order {
            if self.cheapest(t, rng) == 0 {
                self.put_where_scanned(t);
            } else {
                self.waiting.push(t);
            }
        }
        moves
    }
}

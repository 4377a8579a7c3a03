//! Two-point crossover with another island's partial schedule (hgsa-store-and-forward, section
//! 3.2), then repair by ejection.

use super::ScatterSearch;
use super::places::{Crossing, uses};
use crate::engines::Genome;
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;

impl ScatterSearch {
    /// The child has the partner's places between two random points and its own places outside, as
    /// far as they are free; one iteration repairs it. The child is kept if no more transfers wait
    /// than before. Returns the number of moves.
    pub(super) fn cross_with(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Transfers(partner) = partner else { return 0 };
        let transfers = self.places.len();
        let places = self.places_of(partner);
        let (x, y) = (rng.random_range(0..=transfers), rng.random_range(0..=transfers));
        let between = x.min(y)..x.max(y);
        let before = (self.places.clone(), self.waiting.clone());
        let own: Vec<Vec<Crossing>> =
            between.clone().map(|t| self.places.of(t as u32).to_vec()).collect();
        for t in between.clone() {
            self.lift(t as u32);
        }
        for t in between.clone() {
            self.put_if_free(t as u32, &places[t]);
        }
        for (t, place) in between.clone().zip(&own) {
            if !self.places.is_placed(t as u32) {
                self.put_if_free(t as u32, place);
            }
        }
        self.waiting.clear();
        self.waiting.extend((0..transfers as u32).filter(|&t| !self.places.is_placed(t)));
        let moves = self.repair(rng);
        if self.waiting.len() > before.1.len() {
            (0..transfers as u32).for_each(|t| self.lift(t));
            (0..transfers as u32).for_each(|t| self.put(t, before.0.of(t)));
            self.waiting = before.1;
        }
        moves
    }

    /// The places of a schedule, by transfer. In a scatter, each transfer has a message of its own.
    fn places_of(&self, plan: &Plan) -> Vec<Vec<Crossing>> {
        let mut places = vec![Vec::new(); self.places.len()];
        for (step, transfers) in (0..).zip(plan.steps()) {
            for transfer in transfers {
                let crossings = transfer.channels.iter().map(|&channel| (channel, step));
                places[transfer.message as usize].extend(crossings);
            }
        }
        places
    }

    /// Puts a transfer in a place, if that is free.
    pub(super) fn put_if_free(&mut self, t: u32, place: &[Crossing]) {
        if uses(&self.problem, place).all(|(resource, step)| self.board.is_free(resource, step)) {
            self.put(t, place);
        }
    }
}

//! Guided ejection as a [`Walker`]: the interface between an island and the search.

use super::ScatterSearch;
use super::places::{Crossing, add_to_plan};
use super::style::Style;
use super::wanted::Wanted;
use crate::{Method, Seat, Tally, Walker};
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;

impl Walker for ScatterSearch {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        self.weight.fill(1);
        self.price.fill(1);
        self.newest = None;
        self.vain = 0;
        self.scan.pay_once = self.style == Style::Weights;
        let moves = self.adopt(rng);
        self.fewest = self.waiting.len();
        moves
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.set_style(Style::of(self.iteration));
        self.iteration += 1;
        self.repair(rng)
    }

    fn settle(&mut self, Seat { island, .. }: Seat) {
        self.iteration = Style::first_iteration(island);
        self.style = Style::of(self.iteration);
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn polish(&mut self, rng: &mut Rng) {
        self.straighten(rng);
    }

    fn tally(&mut self) -> Tally {
        Tally { ejections: std::mem::take(&mut self.ejected), ..Tally::default() }
    }

    fn method(&self) -> Method {
        Method::GuidedEjection { group: self.symmetry() as u32 }
    }

    fn plan(&self) -> Plan {
        let mut plan = self.partial_plan();
        plan.tidy();
        plan
    }
}

impl ScatterSearch {
    /// The schedule of the placed transfers.
    pub(super) fn partial_plan(&self) -> Plan {
        let mut plan = Plan::new(self.steps);
        for t in 0..self.places.len() as u32 {
            let place = self.places.of(t);
            let Some(images) = &self.images else {
                add_to_plan(&self.problem, &mut plan, t, place);
                continue;
            };
            for g in 0..images.order() {
                let image = |&(c, step): &Crossing| (images.channel(g, c), images.step(g, step));
                let place: Vec<Crossing> = place.iter().map(image).collect();
                for (demand, hops) in images.orbits().carried(t, g, place.len()) {
                    add_to_plan(&self.problem, &mut plan, demand, &place[hops]);
                }
            }
        }
        plan
    }

    /// Replaces detours by shortest paths where these are free.
    fn straighten(&mut self, rng: &mut Rng) {
        for t in 0..self.places.len() as u32 {
            let place = self.places.of(t).to_vec();
            let d = self.demand(t);
            if self.images.is_some() || place.len() as u32 <= self.hops.distance(d) {
                continue;
            }
            self.lift(t);
            let walks = self.hops.shortest(d, &mut self.scratch);
            let wanted = Wanted::new(&self.problem, &self.board, d, walks);
            match self.scan.cheapest(&wanted, rng) {
                Some(0) => self.put_where_scanned(t),
                _ => self.put(t, &place),
            }
        }
    }
}

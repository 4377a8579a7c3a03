//! The first places of a large search under a small group, by first fit. There a move looks at millions of cells, as
//! the board answers for all images of its rows. First fit looks at bits, and occupies the images of every
//! transfer itself.

use super::ScatterSearch;
use super::places::{Crossing, uses};
use crate::engines::construct::first_fit::Fit;
use crate::problem::Switching;
use crate::routing::DistanceTable;
use crate::symmetry::Images;
use std::sync::Arc;

/// First fit is worth while from so many transfers in every step on.
const FEWEST_CELLS: usize = 20_000_000;
/// A group of a higher order has too many images: the steps over the order are more than this.
const LEAST_BLOCKS: usize = 16;

impl ScatterSearch {
    /// Whether the first places are found by first fit.
    pub(super) fn begins_by_first_fit(&self) -> bool {
        let Some(images) = &self.images else { return false };
        let (problem, steps) = (&self.problem, self.steps as usize);
        problem.switching == Switching::Wormhole
            && !problem.has_fixed_routes()
            && self.places.len() * steps >= FEWEST_CELLS
            && images.order() * LEAST_BLOCKS <= steps
    }

    /// Gives transfers the first places that are free, in this order, if none has a place; those that find none wait.
    pub(super) fn fit(&mut self, images: &Arc<Images>, order: &[u32]) {
        let problem = self.problem.clone();
        let demands = || order.iter().map(|&t| problem.demands[images.orbits().demand(t) as usize]);
        let distances = DistanceTable::to(&problem.network, demands().map(|d| d.destination));
        let mut fit = Fit::new(&problem);
        let (mut place, mut image): (Vec<Crossing>, Vec<_>) = (Vec::new(), Vec::new());
        for (&t, demand) in order.iter().zip(demands()) {
            let ends = (demand.source, demand.destination);
            let step = match images.orbits().route(t) {
                Some(route) => fit.along(&problem, ends, route),
                None => fit.choose(&problem, ends, distances.row(ends.1)),
            };
            place.clear();
            place.extend(fit.path().iter().map(|&c| (c, step)));
            if step >= self.steps || images.collide(uses(&problem, &place)) {
                self.waiting.push(t);
                continue;
            }
            for g in 0..images.order() {
                image.clear();
                image.extend(place.iter().map(|&(c, _)| images.channel(g, c)));
                fit.occupy(&problem, &image, images.step(g, step));
            }
            self.put(t, &place);
        }
    }
}

//! The first places of a large search under a small group, by first fit: a move of the search looks at prices in every
//! step of all its paths. First fit looks at bits, and occupies the images of every transfer as it is placed.

use super::ScatterSearch;
use super::places::{Crossing, uses};
use crate::construct::first_fit::Fit;
use ccsched_model::routing::DistanceTable;
use ccsched_model::symmetry::Images;
use std::sync::Arc;

/// Transfers in every step from which first fit pays.
const FEWEST_CELLS: usize = 1_000_000;
/// A group of a higher order has too many images: the steps over the order are more than this.
const LEAST_BLOCKS: usize = 16;

impl ScatterSearch {
    /// Whether the first places are found by first fit.
    pub(super) fn begins_by_first_fit(&self) -> bool {
        let Some(images) = &self.images else { return false };
        let (problem, steps) = (&self.problem, self.steps as usize);
        problem.switching().holds_paths()
            && !problem.has_fixed_routes()
            && self.places.len() * steps >= FEWEST_CELLS
            && images.order() * LEAST_BLOCKS <= steps
    }

    /// Gives transfers the first places that are free, in this order; those that find none wait. None may have a place before.
    pub(super) fn fit(&mut self, images: &Arc<Images>, order: &[u32]) {
        let problem = self.problem.clone();
        let demands =
            || order.iter().map(|&t| problem.demands()[images.orbits().demand(t) as usize]);
        let distances = DistanceTable::to(problem.network(), demands().map(|d| d.destination));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Walker;
    use crate::search::scatter::Hops;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_model::symmetry::{Action, Lookup, groups_of_demands};
    use ccsched_network::spec;
    use ccsched_verify::{Rule, verify};

    /// All transfers of a search under the largest group of a mesh are placed without conflicts, but for some.
    #[test]
    fn most_transfers_find_a_place() {
        let rng = &mut rng_of(1, 0, 0);
        let request = Request::new(Collective::Aas);
        let problem = request.pose(spec::parse("mesh:5x5x3").unwrap(), vec![]).unwrap();
        let lookup = Arc::new(Lookup::new(Arc::new(problem)));
        let groups = groups_of_demands(&lookup, rng);
        let group = groups.iter().find(|group| !group.has_chains() && group.order() > 1).unwrap();
        for (steps, most) in [(120, 0), (95, 300)] {
            let action = Action::random(group, steps, rng);
            let images = Images::new(&lookup, group, action).unwrap();
            let problem = lookup.problem();
            let hops = Arc::new(Hops::new(problem.clone(), 0));
            let mut search = ScatterSearch::under(problem, &hops, images);
            assert!(!search.begins_by_first_fit());
            search.seek(steps, rng);
            let all: Vec<u32> = (0..search.places.len() as u32).collect();
            for &t in &all {
                search.lift(t);
            }
            search.waiting.clear();
            let images = search.images.clone().unwrap();
            search.fit(&images, &all);
            assert!(search.waiting.len() <= most, "{steps}: {}", search.waiting.len());
            let placed = all.iter().filter(|&&t| search.places.is_placed(t)).count();
            assert_eq!(placed + search.waiting.len(), all.len());
            let file = search.plan().record(problem, &[], Provenance::default());
            let wrong = verify(&file);
            assert!(wrong.iter().all(|v| v.rule == Rule::Completeness), "{wrong:?}");
        }
    }
}

//! Guided ejection as a [`Walker`]: the interface between an island and the search.

use super::board::Board;
use super::places::{Crossing, Log, Places, add_to_plan, uses};
use super::scan::Wanted;
use super::{ScatterSearch, Style};
use crate::construct::first_fit::Fit;
use crate::ground::check_steps;
use crate::{Method, Resume, Seat, Tally, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::Images;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    fn partial_plan(&self) -> Plan {
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

// Saves and restores the state of a guided ejection search.

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

// Change of the step target: the places that still fit are kept.

impl ScatterSearch {
    /// Keeps the places within the steps; every other transfer moves to a free place or waits.
    /// Returns the number of these moves.
    fn adopt(&mut self, rng: &mut Rng) -> u64 {
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

// The first places of a large search under a small group, by first fit: a move of the search looks at prices in every
// step of all its paths. First fit looks at bits, and occupies the images of every transfer as it is placed.

/// Transfers in every step from which first fit pays.
const FEWEST_CELLS: usize = 1_000_000;
/// A group of a higher order has too many images: the steps over the order are more than this.
const LEAST_BLOCKS: usize = 16;

impl ScatterSearch {
    /// Whether the first places are found by first fit.
    fn begins_by_first_fit(&self) -> bool {
        let Some(images) = &self.images else { return false };
        let (problem, steps) = (&self.problem, self.steps as usize);
        problem.switching().holds_paths()
            && !problem.has_fixed_routes()
            && self.places.len() * steps >= FEWEST_CELLS
            && images.order() * LEAST_BLOCKS <= steps
    }

    /// Gives transfers the first places that are free, in this order; those that find none wait. None may have a place before.
    fn fit(&mut self, images: &Arc<Images>, order: &[u32]) {
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
    use super::super::Hops;
    use super::*;
    use crate::Walker;
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

//! Guided ejection search for scatters: path colouring on a partial schedule.
//!
//! A schedule is never in conflict; transfers that have no place wait in a list. A move takes one of
//! them, looks at all its paths and steps for the place whose occupants are the cheapest to eject,
//! and puts it there. Who had to eject others gets dearer itself, so that quarrels are settled in
//! the end. Between the moves some placed transfers move to where they are in nobody's way, which
//! keeps the free places wandering. (The weights are those of guided local search, the ejections
//! those of Nagata and Bräysy for vehicle routing; complete assignments as in the papers are far
//! slower.)

mod board;
mod exchange;
mod hops;
mod places;
mod scan;
mod state;
mod style;
mod wander;

use super::symmetry::Images;
use super::{Genome, Rng, Walker};
use crate::comm::CommError;
use crate::problem::{Problem, Switching};
use crate::schedule::Plan;
use board::{Board, NEVER};
use hops::{Hops, Scratch};
use places::{Crossing, Places, add_to_plan, uses};
use rand::RngExt;
use scan::Scan;
use std::sync::Arc;
use style::Style;
use wander::Wander;

/// Attempts to move a placed transfer elsewhere, after every ejection move by weights.
const RELOCATIONS: usize = 12;
/// Moves of an iteration for every transfer that stands for others, unless there are fewer of these.
const MOVES_UNDER_GROUP: usize = 8;
/// Most moves of an iteration, so that islands of large problems hear of each other in time.
const MOST_MOVES: usize = 10_000;

/// A guided ejection search.
#[derive(Clone)]
pub struct Ejection {
    problem: Arc<Problem>,
    hops: Arc<Hops>,
    steps: u32,
    board: Board,
    places: Places,
    waiting: Vec<u32>,
    /// How dear every transfer has become.
    weight: Vec<i16>,
    /// What it costs to eject every transfer, in the present style.
    price: Vec<i16>,
    dearest: i16,
    style: Style,
    /// The transfer that the last ejection move has placed.
    newest: Option<u32>,
    iteration: u64,
    fewest: usize,
    /// Cells (channel, step) looked at in search of cheap places.
    scanned: u64,
    /// Whether it takes over what other islands show.
    exchanges: bool,
    /// Where one transfer stands for all of its orbit.
    images: Option<Arc<Images>>,
    scan: Scan,
    wander: Wander,
    scratch: Scratch,
}

impl Ejection {
    /// A search without a number of steps yet; [`Walker::seek`] must follow.
    pub fn new(problem: Arc<Problem>, exchanges: bool) -> Self {
        let hops = Arc::new(Hops::new(problem.clone(), problem.routing.slack()));
        Self::on(problem, hops, exchanges, None)
    }

    /// The same search for schedules that a group keeps; for its number of steps alone.
    pub fn under(&self, images: Images) -> Self {
        Self::on(self.problem.clone(), self.hops.clone(), false, Some(Arc::new(images)))
    }

    fn on(
        problem: Arc<Problem>,
        hops: Arc<Hops>,
        exchanges: bool,
        images: Option<Arc<Images>>,
    ) -> Self {
        let slack = problem.routing.slack();
        let transfers = images.as_ref().map_or(problem.demands.len(), |i| i.transfers());
        let demand = |t| images.as_ref().map_or(t, |i| i.demand(t, 0)) as usize;
        let lengths = |t: usize| hops.distance(demand(t as u32)) + slack;
        let longest = (0..transfers).map(lengths).max().unwrap_or(0);
        Ejection {
            steps: 0,
            board: Board::new(problem.resources.capacities(), 0),
            places: Places::new((0..transfers).map(lengths)),
            waiting: Vec::with_capacity(transfers),
            weight: vec![1; transfers],
            price: vec![1; transfers],
            // A hop takes at most a link and two ports.
            dearest: (NEVER - 1) / (3 * longest.max(1)).min(5_000) as i16,
            style: Style::Weights,
            newest: None,
            iteration: 0,
            fewest: usize::MAX,
            scanned: 0,
            exchanges,
            images: images.clone(),
            scan: Scan::default(),
            wander: Wander::default(),
            scratch: Scratch::default(),
            problem,
            hops,
        }
    }

    /// Keeps the places that still are within the steps; who has none finds a free one or waits.
    fn take_over(&mut self, rng: &mut Rng) {
        self.board = match &self.images {
            None => Board::new(self.problem.resources.capacities(), self.steps),
            Some(images) => Board::under(images.clone(), self.steps),
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
        // The longest find a place first, while there are many.
        let length = |&t: &u32| (self.hops.distance(self.demand(t)), rng.random::<u32>());
        let mut order = self.waiting.clone();
        order.sort_by_cached_key(length);
        order.reverse();
        self.waiting.clear();
        for t in order {
            if self.cheapest(t, rng) == 0 {
                self.put_where_scanned(t);
            } else {
                self.waiting.push(t);
            }
        }
    }

    /// The demand that a transfer serves.
    fn demand(&self, t: u32) -> usize {
        self.images.as_ref().map_or(t, |images| images.demand(t, 0)) as usize
    }

    /// The price of the cheapest place of a transfer, which the scan then holds.
    fn cheapest(&mut self, t: u32, rng: &mut Rng) -> i16 {
        let d = self.demand(t);
        let walks = self.hops.of(d, &mut self.scratch);
        self.scanned += u64::from(self.steps) * walks.hops() as u64;
        let demand = &self.problem.demands[d];
        let mut price = self.scan.cheapest(&self.problem, &self.board, demand, walks, rng);
        if let Some(images) = &self.images {
            let wormhole = self.problem.switching == Switching::Wormhole;
            while price.is_some() && images.collide(uses(&self.problem, &self.scan.place)) {
                price = match wormhole {
                    true => self.scan.next_cheapest(&self.problem, &self.board, demand, walks, rng),
                    // Another time, by another way.
                    false => None,
                };
            }
        }
        price.unwrap_or(i16::MAX)
    }

    fn put(&mut self, t: u32, place: &[Crossing]) {
        for (resource, step) in uses(&self.problem, place) {
            self.board.put(resource, step, t, &self.price);
        }
        self.places.set(t, place);
    }

    /// How many transfers each of the search stands for.
    pub fn symmetry(&self) -> usize {
        self.images.as_ref().map_or(1, |images| images.order())
    }

    /// How many cells (channel, step) were looked at so far.
    pub fn scanned(&self) -> u64 {
        self.scanned
    }

    /// The fewest transfers, or orbits of them, that were ever left waiting for this number of steps.
    pub fn fewest_waiting(&self) -> usize {
        self.fewest
    }

    /// The schedule of those that have a place.
    fn partial_plan(&self) -> Plan {
        let mut plan = Plan::new(self.steps);
        let network = &self.problem.network;
        for t in 0..self.places.len() as u32 {
            let place = self.places.of(t);
            let Some(images) = &self.images else {
                add_to_plan(&self.problem, &mut plan, t, place);
                continue;
            };
            for g in 0..images.order() {
                let image =
                    |&(c, step): &Crossing| (images.channel(network, g, c), images.step(g, step));
                let place: Vec<Crossing> = place.iter().map(image).collect();
                add_to_plan(&self.problem, &mut plan, images.demand(t, g), &place);
            }
        }
        plan
    }

    fn put_where_scanned(&mut self, t: u32) {
        let place = std::mem::take(&mut self.scan.place);
        self.put(t, &place);
        self.scan.place = place;
    }

    fn lift(&mut self, t: u32) {
        for (resource, step) in uses(&self.problem, self.places.of(t)) {
            self.board.take(resource, step, t, &self.price);
        }
        self.places.set(t, &[]);
    }

    /// As many moves as transfers, ejections and relocations counted alike; in all styles as many
    /// ejections, so that islands take equally long. Returns the number of moves.
    fn repair(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        let most = (MOVES_UNDER_GROUP * self.places.len()).min(self.problem.demands.len());
        let most = most.min(MOST_MOVES);
        while !self.waiting.is_empty() && moves < most {
            self.eject_for_one(rng);
            self.fewest = self.fewest.min(self.waiting.len());
            if self.style == Style::Weights {
                (0..RELOCATIONS).for_each(|_| self.relocate(rng));
            }
            moves += 1 + RELOCATIONS;
        }
        moves as u64
    }

    /// One ejection move: a random waiting transfer gets its cheapest place.
    fn eject_for_one(&mut self, rng: &mut Rng) {
        let i = rng.random_range(0..self.waiting.len());
        let t = self.waiting.swap_remove(i);
        let cost = self.cheapest(t, rng);
        if cost == i16::MAX {
            // Not within these steps.
            self.waiting.push(t);
            return;
        }
        if cost > 0 {
            self.clear_for_scanned();
            self.get_dearer(t);
        }
        self.put_where_scanned(t);
        if self.style == Style::Cells {
            let before = self.newest.replace(t);
            before.into_iter().for_each(|t| self.reprice(t, 1));
            self.reprice(t, self.dearest);
        }
    }

    /// Ejects those who stand where the scan has found the cheapest place.
    fn clear_for_scanned(&mut self) {
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

    fn get_dearer(&mut self, t: u32) {
        let weight = &mut self.weight[t as usize];
        *weight += 1;
        if *weight >= self.dearest {
            // What was long ago counts half.
            self.weight.iter_mut().for_each(|w| *w = (*w + 1) / 2);
            self.price_all();
        } else if self.style == Style::Weights {
            self.price[t as usize] = *weight;
        }
    }

    /// Gives a transfer another price.
    fn reprice(&mut self, t: u32, price: i16) {
        self.price[t as usize] = price;
        for (resource, step) in uses(&self.problem, self.places.of(t)) {
            self.board.reprice(resource, step, &self.price);
        }
    }

    /// Prices everybody anew, as the style says.
    fn price_all(&mut self) {
        self.newest = None;
        self.scan.pay_once = self.style == Style::Weights;
        for t in 0..self.places.len() as u32 {
            let price = if self.style == Style::Weights { self.weight[t as usize] } else { 1 };
            self.reprice(t, price);
        }
    }

    /// Gives detours up where a shortest path is free.
    fn straighten(&mut self, rng: &mut Rng) {
        for t in 0..self.places.len() as u32 {
            let place = self.places.of(t).to_vec();
            let d = self.demand(t);
            if self.images.is_some() || place.len() as u32 <= self.hops.distance(d) {
                continue;
            }
            self.lift(t);
            let walks = self.hops.shortest(d, &mut self.scratch);
            let demand = &self.problem.demands[d];
            match self.scan.cheapest(&self.problem, &self.board, demand, walks, rng) {
                Some(0) => self.put_where_scanned(t),
                _ => self.put(t, &place),
            }
        }
    }

    /// Tries to move a random placed transfer to a random free place.
    fn relocate(&mut self, rng: &mut Rng) {
        let t = rng.random_range(0..self.places.len());
        if !self.places.is_placed(t as u32) {
            return;
        }
        let d = self.demand(t as u32);
        let walks = self.hops.of(d, &mut self.scratch);
        let demand = &self.problem.demands[d];
        if self.wander.find(&self.problem, &self.board, demand, walks, rng) {
            let collide =
                |images: &Arc<Images>| images.collide(uses(&self.problem, &self.wander.place));
            if self.images.as_ref().is_some_and(collide) {
                return;
            }
            self.lift(t as u32);
            let place = std::mem::take(&mut self.wander.place);
            self.put(t as u32, &place);
            self.wander.place = place;
        }
    }
}

impl Walker for Ejection {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        self.weight.fill(1);
        self.price.fill(1);
        self.newest = None;
        self.scan.pay_once = self.style == Style::Weights;
        self.take_over(rng);
        self.fewest = self.waiting.len();
        0
    }

    fn sweep(&mut self, rng: &mut Rng) -> u64 {
        let style = Style::of(self.iteration);
        if style != self.style {
            self.style = style;
            self.price_all();
        }
        self.iteration += 1;
        self.repair(rng)
    }

    fn settle(&mut self, island: usize) {
        self.iteration = Style::first_iteration(island);
        self.style = Style::of(self.iteration);
    }

    fn meet(&mut self, partner: &Genome, rng: &mut Rng) {
        if self.exchanges {
            self.cross_with(partner, rng);
        }
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn genome(&self) -> Genome {
        match self.images {
            None if self.exchanges => Genome::Transfers(self.partial_plan()),
            _ => Genome::Nothing,
        }
    }

    fn polish(&mut self, rng: &mut Rng) {
        self.straighten(rng);
    }

    fn save(&self) -> Result<Vec<u8>, CommError> {
        self.to_bytes()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        self.set_from(state)
    }

    fn boxed_clone(&self) -> Box<dyn Walker> {
        Box::new(self.clone())
    }

    fn plan(&self) -> Plan {
        let mut plan = self.partial_plan();
        plan.tidy();
        plan
    }
}

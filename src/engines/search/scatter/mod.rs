//! Guided ejection search for scatters: path colouring on a partial schedule.
//!
//! The partial schedule never has a conflict; transfers without a place wait in a list. A move
//! takes a waiting transfer, searches all its paths and steps for the place whose occupants are
//! cheapest to eject, and puts it there. A transfer that ejects others becomes more expensive to
//! eject, so that ejections do not cycle. Between ejections, placed transfers move to random free
//! places, which moves the free places around. (The weights are those of guided local search, the
//! ejections those of Nagata and Bräysy for vehicle routing; complete genes as in the papers are
//! far slower.)

mod board;
mod hops;
mod places;
mod repair;
mod scan;
mod team;
mod walker;

use board::{Board, NEVER};
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::routing::{Hop, WalkFinder, WalkGraph};
use ccsched_model::symmetry::Images;
pub use hops::Hops;
use hops::Kept;
pub use places::uses;
use places::{Crossing, Log, Places};
use rand::RngExt;
pub use repair::{CHAIN, Repair, Repaired, old_places};
use scan::{Scan, Wanted};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
pub use team::Teamed;

/// Places at which a transfer meets its own images that a move passes over. In a large schedule, where steps have few
/// images, nearly all are.
const MOST_REJECTED: usize = 256;

/// Failed moves in a row, beside four for each waiting transfer, that end an attempt.
const MAX_FAILED: usize = 64;

/// A guided ejection search.
#[derive(Clone)]
pub struct ScatterSearch {
    problem: Arc<Problem>,
    hops: Arc<Hops>,
    /// The walks of all transfers, if they fit in the limit.
    kept: Option<Arc<Kept>>,
    steps: u32,
    board: Board,
    places: Places,
    waiting: Vec<u32>,
    /// The weight of each transfer: it grows whenever the transfer ejects others.
    weight: Vec<i16>,
    /// The price of ejecting each transfer, in the present style.
    price: Vec<i16>,
    max_weight: i16,
    style: Style,
    /// The transfer that the last ejection move placed.
    newest: Option<u32>,
    iteration: u64,
    fewest: usize,
    /// The last moves in a row that found no place.
    vain: usize,
    /// Cells (channel, step) scanned for cheap places.
    scanned: u64,
    /// Ejection moves that no tally has counted.
    ejected: u64,
    /// Relocations after each ejection move of the style `Weights`.
    relocations: usize,
    /// What has changed since a team had the same schedule.
    log: Option<Log>,
    /// The images under a group, where one transfer represents its orbit.
    images: Option<Arc<Images>>,
    scan: Scan,
    wander: Wander,
    scratch: WalkFinder,
}

impl ScatterSearch {
    /// A search without a number of steps; call [`Walker::seek`](crate::Walker::seek)
    /// next.
    pub fn new(problem: Arc<Problem>, hops: Arc<Hops>) -> Self {
        Self::on(problem, hops, None)
    }

    /// A search for schedules that are invariant under a group; for the group's number of steps
    /// alone.
    pub fn under(problem: &Arc<Problem>, hops: &Arc<Hops>, images: Images) -> Self {
        Self::on(problem.clone(), hops.clone(), Some(Arc::new(images)))
    }

    fn on(problem: Arc<Problem>, hops: Arc<Hops>, images: Option<Arc<Images>>) -> Self {
        let transfers = images.as_ref().map_or(problem.demands().len(), |i| i.orbits().transfers());
        let demand = |t| images.as_ref().map_or(t, |i| i.orbits().demand(t)) as usize;
        let lengths = |t: u32| hops.longest(demand(t));
        let longest = (0..transfers as u32).map(lengths).max().unwrap_or(0);
        ScatterSearch {
            steps: 0,
            board: Board::new(problem.resources().capacities(), 0),
            places: Places::new((0..transfers as u32).map(lengths)),
            waiting: Vec::with_capacity(transfers),
            weight: vec![1; transfers],
            price: vec![1; transfers],
            // A hop occupies at most a link and two ports.
            max_weight: (NEVER - 1) / (3 * longest.max(1)).min(5_000) as i16,
            style: Style::Weights,
            newest: None,
            iteration: 0,
            fewest: usize::MAX,
            vain: 0,
            scanned: 0,
            ejected: 0,
            relocations: RELOCATIONS,
            log: None,
            images: images.clone(),
            scan: Scan::default(),
            wander: Wander::default(),
            scratch: WalkFinder::default(),
            kept: hops.keep((0..transfers as u32).map(demand), images.as_deref()).map(Arc::new),
            problem,
            hops,
        }
    }

    /// The demand that a transfer serves, or one with its ends.
    fn demand(&self, t: u32) -> usize {
        self.images.as_ref().map_or(t, |images| images.orbits().demand(t)) as usize
    }

    /// The price of the cheapest place of a transfer; the place itself is in the scan.
    fn cheapest(&mut self, t: u32, rng: &mut Rng) -> i16 {
        let d = self.demand(t);
        let (images, kept) = (self.images.as_deref(), self.kept.as_deref());
        let walks = self.hops.of((t, d), images, kept, &mut self.scratch);
        self.scanned += u64::from(self.steps) * walks.hops() as u64;
        let wanted = Wanted::new(&self.problem, &self.board, d, walks);
        let mut price = self.scan.cheapest(&wanted, rng);
        if let Some(images) = &self.images {
            // With store-and-forward switching a later move may find another walk.
            let mut looks = match self.problem.switching() {
                Switching::Wormhole | Switching::Hosts => MOST_REJECTED,
                Switching::StoreAndForward => 0,
            };
            while price.is_some() && images.collide(uses(&self.problem, &self.scan.place)) {
                price = if looks > 0 { self.scan.next_cheapest(&wanted, rng) } else { None };
                looks = looks.saturating_sub(1);
            }
        }
        price.unwrap_or(i16::MAX)
    }

    /// Notes a transfer that is about to change, if changes are noted.
    #[inline]
    fn note(&mut self, t: u32) {
        if let Some(log) = &mut self.log {
            log.note(t, self.weight[t as usize], self.places.of(t));
        }
    }

    /// Puts a transfer in a free place.
    fn put(&mut self, t: u32, place: &[Crossing]) {
        self.note(t);
        uses(&self.problem, place).for_each(|(r, step)| self.board.put(r, step, t, &self.price));
        self.places.set(t, place);
    }

    /// Number of transfers that each transfer of the search represents.
    pub fn symmetry(&self) -> usize {
        self.images.as_ref().map_or(1, |images| images.order())
    }

    /// Whether most moves are relocations, in the present style.
    pub fn relocates(&self) -> bool {
        self.style == Style::Weights
    }

    /// Number of cells (channel, step) scanned so far.
    pub fn scanned(&self) -> u64 {
        self.scanned
    }

    /// The fewest waiting transfers, or orbits of them, seen at this step target.
    pub fn fewest_waiting(&self) -> usize {
        self.fewest
    }

    /// Whether no transfer that waits finds a place, whatever it ejects: under the group, all meet their own images.
    pub fn is_stuck(&self) -> bool {
        self.vain > MAX_FAILED + 4 * self.waiting.len()
    }

    /// Puts a transfer in a place, if that is free.
    fn put_if_free(&mut self, t: u32, place: &[Crossing]) {
        if uses(&self.problem, place).all(|(resource, step)| self.board.is_free(resource, step)) {
            self.put(t, place);
        }
    }

    /// Puts a transfer in the place that the scan found, which must be free.
    fn put_where_scanned(&mut self, t: u32) {
        let place = std::mem::take(&mut self.scan.place);
        self.put(t, &place);
        self.scan.place = place;
    }

    /// Removes a transfer from its place.
    fn lift(&mut self, t: u32) {
        self.note(t);
        let uses = uses(&self.problem, self.places.of(t));
        uses.for_each(|(r, step)| self.board.take(r, step, t, &self.price));
        self.places.set(t, &[]);
    }
}

// The moves: ejections, which give a waiting transfer its cheapest place, and relocations of
// placed transfers between them.

/// Attempts to relocate a placed transfer after each ejection move of the style `Weights`.
const RELOCATIONS: usize = 12;
/// Moves of an iteration per transfer of the search under a group, at most the number of demands.
const MOVES_UNDER_GROUP: usize = 8;
/// Most moves of an iteration, so that islands of large problems exchange messages in time.
const MOST_MOVES: usize = 10_000;

impl ScatterSearch {
    /// One iteration. The number of ejections is the same in all styles, so that islands take
    /// equally long: one for every `1 + RELOCATIONS` transfers. Returns the number of moves,
    /// ejections and relocations.
    fn repair(&mut self, rng: &mut Rng) -> u64 {
        self.eject(self.ejections(), rng)
    }

    /// Ejection moves of an iteration.
    fn ejections(&self) -> u64 {
        let most = (MOVES_UNDER_GROUP * self.places.len()).min(self.problem.demands().len());
        most.min(MOST_MOVES).div_ceil(1 + RELOCATIONS) as u64
    }

    /// At most this number of ejection moves, each with its relocations. Returns the number of moves.
    fn eject(&mut self, most: u64, rng: &mut Rng) -> u64 {
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

    /// Tries to move a random placed transfer to a random free place.
    fn relocate(&mut self, rng: &mut Rng) {
        let t = rng.random_range(0..self.places.len()) as u32;
        self.relocate_one(t, rng);
    }

    /// Tries to move a transfer to a random free place, if it has a place; whether it moved.
    fn relocate_one(&mut self, t: u32, rng: &mut Rng) -> bool {
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

// Random free places: placed transfers move to them between ejections, so that the free places
// move around until a waiting transfer can use them.

/// Random steps tried where the board has no bits of the free steps of every resource.
const GUESSES: usize = 8;

/// Finds random free places; reused.
#[derive(Clone, Debug, Default)]
struct Wander {
    /// The steps in which the whole path so far is free.
    free: Vec<u64>,
    /// The place found, in the order of its hops.
    place: Vec<Crossing>,
}

impl Wander {
    /// Finds a random free place along a random path. Returns whether there is one.
    fn find(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let found = match wanted.problem.switching() {
            Switching::Wormhole | Switching::Hosts => self.wormhole(wanted, rng),
            Switching::StoreAndForward => self.store_and_forward(wanted, rng),
        };
        wanted.cut_loops(&mut self.place);
        found
    }

    fn wormhole(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let &Wanted { board, walks, .. } = wanted;
        let ports = [wanted.send_port(), wanted.receive_port()];
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let hop = random_hop(walks, slot, rng);
            if let Some(free) = board.free(wanted.link(hop.channel))
                && !self.narrow(free)
            {
                return false;
            }
            self.place.push((hop.channel, 0));
            slot = hop.from as usize;
        }
        let step = if board.is_quotient() {
            let links = self.place.iter().map(|crossing| wanted.link(crossing.0));
            let all = links.chain(ports.into_iter().flatten());
            let mut guesses = (0..GUESSES).map(|_| rng.random_range(0..board.steps() as u32));
            guesses.find(|&step| all.clone().all(|r| board.is_free(r, step)))
        } else {
            let mut ports = ports.into_iter().flatten().filter_map(|port| board.free(port));
            let has_steps = ports.all(|free| self.narrow(free));
            let nth = has_steps.then(|| rng.random_range(0..bits::count(&self.free)));
            nth.and_then(|nth| bits::nth(&self.free, nth))
        };
        let Some(step) = step else { return false };
        self.place.iter_mut().for_each(|crossing| crossing.1 = step);
        self.place.reverse();
        true
    }

    /// Intersects the free steps with those of one more hop; before the first hop, all steps are
    /// free. Returns whether any is left.
    fn narrow(&mut self, free: &[u64]) -> bool {
        if self.place.is_empty() {
            self.free.clear();
            self.free.extend_from_slice(free);
        } else {
            self.free.iter_mut().zip(free).for_each(|(all, free)| *all &= free);
        }
        self.free.iter().any(|&word| word != 0)
    }

    /// A random path from a random step on; the message waits where the next hop is not free.
    fn store_and_forward(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let &Wanted { board, walks, .. } = wanted;
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let hop = random_hop(walks, slot, rng);
            self.place.push((hop.channel, 0));
            slot = hop.from as usize;
        }
        self.place.reverse();
        let Some(latest) = board.steps().checked_sub(self.place.len()) else { return false };
        let mut step = rng.random_range(0..=latest as u32);
        let end = board.steps() as u32;
        for crossing in &mut self.place {
            let (link, (send, receive)) =
                (wanted.link(crossing.0), wanted.ports_of_hop(crossing.0));
            let is_free = |&step: &u32| {
                let mut all = [Some(link), send, receive].into_iter().flatten();
                all.all(|resource| board.is_free(resource, step))
            };
            let Some(next) = (step..end).find(is_free) else { return false };
            crossing.1 = next;
            step = next + 1;
        }
        true
    }
}

fn random_hop(walks: WalkGraph<'_>, slot: usize, rng: &mut Rng) -> Hop {
    match walks.into_slot(slot) {
        [only] => *only,
        hops => hops[rng.random_range(0..hops.len())],
    }
}

// The styles of pricing an ejection; islands rotate through them.

/// A style of pricing ejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Style {
    /// The price of a transfer grows whenever it ejects others, so that ejections do not cycle.
    /// Best on nearly all networks.
    Weights,
    /// Every transfer has price 1 except the one placed last, which is effectively tabu. Best where
    /// every port is busy in all steps, as in fat trees: no free place is left to relocate to.
    Cells,
}

/// The styles of an island in turn; islands start at different ones.
const STYLES: [Style; 4] = [Style::Weights, Style::Weights, Style::Weights, Style::Cells];
/// Iterations before the next style.
const ITERATIONS: u64 = 2000;
/// Where in the turn the islands start, by island.
const OFFSETS: [u64; 4] = [0, 3, 1, 2];

impl Style {
    /// The iteration number that an island starts from.
    fn first_iteration(island: usize) -> u64 {
        OFFSETS[island % OFFSETS.len()] * ITERATIONS
    }

    /// The style of an iteration.
    fn of(iteration: u64) -> Style {
        STYLES[(iteration / ITERATIONS) as usize % STYLES.len()]
    }
}

impl ScatterSearch {
    /// Raises the weight of a transfer that ejected others.
    fn raise_weight(&mut self, t: u32) {
        self.note(t);
        let weight = self.weight[t as usize] + 1;
        // In a team, weights are halved after the exchange.
        if weight >= self.max_weight && self.log.is_none() {
            self.weight[t as usize] = weight;
            self.halve();
        } else {
            self.set_weight(t, weight);
        }
    }

    /// Sets the weight of a transfer that has no place.
    fn set_weight(&mut self, t: u32, weight: i16) {
        let weight = weight.min(self.max_weight - 1);
        self.weight[t as usize] = weight;
        if self.style == Style::Weights {
            self.price[t as usize] = weight;
        }
    }

    /// Halves all weights, so that old ejections count less.
    fn halve(&mut self) {
        (0..self.places.len() as u32).for_each(|t| self.note(t));
        self.weight.iter_mut().for_each(|w| *w = (*w + 1) / 2);
        self.price_all();
    }

    /// Halves all weights if one that has changed has reached the limit.
    fn halve_if_due(&mut self) {
        let changed = self.log.iter().flat_map(|log| log.before.transfers());
        let mut weights = changed.map(|&t| self.weight[t as usize]);
        if weights.any(|weight| weight >= self.max_weight - 1) {
            self.halve();
        }
    }

    /// Changes to a style.
    fn set_style(&mut self, style: Style) {
        if style != self.style {
            self.style = style;
            self.price_all();
        }
    }

    /// The transfer placed last is no longer tabu.
    fn forget_newest(&mut self) {
        if let Some(t) = self.newest.take() {
            self.reprice(t, 1);
        }
    }

    /// Gives a transfer another price.
    fn reprice(&mut self, t: u32, price: i16) {
        self.price[t as usize] = price;
        for (resource, step) in uses(&self.problem, self.places.of(t)) {
            self.board.reprice(resource, step, &self.price);
        }
    }

    /// Reprices every transfer by the style.
    fn price_all(&mut self) {
        self.newest = None;
        self.scan.pay_once = self.style == Style::Weights;
        for t in 0..self.places.len() as u32 {
            let price = if self.style == Style::Weights { self.weight[t as usize] } else { 1 };
            self.reprice(t, price);
        }
    }
}

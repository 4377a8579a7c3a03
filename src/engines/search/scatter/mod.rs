//! Guided ejection search for scatters: path colouring on a partial schedule.
//!
//! The partial schedule never has a conflict; transfers without a place wait in a list. A move
//! takes a waiting transfer, searches all its paths and steps for the place whose occupants are
//! cheapest to eject, and puts it there. A transfer that ejects others becomes more expensive to
//! eject, so that ejections do not cycle. Between ejections, placed transfers move to random free
//! places, which moves the free places around. (The weights are those of guided local search, the
//! ejections those of Nagata and Bräysy for vehicle routing; complete genes as in the papers are
//! far slower.)

mod adopt;
mod board;
mod changes;
mod fitted;
mod hops;
mod moves;
mod places;
mod repair;
mod scan;
mod state;
mod style;
mod symmetry;
mod team;
mod walker;
mod wander;
mod wanted;

use board::{Board, NEVER};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::routing::WalkFinder;
use ccsched_model::symmetry::Images;
use changes::Log;
pub use hops::Hops;
use hops::Kept;
pub use places::uses;
use places::{Crossing, Places};
pub use repair::{CHAIN, Repair, Repaired, old_places};
use scan::Scan;
use std::sync::Arc;
use style::Style;
pub use team::Teamed;
use wander::Wander;
use wanted::Wanted;

/// Places at which a transfer meets its own images that a move passes over. In a large schedule, where steps have few
/// images, nearly all are.
const MOST_REJECTED: usize = 256;

/// Failed moves in a row, beside four for each waiting transfer, that end an attempt.
const VAIN: usize = 64;

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
            relocations: moves::RELOCATIONS,
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
        self.vain > VAIN + 4 * self.waiting.len()
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

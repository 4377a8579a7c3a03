//! Repair: from the places of an old schedule to a schedule of a changed problem in which few messages
//! have another place.
//!
//! What lost its place is ejected into the schedule as in the search, but messages that have not moved
//! are expensive to eject, and more so the fuller their channels: where there is room, others have room
//! as well. Then moved messages are sent home (home.rs). Each round begins anew with other random
//! numbers; rounds after one that failed have more moves, and lower prices of unmoved messages.

mod home;
mod nearest;
mod old;

use super::places::{Crossing, Places, add_to_plan, uses};
use super::style::Style;
use super::{Board, Hops, ScatterSearch};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
pub use home::CHAIN;
pub use old::old_places;
use rand::RngExt;
use std::sync::Arc;

/// The factor of the price of a message that has not moved, by round in turn.
const UNMOVED: [i16; 3] = [6, 3, 12];
/// What full channels add to the factor 1 of the price, at most.
const FULL: f64 = 5.0;
/// The fill of channels counts by this power.
const POWER: i32 = 16;
/// Units of a price.
const UNIT: i16 = 3;
/// Ejection moves of a round for each message, at most.
const MOVES: usize = 30;
/// How often the moves of a round are doubled, at most, after rounds that failed.
const MOST_EFFORT: u32 = 5;
/// Attempts to relocate a moved message after each ejection.
const RELOCATIONS: usize = 3;
/// Passes over the moved messages at the end of a round.
const PASSES: usize = 4;

/// A repair of the schedule of a scatter.
#[derive(Clone)]
pub struct Repair {
    search: ScatterSearch,
    /// The places of the old schedule; a message that lost its place has none.
    home: Arc<Places>,
    /// By message: the factor of its price by its channels, from 1.
    base: Vec<i16>,
    failures: Vec<i16>,
    round: usize,
    /// Rounds that have failed in a row.
    effort: u32,
    /// The factor of the price of messages that have not moved.
    unmoved: i16,
    /// The messages that a round has placed, each as often as that happened.
    movers: Vec<u32>,
}

/// A schedule that a repair can go on with: how many messages have not their old place, and the
/// places of all.
#[derive(Clone)]
pub struct Repaired {
    /// Messages that have another place than in the old schedule, or had none.
    pub moved: usize,
    places: Places,
}

impl Repair {
    /// The repair of an old schedule, of which only the transfers that are still possible are left,
    /// for the messages of a problem of a scatter. Messages that have no place are new.
    pub fn new(problem: Arc<Problem>, old: &Plan) -> Self {
        let hops = Arc::new(Hops::new(problem.clone(), problem.routing().listed_slack()));
        let longest = |t: u32| hops.longest(t as usize);
        let places = old_places(&problem, old, longest);
        let mut home = Places::new((0..places.len() as u32).map(longest));
        (0..).zip(&places).for_each(|(t, place)| home.set(t, place));
        let base = base(&problem, &home, old.len());
        let failures = vec![0; home.len()];
        let search = ScatterSearch::new(problem, hops);
        let (round, effort, unmoved) = (0, 0, UNMOVED[0]);
        let home = Arc::new(home);
        Repair { search, home, base, failures, round, effort, unmoved, movers: Vec::new() }
    }

    /// Messages without an old place: each of them changes in every repair.
    pub fn homeless(&self) -> usize {
        (0..self.home.len() as u32).filter(|&t| !self.home.is_placed(t)).count()
    }

    /// One round at a number of steps; none if messages are left without a place.
    pub fn round(&mut self, steps: u32, rng: &mut Rng) -> Option<Repaired> {
        self.unmoved = (UNMOVED[self.round % UNMOVED.len()] >> (self.effort / 2)).max(1);
        self.round += 1;
        self.begin(steps, &self.home.clone());
        if !self.complete(rng) {
            self.effort = (self.effort + 1).min(MOST_EFFORT);
            return None;
        }
        self.effort = 0;
        for _ in 0..PASSES {
            if !self.send_home(0, rng) {
                break;
            }
        }
        Some(self.repaired())
    }

    /// Goes on with a repair, in as many steps or more.
    pub fn adopt(&mut self, steps: u32, from: &Repaired) {
        self.unmoved = UNMOVED[0];
        self.begin(steps, &from.places);
    }

    /// The schedule as it is now.
    pub fn repaired(&self) -> Repaired {
        let moved = (0..self.home.len() as u32).filter(|&t| !self.is_home(t)).count();
        Repaired { moved, places: self.search.places.clone() }
    }

    /// The plan of a repair.
    pub fn plan(&self, of: &Repaired, steps: u32) -> Plan {
        let mut plan = Plan::new(steps);
        for t in 0..of.places.len() as u32 {
            add_to_plan(&self.search.problem, &mut plan, t, of.places.of(t));
        }
        plan
    }

    /// All messages in the places given that are within the steps; the others wait.
    fn begin(&mut self, steps: u32, places: &Places) {
        let search = &mut self.search;
        search.steps = steps;
        search.style = Style::Weights;
        search.scan.pay_once = true;
        search.log = None;
        search.board = Board::new(search.problem.resources().capacities(), steps);
        search.waiting.clear();
        self.movers.clear();
        self.failures.fill(0);
        for t in 0..self.home.len() as u32 {
            self.search.places.set(t, &[]);
            self.search.price[t as usize] = self.price(t, true);
        }
        for t in 0..self.home.len() as u32 {
            // Under other rules, of ports for one, not all have room.
            if !self.occupy(t, places.of(t)) {
                self.search.waiting.push(t);
            }
        }
    }

    fn price(&self, t: u32, is_home: bool) -> i16 {
        let factor = if is_home { self.unmoved } else { 1 };
        let price = UNIT * self.base[t as usize] * factor;
        price.saturating_add(self.failures[t as usize]).min(self.search.max_weight)
    }

    fn is_home(&self, t: u32) -> bool {
        self.home.is_placed(t) && self.search.places.of(t) == self.home.of(t)
    }

    /// Gives all waiting messages a place; whether all have one.
    fn complete(&mut self, rng: &mut Rng) -> bool {
        let mut left = MOVES * (self.search.waiting.len() + self.home.len() / 10 + 10);
        left <<= self.effort;
        while !self.search.waiting.is_empty() {
            if left == 0 {
                return false;
            }
            left -= 1;
            let i = rng.random_range(0..self.search.waiting.len());
            let t = self.search.waiting.swap_remove(i);
            if self.return_home(t) {
                continue;
            }
            let cost = self.search.cheapest(t, rng);
            if cost == i16::MAX {
                return false;
            }
            self.eject_for(t, cost, 1);
            self.movers.push(t);
            if cost > 0 {
                (0..RELOCATIONS).for_each(|_| self.relocate(rng));
            }
        }
        true
    }

    /// Puts a message where the scan found it a place, which costs so much: what is there waits, and
    /// the message becomes more expensive by `failure`.
    fn eject_for(&mut self, t: u32, cost: i16, failure: i16) {
        if cost > 0 {
            self.search.clear_for_scanned();
            self.failures[t as usize] = self.failures[t as usize].saturating_add(failure);
        }
        self.search.put_where_scanned(t);
        self.reprice(t);
    }

    /// Tries to move a random moved message to a random free place, so that other places become free.
    fn relocate(&mut self, rng: &mut Rng) {
        let t = self.movers[rng.random_range(0..self.movers.len())];
        if !self.is_home(t) && self.search.relocate_one(t, rng) && self.is_home(t) {
            self.reprice(t);
        }
    }

    fn reprice(&mut self, t: u32) {
        let price = self.price(t, self.is_home(t));
        self.search.reprice(t, price);
    }

    /// Puts a message in a place if that is free and within the steps.
    fn occupy(&mut self, t: u32, place: &[Crossing]) -> bool {
        let search = &mut self.search;
        let is_within = place.last().is_some_and(|&(_, step)| step < search.steps);
        if !is_within || !uses(&search.problem, place).all(|(r, s)| search.board.is_free(r, s)) {
            return false;
        }
        search.put(t, place);
        self.reprice(t);
        true
    }

    /// Puts a message at home if its home is free.
    fn return_home(&mut self, t: u32) -> bool {
        let home = self.home.clone();
        self.occupy(t, home.of(t))
    }
}

/// The factor of the price of each message by its channels.
fn base(problem: &Problem, home: &Places, steps: usize) -> Vec<i16> {
    let capacities = problem.resources().capacities();
    let mut load = vec![0u32; capacities.len()];
    for t in 0..home.len() as u32 {
        uses(problem, home.of(t)).for_each(|(r, _)| load[r as usize] += 1);
    }
    let fill = |r: usize| f64::from(load[r]) / (f64::from(capacities[r]) * steps.max(1) as f64);
    let of = |t: u32| {
        let fullest = uses(problem, home.of(t)).map(|(r, _)| fill(r as usize)).fold(0.0, f64::max);
        (1.0 + FULL * fullest.min(1.0).powi(POWER)).round() as i16
    };
    (0..home.len() as u32).map(of).collect()
}

//! Repair: from the places of an old schedule to a schedule of a changed problem in which few messages
//! have another place.
//!
//! What lost its place is ejected into the schedule as in the search, but messages that have not moved
//! are expensive to eject, and more so the fuller their channels: where there is room, others have room
//! as well.
//! Then moved messages are sent home, one by one: what is in the way moves to a free place, or all
//! stays as it was. Each round begins anew with other random numbers; the best counts.

use super::places::{Crossing, Places, uses};
use super::style::Style;
use super::{Board, Hops, ScatterSearch};
use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;
use rand::seq::SliceRandom;
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
/// Passes over the moved messages that are sent home.
const PASSES: usize = 4;

/// A repair of the schedule of a scatter.
#[derive(Clone)]
pub struct Repair {
    search: ScatterSearch,
    /// The places of the old schedule; a message that lost its place has none.
    home: Places,
    /// By message: the factor of its price by its channels, from 1.
    base: Vec<i16>,
    failures: Vec<i16>,
    round: usize,
}

/// A repaired schedule: how many messages have not their old place, and its plan.
pub type Repaired = (usize, Plan);

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
        let search = ScatterSearch::new(problem, hops, false);
        Repair { search, home, base, failures, round: 0 }
    }

    /// Messages without an old place: each of them changes in every repair.
    pub fn homeless(&self) -> usize {
        (0..self.home.len() as u32).filter(|&t| !self.home.is_placed(t)).count()
    }

    /// One round at a number of steps; none if messages are left without a place.
    pub fn round(&mut self, steps: u32, rng: &mut Rng) -> Option<Repaired> {
        self.begin(steps);
        self.round += 1;
        if !self.complete(rng) {
            return None;
        }
        for _ in 0..PASSES {
            if !self.send_home(rng) {
                break;
            }
        }
        let moved = (0..self.home.len() as u32).filter(|&t| !self.is_home(t)).count();
        Some((moved, self.search.partial_plan()))
    }

    /// All messages at home whose home is within the steps; the others wait.
    fn begin(&mut self, steps: u32) {
        let search = &mut self.search;
        search.steps = steps;
        search.style = Style::Weights;
        search.scan.pay_once = true;
        search.board = Board::new(search.problem.resources().capacities(), steps);
        search.waiting.clear();
        self.failures.fill(0);
        for t in 0..self.home.len() as u32 {
            self.search.places.set(t, &[]);
            self.search.price[t as usize] = self.price(t, true);
        }
        for t in 0..self.home.len() as u32 {
            // Under other rules, of ports for one, not all have room.
            if !self.return_home(t) {
                self.search.waiting.push(t);
            }
        }
    }

    fn price(&self, t: u32, is_home: bool) -> i16 {
        let factor = if is_home { UNMOVED[self.round % UNMOVED.len()] } else { 1 };
        let price = UNIT * self.base[t as usize] * factor;
        price.saturating_add(self.failures[t as usize]).min(self.search.max_weight)
    }

    fn is_home(&self, t: u32) -> bool {
        self.home.is_placed(t) && self.search.places.of(t) == self.home.of(t)
    }

    /// Gives all waiting messages a place; whether all have one.
    fn complete(&mut self, rng: &mut Rng) -> bool {
        let mut left = MOVES * (self.search.waiting.len() + self.home.len() / 10 + 10);
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
            if cost > 0 {
                self.search.clear_for_scanned();
                self.failures[t as usize] = self.failures[t as usize].saturating_add(1);
            }
            self.search.put_where_scanned(t);
            self.reprice(t);
        }
        true
    }

    fn reprice(&mut self, t: u32) {
        let price = self.price(t, self.is_home(t));
        self.search.reprice(t, price);
    }

    /// Puts a message at home if its home is free.
    fn return_home(&mut self, t: u32) -> bool {
        let home = self.home.of(t);
        let search = &mut self.search;
        let is_within = home.last().is_some_and(|&(_, step)| step < search.steps);
        if !is_within || !uses(&search.problem, home).all(|(r, s)| search.board.is_free(r, s)) {
            return false;
        }
        search.put(t, home);
        self.reprice(t);
        true
    }

    /// Sends moved messages home; whether one is there now that was not.
    fn send_home(&mut self, rng: &mut Rng) -> bool {
        let is_moved = |t: &u32| self.home.is_placed(*t) && !self.is_home(*t);
        let mut moved: Vec<u32> = (0..self.home.len() as u32).filter(is_moved).collect();
        moved.shuffle(rng);
        let mut any = false;
        for t in moved {
            any |= !self.is_home(t) && self.send(t, rng);
        }
        any
    }

    /// Sends one message home. What is in its way goes home or to a free place; if something of it has
    /// none, or has not moved itself, all stay where they were.
    fn send(&mut self, t: u32, rng: &mut Rng) -> bool {
        let home = self.home.of(t).to_vec();
        if home.last().is_none_or(|&(_, step)| step >= self.search.steps) {
            return false;
        }
        let mut lifted = vec![self.take(t)];
        let is_sent = self.clear(&home, &mut lifted) && {
            self.search.put(t, &home);
            lifted[1..].iter().all(|&(o, _)| self.return_home(o) || self.put_where_free(o, rng))
        };
        if !is_sent {
            for &(o, _) in &lifted {
                if self.search.places.is_placed(o) {
                    self.search.lift(o);
                }
            }
            lifted.iter().for_each(|(o, place)| self.search.put(*o, place));
        }
        lifted.iter().for_each(|&(o, _)| self.reprice(o));
        is_sent
    }

    /// Lifts what is in the way of a place; false if something of it has not moved.
    fn clear(&mut self, place: &[Crossing], lifted: &mut Vec<(u32, Vec<Crossing>)>) -> bool {
        let problem = self.search.problem.clone();
        for (r, step) in uses(&problem, place) {
            while let Some(owner) = self.search.board.occupant(r, step, &self.search.price) {
                if self.is_home(owner) {
                    return false;
                }
                lifted.push(self.take(owner));
            }
        }
        true
    }

    /// Puts a message in a free place, if there is one.
    fn put_where_free(&mut self, t: u32, rng: &mut Rng) -> bool {
        let is_free = self.search.cheapest(t, rng) == 0;
        if is_free {
            self.search.put_where_scanned(t);
        }
        is_free
    }

    /// Lifts a message, and says where it was.
    fn take(&mut self, t: u32) -> (u32, Vec<Crossing>) {
        let place = self.search.places.of(t).to_vec();
        self.search.lift(t);
        (t, place)
    }
}

/// By demand, the channels and steps of its place in an old schedule, of which only the transfers that
/// are still possible are left; none if the place breaks a rule of paths now. `longest` says how many
/// channels a path may have.
pub fn old_places(
    problem: &Problem,
    old: &Plan,
    longest: impl Fn(u32) -> u32,
) -> Vec<Vec<Crossing>> {
    let mut places: Vec<Vec<Crossing>> = vec![Vec::new(); problem.demands().len()];
    let mut demand = vec![None; problem.messages()];
    (0..).zip(problem.demands()).for_each(|(d, of)| demand[of.message as usize] = Some(d));
    for (step, transfers) in (0..).zip(old.steps()) {
        for t in transfers.iter() {
            if let Some(d) = demand[t.message as usize] {
                let place: &mut Vec<Crossing> = &mut places[d as usize];
                place.extend(t.channels.iter().map(|&c| (c, step)));
            }
        }
    }
    for (t, place) in (0..).zip(&mut places) {
        if !is_allowed(problem, longest(t), t, place) {
            place.clear();
        }
    }
    places
}

/// Whether a place still follows the rules of paths: it leads from the source to the destination, by
/// the fixed route if there is one, and is not too long.
fn is_allowed(problem: &Problem, longest: u32, t: u32, place: &[Crossing]) -> bool {
    let demand = &problem.demands()[t as usize];
    let network = problem.network();
    let (Some(first), Some(last)) = (place.first(), place.last()) else { return false };
    let leads = network.channel(first.0).from == demand.source
        && network.channel(last.0).to == demand.destination
        && place.windows(2).all(|w| network.channel(w[0].0).to == network.channel(w[1].0).from);
    let in_time = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => place.windows(2).all(|w| w[0].1 == w[1].1),
        Switching::StoreAndForward => place.windows(2).all(|w| w[0].1 < w[1].1),
    };
    let on_route = match problem.fixed_route(demand.source, demand.destination) {
        Some(route) => route.iter().eq(place.iter().map(|(c, _)| c)),
        None => place.len() as u32 <= longest,
    };
    leads && in_time && on_route
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

//! Repair: from the places of an old schedule to a schedule of a changed problem in which few messages
//! have another place.
//!
//! What lost its place is ejected into the schedule as in the search, but messages that have not moved
//! are expensive to eject, and more so the fuller their channels: where there is room, others have room
//! as well. Then moved messages are sent home. Each round begins anew with other random
//! numbers; rounds after one that failed have more moves, and lower prices of unmoved messages.

use super::places::{Crossing, Places, add_to_plan, uses};
use super::{Board, Hops, ScatterSearch, Style};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::cmp::Reverse;
use std::collections::HashMap;
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

// Moved messages are sent home, one by one. What is in the way goes home as well, or to another place;
// it may eject others there, which go on in the same way. If more messages have moved after that
// than before, or the chain becomes too long, all are put back. If as many have moved, the new
// schedule counts: so the moved messages wander until one of them finds its home free.

/// Ejections after a message is sent home, at most.
pub const CHAIN: usize = 12;
/// Messages that may be moved more than before within a chain.
const DEBT: isize = 1;
/// What a message becomes more expensive by within a chain whenever it ejects others.
const FAILURE: i16 = 12;

impl Repair {
    /// Sends the moved messages home in random order, each with at most `chain` ejections; whether
    /// fewer have moved than before.
    pub fn send_home(&mut self, chain: usize, rng: &mut Rng) -> bool {
        let is_moved = |t: &u32| self.home.is_placed(*t) && !self.is_home(*t);
        let mut moved: Vec<u32> = (0..self.home.len() as u32).filter(is_moved).collect();
        moved.shuffle(rng);
        let mut any = false;
        for t in moved {
            any |= !self.is_home(t) && self.send(t, chain, rng);
        }
        any
    }

    /// Sends one message home; whether fewer have moved than before.
    fn send(&mut self, t: u32, chain: usize, rng: &mut Rng) -> bool {
        let home = self.home.clone();
        let home = home.of(t);
        if home.last().is_none_or(|&(_, step)| step >= self.search.steps) {
            return false;
        }
        self.search.begin_log();
        self.search.lift(t);
        let is_sent = self.clear(home) && {
            self.search.put(t, home);
            self.reprice(t);
            self.settle(chain, rng)
        };
        let gained = is_sent && self.debt() < 0;
        if !is_sent {
            self.search.waiting.clear();
            self.search.undo();
        }
        let log = self.search.log.take();
        for &t in log.iter().flat_map(|log| log.before.transfers()) {
            self.failures[t as usize] = 0;
            self.reprice(t);
        }
        self.search.log = log;
        gained
    }

    /// Lifts what is in the way of a place; false if something of it has not moved.
    fn clear(&mut self, place: &[Crossing]) -> bool {
        let problem = self.search.problem.clone();
        for (r, step) in uses(&problem, place) {
            while let Some(owner) = self.search.board.occupant(r, step, &self.search.price) {
                if self.is_home(owner) {
                    return false;
                }
                self.search.lift(owner);
                self.search.waiting.push(owner);
            }
        }
        true
    }

    /// Gives all that was lifted a place; whether no more messages have moved than before.
    fn settle(&mut self, chain: usize, rng: &mut Rng) -> bool {
        let mut left = chain;
        while !self.search.waiting.is_empty() {
            let i = rng.random_range(0..self.search.waiting.len());
            let t = self.search.waiting.swap_remove(i);
            if self.return_home(t) {
                continue;
            }
            let cost = self.search.cheapest(t, rng);
            if cost == i16::MAX || (cost > 0 && left == 0) {
                return false;
            }
            self.eject_for(t, cost, FAILURE);
            if cost > 0 {
                left -= 1;
                if self.debt() > DEBT {
                    return false;
                }
            }
        }
        self.debt() <= 0
    }

    /// How many more messages have moved than at the beginning of the log.
    fn debt(&self) -> isize {
        let before = self.search.log.iter().flat_map(|log| log.before.iter());
        before.fold(0, |sum, (t, _, place)| {
            let was_home = self.home.is_placed(t) && place == self.home.of(t);
            sum + isize::from(was_home) - isize::from(self.is_home(t))
        })
    }
}

// A new schedule as the beginning of a repair: with wormhole switching its steps are permuted so that
// many messages have their old places.

impl Repair {
    /// A valid schedule of the problem as a repair. Steps that share most messages with an old step, of
    /// the same paths, take its place first.
    pub fn nearest(&self, plan: &Plan) -> Repaired {
        let longest = |t: u32| self.search.hops.longest(t as usize);
        let mut found = old_places(&self.search.problem, plan, longest);
        if self.search.problem.switching().holds_paths() {
            let there = self.order(&found, plan.len());
            found.iter_mut().flatten().for_each(|(_, step)| *step = there[*step as usize]);
        }
        let mut places = Places::new((0..found.len() as u32).map(longest));
        (0..).zip(&found).for_each(|(t, place)| places.set(t, place));
        let is_home = |t: &u32| self.home.is_placed(*t) && places.of(*t) == self.home.of(*t);
        let moved = found.len() - (0..found.len() as u32).filter(is_home).count();
        Repaired { moved, places }
    }

    /// By step of a new schedule, the step whose place it takes.
    fn order(&self, new: &[Vec<Crossing>], steps: usize) -> Vec<u32> {
        let channels = |place: &[Crossing]| place.iter().map(|at| at.0).collect::<Vec<_>>();
        let mut alike: HashMap<(u32, u32), usize> = HashMap::new();
        for (t, place) in (0..).zip(new) {
            let home = self.home.of(t);
            if let (Some(here), Some(there)) = (place.first(), home.first())
                && (there.1 as usize) < steps
                && channels(place) == channels(home)
            {
                *alike.entry((here.1, there.1)).or_default() += 1;
            }
        }
        let mut pairs: Vec<((u32, u32), usize)> = alike.into_iter().collect();
        pairs.sort_unstable_by_key(|&(pair, count)| (Reverse(count), pair));
        let (mut there, mut is_taken) = (vec![None; steps], vec![false; steps]);
        for ((from, to), _) in pairs {
            if there[from as usize].is_none() && !is_taken[to as usize] {
                there[from as usize] = Some(to);
                is_taken[to as usize] = true;
            }
        }
        let mut left = (0..steps as u32).filter(|&to| !is_taken[to as usize]);
        let rest = |to: Option<u32>| to.or_else(|| left.next()).expect("as many steps as places");
        there.into_iter().map(rest).collect()
    }
}

// The places of an old schedule that messages may still have in a changed problem.

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

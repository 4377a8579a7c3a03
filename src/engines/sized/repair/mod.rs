//! Repair on the time line: from the starts and paths of an old schedule to a schedule in which few
//! messages have others.
//!
//! What lost its place goes into the earliest gap of a free path, or drives out what costs least; a message
//! in its old place, its home, costs more than a moved one. Then moved messages are sent home: what is in
//! the way goes to another gap, or may drive out others in turn. All is put back where more messages have
//! moved after that than before. Steps of given lengths are time lines too, on which each message takes one
//! unit of time, and may start in the steps that are long enough.

mod home;
mod places;

use super::Choices;
use super::occupancy::{Occupancy, SWEPT};
use crate::ground::Timetable;
use ccsched_base::rng::Rng;
use ccsched_model::routing::PathId;
use rand::RngExt as _;
use std::cmp::Reverse;
use std::sync::Arc;

/// The factor of the price of a message at home, by round in turn.
const UNMOVED: [u64; 3] = [6, 3, 12];
/// What full channels add to the factor 1 of the price, at most, and the power by which their fill counts.
const FULL: f64 = 5.0;
const POWER: i32 = 16;
/// Moves of a round for each message, at most, and how often they are doubled after rounds that failed.
const MOVES: usize = 30;
const MOST_EFFORT: u32 = 5;
/// Passes over the moved messages at the end of a round.
const PASSES: usize = 4;
/// Moves from one look at whether time is over to the next.
const LOOK: usize = 64;

/// A path and a start.
pub type Home = Option<(PathId, u64)>;

/// A repair of a schedule.
#[derive(Clone)]
pub struct TimedRepair<'c> {
    held: Occupancy<'c>,
    /// By message, its old place; none if it has none that is possible.
    home: Arc<[Home]>,
    /// By message, the place that it takes if it cannot have that; none if any is as good.
    second: Arc<[Home]>,
    /// By message, its bytes, and by step those that may be in it, falling; none on a time line.
    steps: Option<(&'c [u64], &'c [u64])>,
    /// By message, the factor of its price by its channels, and its length.
    base: Arc<[u64]>,
    /// By message, its last start.
    latest: Vec<u64>,
    waiting: Vec<u32>,
    /// By message, how often it has driven others out.
    failures: Vec<u32>,
    /// Messages that are not at home.
    away: usize,
    round: usize,
    /// Rounds that have failed in a row.
    effort: u32,
    unmoved: u64,
    /// Messages that were put, or taken from a place, since the beginning of a chain.
    log: Vec<(u32, Home)>,
}

/// A repair as a schedule.
#[derive(Clone, Debug)]
pub struct TimedRepaired {
    /// Messages that are not in their old place.
    pub moved: usize,
    /// All messages.
    pub table: Timetable,
}

impl<'c> TimedRepair<'c> {
    /// The repair of a schedule of which these places are left. With steps, the bytes of messages, and by
    /// step those that it is long enough for, falling; the lengths of the choices are then 1.
    pub fn new(
        choices: &'c Choices,
        home: Vec<Home>,
        steps: Option<(&'c [u64], &'c [u64])>,
    ) -> Self {
        let routes = (0..choices.len() as u32).map(|m| choices.paths(m).start).collect();
        let starts = vec![0; choices.len()];
        let held = Occupancy::of(choices, &Timetable { routes, starts, end: 0 }, |_| false);
        let base = base(choices, &home).into();
        TimedRepair {
            held,
            home: home.into(),
            second: vec![None; choices.len()].into(),
            steps,
            base,
            latest: vec![0; choices.len()],
            waiting: Vec::new(),
            failures: vec![0; choices.len()],
            away: 0,
            round: 0,
            effort: 0,
            unmoved: UNMOVED[0],
            log: Vec::new(),
        }
    }

    /// Messages that move take these places where they are free.
    pub fn prefer(&mut self, places: Vec<Home>) {
        self.second = places.into();
    }

    /// The last start of a message before an end, whatever its path takes beside, or within a number of steps;
    /// none if it is too long.
    fn latest(&self, m: u32, end: u64) -> Option<u64> {
        match self.steps {
            None => end.checked_sub(self.held.choices().lengths[m as usize]),
            Some((bytes, steps)) => {
                let long = steps.partition_point(|&step| step >= bytes[m as usize]) as u64;
                long.min(end).checked_sub(1)
            }
        }
    }

    /// The last start of a message on a path.
    pub(super) fn last(&self, m: u32, path: PathId) -> Option<u64> {
        self.latest[m as usize].checked_sub(self.held.choices().across(path))
    }

    /// Messages that are moved in every repair with this end: they have no home before it.
    pub fn homeless(&self, end: u64) -> usize {
        let is_homeless = |&m: &u32| match self.home[m as usize] {
            Some((path, start)) => {
                let across = self.held.choices().across(path);
                self.latest(m, end).is_none_or(|latest| start + across > latest)
            }
            None => true,
        };
        (0..self.home.len() as u32).filter(is_homeless).count()
    }

    /// The repair that moves the fewest messages, whatever its end: the others go into the earliest gaps,
    /// longest first.
    pub fn appended(&mut self) -> TimedRepaired {
        self.latest.fill(u64::MAX >> 1);
        let home = self.home.clone();
        self.begin(&home);
        let lengths = &self.held.choices().lengths;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|&m| (Reverse(lengths[m as usize]), m));
        for m in waiting {
            if !self.occupy(m, self.second[m as usize]) {
                let (path, start) = self.held.earliest(m);
                self.put(m, path, start);
            }
        }
        self.repaired()
    }

    /// One round that ends before `end`; none if messages are left without a place.
    pub fn round(
        &mut self,
        end: u64,
        rng: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Option<TimedRepaired> {
        self.unmoved = (UNMOVED[self.round % UNMOVED.len()] >> (self.effort / 2)).max(1);
        self.round += 1;
        self.limit(end)?;
        let home = self.home.clone();
        self.begin(&home);
        if !self.complete(rng, is_over) {
            self.effort = (self.effort + 1).min(MOST_EFFORT);
            return None;
        }
        self.effort = 0;
        for _ in 0..PASSES {
            if is_over() || !self.send_home(0, rng, is_over) {
                break;
            }
        }
        Some(self.repaired())
    }

    /// Goes on with a repair that ends before `end`.
    pub fn adopt(&mut self, end: u64, from: &TimedRepaired) {
        self.unmoved = UNMOVED[0];
        if self.limit(end).is_some() {
            let places = from.table.routes.iter().zip(&from.table.starts);
            let places: Vec<Home> = places.map(|(&path, &start)| Some((path, start))).collect();
            self.begin(&places);
        }
    }

    /// The schedule in which each message has its place; none if one has none, or not all have room.
    pub fn whole(&mut self, places: &[Home]) -> Option<TimedRepaired> {
        self.latest.fill(u64::MAX >> 1);
        self.begin(places);
        self.waiting.is_empty().then(|| self.repaired())
    }

    /// A schedule as a repair.
    pub fn nearest(&self, table: Timetable) -> TimedRepaired {
        let is_moved = |&m: &usize| self.home[m] != Some((table.routes[m], table.starts[m]));
        let moved = (0..self.home.len()).filter(is_moved).count();
        TimedRepaired { moved, table }
    }

    /// The schedule as it is now.
    pub fn repaired(&self) -> TimedRepaired {
        let all = 0..self.home.len() as u32;
        let end = all.map(|m| self.held.end(m)).max().unwrap_or(0);
        TimedRepaired { moved: self.away, table: Timetable { end, ..self.held.table.clone() } }
    }

    /// By message its last start; none if one is too long.
    fn limit(&mut self, end: u64) -> Option<()> {
        for m in 0..self.home.len() as u32 {
            self.latest[m as usize] = self.latest(m, end)?;
        }
        Some(())
    }

    /// The messages in the places given that are free and within the limits; the others wait.
    fn begin(&mut self, places: &[Home]) {
        let choices = self.held.choices();
        self.held = Occupancy::of(choices, &self.held.table, |_| false);
        self.waiting.clear();
        self.failures.fill(0);
        self.away = self.home.len();
        let mut by_start: Vec<u32> = (0..self.home.len() as u32).collect();
        by_start.sort_by_key(|&m| places[m as usize].map(|place| place.1));
        for m in by_start {
            self.log.clear();
            if !self.occupy(m, places[m as usize]) {
                self.waiting.push(m);
            }
        }
    }

    /// Gives all waiting messages a place; whether all have one.
    fn complete(&mut self, rng: &mut Rng, is_over: &dyn Fn() -> bool) -> bool {
        let moves = MOVES * (self.waiting.len() + self.home.len() / 10 + 10);
        for number in 0..moves << self.effort {
            if self.waiting.is_empty() {
                return true;
            }
            if number % LOOK == LOOK - 1 && is_over() {
                return false;
            }
            self.log.clear();
            let at = rng.random_range(0..self.waiting.len());
            let m = self.waiting.swap_remove(at);
            if !self.settle_free(m, rng) {
                self.eject_for(m, 1, rng);
            }
        }
        self.waiting.is_empty()
    }

    /// Puts a message at home, or else on a free path; whether there is one.
    fn settle_free(&mut self, m: u32, rng: &mut Rng) -> bool {
        if self.occupy(m, self.home[m as usize]) || self.occupy(m, self.second[m as usize]) {
            return true;
        }
        let last = |path| self.last(m, path);
        let free = self.held.free(m, &last, SWEPT, rng);
        free.into_iter().for_each(|(path, start)| self.put(m, path, start));
        free.is_some()
    }

    /// Puts a message where it drives out what costs least, which waits.
    fn eject_for(&mut self, m: u32, failure: u32, rng: &mut Rng) {
        let (home, failures, base) = (&self.home, &self.failures, &self.base);
        let price = |m: u32, place: (PathId, u64)| {
            let factor = if home[m as usize] == Some(place) { self.unmoved } else { 1 };
            let weight = factor.saturating_mul(1 + u64::from(failures[m as usize]));
            base[m as usize].saturating_mul(weight)
        };
        let (choices, latest) = (self.held.choices(), self.latest[m as usize]);
        let last = |path| latest.checked_sub(choices.across(path));
        let Some((path, start)) = self.held.cheapest(m, &last, &price, rng) else {
            self.waiting.push(m);
            return;
        };
        self.clear_for(m, path, start);
        self.failures[m as usize] += failure;
        self.put(m, path, start);
    }
}

/// The factor of the price of each message by its channels, times a length: what is short finds another
/// gap sooner.
fn base(choices: &Choices, home: &[Home]) -> Vec<u64> {
    let mut load = vec![0u64; choices.capacity.len()];
    let mut end = 1;
    for (&bytes, &(path, start)) in
        choices.lengths.iter().zip(home).filter_map(|(bytes, home)| Some((bytes, home.as_ref()?)))
    {
        choices.held(path).iter().for_each(|&r| load[r as usize] += bytes);
        end = end.max(start + bytes);
    }
    let fill =
        |&r: &u32| load[r as usize] as f64 / (f64::from(choices.capacity[r as usize]) * end as f64);
    let all: u64 = choices.lengths.iter().sum();
    let mean = all / (choices.len() as u64).max(1) + 1;
    let of = |(&bytes, home): (&u64, &Home)| {
        let held = home.iter().flat_map(|&(path, _)| choices.held(path));
        let fullest = held.map(fill).fold(0.0, f64::max);
        ((1.0 + FULL * fullest.min(1.0).powi(POWER)).round() as u64).saturating_mul(mean + bytes)
    };
    choices.lengths.iter().zip(home).map(of).collect()
}

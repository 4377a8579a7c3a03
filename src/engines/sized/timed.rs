//! The timed form: the best of several lists, each justified; then changes of the best schedule, each
//! justified again.

use super::ejection::Ejection;
use super::insertion::{Board, by_falling_ends};
use super::parked::parked;
use super::routes::{balanced, greedy};
use super::{Choices, Kept, SizedSearch, Start};
use crate::ground::Timetable;
use crate::{Method, Seat};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::MessageId;
use ccsched_model::routing::PathId;
use ccsched_model::schedule::{Plan, PlanBuilder, PlanTime};
use rand::RngExt as _;
use std::cmp::Reverse;
use std::sync::Arc;

/// Passes of justification after a list, at most, and passes without gain that end them.
const PASSES: usize = 40;
const IDLE: usize = 8;
/// The same after a change of the best schedule.
const FEW: usize = 6;
/// With more messages, lists that insert without an earlier schedule take too long.
const MANY: usize = 12_000;
/// How far the ends of transfers are shifted at random before these are inserted again.
const SHIFTS: [f64; 4] = [0.01, 0.03, 0.1, 0.3];
/// Other paths that an inserted message may take.
const TRIES: [usize; 4] = [0, 2, 4, 8];
/// Moves of an ejection for every message, at least and at most.
const MOVES: usize = 3;
const FEW_MOVES: usize = 10_000;
const MOST_MOVES: usize = 100_000;
/// How much longer a schedule may be that replaces the one at hand.
const WORSE: f64 = 0.002;

/// Messages keep their routes.
const NO_OTHERS: (usize, fn(u32) -> PathId) = (0, |_| 0);

/// A list over routes: what starts first. Longest messages are first but in [`List::MostLoaded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// By events.
    Parked,
    /// By insertion.
    Longest,
    /// By insertion, messages over the most loaded channels first.
    MostLoaded,
}

/// The lists, quickest first.
const LISTS: [List; 3] = [List::Parked, List::Longest, List::MostLoaded];

/// A search for a timed schedule of the least end.
#[derive(Clone)]
pub struct TimedSearch {
    choices: Arc<Choices>,
    rng: Rng,
    routes: Vec<PathId>,
    /// The order to begin with, if it is given.
    order: Option<Vec<u32>>,
    /// The next list.
    next: usize,
    best: Option<Timetable>,
    at_hand: Option<Timetable>,
    /// By message, how often it has driven others out in ejections.
    failures: Vec<u32>,
    aim: u64,
    /// Whether the first schedule of many messages is left to another island.
    waits: bool,
}

impl TimedSearch {
    /// The schedule of a list over the routes.
    fn list(&self, list: List, is_over: &dyn Fn() -> bool) -> Option<Timetable> {
        let (choices, routes) = (&*self.choices, &self.routes);
        let mut order: Vec<u32> = (0..choices.len() as u32).collect();
        let length = |m: u32| choices.lengths[m as usize];
        match list {
            List::Longest | List::Parked => order.sort_by_key(|&m| Reverse(length(m))),
            List::MostLoaded => {
                let mut load = vec![0u64; choices.capacity.len()];
                for (&path, &bytes) in routes.iter().zip(&choices.lengths) {
                    choices.held(path).iter().for_each(|&r| load[r as usize] += bytes);
                }
                let relative =
                    |&r: &u32| load[r as usize] / u64::from(choices.capacity[r as usize]);
                let most = |m: u32| choices.held(routes[m as usize]).iter().map(relative).max();
                order.sort_by_cached_key(|&m| Reverse((most(m), length(m))));
            }
        }
        match list {
            // By events all of a path is free at once, which delays do not ask for.
            List::Parked if !choices.has_delays() => parked(choices, &order, routes, is_over),
            _ => Board::new(choices).insert(&order, routes, NO_OTHERS, is_over),
        }
    }

    /// The shortest schedule that passes of justification lead to, each backwards in time.
    fn justified(
        &mut self,
        mut table: Timetable,
        (passes, tries): (usize, usize),
        is_over: &dyn Fn() -> bool,
    ) -> Timetable {
        let choices = self.choices.clone();
        let mut board = Board::new(&choices);
        let mut best = table.clone();
        let (mut is_backward, mut idle) = (false, 0);
        for _ in 0..passes {
            if idle == IDLE || best.end <= self.aim || is_over() {
                break;
            }
            let order = by_falling_ends(&choices, &table);
            let rng = &mut self.rng;
            let others = (tries, |m| rng.random_range(choices.paths(m)));
            board.is_backward = !is_backward;
            let Some(next) = board.insert(&order, &table.routes, others, is_over) else { break };
            table = next;
            is_backward = !is_backward;
            idle += 1;
            if table.end < best.end {
                idle = 0;
                best = if is_backward { table.clone().reversed(&choices) } else { table.clone() };
            }
        }
        best
    }

    /// The schedule at hand, with its transfers inserted again by ends that are shifted at random.
    fn changed(&mut self, is_over: &dyn Fn() -> bool) -> Option<Timetable> {
        let choices = self.choices.clone();
        let table = self.at_hand.clone()?;
        let shift = SHIFTS[self.rng.random_range(0..SHIFTS.len())];
        let tries = TRIES[self.rng.random_range(0..TRIES.len())];
        let span = shift * table.end as f64;
        let mut order: Vec<(f64, u32)> = (0..choices.len() as u32)
            .map(|m| {
                let end = table.starts[m as usize] + choices.span(m, table.routes[m as usize]);
                (end as f64 + span * self.rng.random_range(0.0..1.0), m)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let order: Vec<u32> = order.into_iter().map(|(_, m)| m).collect();
        let mut board = Board::new(&choices);
        board.is_backward = true;
        let rng = &mut self.rng;
        let others = (tries, |m| rng.random_range(choices.paths(m)));
        let made = board.insert(&order, &table.routes, others, is_over)?;
        Some(self.justified(made.reversed(&choices), (FEW, tries), is_over))
    }

    /// A shorter schedule by ejection from the best one.
    fn ejected(&mut self, is_over: &dyn Fn() -> bool) -> Option<Timetable> {
        let choices = self.choices.clone();
        let moves = (MOVES * choices.len()).clamp(FEW_MOVES, MOST_MOVES);
        let failures = std::mem::take(&mut self.failures);
        let mut ejection = Ejection::of(&choices, self.best.as_ref()?, failures);
        let shorter = ejection.run(self.aim, moves, &mut self.rng, is_over);
        self.failures = ejection.failures();
        shorter
    }

    /// Takes a schedule in, which replaces the one at hand if it is not much longer.
    fn consider(&mut self, table: Timetable) -> bool {
        let most =
            self.at_hand.as_ref().map_or(u64::MAX, |t| t.end + (t.end as f64 * WORSE) as u64);
        let is_better = table.end < self.cost();
        if is_better {
            self.best = Some(table.clone());
        }
        if is_better || table.end <= most {
            self.at_hand = Some(table);
        }
        is_better
    }
}

impl SizedSearch for TimedSearch {
    fn new(start: &Start, seat: Seat) -> Self {
        let (choices, rng) = (start.choices.clone(), rng_of(seat.seed, seat.island, 0));
        let failures = vec![0; choices.len()];
        let (routes, order, best, at_hand) = (vec![], None, None, None);
        let waits = seat.island > 0 && choices.len() > MANY;
        TimedSearch { choices, rng, routes, order, next: 0, best, at_hand, failures, aim: 0, waits }
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn begin(&mut self, order: Vec<u32>, routes: Vec<PathId>) {
        (self.order, self.routes) = (Some(order), routes);
    }

    fn iterate(&mut self, is_over: &dyn Fn() -> bool) -> bool {
        let choices = self.choices.clone();
        if let Some(order) = self.order.take() {
            let routes = self.routes.clone();
            let first = Board::new(&choices).insert(&order, &routes, NO_OTHERS, &|| false);
            let first = first.map(|first| self.justified(first, (FEW, 0), is_over));
            return first.is_some_and(|table| self.consider(table));
        }
        if self.best.is_none() && std::mem::take(&mut self.waits) {
            return false;
        }
        if self.routes.is_empty() {
            self.routes = greedy(&choices);
        }
        if self.best.is_none() {
            // There is a schedule even if time is over.
            let first = self.list(LISTS[0], &|| false);
            return first.is_some_and(|table| self.consider(table));
        }
        if self.next == 0 {
            self.routes =
                balanced(&choices, std::mem::take(&mut self.routes), &mut self.rng, is_over);
        }
        let list = LISTS.get(self.next).copied();
        self.next += 1;
        let table = match list {
            Some(list) if choices.len() > MANY && list != LISTS[0] => None,
            Some(list) => {
                self.list(list, is_over).map(|table| self.justified(table, (PASSES, 0), is_over))
            }
            None if self.next.is_multiple_of(2) => self.changed(is_over),
            None => self.ejected(is_over),
        };
        table.is_some_and(|table| self.consider(table))
    }

    fn aim(&mut self, bound: u64) {
        self.aim = bound;
    }

    fn shown(&self) -> Option<&Timetable> {
        self.best.as_ref()
    }

    fn adopt(&mut self, table: &Timetable) {
        self.consider(table.clone());
        self.at_hand = Some(table.clone());
    }

    fn plan(&self) -> Option<Plan> {
        self.best.as_ref().map(|table| timed_plan(&self.choices, table))
    }

    fn method(&self) -> Method {
        Method::TimedLists
    }

    fn keep(&self) -> Kept {
        Kept {
            rng: self.rng.clone(),
            done: self.next as u64,
            routes: self.routes.clone(),
            is_balanced: self.next > 0,
            best: self.best.clone(),
            at_hand: self.at_hand.clone(),
            failures: self.failures.clone(),
            weights: vec![],
        }
    }

    fn resume(&mut self, kept: Kept) {
        let Kept { rng, done, routes, best, at_hand, failures, .. } = kept;
        (self.rng, self.next, self.routes) = (rng, done as usize, routes);
        (self.best, self.at_hand) = (best, at_hand);
        if failures.len() == self.failures.len() {
            self.failures = failures;
        }
        (self.order, self.waits) = (None, false);
    }
}

/// The schedule of paths and starts.
pub fn timed_plan(choices: &Choices, table: &Timetable) -> Plan {
    let mut plan = PlanBuilder::default();
    for (m, &path) in (0 as MessageId..).zip(&table.routes) {
        plan.push(0, m, choices.channels(path));
    }
    let starts = Some(table.starts.clone());
    plan.build().lasting(PlanTime { starts, bytes: table.end, cost: table.end })
}

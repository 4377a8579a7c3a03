//! The form with steps: a step lasts as long as its longest message, the largest delay of its paths, and a
//! start-up time. First fit in the
//! order of falling lengths groups messages of like lengths; then profiles (profile.rs), and orders that are
//! changed a little.

use super::profile::Profile;
use super::routes::{balanced, greedy};
use super::{Choices, Kept, SizedSearch, Start};
use crate::ground::Timetable;
use crate::{Method, Seat};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::MessageId;
use ccsched_model::routing::PathId;
use ccsched_model::schedule::{Plan, PlanBuilder, PlanTime};
use rand::RngExt as _;
use std::sync::Arc;

/// How far lengths are changed at random before messages are ordered by them.
const SHIFTS: [f64; 4] = [0.0, 0.03, 0.1, 0.3];
/// With more messages, profiles take too long.
const MOST_OF_PROFILES: usize = 30_000;
/// One in this number of iterations begins with a profile anew.
const FILLS: u64 = 12;
/// Attempts of an iteration to make a step shorter.
const ATTEMPTS: usize = 24;
/// Messages from one look at whether time is over to the next.
const LOOK: usize = 1024;
/// What a message that has opened a step gains in the order, as a factor of its length.
const BLAME: f64 = 0.05;

/// A search for steps of the least length in all.
#[derive(Clone)]
pub struct StepsSearch {
    choices: Arc<Choices>,
    rng: Rng,
    /// The start-up time of a step in bytes.
    startup: u64,
    routes: Vec<PathId>,
    is_balanced: bool,
    /// The order to begin with, if it is given.
    order: Option<Vec<u32>>,
    /// By message, the factor of its length in the order.
    weight: Vec<f64>,
    /// Lengths of steps that no schedule undercuts.
    profile: Vec<u64>,
    iteration: u64,
    aim: u64,
    best: Option<Timetable>,
    board: Board,
    /// Whether first fit puts what goes far into steps with others that do.
    together: bool,
    /// Whether the first schedule of many messages is left to another island.
    waits: bool,
}

impl StepsSearch {
    /// All messages in steps of the least lengths, which are stretched until they fit.
    fn stretched(&mut self, is_over: &dyn Fn() -> bool) -> Option<Timetable> {
        let choices = self.choices.clone();
        let mut profile = Profile::new(&choices, self.startup, self.profile.clone());
        profile.fill(&mut self.rng, is_over);
        profile.table()
    }

    /// The best schedule with steps that are made shorter, one after the other.
    fn tightened(&mut self, is_over: &dyn Fn() -> bool) -> Option<Timetable> {
        let choices = self.choices.clone();
        let mut best = self.best.clone()?;
        let whole = Profile::of(&choices, self.startup, &best);
        let mut kept = whole.clone();
        for _ in 0..ATTEMPTS {
            if best.end <= self.aim || is_over() {
                break;
            }
            let mut profile = kept.clone();
            if profile.tighten(&mut self.rng)
                && let Some(table) = profile.table()
                && table.end <= best.end
            {
                kept = Profile::of(&choices, self.startup, &table);
                best = table;
            }
        }
        Some(best)
    }

    /// First fit in an order: each message in the first step in which its route, or with `any` another of its
    /// paths, is free; `end` is the cost.
    /// None if `is_over` returns true meanwhile.
    fn first_fit(
        &mut self,
        order: &[u32],
        any: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Timetable> {
        let choices = &*self.choices;
        let together = choices.has_delays() && self.together;
        self.board.clear(choices.capacity.len());
        let mut made =
            Timetable { routes: self.routes.clone(), starts: vec![0; choices.len()], end: 0 };
        for (number, &m) in order.iter().enumerate() {
            if number % LOOK == LOOK - 1 && is_over() {
                return None;
            }
            let i = m as usize;
            let bytes = choices.lengths[i];
            let first = self.board.first(choices, self.routes[i], usize::MAX, together);
            let mut best = (first, self.routes[i]);
            for path in choices.paths(m) {
                if best.0 == 0 || !any {
                    break;
                }
                let step = self.board.first(choices, path, best.0, together);
                if step < best.0 {
                    best = (step, path);
                }
            }
            self.board.put(choices, best.1, best.0, bytes);
            (made.starts[i], made.routes[i]) = (best.0 as u64, best.1);
        }
        let longest = self.board.longest.iter().chain(&self.board.farthest);
        let longest = longest.fold(0, |sum: u64, &l| sum.saturating_add(l));
        let startup = self.startup.saturating_mul(self.board.longest.len() as u64);
        made.end = longest.saturating_add(startup);
        Some(made)
    }

    /// Messages that are the longest of their step, though shorter than that of the step before, come
    /// earlier next time.
    fn blame(&mut self, table: &Timetable) {
        for (m, &step) in table.starts.iter().enumerate() {
            if self.choices.lengths[m] == self.board.longest[step as usize] {
                self.weight[m] *= 1.0 + BLAME * self.rng.random_range(0.0..1.0);
            }
        }
    }
}

/// The steps, and what each resource carries in them.
#[derive(Clone, Debug, Default)]
struct Board {
    resources: usize,
    /// By step and resource, the transfers.
    holders: Vec<u32>,
    /// By 64 steps and resource, the steps in which it is full.
    full: Vec<u64>,
    /// By step, its longest message.
    longest: Vec<u64>,
    /// By step, the largest delay of its paths.
    farthest: Vec<u64>,
}

impl Board {
    fn clear(&mut self, resources: usize) {
        self.resources = resources;
        self.holders.clear();
        self.full.clear();
        self.longest.clear();
        self.farthest.clear();
    }

    /// The first step before `limit` in which a path is free; `limit` if there is none, or a new step. With
    /// `together` those alone count that the path makes no longer by its delay.
    fn first(&self, choices: &Choices, path: PathId, limit: usize, together: bool) -> usize {
        let steps = self.longest.len().min(limit);
        if together {
            let across = choices.across(path);
            let is_free = |&step: &usize| {
                let row = &self.full[step / 64 * self.resources..];
                let is_full = |&r: &u32| row[r as usize] >> (step % 64) & 1 == 1;
                self.farthest[step] >= across && !choices.held(path).iter().any(is_full)
            };
            return (0..steps).find(is_free).unwrap_or(steps);
        }
        for (word, row) in self.full.chunks_exact(self.resources.max(1)).enumerate() {
            if 64 * word >= steps {
                break;
            }
            let held = choices.held(path).iter();
            let full = held.fold(0, |full, &r| full | row[r as usize]);
            if full != u64::MAX {
                return steps.min(64 * word + full.trailing_ones() as usize);
            }
        }
        steps
    }

    fn put(&mut self, choices: &Choices, path: PathId, step: usize, bytes: u64) {
        if step == self.longest.len() {
            self.longest.push(0);
            self.farthest.push(0);
            self.holders.resize((step + 1) * self.resources, 0);
            self.full.resize((step / 64 + 1) * self.resources, 0);
        }
        let holders = &mut self.holders[step * self.resources..];
        let full = &mut self.full[step / 64 * self.resources..];
        for &r in choices.held(path) {
            holders[r as usize] += 1;
            if holders[r as usize] >= choices.capacity[r as usize] {
                full[r as usize] |= 1 << (step % 64);
            }
        }
        self.longest[step] = self.longest[step].max(bytes);
        self.farthest[step] = self.farthest[step].max(choices.across(path));
    }
}

impl SizedSearch for StepsSearch {
    fn new(start: &Start, seat: Seat) -> Self {
        let choices = start.choices.clone();
        StepsSearch {
            rng: rng_of(seat.seed, seat.island, 0),
            startup: start.form.startup().unwrap_or(0),
            routes: vec![],
            is_balanced: false,
            order: None,
            weight: vec![1.0; choices.len()],
            profile: start.profile.clone(),
            iteration: 0,
            aim: 0,
            best: None,
            board: Board::default(),
            together: true,
            waits: seat.island > 0 && choices.len() > MOST_OF_PROFILES,
            choices,
        }
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
            // There is a schedule even if time is over.
            let along = self.first_fit(&order, false, &|| false);
            let over_any = self.first_fit(&order, true, is_over);
            self.best = along.into_iter().chain(over_any).min_by_key(|table| table.end);
            return true;
        }
        if self.best.is_none() && std::mem::take(&mut self.waits) {
            return false;
        }
        match (self.best.is_none(), self.is_balanced) {
            (true, _) => self.routes = greedy(&choices),
            (false, false) => {
                let routes = std::mem::take(&mut self.routes);
                self.routes = balanced(&choices, routes, &mut self.rng, is_over);
                self.is_balanced = true;
            }
            _ => {}
        }
        self.iteration += 1;
        if self.best.is_some() && choices.len() <= MOST_OF_PROFILES {
            let table = match self.iteration {
                2 => self.stretched(is_over),
                n if n % FILLS == 0 => self.stretched(is_over),
                n if n > 3 => self.tightened(is_over),
                _ => None,
            };
            if let Some(table) = table {
                let is_better = table.end < self.cost();
                if table.end <= self.cost() {
                    self.best = Some(table);
                }
                return is_better;
            }
        }
        let shift = match self.best.is_none() {
            true => 0.0,
            false => SHIFTS[self.rng.random_range(0..SHIFTS.len())],
        };
        let mut order: Vec<(f64, u32)> = (0..choices.len() as u32)
            .map(|m| {
                let by = 1.0 + shift * self.rng.random_range(0.0..1.0);
                (choices.lengths[m as usize] as f64 * self.weight[m as usize] * by, m)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut order: Vec<u32> = order.into_iter().map(|(_, m)| m).collect();
        let is_first = self.best.is_none();
        if choices.has_delays() {
            // What goes far opens the first steps, or lengths alone decide.
            self.together = is_first || self.rng.random_bool(0.8);
            if self.together {
                let least = |m: u32| choices.paths(m).map(|path| choices.across(path)).min();
                order.sort_by_cached_key(|&m| std::cmp::Reverse(least(m)));
            }
        }
        let Some(made) = self.first_fit(&order, true, &|| !is_first && is_over()) else {
            return false;
        };
        let is_better = made.end < self.cost();
        if is_better {
            self.best = Some(made);
        } else {
            self.blame(&made);
        }
        is_better
    }

    fn aim(&mut self, bound: u64) {
        self.aim = bound;
    }

    fn shown(&self) -> Option<&Timetable> {
        self.best.as_ref()
    }

    fn adopt(&mut self, table: &Timetable) {
        self.routes.clone_from(&table.routes);
        if table.end < self.cost() {
            self.best = Some(table.clone());
        }
    }

    fn plan(&self) -> Option<Plan> {
        self.best.as_ref().map(|table| steps_plan(&self.choices, table))
    }

    fn method(&self) -> Method {
        Method::FitByLength
    }

    fn keep(&self) -> Kept {
        Kept {
            rng: self.rng.clone(),
            done: self.iteration,
            routes: self.routes.clone(),
            is_balanced: self.is_balanced,
            best: self.best.clone(),
            at_hand: None,
            failures: vec![],
            weights: self.weight.clone(),
        }
    }

    fn resume(&mut self, kept: Kept) {
        let Kept { rng, done, routes, is_balanced, best, weights, .. } = kept;
        (self.rng, self.iteration, self.routes) = (rng, done, routes);
        (self.is_balanced, self.best) = (is_balanced, best);
        if weights.len() == self.weight.len() {
            self.weight = weights;
        }
        (self.order, self.waits) = (None, false);
    }
}

/// The schedule of paths and steps.
fn steps_plan(choices: &Choices, table: &Timetable) -> Plan {
    let mut plan = PlanBuilder::default();
    // Steps of falling lengths.
    let mut longest: Vec<(u64, usize)> = Vec::new();
    for (m, &step) in table.starts.iter().enumerate() {
        let step = step as usize;
        longest.resize(longest.len().max(step + 1), (0, 0));
        longest[step] = (longest[step].0.max(choices.lengths[m]), step);
    }
    longest.sort_by(|a, b| b.cmp(a));
    let mut place = vec![0; longest.len()];
    (0..).zip(&longest).for_each(|(at, &(_, step))| place[step] = at);
    for (m, (&path, &step)) in (0 as MessageId..).zip(table.routes.iter().zip(&table.starts)) {
        plan.push(place[step as usize], m, choices.channels(path));
    }
    let bytes = longest.iter().map(|&(bytes, _)| bytes).sum();
    plan.build().lasting(PlanTime { starts: None, bytes, cost: table.end })
}

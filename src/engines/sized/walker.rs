//! A search for the least time as a [`Walker`]: the interface between an island and the search.

use super::kept::Kept;
use super::routes::greedy;
use super::steps::StepsSearch;
use super::timed::TimedSearch;
use super::{Choices, FirstOrder, Form, SizedSearch, Start};
use crate::{Genome, Leg, Method, Resume, Seat, Walker};
use ccsched_base::codec::{self, CommError};
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// With more messages, an iteration takes so long that islands exchange after each.
pub const MANY_MESSAGES: usize = 1000;

/// The cost of no schedule, and the most of any.
const MOST: u64 = 1 << 50;

/// The search of `auto` on an island.
pub fn walker(start: Start) -> Box<dyn Walker> {
    match start.form {
        Form::Timed => Box::new(LeastTime::<TimedSearch>::new(start)),
        Form::Steps { .. } => Box::new(LeastTime::<StepsSearch>::new(start)),
    }
}

/// An island's search for the least time. It improves its best schedule, and has none of a length that is
/// given: a goal is where it ends.
#[derive(Clone)]
struct LeastTime<S> {
    start: Start,
    search: S,
    /// A schedule of this cost ends the search.
    goal: u64,
    /// Whether the last iteration was the first one.
    is_first: bool,
}

impl<S: SizedSearch> LeastTime<S> {
    fn new(start: Start) -> Self {
        let search = S::new(&start, Seat::among(0, 1));
        LeastTime { start, search, goal: 0, is_first: false }
    }
}

impl<S: SizedSearch + 'static> Walker for LeastTime<S> {
    fn settle(&mut self, seat: Seat) {
        self.search = S::new(&self.start, seat);
        if let Some(first) = self.start.first.as_ref().filter(|_| !self.search.waits()) {
            let (order, routes) = begun(&self.start.choices, first);
            self.search.begin(order, routes);
        }
    }

    fn seek(&mut self, _: u32, _: &mut Rng) -> u64 {
        0
    }

    fn aim(&mut self, goal: u64, _: &mut Rng) -> u64 {
        self.goal = goal;
        self.search.aim(goal);
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.iterate_until(rng, &|| false)
    }

    fn iterate_until(&mut self, _: &mut Rng, is_over: &dyn Fn() -> bool) -> u64 {
        self.is_first = self.search.shown().is_none();
        self.search.iterate(is_over);
        self.start.choices.len() as u64
    }

    /// The first schedule is shown at once.
    fn pause(&self) -> Leg {
        Leg { iterations: 1, is_due: self.is_first || self.start.choices.len() > MANY_MESSAGES }
    }

    fn cross_over(&mut self, partner: &Genome, _: &mut Rng) -> u64 {
        match partner {
            Genome::Times(table) if table.end < self.search.cost() => self.search.adopt(table),
            _ => {}
        }
        0
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        let Start { choices, form, .. } = &self.start;
        match partner {
            Genome::Times(table) => table.check(choices, form.startup()).is_ok(),
            other => *other == Genome::Nothing,
        }
    }

    fn cost(&self) -> u64 {
        self.search.cost().saturating_sub(self.goal).min(MOST)
    }

    fn genome(&self) -> Genome {
        self.search.shown().map_or(Genome::Nothing, |table| Genome::Times(Arc::new(table.clone())))
    }

    fn shows(&self) -> bool {
        self.search.shown().is_some()
    }

    fn best(&self) -> Option<u64> {
        self.search.shown().map(|table| table.end)
    }

    fn method(&self) -> Method {
        self.search.method()
    }

    fn plan(&self) -> Plan {
        self.search.plan().unwrap_or_default()
    }
}

impl<S: SizedSearch> Resume for LeastTime<S> {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&(self.goal, self.search.keep()))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (goal, kept): (u64, Kept) = codec::decode(state)?;
        let Start { choices, form, .. } = &self.start;
        kept.check(choices, form.startup()).map_err(CommError::Unsound)?;
        self.search.resume(kept);
        self.goal = goal;
        self.search.aim(goal);
        Ok(())
    }
}

/// The order and the routes of a schedule, as far as it has the messages; the others come last.
fn begun(choices: &Choices, first: &FirstOrder) -> (Vec<u32>, Vec<u32>) {
    let mut routes = greedy(choices);
    let mut has_place = vec![false; choices.len()];
    let mut order = Vec::with_capacity(choices.len());
    for (message, channels) in first {
        let m = *message as usize;
        if !std::mem::replace(&mut has_place[m], true) {
            order.push(*message);
            routes[m] = choices.along(*message, channels).unwrap_or(routes[m]);
        }
    }
    order.extend((0..choices.len() as u32).filter(|&m| !has_place[m as usize]));
    (order, routes)
}

//! The islands of a run for messages of different lengths: on threads, or one a rank (ranks.rs). Each round
//! they search on their own; then the master tells the worse ones to go on from the best schedule.

use super::{FirstOrder, Form};
use crate::islands::{Job, SearchError, StopCondition};
use ccsched_bounds as bounds;
use ccsched_engines::sized::{
    Choices, Kept, SizedSearch, StepsSearch, TimedSearch, Timetable, greedy,
};
use ccsched_model::problem::Problem;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at whether a round is over, and at what has arrived.
pub(super) const LOOK: Duration = Duration::from_millis(5);

/// Looks at most every [`LOOK`] whether a round is over, because a look at the memory takes long.
pub(super) struct Pace {
    last: Cell<Instant>,
    is_over: Cell<bool>,
}

impl Pace {
    pub fn new() -> Self {
        Pace { last: Cell::new(Instant::now()), is_over: Cell::new(false) }
    }

    pub fn is_over(&self, look: impl FnOnce() -> bool) -> bool {
        if !self.is_over.get() && self.last.get().elapsed() >= LOOK {
            self.last.set(Instant::now());
            self.is_over.set(look());
        }
        self.is_over.get()
    }
}

/// What the islands must know of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizedJob {
    /// The problem and the search.
    pub job: Job,
    /// The form of the schedule.
    pub form: Form,
    /// The order to begin with, if it is given.
    pub first: Option<FirstOrder>,
    /// Whether each message has one path, because there was no time to find all.
    pub is_narrow: bool,
}

impl SizedJob {
    /// The messages of the problem, with the paths that those of rank 0 have.
    pub fn choices(&self, problem: &Problem) -> Choices {
        let seed = self.job.search.seed;
        let all = (!self.is_narrow).then(|| Choices::of(problem, seed, &|| false));
        all.flatten().unwrap_or_else(|| Choices::narrow(problem, seed))
    }
}

/// What an island does in a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Iterations, at most.
    pub iterations: u64,
    /// No schedule costs less.
    pub aim: u64,
    /// The schedule to go on from, if it is not the island's own.
    pub adopt: Option<Timetable>,
    /// The time that is left.
    pub left: Option<Duration>,
}

/// What an island tells after a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The cost of its best schedule.
    pub cost: u64,
    /// This schedule, if it was found in this round.
    pub table: Option<Timetable>,
    /// Whether an interrupt has reached the process of the island.
    pub is_interrupted: bool,
}

/// An island between two rounds: the cost that it told last, and its search.
pub type IslandState = (u64, Kept);

/// The islands of a run.
pub trait Team {
    /// One round; only islands of the list `adopting` adopt the schedule of the order. Answers by island.
    ///
    /// # Errors
    /// A rank is gone.
    fn round(
        &mut self,
        order: Order,
        adopting: &[usize],
        stop: StopCondition<'_>,
    ) -> Result<Vec<Answer>, SearchError>;

    /// The states of the islands between two rounds; none if a rank is gone.
    ///
    /// # Errors
    /// A rank is gone.
    fn states(&mut self) -> Result<Option<Vec<IslandState>>, SearchError>;

    /// The islands go on from states, one for each.
    ///
    /// # Errors
    /// A rank is gone.
    fn resume(&mut self, states: Vec<IslandState>) -> Result<(), SearchError>;

    /// The run is over.
    ///
    /// # Errors
    /// A rank is gone.
    fn end(&mut self) -> Result<(), SearchError> {
        Ok(())
    }
}

/// An island.
pub(super) struct Island {
    search: Box<dyn SizedSearch>,
    /// The cost that was told last.
    told: u64,
}

impl Island {
    pub fn new(job: &SizedJob, problem: &Problem, choices: &Arc<Choices>, number: usize) -> Self {
        let (choices, seed) = (choices.clone(), job.job.search.seed);
        let mut search: Box<dyn SizedSearch> = match job.form {
            Form::Timed => Box::new(TimedSearch::new(choices.clone(), seed, number)),
            Form::Steps { startup } => {
                let profile = bounds::bytes::profile(problem);
                Box::new(StepsSearch::new(choices.clone(), (startup, profile), seed, number))
            }
        };
        if let Some(first) = job.first.as_ref().filter(|_| !search.waits()) {
            let (order, routes) = begun(&choices, first);
            search.begin(order, routes);
        }
        Island { search, told: u64::MAX }
    }

    pub fn state(&self) -> IslandState {
        (self.told, self.search.keep())
    }

    pub fn resume(&mut self, (told, kept): IslandState) {
        self.told = told;
        self.search.resume(kept);
    }

    /// One round, which ends early when `is_over` returns true.
    pub fn play(&mut self, order: &Order, adopts: bool, is_over: &dyn Fn() -> bool) -> Answer {
        let search = &mut self.search;
        if let Some(table) = order.adopt.as_ref().filter(|_| adopts) {
            search.adopt(table);
            self.told = self.told.min(table.end);
        }
        search.aim(order.aim);
        for _ in 0..order.iterations {
            // The first iteration makes the first schedule, however late.
            let is_first = search.shown().is_none();
            if search.cost() <= order.aim || (!is_first && is_over()) {
                break;
            }
            search.iterate(is_over);
        }
        let cost = search.cost();
        let is_new = cost < self.told;
        self.told = self.told.min(cost);
        let table = search.shown().filter(|_| is_new).cloned();
        Answer { cost, table, is_interrupted: false }
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

/// Islands on threads.
pub struct ThreadTeam(Vec<Island>);

impl ThreadTeam {
    /// A number of islands.
    pub fn new(job: &SizedJob, problem: &Problem, choices: &Arc<Choices>, islands: usize) -> Self {
        let island = |number| Island::new(job, problem, choices, number);
        ThreadTeam((0..islands.max(1)).map(island).collect())
    }
}

impl Team for ThreadTeam {
    fn round(
        &mut self,
        order: Order,
        adopting: &[usize],
        stop: StopCondition<'_>,
    ) -> Result<Vec<Answer>, SearchError> {
        let order = &order;
        thread::scope(|scope| {
            let island = |(number, island): (usize, _)| {
                let island: &mut Island = island;
                let adopts = adopting.contains(&number);
                scope.spawn(move || {
                    let pace = Pace::new();
                    let is_over = || pace.is_over(|| stop.cuts().is_some());
                    let answer = island.play(order, adopts, &is_over);
                    let is_interrupted = stop.interrupted().load(Ordering::Relaxed);
                    Answer { is_interrupted, ..answer }
                })
            };
            let started: Vec<_> = self.0.iter_mut().enumerate().map(island).collect();
            let ended = started
                .into_iter()
                .zip(0..)
                .map(|(thread, number)| thread.join().map_err(|_| SearchError::Panicked(number)));
            ended.collect()
        })
    }

    fn states(&mut self) -> Result<Option<Vec<IslandState>>, SearchError> {
        Ok(Some(self.0.iter().map(Island::state).collect()))
    }

    fn resume(&mut self, states: Vec<IslandState>) -> Result<(), SearchError> {
        self.0.iter_mut().zip(states).for_each(|(island, state)| island.resume(state));
        Ok(())
    }
}

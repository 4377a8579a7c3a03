//! The islands of a run for messages of different lengths: on threads, or one a rank. Each round they
//! search on their own; then the master tells the worse ones to go on from the best schedule.

use super::{FirstOrder, Form};
use crate::bounds;
use crate::comm::{Communicator, codec};
use crate::engines::sized::{Choices, SizedSearch, StepsSearch, TimedSearch, Timetable, greedy};
use crate::islands::{Job, SearchError, StopCondition};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

/// What the islands must know of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizedJob {
    /// The problem and the search.
    pub job: Job,
    /// The form of the schedule.
    pub form: Form,
    /// The order to begin with, if it is given.
    pub first: Option<FirstOrder>,
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
}

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

    /// The run is over.
    ///
    /// # Errors
    /// A rank is gone.
    fn end(&mut self) -> Result<(), SearchError> {
        Ok(())
    }
}

/// An island.
struct Island {
    search: Box<dyn SizedSearch>,
    /// The cost that was told last.
    told: u64,
}

impl Island {
    fn new(job: &SizedJob, problem: &Problem, choices: &Arc<Choices>, number: usize) -> Self {
        let (choices, seed) = (choices.clone(), job.job.search.seed);
        let mut search: Box<dyn SizedSearch> = match job.form {
            Form::Timed => Box::new(TimedSearch::new(choices.clone(), seed, number)),
            Form::Steps { startup } => {
                let profile = bounds::bytes::profile(problem);
                Box::new(StepsSearch::new(choices.clone(), (startup, profile), seed, number))
            }
        };
        if let Some(first) = &job.first {
            let (order, routes) = begun(&choices, first);
            search.begin(order, routes);
        }
        Island { search, told: u64::MAX }
    }

    fn play(&mut self, order: &Order, adopts: bool, stop: StopCondition<'_>) -> Answer {
        let search = &mut self.search;
        if let Some(table) = order.adopt.as_ref().filter(|_| adopts) {
            search.adopt(table);
            self.told = self.told.min(table.end);
        }
        search.aim(order.aim);
        for _ in 0..order.iterations {
            // The first iteration makes the first schedule, however late.
            let is_first = search.shown().is_none();
            if search.cost() <= order.aim || (!is_first && stop.cuts().is_some()) {
                break;
            }
            search.iterate(&|| stop.cuts().is_some());
        }
        let cost = search.cost();
        let is_new = cost < self.told;
        self.told = self.told.min(cost);
        Answer { cost, table: search.shown().filter(|_| is_new).cloned() }
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
                scope.spawn(move || island.play(order, adopts, stop))
            };
            let started: Vec<_> = self.0.iter_mut().enumerate().map(island).collect();
            let ended = started
                .into_iter()
                .zip(0..)
                .map(|(thread, number)| thread.join().map_err(|_| SearchError::Panicked(number)));
            ended.collect()
        })
    }
}

/// Islands on ranks, of which this is rank 0.
pub struct RankTeam<'c, C: Communicator> {
    comm: &'c mut C,
    own: Island,
}

impl<'c, C: Communicator> RankTeam<'c, C> {
    /// The team, of which the other ranks [`follow`].
    pub fn new(comm: &'c mut C, job: &SizedJob, problem: &Problem, choices: &Arc<Choices>) -> Self {
        RankTeam { comm, own: Island::new(job, problem, choices, 0) }
    }
}

impl<C: Communicator> Team for RankTeam<'_, C> {
    fn round(
        &mut self,
        order: Order,
        adopting: &[usize],
        stop: StopCondition<'_>,
    ) -> Result<Vec<Answer>, SearchError> {
        let alone = Order { adopt: None, ..order.clone() };
        let [with, without] = [codec::encode(&Some(&order))?, codec::encode(&Some(&alone))?];
        let bytes = |rank| if adopting.contains(&rank) { &with } else { &without };
        self.comm.send((1..self.comm.size()).map(|rank| (rank, bytes(rank).clone())).collect())?;
        let mut answers: Vec<Option<Answer>> = vec![None; self.comm.size()];
        answers[0] = Some(self.own.play(&order, adopting.contains(&0), stop));
        while answers.iter().any(Option::is_none) {
            if let Some((rank, bytes)) = self.comm.receive(Duration::from_secs(1))? {
                answers[rank] = Some(codec::decode(&bytes)?);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn end(&mut self) -> Result<(), SearchError> {
        let end = codec::encode(&None::<Order>)?;
        Ok(self.comm.send((1..self.comm.size()).map(|rank| (rank, end.clone())).collect())?)
    }
}

/// Takes part in a run as a rank other than 0.
///
/// # Errors
/// The master is gone, or this rank cannot pose a problem that the master could pose.
pub fn follow<C: Communicator>(
    comm: &mut C,
    job: &SizedJob,
    interrupted: &AtomicBool,
) -> Result<(), SearchError> {
    let problem = job.job.pose()?;
    let choices = Arc::new(Choices::of(&problem, job.job.search.seed));
    let mut island = Island::new(job, &problem, &choices, comm.rank());
    while let Some(order) = codec::decode::<Option<Order>>(&comm.hear()?)? {
        let stop = StopCondition::new(u64::MAX, order.left, interrupted);
        let answer = island.play(&order, true, stop);
        comm.send(vec![(0, codec::encode(&answer)?)])?;
    }
    Ok(())
}

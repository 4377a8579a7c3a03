//! Islands on ranks. Rank 0 gives the orders of a round, searches itself, and collects the answers. An
//! interrupt of any rank ends the run on all: that rank answers at once, and rank 0 breaks the others off.
//! Ranks that do not answer after the end are given up.

use super::team::{Answer, Island, IslandState, LOOK, Order, Pace, SizedJob, Team};
use crate::comm::Communicator;
use crate::islands::{SearchError, StopCondition};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_engines::sized::Choices;
use ccsched_model::problem::Problem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time in which a rank answers after the end of a run, and more of it for each number of messages, of
/// which it may be making the first schedule.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5000 });
const PER_MESSAGES: (Duration, usize) = (Duration::from_secs(1), 20_000);

/// A message from rank 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Word {
    /// A round begins.
    Round(Order),
    /// The round is over; a rank that has answered waits on.
    Break,
    /// The state is asked for.
    Save,
    /// The search goes on from this state.
    Resume(Box<IslandState>),
    /// The run is over.
    End,
}

/// The islands, of which this is rank 0.
pub struct RankTeam<'c, C: Communicator> {
    comm: &'c mut C,
    own: Island,
    patience: Duration,
    /// The ranks that were given up.
    lost: &'c mut usize,
}

impl<'c, C: Communicator> RankTeam<'c, C> {
    /// The team, of which the other ranks [`follow`]; `lost` counts those that are given up.
    pub fn new(
        (comm, lost): (&'c mut C, &'c mut usize),
        job: &SizedJob,
        problem: &Problem,
        choices: &Arc<Choices>,
    ) -> Self {
        let (longer, each) = PER_MESSAGES;
        let patience = PATIENCE + longer * (problem.messages() / each) as u32;
        RankTeam { comm, own: Island::new(job, problem, choices, 0), patience, lost }
    }

    fn send(
        &mut self,
        word: &Word,
        ranks: impl IntoIterator<Item = usize>,
    ) -> Result<(), CommError> {
        let bytes = codec::encode(word)?;
        self.comm.send(ranks.into_iter().map(|rank| (rank, bytes.clone())).collect())
    }

    /// Gives up the ranks that have not answered.
    fn give_up(&mut self, answers: &mut [Option<Answer>]) {
        for (rank, answer) in answers.iter_mut().enumerate().filter(|(_, answer)| answer.is_none())
        {
            log::error!(
                "rank {rank} did not answer within {} s of the end of the search; continuing without",
                self.patience.as_secs()
            );
            *self.lost += 1;
            *answer = Some(Answer { cost: u64::MAX, table: None, is_interrupted: false });
        }
    }
}

/// Whether an interrupt has reached another rank.
fn is_told(answers: &[Option<Answer>]) -> bool {
    answers.iter().flatten().any(|answer| answer.is_interrupted)
}

/// Takes the answers that have arrived.
fn take<C: Communicator, T: DeserializeOwned>(
    comm: &mut C,
    answers: &mut [Option<T>],
    within: Duration,
) -> Result<(), SearchError> {
    let mut within = within;
    while let Some((rank, bytes)) = comm.receive(within)? {
        within = Duration::ZERO;
        answers[rank] = Some(codec::decode(&bytes)?);
    }
    Ok(())
}

impl<C: Communicator> Team for RankTeam<'_, C> {
    fn round(
        &mut self,
        order: Order,
        adopting: &[usize],
        stop: StopCondition<'_>,
    ) -> Result<Vec<Answer>, SearchError> {
        let size = self.comm.size();
        let alone = Word::Round(Order { adopt: None, ..order.clone() });
        let (adopting, others): (Vec<usize>, Vec<usize>) =
            (0..size).partition(|rank| adopting.contains(rank));
        let apart =
            |list: &[usize]| list.iter().copied().filter(|&rank| rank > 0).collect::<Vec<_>>();
        self.send(&alone, apart(&others))?;
        self.send(&Word::Round(order.clone()), apart(&adopting))?;
        let answers: RefCell<Vec<Option<Answer>>> = RefCell::new(vec![None; size]);
        let (failure, pace) = (Cell::new(None), Pace::new());
        let comm = RefCell::new(&mut *self.comm);
        let look = || {
            let mut answers = answers.borrow_mut();
            if let Err(why) = take(&mut **comm.borrow_mut(), &mut answers, Duration::ZERO) {
                failure.set(Some(why));
                return true;
            }
            is_told(&answers) || stop.cuts().is_some()
        };
        let is_over = || pace.is_over(look);
        let own = self.own.play(&order, adopting.contains(&0), &is_over);
        if let Some(why) = failure.into_inner() {
            return Err(why);
        }
        let mut answers = answers.into_inner();
        answers[0] = Some(own);
        let mut over_since: Option<Instant> = None;
        while answers.iter().any(Option::is_none) {
            let is_over = stop.cuts().is_some() || is_told(&answers);
            match over_since {
                None if is_over => {
                    let late = (1..size).filter(|&rank| answers[rank].is_none());
                    self.send(&Word::Break, late.collect::<Vec<_>>())?;
                    over_since = Some(Instant::now());
                }
                Some(since) if since.elapsed() >= self.patience => self.give_up(&mut answers),
                _ => take(self.comm, &mut answers, LOOK)?,
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn states(&mut self) -> Result<Option<Vec<IslandState>>, SearchError> {
        if *self.lost > 0 {
            return Ok(None);
        }
        let size = self.comm.size();
        self.send(&Word::Save, 1..size)?;
        let mut states = vec![None; size];
        states[0] = Some(self.own.state());
        let since = Instant::now();
        while states.iter().any(Option::is_none) && since.elapsed() < self.patience {
            take(self.comm, &mut states, LOOK)?;
        }
        Ok(states.into_iter().collect())
    }

    fn resume(&mut self, states: Vec<IslandState>) -> Result<(), SearchError> {
        for (rank, state) in states.into_iter().enumerate() {
            match rank {
                0 => self.own.resume(state),
                _ => self.send(&Word::Resume(Box::new(state)), [rank])?,
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), SearchError> {
        Ok(self.send(&Word::End, 1..self.comm.size())?)
    }
}

/// Takes part in a run as a rank other than 0. The flag `interrupted` ends the run on all ranks.
///
/// # Errors
/// The master is gone, or this rank cannot pose a problem that the master could pose.
pub fn follow<C: Communicator>(
    comm: &mut C,
    job: &SizedJob,
    interrupted: &AtomicBool,
) -> Result<(), SearchError> {
    let problem = job.job.pose()?;
    let choices = Arc::new(job.choices(&problem));
    let mut island = Island::new(job, &problem, &choices, comm.rank());
    let mut next = None;
    loop {
        let word = match next.take() {
            Some(word) => word,
            None => codec::decode(&comm.hear()?)?,
        };
        let order = match word {
            Word::Round(order) => order,
            // The answer was under way.
            Word::Break => continue,
            Word::Save => {
                comm.send(vec![(0, codec::encode(&island.state())?)])?;
                continue;
            }
            Word::Resume(state) => {
                island.resume(*state);
                continue;
            }
            Word::End => return Ok(()),
        };
        let stop = StopCondition::new(u64::MAX, order.left, interrupted);
        let (heard, failure, pace) = (RefCell::new(None), Cell::new(None), Pace::new());
        let of_round = RefCell::new(&mut *comm);
        let look = || {
            match of_round.borrow_mut().receive(Duration::ZERO) {
                Ok(None) => {}
                Ok(Some((_, bytes))) => *heard.borrow_mut() = Some(bytes),
                Err(why) => failure.set(Some(why)),
            }
            heard.borrow().is_some() || stop.cuts().is_some()
        };
        let is_over = || pace.is_over(look);
        let answer = island.play(&order, true, &is_over);
        if let Some(why) = failure.into_inner() {
            return Err(why.into());
        }
        next = heard.into_inner().map(|bytes| codec::decode(&bytes)).transpose()?;
        let is_interrupted = interrupted.load(Ordering::Relaxed);
        comm.send(vec![(0, codec::encode(&Answer { is_interrupted, ..answer })?)])?;
    }
}

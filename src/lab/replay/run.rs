//! A replay on all ranks: rank 0 hands out the work, the others do theirs and report the time of
//! every play. The time of a play is that of the rank that takes longest.

use super::order::{Order, barrier, parts};
use super::script::Script;
use super::work::{AllToAll, Lap, ReplayError, Work};
use ccsched_base::Error;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_run::comm::Communicator;
use ccsched_run::comm::part::{Part, Player};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What rank 0 tells another rank.
#[derive(Serialize, Deserialize)]
enum Task {
    Work(Box<Work>),
    End,
}

/// Schedules that are measured in turn, so that a slow phase of the machine affects all of them.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The schedules; all for the same ranks.
    pub scripts: Vec<Script>,
    /// When transfers begin.
    pub order: Order,
    /// Whether the exchange of the library is measured too.
    pub against_library: bool,
    /// The lengths of messages.
    pub sizes: Vec<u64>,
    /// Plays of each size that are not measured.
    pub warm_up: u32,
    /// Plays of each size that are measured.
    pub repeat: u32,
    /// The most memory for the messages of one rank.
    pub memory: u64,
}

/// The times of one schedule at one size.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Index of the schedule; after the last one, the library's exchange.
    pub contender: usize,
    /// The length of messages.
    pub bytes: u64,
    /// The seconds of each play that is measured.
    pub seconds: Vec<f64>,
}

/// How the library's exchange is called in reports.
pub const LIBRARY: &str = "MPI_Alltoall";

/// The hosts of all ranks, on rank 0. Every rank begins with it: rank 0 here, the others in
/// [`follow`].
///
/// # Errors
/// A rank is gone.
pub fn hosts<C: Player>(comm: &mut C) -> Result<Vec<String>, CommError> {
    let mut hosts = vec![comm.host(); comm.size()];
    for _ in 1..comm.size() {
        let (rank, host) = next(comm)?;
        hosts[rank] = codec::decode(&host)?;
    }
    Ok(hosts)
}

/// The next message of any other rank.
fn next<C: Communicator>(comm: &mut C) -> Result<(usize, Vec<u8>), CommError> {
    loop {
        if let Some(message) = comm.receive(Duration::from_secs(1))? {
            return Ok(message);
        }
    }
}

/// What all ranks but rank 0 do.
///
/// # Errors
/// A rank is gone, a message is not what was sent, or there is too little memory.
pub fn follow<C: Player>(comm: &mut C) -> Result<(), ReplayError> {
    let host = codec::encode(&comm.host())?;
    comm.send(vec![(0, host)])?;
    loop {
        match codec::decode(&comm.hear()?)? {
            Task::End => return Ok(()),
            Task::Work(work) => work.perform(comm, &mut |comm, lap| {
                Ok(comm.send(vec![(0, codec::encode(&lap.seconds)?)])?)
            })?,
        }
    }
}

/// Ends the other ranks.
///
/// # Errors
/// A rank is gone.
pub fn dismiss<C: Player>(comm: &mut C) -> Result<(), CommError> {
    let end = codec::encode(&Task::End)?;
    comm.send((1..comm.size()).map(|rank| (rank, end.clone())).collect())
}

impl Replay {
    /// The number of schedules, and the library's exchange if it is measured.
    pub fn contenders(&self) -> usize {
        self.scripts.len() + usize::from(self.against_library)
    }

    /// The name of a contender.
    pub fn name(&self, contender: usize) -> &str {
        self.scripts.get(contender).map_or(LIBRARY, |script| &script.name)
    }

    /// Runs everything, on rank 0; `ended` gets the numbers of plays that have ended, and of all.
    ///
    /// # Errors
    /// [`ReplayError::Input`] before any rank begins; the others end the job.
    pub fn run<C: Player>(
        &self,
        comm: &mut C,
        ended: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Measurement>, ReplayError> {
        let works = self.works()?;
        let tasks =
            works.iter().enumerate().skip(1).map(|(rank, work)| {
                Ok((rank, codec::encode(&Task::Work(Box::new(work.clone())))?))
            });
        comm.send(tasks.collect::<Result<_, CommError>>()?)?;
        let mut measurements: Vec<Measurement> = (self.sizes.iter())
            .flat_map(|&bytes| {
                let begun = move |contender| Measurement { contender, bytes, seconds: Vec::new() };
                (0..self.contenders()).map(begun)
            })
            .collect();
        let turns = (self.warm_up + self.repeat) as usize;
        let (mut count, all) = (0, measurements.len() * turns);
        works[0].perform(comm, &mut |comm, lap: Lap| {
            let mut longest = lap.seconds;
            for _ in 1..comm.size() {
                longest = longest.max(codec::decode(&next(comm)?.1)?);
            }
            if !lap.is_warm_up {
                let at = lap.size * self.contenders() + lap.contender;
                measurements[at].seconds.push(longest);
            }
            count += 1;
            ended(count, all);
            Ok(())
        })?;
        Ok(measurements)
    }

    /// The work of each rank.
    fn works(&self) -> Result<Vec<Work>, Error> {
        let Some((first, others)) = self.scripts.split_first() else {
            return Err(Error::problem("there is no schedule to replay"));
        };
        if let Some(other) = others.iter().find(|other| other.terminals != first.terminals) {
            return Err(Error::problem(format!(
                "{} and {} are schedules of different terminals; each needs a job of its own",
                first.name, other.name
            )));
        }
        let all_to_all = self.library(first)?;
        if let Some(timed) =
            self.scripts.iter().find(|s| s.is_timed() && self.order == Order::Barrier)
        {
            let why =
                format!("barriers stand between steps, and {} is a timed schedule", timed.name);
            return Err(Error::field("order", why));
        }
        let by_schedule: Vec<_> = self.scripts.iter().map(|s| parts(s, self.order)).collect();
        let of_rank = |(rank, start): (usize, Part)| Work {
            plays: by_schedule.iter().map(|parts| parts[rank].clone()).collect(),
            all_to_all: all_to_all.clone(),
            start,
            sizes: self.sizes.clone(),
            warm_up: self.warm_up,
            repeat: self.repeat,
        };
        let works: Vec<Work> = (0..).zip(barrier(first)).map(of_rank).collect();
        self.check_lengths()?;
        self.check_memory(&works)?;
        Ok(works)
    }

    /// The library's exchange, if it is measured.
    fn library(&self, script: &Script) -> Result<Option<AllToAll>, Error> {
        let all = || AllToAll { sends: script.sends.clone(), receives: script.receives.clone() };
        if self.against_library && (!script.is_all_to_all || script.has_lengths()) {
            return Err(Error::field(
                "against",
                format!(
                    "{LIBRARY} sends one message of equal length from all to all, but {} is no \
                     schedule of aas",
                    script.name
                ),
            ));
        }
        Ok(self.against_library.then(all))
    }

    /// MPI counts in 32 bits: the bytes of a message, and of all messages of its exchange.
    fn check_lengths(&self) -> Result<(), Error> {
        let messages = self.scripts.iter().flat_map(|script| &script.messages);
        let longest =
            messages.filter_map(|message| message.bytes).chain(self.sizes.iter().copied());
        let longest = longest.max().unwrap_or(0);
        let at_once = if self.against_library { self.scripts[0].ranks() as u64 } else { 1 };
        let most = i32::MAX as u64 / at_once;
        if longest > most {
            let why =
                format!("messages of {longest} bytes are too long; at most {most} bytes here");
            return Err(Error::field("bytes", why));
        }
        Ok(())
    }

    fn check_memory(&self, works: &[Work]) -> Result<(), Error> {
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let of_all_to_all = |work: &Work| match &work.all_to_all {
            Some(all) => largest.saturating_mul(2 * all.sends.len() as u64),
            None => 0,
        };
        let of = |work: &Work| {
            let plays = work.plays.iter().map(|play| play.memory(largest));
            plays.fold(of_all_to_all(work), u64::saturating_add)
        };
        let most = works.iter().map(of).max().unwrap_or(0);
        if most > self.memory {
            return Err(Error::field(
                "memory",
                format!(
                    "the messages of one rank take {most} bytes at a size of {largest}; at most {} \
                     are allowed",
                    self.memory
                ),
            ));
        }
        Ok(())
    }
}

//! The tasks of `ccsched-mpi` besides the search for one schedule.

use super::faults::Faults;
use super::{compare, replay, reproduce};
use crate::logging::Voice;
use ccsched_lab::replay::follow;
use ccsched_run::comm::Communicator;
use ccsched_run::comm::part::Player;
use ccsched_run::islands::{RankGroup, SearchError};
use std::process::ExitCode;

/// A task that all ranks share.
#[derive(clap::Subcommand)]
pub enum Task {
    /// What broken links and vertices leave, the samples or sets of faults shared out over the ranks
    #[command(subcommand)]
    Faults(Faults),
    /// Compare configurations of engines by many runs of each, the runs shared out over the ranks
    #[command(allow_negative_numbers = true)]
    Compare(Box<compare::Args>),
    /// Play schedules on the ranks, one a terminal, check what arrives, and measure the time
    Replay(Box<replay::Args>),
    /// Reproduce the tables and figures of the papers, the rows shared out over the ranks
    Reproduce(Box<reproduce::Args>),
}

impl Task {
    /// What it says while it runs.
    pub fn voice(&self) -> Voice {
        match self {
            Task::Faults(faults) => faults.voice(),
            Task::Reproduce(args) => Voice::quiet(args.quiet),
            Task::Compare(args) => Voice::quiet(args.quiet),
            Task::Replay(args) => Voice::quiet(args.quiet),
        }
    }

    /// Whether all ranks begin at once, in place of rank 0 that leads them.
    pub fn is_played(&self) -> bool {
        matches!(self, Task::Replay(_))
    }

    /// The part of a rank in a task that is played; why the other ranks are left in the middle of it.
    ///
    /// # Errors
    /// On rank 0 wrong input; what broke the play.
    pub fn play<P: Player>(&self, ranks: &mut P) -> Result<anyhow::Result<ExitCode>, String> {
        let Task::Replay(args) = self else { unreachable!("rank 0 leads it") };
        if ranks.rank() > 0 {
            let played = follow(ranks).map_err(|error| error.to_string());
            return played.map(|()| Ok(ExitCode::SUCCESS));
        }
        let result = replay::run(args, ranks);
        match result.as_ref().err().filter(|e| replay::is_failure(e)) {
            Some(broken) => Err(format!("{broken:#}")),
            None => Ok(result),
        }
    }

    /// The part of rank 0.
    ///
    /// # Errors
    /// Wrong input, outputs that cannot be written, ranks that are lost.
    pub fn lead<C: Communicator>(&self, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
        match self {
            Task::Faults(faults) => faults.lead(group),
            Task::Reproduce(args) => reproduce::run(args, group),
            Task::Compare(args) => compare::run(args, group),
            Task::Replay(_) => unreachable!("all ranks play it"),
        }
    }

    /// The part of another rank.
    ///
    /// # Errors
    /// When rank 0 is gone.
    pub fn follow<C: Communicator>(&self, ranks: &mut C) -> Result<(), SearchError> {
        match self {
            Task::Reproduce(args) => reproduce::follow(args, ranks),
            Task::Compare(args) => compare::follow(args, ranks),
            Task::Faults(faults) => faults.follow(ranks),
            Task::Replay(_) => unreachable!("all ranks play it"),
        }
    }
}

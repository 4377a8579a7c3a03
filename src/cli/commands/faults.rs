//! `faults`: what is left of networks and schedules when links or vertices break.

use super::{book, resilience, sweep};
use crate::logging::Voice;
use crate::signals;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError, serve};
use std::process::ExitCode;

/// Commands of both programs; on ranks, the runs are shared out.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Faults {
    /// Count the steps that are left after random broken links, of several networks
    #[command(allow_negative_numbers = true)]
    Sample(Box<resilience::Resilience>),
    /// Schedule a network under every set of faults, or repair a schedule for each of them
    #[command(allow_negative_numbers = true)]
    Sweep(Box<sweep::Args>),
}

/// All commands, on one machine.
#[derive(Clone, Debug, clap::Subcommand)]
#[command(
    after_help = "`repair` makes the schedule of one changed network; `solve --spare N` looks for one \
                        that is cheap to repair after a fault."
)]
pub enum OfOne {
    /// Those of both programs.
    #[command(flatten)]
    Both(Faults),
    /// Make the schedule after a fault from a book that `faults sweep --repair` has made
    Lookup(Box<book::Lookup>),
}

impl Faults {
    /// What it says while it runs.
    pub fn voice(&self) -> Voice {
        match self {
            Faults::Sample(args) => Voice::quiet(args.common.quiet),
            Faults::Sweep(args) => Voice { verbose: args.verbose, ..Voice::quiet(args.quiet) },
        }
    }

    /// The part of rank 0.
    ///
    /// # Errors
    /// Wrong input, outputs that cannot be written, ranks that are lost.
    pub fn lead<C: Communicator>(&self, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
        match self {
            Faults::Sample(args) => resilience::run(args, group),
            Faults::Sweep(args) => sweep::run(args, group),
        }
    }

    /// The part of another rank.
    ///
    /// # Errors
    /// When rank 0 is gone.
    pub fn follow<C: Communicator>(&self, ranks: &mut C) -> Result<(), SearchError> {
        match self {
            Faults::Sample(args) => resilience::follow(args, ranks),
            Faults::Sweep(args) => match &args.repair {
                Some(file) => sweep::follow_repairs(args, file, ranks),
                None => serve(ranks, signals::interrupted()),
            },
        }
    }
}

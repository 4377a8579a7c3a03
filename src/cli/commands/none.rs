//! In a build that only searches, `ccsched-mpi` has no other tasks.

use crate::logging::Voice;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use std::process::ExitCode;

/// No task.
pub enum Task {}

#[allow(missing_docs)]
impl Task {
    pub fn voice(&self) -> Voice {
        match *self {}
    }

    pub fn is_played(&self) -> bool {
        match *self {}
    }

    pub fn play<P>(&self, _: &mut P) -> Result<anyhow::Result<ExitCode>, String> {
        match *self {}
    }

    pub fn lead<C: Communicator>(&self, _: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
        match *self {}
    }

    pub fn follow<C: Communicator>(&self, _: &mut C) -> Result<(), SearchError> {
        match *self {}
    }
}

/// No command line of `ccsched`.
pub fn program() -> Option<clap::Command> {
    None
}

//! The subcommands besides `solve`: one file each. Those of `ccsched` are dispatched by `companion`, those
//! of `ccsched-mpi` by `tasks`.

mod batch;
pub mod book;
pub mod bound;
mod claimed;
mod companion;
pub mod compare;
mod configuration;
pub mod deploy;
pub mod diff;
pub mod export;
pub mod faults;
pub mod generate;
pub mod import_schedule;
pub mod posing;
pub mod repair;
pub mod replay;
pub mod reproduce;
pub mod resilience;
pub mod routes;
pub mod show;
pub mod study;
pub mod sweep;
mod tasks;
pub mod topology;
pub mod trace_plot;
pub mod tradeoff;
pub mod verify;

pub use companion::{Companion, Solve, run, run_from};
pub use tasks::Task;

/// The command line of `ccsched`.
pub fn program() -> Option<clap::Command> {
    Some(<Companion as clap::CommandFactory>::command())
}

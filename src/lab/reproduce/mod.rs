//! The tables and figures of the papers by one command: every printed figure beside what the engine
//! of its paper and `auto` reach, with a verdict.
//!
//! ```text
//! data/*.csv -> printed -> experiment (which rows) -> run -> row, verdict -> report, CSV, JSON
//!                             steps: problems of a cell, auto, the engine of its paper
//!                             replayed: figures held against measurements
//!                             computed: numbers that follow from networks and traffics
//!                             configured: runs for which no figure is printed
//!                             schedules: the printed schedules, read and verified
//! ```

mod computed;
mod configured;
mod deadlock;
mod experiment;
mod formulas;
mod pictures;
mod printed;
mod problems;
mod replayed;
mod report;
mod row;
mod run;
mod schedules;
mod settings;
mod setup;
mod steps;
mod swiss;
mod time;
mod verdict;

pub use computed::Computer;
pub use experiment::{Content, EXPERIMENTS, Experiment, Paper, find};
pub use pictures::{index, rates, times, times_to_target};
pub use printed::{CELLS, Cell, FIGURES, Figure, Printed, Relation};
pub use replayed::{Play, read_replays};
pub use report::{csv, hours, markdown, read_csv, text, totals};
pub use row::Row;
pub use run::{Task, estimate, run, tasks};
pub use schedules::{PRINTED_SCHEDULES, PrintedSchedule};
pub use settings::{Engines, Settings};
pub use setup::Setup;
pub use time::Time;
pub use verdict::{Known, Verdict};

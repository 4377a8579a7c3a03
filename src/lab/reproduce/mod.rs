//! The tables and figures of the papers by one command: every printed figure beside what the engine
//! of its paper and `auto` reach, with a verdict.
//!
//! ```text
//! data/*.csv -> printed (figures, experiments) -> run -> row, verdict -> report, CSV, JSON
//!                 steps: problems of a cell, auto, the engine of its paper; runs without figures
//!                 replayed: figures held against measurements
//!                 computed: numbers that follow from networks and traffics
//!                 schedules: the printed schedules, read and verified
//! ```

mod computed;
mod pictures;
mod printed;
mod report;
mod run;
mod schedules;
mod settings;
mod steps;

pub use computed::Computer;
pub use pictures::{index, rates, times, times_to_target};
pub use printed::{
    CELLS, Cell, Content, EXPERIMENTS, Experiment, FIGURES, Figure, Printed, Relation, Setup, Time,
    find, paper,
};
pub use report::{Known, Row, Verdict, hours, markdown, read_csv, text, totals};
pub use run::{Reproduction, Task};
pub use schedules::{PRINTED_SCHEDULES, PrintedSchedule};
pub use settings::{Engines, Play, Settings, read_replays};

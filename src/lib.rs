//! Conflict-free schedules of collective communications.
//!
//! A network of channels and a collective in, a schedule of synchronised steps out, in which no channel
//! carries more transfers than it has capacity. Every schedule comes with lower bounds that say how far
//! from the fewest steps it can be, and is checked by a verifier that shares no code with the search.
//!
//! ```
//! use ccsched::network::spec;
//! use ccsched::problem::{Collective, Request};
//! use ccsched::{Options, solve, verify};
//!
//! let network = spec::parse("kautz:3,2")?;
//! let problem = Request::new(Collective::Aas).pose(network, vec![])?;
//! let solution = solve(&problem, &Options::default())?;
//! assert_eq!((solution.steps(), solution.is_optimal()), (Some(7), true));
//! let schedule = solution.schedule().expect("a schedule was found");
//! assert!(verify::verify(&schedule).is_empty());
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("kautz.json");
//! schedule.write(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Stable, as far as a version below 1 is: [`solve`] with [`Options`] and [`Solution`], [`Network`] with
//! its builder, families and files, [`problem::Request`], [`ScheduleFile`] and its format, [`verify`].
//! Everything else is public for the programs and tests of this crate, and may change in any release:
//! engines and their parameters, islands, bounds, the fields of [`Problem`].
//!
//! The rooms of the house, lowest first; a room uses those above it in this list and none below
//! (docs/architecture.md says what is where, and how to add things):
//!
//! ```text
//! atomic bits buckets caught cores  ground: files, bit rows, counting sort, panics that end one work
//! counted error field input limits  alone, threads, numbers with nouns, errors, finite fields, what is
//! rng                               read at most, random numbers
//! table                             rows and cells of text files, names of columns
//! network                           graphs of channels, families, files, faults, metrics
//! problem                           collective, model, demands, resources
//! symmetry  routing                 groups of automorphisms; paths and walks
//! bounds -> refute                  lower bounds with certificates; refutation by satisfiability
//! schedule -> verify                plans and files; the independent checker
//! comm                              one | threads | MPI; parts that ranks play
//! engines                           auto: construct, search; hgsa, umda: the papers'; exact
//! islands                           assembly, master, islands, back ends, tasks
//! solve -> repair                   the facade: problem and options in, solution out; repairs
//! experiments                       compare, fault sweep, Swiss-T1, replay, reproduce
//! show                              schedules as text, pictures and pages; networks as pictures
//! export  import                    schedules in formats of other programs
//! deploy                            what a job needs to run its collectives by schedules
//! cli                               behind the feature of that name
//! ```

pub mod atomic;
mod bits;
pub mod bounds;
mod buckets;
pub mod caught;
#[cfg(feature = "cli")]
pub mod cli;
pub mod comm;
mod cores;
mod counted;
#[cfg(feature = "experiments")]
pub mod deploy;
pub mod engines;
pub mod error;
pub mod experiments;
pub mod export;
pub mod field;
pub mod import;
mod input;
pub mod islands;
pub mod limits;
pub mod network;
pub mod problem;
pub mod refute;
pub mod repair;
pub mod rng;
pub mod routing;
pub mod schedule;
pub mod show;
mod similar;
mod solve;
pub mod symmetry;
mod table;
pub mod verify;

pub use error::{Error, Result};
pub use network::Network;
pub use problem::Problem;
pub use schedule::ScheduleFile;
pub use solve::{
    EXCHANGE_EVERY, EXCHANGE_GROUP, ISLANDS, Listener, Options, SEED, Solution, solve,
};

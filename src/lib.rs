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
//! This package is the face of a workspace. Each package uses those above it in this list, as Cargo
//! keeps it (docs/architecture.md says what is where, and how to add things):
//!
//! ```text
//! base     files, bits, numbers, threads, errors, tables of text, bytes between islands
//! network  graphs of channels, families, files, faults, metrics
//! model    problems, symmetries, routes, schedules by ids and as files
//! verify   the checker of schedules, bounds and proofs; knows base and files of schedules alone
//! bounds   lower bounds with certificates; refutation by satisfiability
//! engines  auto: construct, search; hgsa, umda: the papers'; exact
//! run      islands by threads or MPI ranks; solve: problem and options in, solution out; repair
//! tools    schedules shown, exported, imported, deployed; trade-offs
//! lab      compare, fault sweeps, Swiss-T1, replay, reproduce
//! cli      the command line
//! ```

#[doc(inline)]
pub use ccsched_base::{atomic, caught, codec, error, field, limits, rng};
#[doc(inline)]
pub use ccsched_bounds::{self as bounds, refute};
#[cfg(any(feature = "cli", feature = "mpi"))]
#[doc(inline)]
pub use ccsched_cli as cli;
#[doc(inline)]
pub use ccsched_engines as engines;
#[cfg(feature = "experiments")]
#[doc(inline)]
pub use ccsched_lab as experiments;
#[doc(inline)]
pub use ccsched_model::{problem, routing, schedule, symmetry};
#[doc(inline)]
pub use ccsched_network as network;
#[doc(inline)]
pub use ccsched_run::{comm, islands, regroup, repair};
#[cfg(feature = "experiments")]
#[doc(inline)]
pub use ccsched_tools::deploy;
#[doc(inline)]
pub use ccsched_tools::{export, import, show, tradeoff};
#[doc(inline)]
pub use ccsched_verify as verify;

pub use ccsched_run::{
    EXCHANGE_EVERY, EXCHANGE_GROUP, ISLANDS, Listener, Options, SEED, Solution, solve,
};
pub use error::{Error, Result};
pub use network::Network;
pub use problem::Problem;
pub use schedule::ScheduleFile;

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

#[doc(inline)]
pub use ccsched_base::{atomic, caught, codec, error, field, limits, rng};
#[doc(inline)]
pub use ccsched_bounds::{self as bounds, refute};
#[cfg(feature = "cli")]
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
pub use ccsched_run::{comm, islands, repair};
#[doc(inline)]
pub use ccsched_tools::{deploy, export, import, show, tradeoff};
#[doc(inline)]
pub use ccsched_verify as verify;

pub use ccsched_run::{
    EXCHANGE_EVERY, EXCHANGE_GROUP, ISLANDS, Listener, Options, SEED, Solution, solve,
};
pub use error::{Error, Result};
pub use network::Network;
pub use problem::Problem;
pub use schedule::ScheduleFile;

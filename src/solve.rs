//! The façade: a problem and options in, a verified schedule out.

pub use crate::islands::{EXCHANGE_EVERY, EXCHANGE_GROUP, SEED, Solution};

use crate::engines::Engine;
use crate::islands::{Job, Limits, Prepared, Search, SearchError, StopCondition, Threads};
use crate::problem::Problem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Default number of islands of engines that can have several. It does not follow the number of
/// cores, because the result depends on it.
pub const ISLANDS: usize = 4;

/// How to solve a problem. The defaults are those of the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The engine with its parameters.
    pub engine: Engine,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Number of islands, each on a thread of its own; if none, [`ISLANDS`], or 1 for serial
    /// engines.
    pub islands: Option<usize>,
    /// Iterations between two exchanges of the islands.
    pub exchange_every: u64,
    /// Islands of an exchange group; more islands form several groups, which exchange among each
    /// other at each tenth exchange.
    pub exchange_group: usize,
    /// The number of steps asked for; if none, as few as possible.
    pub steps: Option<u32>,
    /// The limits of the search.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::default(),
            seed: SEED,
            islands: None,
            exchange_every: EXCHANGE_EVERY,
            exchange_group: EXCHANGE_GROUP,
            steps: None,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The number of islands.
    pub fn islands(&self) -> usize {
        self.islands.unwrap_or(if self.engine.is_serial() { 1 } else { ISLANDS })
    }

    /// The parameters that the islands share. The exchange interval is cut to the iteration limit,
    /// so that there is at least one exchange.
    pub fn search(&self) -> Search {
        let exchange_every = self.exchange_every.min(self.limits.iterations.max(1));
        let (seed, exchange_group) = (self.seed, self.exchange_group);
        Search { seed, exchange_every, exchange_group, goal: self.steps }
    }
}

/// Designs a schedule: bounds, constructors, search on islands, refutation. The schedule returned
/// is verified.
///
/// # Errors
/// Options that contradict each other or the problem; a thread that cannot be started.
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, SearchError> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let problem = Arc::new(problem.clone());
    let job = Job::of(&problem, options.engine, options.search());
    let prepared = Prepared::of(job, problem, options.islands())?;
    let stop = StopCondition::of(options.limits, &NEVER);
    prepared.run(&mut Threads(options.islands()), stop, &mut (), None)
}

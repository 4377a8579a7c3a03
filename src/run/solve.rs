//! The façade: a problem and options in, a verified schedule out.

pub use crate::islands::{EXCHANGE_EVERY, EXCHANGE_GROUP, SEED, Solution};

use crate::islands::{
    Effort, Form, Job, Limits, Migration, Prepared, Progress, Search, SearchError, StopCondition,
    Threads, Watcher, estimate, fitting_islands, in_time,
};
use ccsched_engines::Engine;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, ScheduleFile};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Default number of islands of engines that can have several. It does not follow the number of
/// cores, because the result depends on it.
pub const ISLANDS: usize = 4;

/// How to solve a problem. The defaults are those of the command line.
///
/// ```
/// use ccsched::network::spec;
/// use ccsched::problem::{Collective, Request};
/// use ccsched::{Options, solve};
///
/// let problem = Request::new(Collective::Aas).pose(spec::parse("ring:4")?, vec![])?;
/// let first = solve(&problem, &Options { islands: Some(1), ..Options::default() })?;
/// // A later call begins with the schedule of an earlier one.
/// let again = solve(&problem, &Options { from: first.plan.clone(), ..Options::default() })?;
/// assert!(again.steps() <= first.steps());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
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
    /// What the islands of a group exchange.
    pub migration: Migration,
    /// The number of steps asked for; if none, as few as possible.
    pub steps: Option<u32>,
    /// The least time of messages with lengths, timed or in steps, in place of the fewest steps.
    pub form: Option<Form>,
    /// The limits of the search. The time covers the whole call.
    pub limits: Limits,
    /// A problem of which one schedule takes more bytes is refused, and the search ends when the process has more; if
    /// none, what is free.
    pub memory: Option<u64>,
    /// A schedule of the problem to begin with, such as [`Solution::plan`] of an earlier call or
    /// [`ccsched_model::schedule::resolve_onto`] of a file: the search is for a shorter one. For the least time it is the
    /// order to begin with, and may lack messages.
    pub from: Option<Arc<Plan>>,
    /// A flag that ends the call as soon as it is set; what was found is the result.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called with each better schedule.
    pub listener: Option<Listener>,
}

/// Called with each better schedule, once it is verified.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&ScheduleFile) + Send + Sync>);

impl Listener {
    /// Calls a function with each better schedule; the search waits for it.
    pub fn new(hear: impl Fn(&ScheduleFile) + Send + Sync + 'static) -> Self {
        Listener(Arc::new(hear))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

impl Watcher for Option<Listener> {
    fn wants_islands(&self) -> bool {
        false
    }

    fn writes(&self) -> bool {
        false
    }

    fn schedule(&mut self, schedule: &ScheduleFile, is_valid: &mut dyn FnMut() -> bool) -> bool {
        let is_valid = is_valid();
        if let Some(Listener(hear)) = self.as_ref().filter(|_| is_valid) {
            hear(schedule);
        }
        is_valid
    }

    fn end(&mut self, schedule: Option<&ScheduleFile>) -> Result<(), String> {
        if let (Some(Listener(hear)), Some(schedule)) = (self.as_ref(), schedule) {
            hear(schedule);
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::default(),
            seed: SEED,
            islands: None,
            exchange_every: EXCHANGE_EVERY,
            exchange_group: EXCHANGE_GROUP,
            migration: Migration::default(),
            steps: None,
            form: None,
            limits: Limits::default(),
            memory: None,
            from: None,
            interrupt: None,
            listener: None,
        }
    }
}

impl Options {
    /// The number of islands.
    pub fn islands(&self) -> usize {
        self.islands.unwrap_or(if self.engine.is_serial() { 1 } else { ISLANDS })
    }

    /// Whether the interrupt is set.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The parameters that the islands share. The exchange interval is cut to the iteration limit,
    /// so that there is at least one exchange.
    pub fn search(&self) -> Search {
        let exchange_every = self.exchange_every.min(self.limits.iterations.max(1));
        let Options { seed, exchange_group, migration, steps: goal, form, .. } = *self;
        Search { seed, exchange_every, exchange_group, migration, goal, form }
    }
}

/// Designs a schedule: bounds, constructors, search on islands, refutation; or one of the least time, if
/// [`Options::form`] asks for it. The schedule returned is verified. Where the limits end the call before there is a schedule, the solution has none, and the reason.
///
/// ```
/// use ccsched::islands::{Limits, StopReason};
/// use ccsched::network::spec;
/// use ccsched::problem::{Collective, Request};
/// use ccsched::{Listener, Options, solve};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::time::Duration;
///
/// let problem = Request::new(Collective::Aas).pose(spec::parse("mesh:3x3x3")?, vec![])?;
/// // Another thread, a handler of signals, or the listener may set it.
/// let enough = Arc::new(AtomicBool::new(false));
/// let flag = enough.clone();
/// let listener = Listener::new(move |schedule| {
///     println!("{} steps", schedule.steps.len());
///     flag.store(schedule.steps.len() <= 30, Ordering::Relaxed);
/// });
/// let options = Options {
///     limits: Limits { time: Some(Duration::from_secs(60)), ..Limits::default() },
///     memory: Some(4 << 30),
///     interrupt: Some(enough),
///     listener: Some(listener),
///     ..Options::default()
/// };
/// let solution = solve(&problem, &options)?;
/// assert_eq!(solution.reason, StopReason::Interrupted);
/// assert!(solution.steps().is_some_and(|steps| steps <= 30));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Options that contradict each other or the problem; too little memory for one schedule; a thread that cannot be
/// started.
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, SearchError> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    solve_until(problem, options, options.interrupt.as_deref().unwrap_or(&NEVER))
}

/// The same with another flag than that of the options.
pub fn solve_until(
    problem: &Problem,
    options: &Options,
    interrupt: &AtomicBool,
) -> Result<Solution, SearchError> {
    let (engine, search) = (options.engine, options.search());
    let ranks = fitting_islands(options.islands());
    let stop = StopCondition::of(options.limits, interrupt);
    estimate::check(problem, options.memory)?;
    let problem = Arc::new(problem.clone());
    let stop = stop.with_memory(estimate::ceiling(&problem, options.memory));
    let of_thread = problem.clone();
    let from = options.from.clone();
    let prepare = move |is_over: &(dyn Fn() -> bool + Sync)| {
        let job = Job::of(&of_thread, engine, search);
        let prepared = Prepared::within(job, of_thread, ranks, is_over)?;
        if let Some(plan) = from { prepared.from(plan) } else { Ok(prepared) }
    };
    match in_time(stop, prepare)? {
        Ok(prepared) => {
            prepared?.run(&mut Threads(ranks), stop, &mut options.listener.clone(), None)
        }
        Err(reason) => Ok(Solution {
            problem,
            bounds: vec![],
            of_bytes: vec![],
            of_delays: 0,
            engine,
            search,
            ranks,
            plan: None,
            method: None,
            reason,
            progress: Progress::default(),
            seconds: stop.elapsed().as_secs_f64(),
            peak_of_others: None,
            busiest: Effort::default(),
        }),
    }
}

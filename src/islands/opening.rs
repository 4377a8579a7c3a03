//! The opening of a run on a large problem: a schedule at once, and at the same time the bounds that
//! take long. Both run on threads of their own, so that the time limit and interrupts are kept
//! whatever they do; a thread that is late is abandoned.

use super::{SearchError, StopCondition, StopReason};
use crate::bounds::{self, Bound};
use crate::engines::{Engine, Method};
use crate::problem::Problem;
use crate::schedule::Plan;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two looks at the stop condition.
const LOOK: Duration = Duration::from_millis(5);
/// Looks after the end of the run within which the bounds found so far arrive.
const LAST_LOOKS: u32 = 60;

/// The result of an opening.
pub struct Opening {
    /// The first schedule, if there was time for one.
    pub first: Option<(Arc<Plan>, Method)>,
    /// All bounds, the largest first.
    pub bounds: Vec<Bound>,
    /// Why the run ends with its opening, if it does.
    pub ended: Option<StopReason>,
}

/// Receives the first schedule.
pub type Show<'s> = dyn FnMut(&Arc<Plan>, &Method) -> Result<(), SearchError> + 's;

/// Opens a run. `quick` are the bounds that are known; a schedule is passed to `show` as soon as it
/// is found.
///
/// # Errors
/// A thread cannot be started or panics; `show` fails.
pub fn open(
    (problem, engine, seed): (&Arc<Problem>, Engine, u64),
    quick: &[Bound],
    stop: StopCondition<'_>,
    show: &mut Show<'_>,
) -> Result<Opening, SearchError> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (of_plan, of_bounds) = (problem.clone(), problem.clone());
    let plans = aside(move || engine.opening(&of_plan, seed))?;
    let (told, known) = (is_over.clone(), quick.to_vec());
    let all = aside(move || {
        bounds::with_congestion(&of_bounds, known, &|| told.load(Ordering::Relaxed))
    })?;
    let ends = || stop.cuts();
    let first = wait(&plans, || ends().is_some())?.flatten();
    if let Some((plan, method)) = &first {
        show(plan, method)?;
    }
    let mut looks = LAST_LOOKS;
    let late = || {
        let ends = ends().is_some();
        is_over.fetch_or(ends, Ordering::Relaxed);
        looks -= u32::from(ends);
        looks == 0
    };
    let bounds = wait(&all, late)?.unwrap_or_else(|| quick.to_vec());
    Ok(Opening { first, bounds, ended: ends() })
}

/// Starts work on a thread of its own.
fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Receiver<T>, SearchError> {
    let (to_caller, results) = channel();
    // The receiver is gone if the run is over.
    let started = thread::Builder::new().spawn(move || drop(to_caller.send(work())));
    started.map_err(|why| SearchError::Thread { rank: 0, why })?;
    Ok(results)
}

/// The result of such work; none if it is late.
fn wait<T>(
    results: &Receiver<T>,
    mut is_late: impl FnMut() -> bool,
) -> Result<Option<T>, SearchError> {
    loop {
        match results.recv_timeout(LOOK) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Panicked(0)),
            Err(RecvTimeoutError::Timeout) if is_late() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

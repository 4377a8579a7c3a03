//! The opening of a run on a large problem: a schedule at once, then, if it has more steps than the bounds known, a
//! shorter one that takes longer, and at the same time the bounds that take long. All run on threads of their own, so
//! that the time limit and interrupts are kept whatever they do; a thread that is late is abandoned.

use super::aside::{aside, wait_for_extra};
use super::{SearchError, StopCondition, StopReason};
use ccsched_bounds as bounds;
use ccsched_bounds::Bound;
use ccsched_engines::{Engine, Method, Opened};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Looks after the end of the run within which the bounds found so far arrive.
const LAST_LOOKS: u32 = 60;

/// The result of an opening.
pub struct Opening {
    /// The best schedule so far, if there was time for one.
    pub first: Option<(Arc<Plan>, Method)>,
    /// All bounds, the largest first.
    pub bounds: Vec<Bound>,
    /// Why the run ends with its opening, if it does.
    pub ended: Option<StopReason>,
}

/// Receives the schedules.
pub type Show<'s> = dyn FnMut(&Arc<Plan>, &Method) -> Result<(), SearchError> + 's;

/// Opens a run. `quick` are the bounds that are known; a schedule is passed to `show` as soon as it
/// is found.
///
/// # Errors
/// A thread cannot be started; `show` fails.
pub fn open(
    (problem, engine, seed): (&Arc<Problem>, Engine, u64),
    quick: &[Bound],
    stop: StopCondition<'_>,
    show: &mut Show<'_>,
) -> Result<Opening, SearchError> {
    let of_plan = problem.clone();
    let least = quick.first().map_or(1, |b| b.steps);
    let plans = aside(move || engine.opening(&of_plan, least, seed))?;
    let mut first = wait_for_extra(&plans, || stop.cuts().is_some()).flatten();
    let begin = stop.elapsed();
    if let Some(Opened { plan, method, .. }) = &first {
        show(plan, method)?;
    }
    // A schedule or bounds that come next take as long to verify and to tell.
    let stop = stop.leaving(stop.elapsed() - begin);
    let is_shortest = first.as_ref().is_some_and(|first| first.plan.len() <= least as usize);
    if is_shortest || stop.cuts().is_some() {
        let first = first.map(|first| (first.plan, first.method));
        return Ok(Opening { first, bounds: quick.to_vec(), ended: stop.cuts() });
    }
    // Not beside the first schedule, which must be early.
    let all = Aside::begin(problem, quick)?;
    while let Some(opened) = first.clone() {
        let problem = problem.clone();
        let shorter = move || engine.reopening(&problem, &opened, least, seed);
        let reopened = wait_for_extra(&aside(shorter)?, || stop.cuts().is_some());
        let Some(shorter) = reopened.flatten() else { break };
        show(&shorter.plan, &shorter.method)?;
        first = Some(shorter);
    }
    let bounds = all.end(stop);
    let first = first.map(|first| (first.plan, first.method));
    Ok(Opening { first, bounds, ended: stop.cuts() })
}

/// The opening of a run that resumes: the bounds alone.
///
/// # Errors
/// A thread cannot be started.
pub fn bounds(
    problem: &Arc<Problem>,
    quick: &[Bound],
    stop: StopCondition<'_>,
) -> Result<Vec<Bound>, SearchError> {
    Ok(Aside::begin(problem, quick)?.end(stop))
}

/// The bounds that take long, under way.
struct Aside {
    quick: Vec<Bound>,
    is_over: Arc<AtomicBool>,
    all: Receiver<Vec<Bound>>,
}

impl Aside {
    fn begin(problem: &Arc<Problem>, quick: &[Bound]) -> Result<Self, SearchError> {
        let (is_over, problem) = (Arc::new(AtomicBool::new(false)), problem.clone());
        let (told, known) = (is_over.clone(), quick.to_vec());
        let find =
            move || bounds::with_congestion(&problem, known, &|| told.load(Ordering::Relaxed));
        Ok(Aside { quick: quick.to_vec(), is_over, all: aside(find)? })
    }

    /// All bounds, or those that were found in time.
    fn end(self, stop: StopCondition<'_>) -> Vec<Bound> {
        let mut looks = LAST_LOOKS;
        let late = || {
            let ends = stop.cuts().is_some();
            self.is_over.fetch_or(ends, Ordering::Relaxed);
            looks -= u32::from(ends);
            looks == 0
        };
        wait_for_extra(&self.all, late).unwrap_or(self.quick)
    }
}

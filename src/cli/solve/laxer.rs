//! What laxer rules might give: a schedule that is optimal under its rules may be longer than one over
//! longer paths or with more ports. The lower bounds of the same problem under such rules say how much
//! shorter a schedule could be there, at most.

use crate::bounds;
use crate::cli::report::Laxer;
use crate::islands::{Job, Solution, StopCondition, aside, wait};
use crate::problem::{Ports, Problem, Request, Routing};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Problems with more messages are not looked at: their bounds take long.
const MOST_DEMANDS: usize = 20_000;
/// The bounds take as long as the run, within these limits.
const TIME: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(1)];

/// The laxer rules under which a schedule of fewer steps is not ruled out; none for a schedule that is
/// not optimal, because more time may shorten it under its own rules.
pub fn of(job: &Job, solution: &Solution, stop: StopCondition<'_>) -> Vec<Laxer> {
    let Some(steps) = solution.steps().filter(|_| solution.is_optimal()) else { return vec![] };
    if solution.problem.demands.len() > MOST_DEMANDS {
        return vec![];
    }
    let time = Duration::from_secs_f64(solution.seconds).clamp(TIME[0], TIME[1]);
    let end = Instant::now() + time;
    let shorter = |(options, request): (String, Request)| {
        let problem = request.pose(job.network.clone(), job.faults.clone()).ok()?;
        let best = largest(problem.into(), &|| Instant::now() >= end || stop.cuts().is_some())?;
        let (lower_bound, bound) = (best.steps, best.name);
        ((lower_bound as usize) < steps).then_some(Laxer { options, lower_bound, bound })
    };
    relaxed(&job.request).into_iter().filter_map(shorter).collect()
}

/// The largest bound of a problem, if all are found in time.
fn largest(problem: Arc<Problem>, is_late: &dyn Fn() -> bool) -> Option<bounds::Bound> {
    let is_over = Arc::new(AtomicBool::new(false));
    let told = is_over.clone();
    let find = move || {
        let quick = bounds::quick(&problem);
        bounds::with_congestion(&problem, quick, &|| told.load(Ordering::Relaxed))
    };
    let found = wait(&aside(find).ok()?, is_late).ok()?;
    is_over.store(true, Ordering::Relaxed);
    found?.into_iter().next()
}

/// The request under rules of which each allows more than its own, with their options.
fn relaxed(request: &Request) -> Vec<(String, Request)> {
    let routing = match request.routing {
        Routing::Minimal => Some(Routing::Slack(1)),
        Routing::Slack(slack) if slack < Routing::MOST_SLACK => Some(Routing::Slack(slack + 1)),
        Routing::Slack(_) => None,
        // The route of a pair may be longer than the shortest paths.
        Routing::Static | Routing::Lgl | Routing::Table(_) => Some(Routing::Minimal),
    };
    let routing = routing
        .map(|routing| (format!("--routing {routing}"), Request { routing, ..request.clone() }));
    let ports = (request.ports != Ports(None))
        .then(|| ("--ports all".to_string(), Request { ports: Ports(None), ..request.clone() }));
    routing.into_iter().chain(ports).collect()
}

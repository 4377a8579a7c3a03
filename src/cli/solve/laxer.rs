//! What laxer rules might give: a schedule that is optimal under its rules may be longer than one over
//! longer paths or with more ports. The lower bounds of the same problem under such rules say how much
//! shorter a schedule could be there, at most.

use crate::bounds;
use crate::cli::report::Laxer;
use crate::islands::{Job, Solution, StopCondition};
use crate::problem::{Ports, Problem, Request, Routing};
use std::cell::Cell;

/// Problems with more messages are not looked at: their bounds take long.
const MOST_DEMANDS: usize = 5_000;
/// The limit of a bound: rounds of the congestion bound, times senders, times channels. It takes about
/// a second. A limit of time would make what is told depend on the load of the machine.
const WORK: usize = 50_000_000;

/// The laxer rules under which a schedule of fewer steps is not ruled out; none for a schedule that is
/// not optimal, because more time may shorten it under its own rules.
pub fn of(job: &Job, solution: &Solution, stop: StopCondition<'_>) -> Vec<Laxer> {
    let Some(steps) = solution.steps().filter(|_| solution.is_optimal()) else { return vec![] };
    if solution.problem.demands().len() > MOST_DEMANDS {
        return vec![];
    }
    let shorter = |(what, options, request): (&'static str, String, Request)| {
        let problem = request.pose(job.network.clone(), job.faults.clone()).ok()?;
        let best = largest(&problem, stop)?;
        let (lower_bound, bound) = (best.steps, best.name);
        ((lower_bound as usize) < steps).then_some(Laxer { what, options, lower_bound, bound })
    };
    relaxed(&job.request).into_iter().filter_map(shorter).collect()
}

/// The largest bound of a problem, if all are found within the limit of work.
fn largest(problem: &Problem, stop: StopCondition<'_>) -> Option<bounds::Bound> {
    let most = WORK / (problem.senders().len() * problem.network().channels().len()).max(1);
    let rounds = Cell::new(0);
    let is_over = || {
        rounds.set(rounds.get() + 1);
        rounds.get() > most || stop.cuts().is_some()
    };
    let found = bounds::with_congestion(problem, bounds::quick(problem), &is_over);
    found.into_iter().next().filter(|_| !is_over())
}

/// The request under rules of which each allows more than its own: what they allow, and their options.
fn relaxed(request: &Request) -> Vec<(&'static str, String, Request)> {
    let what = if request.routing.is_fixed() { "other paths" } else { "longer paths" };
    let routing = match request.routing {
        Routing::Minimal | Routing::Slack(_) => Some(Routing::Any),
        Routing::Any => None,
        // The route of a pair may be longer than the shortest paths.
        Routing::Static | Routing::Lgl | Routing::Table(_) => Some(Routing::Minimal),
    };
    let routing = routing.map(|routing| {
        (what, format!("--routing {routing}"), Request { routing, ..request.clone() })
    });
    let ports = (request.ports != Ports(None)).then(|| {
        ("more ports", "--ports all".into(), Request { ports: Ports(None), ..request.clone() })
    });
    routing.into_iter().chain(ports).collect()
}

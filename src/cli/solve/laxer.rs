//! What laxer rules give: a schedule that is optimal under its rules may be longer than one over longer paths or with
//! more ports, and one above its bound longer than what a constructor makes at once under other rules. The lower bounds
//! of the same problem under such rules say how much shorter a schedule could be there, at most; a constructor, where
//! there is one, how much shorter it is.

use crate::report::Laxer;
use ccsched_bounds as bounds;
use ccsched_bounds::Bound;
use ccsched_engines::construct;
use ccsched_model::problem::{Ports, Problem, Request, Routing};
use ccsched_model::schedule::file::Provenance;
use ccsched_run::islands::{Job, Solution, StopCondition};
use ccsched_verify::verify;
use std::cell::Cell;
use std::sync::Arc;

/// Problems with more messages are not looked at: their bounds take long.
const MOST_DEMANDS: usize = 5_000;
/// The same for constructors.
const MOST_MADE: usize = 20_000;
/// The limit of a bound: rounds of the congestion bound, times senders, times channels. It takes about
/// a second. A limit of time would make what is told depend on the load of the machine.
const WORK: usize = 50_000_000;

/// A rule that allows more, or other paths: what it allows, its options, and the request under it.
type Rule = (&'static str, String, Request);

/// The laxer rules under which there is a schedule of fewer steps at once. Of an optimal schedule also those under which
/// one is not ruled out; of others more time may shorten them under their own rules.
pub fn of(job: &Job, solution: &Solution, stop: StopCondition<'_>) -> Vec<Laxer> {
    let Some(steps) = solution.steps().filter(|_| stop.cuts().is_none()) else { return vec![] };
    let messages = solution.problem.demands().len();
    let of_kind = |rules: Vec<Rule>| {
        let pose = |(what, options, request): Rule| {
            let problem = request.pose(job.network.clone(), job.faults.clone()).ok()?;
            Some((what, options, Arc::new(problem)))
        };
        let posed: Vec<_> = rules.into_iter().filter_map(pose).collect();
        let made = posed.iter().filter(|_| messages <= MOST_MADE).filter_map(|rule| {
            let made = made(&rule.2, job.search.seed).filter(|&made| made < steps)?;
            Some((made, rule))
        });
        if let Some((made, (what, options, problem))) = made.min_by_key(|(made, _)| *made) {
            let best = bounds::quick(problem).into_iter().next();
            let (lower_bound, bound) = best.map_or((0, ""), |best| (best.steps, best.name));
            let (steps, options) = (Some(made), options.clone());
            return Some(Laxer { what, options, lower_bound, bound, steps });
        }
        // The laxest.
        let (what, options, problem) = posed.into_iter().next_back()?;
        if !solution.is_optimal() || messages > MOST_DEMANDS {
            return None;
        }
        let Bound { steps: lower_bound, name: bound, .. } = largest(&problem, stop)?;
        let laxer = Laxer { what, options, lower_bound, bound, steps: None };
        ((lower_bound as usize) < steps).then_some(laxer)
    };
    relaxed(&job.request).into_iter().filter_map(of_kind).collect()
}

/// The steps of the schedule that a constructor makes, if there is one and it is valid.
fn made(problem: &Arc<Problem>, seed: u64) -> Option<usize> {
    if !problem.is_plain() {
        return None;
    }
    let (plan, _) = construct::plan(problem, seed)?;
    verify(&plan.record(problem, &[], Provenance::default())).is_empty().then_some(plan.len())
}

/// The largest bound of a problem, if all are found within the limit of work.
fn largest(problem: &Problem, stop: StopCondition<'_>) -> Option<Bound> {
    let most = WORK / (problem.senders().len() * problem.network().channels().len()).max(1);
    let rounds = Cell::new(0);
    let is_over = || {
        rounds.set(rounds.get() + 1);
        rounds.get() > most || stop.cuts().is_some()
    };
    let found = bounds::with_congestion(problem, bounds::quick(problem), &is_over);
    found.into_iter().next().filter(|_| !is_over())
}

/// The requests under other rules, by kind, the laxest of a kind last. All but the routes of a dragonfly, which
/// need not be shortest paths and are fixed, allow more than the own rule.
fn relaxed(request: &Request) -> Vec<Vec<Rule>> {
    let what = if request.routing.is_fixed() { "other paths" } else { "longer paths" };
    let routings = match request.routing {
        Routing::Minimal => vec![Routing::Lgl, Routing::Slack(1), Routing::Any],
        Routing::Slack(_) => vec![Routing::Any],
        Routing::Any => vec![],
        // The route of a pair may be longer than the shortest paths.
        Routing::Static | Routing::Lgl | Routing::Table(_) => vec![Routing::Minimal],
    };
    let routed = |routing: Routing| {
        let what = if routing == Routing::Lgl { "local-global-local paths" } else { what };
        (what, format!("--routing {routing}"), Request { routing, ..request.clone() })
    };
    let ports = (request.ports != Ports(None)).then(|| {
        ("more ports", "--ports all".into(), Request { ports: Ports(None), ..request.clone() })
    });
    vec![routings.into_iter().map(routed).collect(), ports.into_iter().collect()]
}

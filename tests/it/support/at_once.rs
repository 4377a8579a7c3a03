//! Schedules that constructors return before any search.

use crate::support::checked::{NEVER, complaints, file_of};
use ccsched::engines::Engine;
use ccsched::islands::{Alone, Job, Prepared, Search, StopCondition};
use ccsched::network::{Network, spec};
use ccsched::problem::{Problem, Request};
use ccsched::schedule::ScheduleFile;
use std::sync::Arc;

/// The problem of a request.
pub fn posed(network: Network, request: Request) -> Arc<Problem> {
    Arc::new(request.pose(network, vec![]).unwrap())
}

/// The problem of five words: topology, collective, switching, ports, routing.
pub fn problem_of(words: &str) -> Arc<Problem> {
    let [topology, collective, switching, ports, routing] =
        words.split_whitespace().collect::<Vec<_>>()[..]
    else {
        panic!("'{words}' has not five words");
    };
    let mut request = Request::new(collective.parse().unwrap());
    request.switching = switching.parse().unwrap();
    request.ports = ports.parse().unwrap();
    request.routing = routing.parse().unwrap();
    posed(spec::parse(topology).unwrap(), request)
}

/// The schedule of a run of one iteration, which only a constructor can find. It is valid and as
/// short as its best bound.
pub fn at_once(network: Network, request: Request) -> ScheduleFile {
    let about = format!("{} {request:?}", network.name());
    let problem = posed(network, request);
    let search = Search { seed: 1, exchange_every: 1, goal: None, ..Search::default() };
    let job = Job::of(&problem, Engine::default(), search);
    let prepared = Prepared::of(job, problem.clone(), 1).unwrap();
    let stop = StopCondition::new(1, None, &NEVER);
    let solution = prepared.run(&mut Alone, stop, &mut (), None).unwrap();
    assert_eq!(solution.progress.evaluations, 0, "{about}: nothing was searched");
    let best = solution.plan.unwrap_or_else(|| panic!("{about}: no schedule"));
    assert_eq!(complaints(&problem, &best), "", "{about}");
    let file = file_of(&problem, &best);
    let bound = file.bounds.iter().map(|b| b.steps).max();
    assert_eq!(bound, Some(file.steps.len() as u32), "{about}");
    file
}

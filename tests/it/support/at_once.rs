//! Schedules that constructors return before any search.

use crate::support::checked::{complaints, file_of};
use crate::support::search::search;
use ccsched::engines::Engine;
use ccsched::network::Network;
use ccsched::problem::{Problem, Request};
use ccsched::schedule::ScheduleFile;
use std::sync::Arc;

/// The problem of a request.
pub fn posed(network: Network, request: Request) -> Arc<Problem> {
    Arc::new(request.pose(network, vec![]).unwrap())
}

/// The schedule of a search of one iteration, which only a constructor can find. It is valid and as
/// short as its best bound.
pub fn at_once(network: Network, request: Request) -> ScheduleFile {
    let about = format!("{} {request:?}", network.name());
    let problem = posed(network, request);
    let params = Engine::default();
    let outcome = search(&problem, params, 1, 1, 1).unwrap();
    assert_eq!(outcome.progress.evaluations, 0, "{about}: nothing was searched");
    let best = outcome.best.unwrap_or_else(|| panic!("{about}: no schedule"));
    assert_eq!(complaints(&problem, &best), "", "{about}");
    let file = file_of(&problem, &best);
    let bound = file.bounds.iter().map(|b| b.steps).max();
    assert_eq!(bound, Some(file.steps.len() as u32), "{about}");
    file
}

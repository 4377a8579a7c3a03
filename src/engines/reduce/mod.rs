//! Reductions, as a presolver has them: a neighbouring problem that is easier to solve, and the way back from its
//! schedules to those of the whole problem. Reductions compose: the inner problem may have a reduction of its own.

mod lifted;
mod repeated;
mod rest;
mod switches;

pub use lifted::Lifted;
pub use repeated::Repeated;
pub use rest::{Rest, missing};
pub use switches::Switches;

use super::{Method, Walker};
use crate::problem::Problem;
use crate::schedule::Plan;
use std::sync::Arc;

/// A neighbouring problem, and the way back.
pub trait Reduction: Send + Sync {
    /// The neighbouring problem.
    fn inner(&self) -> &Arc<Problem>;

    /// The schedule of the whole problem that follows from one of the inner problem.
    fn plan(&self, inner: Plan) -> Plan;

    /// Maps a step target of the whole problem to one of the inner problem, at least 1.
    fn steps(&self, whole: u32) -> u32 {
        whole.max(1)
    }

    /// The method of the whole schedule, from that of the inner one.
    fn method(&self, inner: Method) -> Method;
}

/// The first reduction of a problem to one that has a shortest schedule of the same, or nearly the same, number of steps:
/// searches and first fit use it.
pub fn exact(problem: &Arc<Problem>) -> Option<Arc<dyn Reduction>> {
    let switches = || Some(Arc::new(Switches::of(problem)?) as Arc<dyn Reduction>);
    let repeated = || Some(Arc::new(Repeated::of(problem)?) as Arc<dyn Reduction>);
    switches().or_else(repeated)
}

/// The search for a problem, which is made for the innermost problem of its exact reductions.
pub fn searched(
    problem: &Arc<Problem>,
    search: &dyn Fn(&Arc<Problem>) -> Box<dyn Walker>,
) -> Box<dyn Walker> {
    match exact(problem) {
        Some(reduction) => {
            let inner = searched(reduction.inner(), search);
            Box::new(Lifted::new(reduction, inner))
        }
        None => search(problem),
    }
}

/// The schedule of a problem, which is made for the innermost problem of its exact reductions.
pub fn solved(problem: &Arc<Problem>, solve: &mut dyn FnMut(&Arc<Problem>) -> Plan) -> Plan {
    match exact(problem) {
        Some(reduction) => {
            let inner = solved(reduction.inner(), solve);
            reduction.plan(inner)
        }
        None => solve(problem),
    }
}

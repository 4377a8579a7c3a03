//! Merged steps, in all-to-all scatters by wormhole switching: where every link and port carries at least w transfers a
//! step, w steps of a schedule for capacities that are smaller by this factor, rounded down, fit into one. The messages
//! go straight to their destinations, so the order of the steps does not matter.

use super::Reduction;
use crate::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The problem of the smaller capacities.
#[derive(Debug)]
pub struct Merged {
    inner: Arc<Problem>,
    /// How many steps become one.
    factor: u32,
}

impl Merged {
    /// None if some link or port carries a single transfer.
    pub fn of(problem: &Problem) -> Option<Self> {
        let factor = factor(problem);
        let applies = factor > 1 && problem.switching().holds_paths() && problem.is_exchange();
        let inner = || Arc::new(problem.narrowed(factor));
        applies.then(|| Merged { inner: inner(), factor })
    }
}

/// The least capacity of a link or port.
pub fn factor(problem: &Problem) -> u32 {
    problem.resources().capacities().iter().copied().min().unwrap_or(1)
}

impl Reduction for Merged {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let mut plan = inner.merged(self.factor as usize);
        plan.tidy();
        plan
    }

    fn steps(&self, whole: u32) -> u32 {
        whole.max(1).saturating_mul(self.factor)
    }

    fn method(&self, inner: Method) -> Method {
        inner
    }
}

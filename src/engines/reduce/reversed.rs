//! The reversed network: a gather is a scatter on it, run backwards.

use super::Reduction;
use crate::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The scatter on the reversed network.
#[derive(Debug)]
pub struct Reversed {
    inner: Arc<Problem>,
}

impl Reversed {
    /// None unless it is a gather at one vertex, whose messages have no fixed routes.
    pub fn of(problem: &Problem) -> Option<Self> {
        Some(Reversed { inner: Arc::new(problem.reversed()?) })
    }
}

impl Reduction for Reversed {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let mut plan = inner.reversed();
        plan.tidy();
        plan
    }

    fn method(&self, inner: Method) -> Method {
        inner
    }
}

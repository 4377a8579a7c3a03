//! The reversed network: a gather is a scatter on it, run backwards.

use super::Reduction;
use crate::engines::Method;
use crate::problem::{Collective, Direction, Problem, Request, Resources, Roots};
use crate::schedule::Plan;
use std::sync::Arc;

/// The scatter on the reversed network.
#[derive(Debug)]
pub struct Reversed {
    inner: Arc<Problem>,
}

impl Reversed {
    /// None unless it is a gather at one vertex, whose messages have no fixed routes.
    pub fn of(problem: &Problem) -> Option<Self> {
        let shape = problem.collective.shape();
        let is_gather = shape.roots == Roots::One
            && shape.content.is_personal()
            && shape.direction == Direction::ToRoots;
        if !is_gather || problem.has_fixed_routes() {
            return None;
        }
        let network = problem.network.reversed();
        let mut demands = problem.demands.clone();
        demands.iter_mut().for_each(|d| std::mem::swap(&mut d.source, &mut d.destination));
        let inner = Problem {
            resources: Resources::new(&network, problem.ports),
            network,
            request: Request::new(Collective::Oas),
            collective: Collective::Oas,
            senders: problem.receivers.clone(),
            receivers: problem.senders.clone(),
            demands,
            ..problem.clone()
        };
        Some(Reversed { inner: Arc::new(inner) })
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

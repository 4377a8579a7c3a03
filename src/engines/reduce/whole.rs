//! Messages in pieces as whole ones: every step of their schedules is repeated, once for each piece. Schedules of the
//! pieces can be shorter.

use super::Reduction;
use crate::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The name of the reduction, whose schedules keep the name of those of the whole messages.
pub const NAME: &str = "whole messages";

/// The problem of whole messages.
#[derive(Debug)]
pub struct Whole {
    inner: Arc<Problem>,
    pieces: u32,
}

impl Whole {
    /// None unless messages are cut.
    pub fn of(problem: &Problem) -> Option<Self> {
        let pieces = problem.pieces();
        let is_cut = pieces > 1 && !problem.collective().is_all_reduce();
        is_cut.then(|| Whole { inner: Arc::new(problem.of_whole_messages()), pieces })
    }
}

impl Reduction for Whole {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let pieces = self.pieces as usize;
        let mut plan = Plan::default();
        for (number, step) in inner.steps().enumerate() {
            for piece in 0..self.pieces {
                for t in step.iter() {
                    let message = t.message * self.pieces + piece;
                    plan.push(number * pieces + piece as usize, message, t.channels);
                }
            }
        }
        plan
    }

    fn steps(&self, whole: u32) -> u32 {
        (whole / self.pieces).max(1)
    }

    fn method(&self, inner: Method) -> Method {
        inner
    }
}

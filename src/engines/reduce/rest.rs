//! The rest of an unfinished schedule: a construction fills some steps, and the messages that are in none of them
//! are a problem of their own, whose steps follow.

use super::Reduction;
use crate::Method;
use ccsched_model::problem::{Demand, MessageId, Problem};
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The steps of a construction, and the rest.
pub struct Rest {
    constructor: &'static str,
    steps: Plan,
    inner: Arc<Problem>,
    /// By message of `inner`, the message of the whole problem.
    messages: Vec<MessageId>,
}

impl Rest {
    /// The messages that are not in the steps of a constructor, which has this name, of a scatter by
    /// wormhole switching; none if all are.
    pub fn new(problem: &Problem, steps: Plan, constructor: &'static str) -> Option<Self> {
        let left = missing(problem, &steps);
        let messages: Vec<MessageId> = left.iter().map(|d| d.message).collect();
        let demands = (0..).zip(left).map(|(message, d)| Demand { message, ..d }).collect();
        let inner = Arc::new(problem.traffic_of(demands));
        (!messages.is_empty()).then_some(Rest { constructor, steps, inner, messages })
    }
}

/// The demands of a scatter whose messages are not in a plan.
pub fn missing(problem: &Problem, plan: &Plan) -> Vec<Demand> {
    let mut is_sent = vec![false; problem.demands().len()];
    plan.transfers().for_each(|t| is_sent[t.message as usize] = true);
    problem.demands().iter().filter(|d| !is_sent[d.message as usize]).copied().collect()
}

impl Reduction for Rest {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn steps(&self, whole: u32) -> u32 {
        whole.saturating_sub(self.steps.len() as u32).max(1)
    }

    fn plan(&self, rest: Plan) -> Plan {
        let mut plan = self.steps.clone();
        for (step, transfers) in (plan.len()..).zip(rest.steps()) {
            for t in transfers.iter() {
                plan.push(step, self.messages[t.message as usize], t.channels);
            }
        }
        plan.tidy();
        plan
    }

    fn method(&self, method: Method) -> Method {
        Method::Finished(self.constructor.into(), Box::new(method))
    }
}

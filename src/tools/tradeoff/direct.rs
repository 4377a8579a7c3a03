//! The short end of a trade-off: every message goes straight to each of its receivers, in one step. The
//! schedule is that of the collective with separate messages; its bound is one of all schedules of one step.

use super::{PLAIN, Tradeoff};
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_model::problem::{Collective, MessageId, Problem, Request};
use ccsched_model::schedule::Plan;
use ccsched_run::solve;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// More separate messages than this are neither scheduled nor bounded.
const MOST_MESSAGES: usize = 300_000;

impl Tradeoff {
    /// The collective in which every receiver gets messages of its own from all of those that it hears of; those
    /// of an all-reduce are one for each part.
    fn apart(&self, problem: &Problem) -> Option<Arc<Problem>> {
        let (ranks, pieces) = (problem.senders().len(), problem.pieces());
        let (collective, pieces) = match problem.collective() {
            Collective::Oab => (Collective::Oas, pieces),
            Collective::Aab | Collective::ReduceScatter => (Collective::Aas, pieces),
            Collective::AllReduceWhole | Collective::Barrier => (Collective::Aas, pieces),
            Collective::AllReduce => (Collective::Aas, pieces * ranks as u32),
            _ => return None,
        };
        let messages = ranks * problem.receivers().len() * pieces as usize;
        if messages > MOST_MESSAGES || self.table.is_some() {
            return None;
        }
        let request = Request { collective, pieces, ..self.request.clone() };
        request.pose(self.network.clone(), self.faults.clone()).ok().map(Arc::new)
    }

    /// The least rounds of a schedule of one step, if a bound is known.
    pub(super) fn rounds_of_one_step(&self, problem: &Problem) -> Option<u32> {
        let apart = self.apart(problem)?;
        bounds::quick(&apart).first().map(|bound| bound.steps)
    }

    /// The schedule of one step, where paths lead straight from source to receiver.
    ///
    /// # Errors
    /// As [`solve`].
    pub(super) fn direct(&self, problem: &Problem, until: Option<Instant>) -> Result<Option<Plan>> {
        let collective = problem.collective();
        // Parts of an all-reduce are added up before they are spread.
        if !problem.switching().holds_paths() || collective.is_all_reduce() || self.is_over(until) {
            return Ok(None);
        }
        let Some(apart) = self.apart(problem) else { return Ok(None) };
        let solution = solve(&apart, &self.share_of_what_is_left(until, PLAIN));
        let solution = solution.map_err(|error| Error::problem(error.to_string()))?;
        let Some(plan) = solution.plan.filter(|p| p.transfers().count() == apart.demands().len())
        else {
            return Ok(None);
        };
        let pieces = problem.pieces();
        let of = |m: MessageId| ((problem.message(m).origin, m % pieces), m);
        let own: HashMap<_, MessageId> = (0..problem.messages() as MessageId).map(of).collect();
        // On the reversed network the messages of a reduce-scatter come from its roots.
        let is_reduction = collective.is_reduction();
        let mut message = vec![None; apart.messages()];
        for d in apart.demands() {
            let origin = if is_reduction { d.destination } else { d.source };
            message[d.message as usize] = own.get(&(origin, d.message % pieces)).copied();
        }
        let plan = if is_reduction { plan.reversed() } else { Plan::clone(&plan) };
        let mut direct = Plan::new(plan.len() as u32);
        for (number, step) in plan.steps().enumerate() {
            for t in step.iter() {
                let Some(message) = message[t.message as usize] else { return Ok(None) };
                direct.push(number, message, t.channels);
            }
        }
        direct.tidy();
        Ok(Some(direct))
    }
}

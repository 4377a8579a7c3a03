//! The schedule that a run begins with, and shorter ones that take longer to make.

use super::policy::{self, Reopening};
use super::{Engine, Method, construct, journeys};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// A schedule that a run begins with.
#[derive(Clone)]
pub struct Opened {
    /// The schedule.
    pub plan: Arc<Plan>,
    /// How it was found.
    pub method: Method,
    /// Constructors that take longer, and may need fewer steps.
    slower: &'static [construct::Row],
}

impl Opened {
    fn of((plan, method, slower): construct::Made) -> Self {
        Opened { plan: Arc::new(plan), method, slower }
    }
}

impl Engine {
    /// Whether it begins with a schedule at once: a universal one, on a large problem, and where messages join.
    pub fn opens(&self, problem: &Problem) -> bool {
        let is_grouped = problem.groups().is_some() && !problem.collective().is_all_reduce();
        let is_constructed = problem.is_plain() || is_grouped;
        let is_large = policy::is_large(problem) && is_constructed;
        self.is_universal() && (is_large || problem.collective().joins())
    }

    /// The schedule that a run begins with, if the engine [`Engine::opens`] and can construct one. `least` steps are known
    /// to be needed.
    pub fn opening(&self, problem: &Arc<Problem>, least: u32, seed: u64) -> Option<Opened> {
        let made = || match problem.collective().joins() {
            true => construct::joined(problem, seed).map(|(plan, method)| (plan, method, &[][..])),
            false => construct::made(&construct::rows(), problem, least, seed),
        };
        self.opens(problem).then(made)?.map(Opened::of)
    }

    /// A shorter schedule than such a one, which takes longer to make; none if it is of `least` steps,
    /// or if neither another constructor nor justification gains anything.
    pub fn reopening(
        &self,
        problem: &Arc<Problem>,
        Opened { plan, method, slower }: &Opened,
        least: u32,
        seed: u64,
    ) -> Option<Opened> {
        let other = |reopening: &Reopening| match reopening {
            Reopening::Slower => {
                let made = construct::slower(problem, slower, seed)?;
                (made.0.len() < plan.len()).then(|| Opened::of(made))
            }
            Reopening::Justified => {
                let shorter = journeys::shorter(problem, plan)?;
                let method = Method::Justified(method.clone().into());
                Some(Opened::of((shorter, method, &[])))
            }
        };
        if problem.collective().joins() {
            return None;
        }
        policy::reopenings(plan.len(), method, least).iter().find_map(other)
    }
}

//! The result of a run.

use super::proven::least;
use super::{Effort, Progress, Search, StopReason};
use ccsched_bounds::{Bound, ByteBound};
use ccsched_engines::{Engine, Method};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile};
use std::path::Path;
use std::sync::Arc;

/// The result of a run: the best schedule, which is verified, its bounds and statistics.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The problem.
    pub problem: Arc<Problem>,
    /// Its lower bounds, the largest first; a refutation is one of them.
    pub bounds: Vec<Bound>,
    /// Its lower bounds in bytes, the largest first, where the time is to be the least.
    pub of_bytes: Vec<ByteBound>,
    /// Of such a schedule with steps, the least sum of the largest delays of all steps, in bytes.
    pub of_delays: u64,
    /// The engine that was asked for.
    pub engine: Engine,
    /// The seed, the exchanges, the number of steps asked for.
    pub search: Search,
    /// Number of islands: threads or MPI ranks.
    pub ranks: usize,
    /// The best schedule, if one was found.
    pub plan: Option<Arc<Plan>>,
    /// The method that found it.
    pub method: Option<Method>,
    /// Why the run ended.
    pub reason: StopReason,
    /// The progress at the end.
    pub progress: Progress,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The most memory that another rank has used, in bytes, if there are other processes.
    pub peak_of_others: Option<u64>,
    /// What the busiest rank has spent, the opening of the run included.
    pub busiest: Effort,
}

impl Solution {
    /// Steps of the best schedule.
    pub fn steps(&self) -> Option<usize> {
        self.plan.as_deref().map(Plan::len)
    }

    /// The largest lower bound.
    pub fn lower_bound(&self) -> u32 {
        self.bounds.first().map_or(0, |bound| bound.steps)
    }

    /// Whether no schedule has fewer steps, or takes less time if that was asked for, under the rules of the
    /// problem.
    pub fn is_optimal(&self) -> bool {
        match self.search.form {
            None => self.steps() == Some(self.lower_bound() as usize),
            Some(_) => self.plan.as_ref().is_some_and(|plan| plan.cost() <= self.least_cost()),
        }
    }

    /// No schedule costs less: in steps, or where the time is to be the least in bytes, start-up times included.
    pub fn least_cost(&self) -> u64 {
        least(self.search.form, &self.bounds, &self.of_bytes, self.of_delays)
    }

    /// Puts the schedule that ejection has made of the best one in its place; the method tells both.
    pub fn finish_by_ejection(&mut self, plan: Plan) {
        let method = self.method.as_ref().map_or(String::new(), Method::to_string);
        let ejection = Box::new(Method::GuidedEjection { group: 1 });
        self.method = Some(Method::Finished(method, ejection));
        self.plan = Some(Arc::new(plan));
    }

    /// The schedule file, self-contained, with its bounds.
    pub fn schedule(&self) -> Option<ScheduleFile> {
        let (plan, method) = (self.plan.as_ref()?, self.method.as_ref()?);
        let provenance = provenance(&self.engine, method, &self.search, self.ranks);
        let file = plan.record(&self.problem, &self.bounds, provenance);
        Some(file.with_byte_bounds(&self.problem, &self.of_bytes))
    }

    /// Writes the schedule to a file; returns whether there is one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> ccsched_base::Result<bool> {
        let Some(schedule) = self.schedule() else { return Ok(false) };
        schedule.write(path.as_ref())?;
        Ok(true)
    }
}

/// The provenance in a schedule file: it names the parameters only of what ran.
pub fn provenance(engine: &Engine, method: &Method, search: &Search, ranks: usize) -> Provenance {
    let has_exchanged = engine.has_islands() && !method.is_construction();
    let exchange = has_exchanged.then(|| ("exchange-every", search.exchange_every.into()));
    // Groups change the search only if there are several.
    let has_groups = has_exchanged && ranks > search.exchange_group;
    let groups = has_groups.then(|| ("exchange-group", search.exchange_group.into()));
    let exchange = exchange.into_iter().chain(groups);
    let has_partners = has_exchanged && ranks > 1;
    let migration = has_partners.then(|| search.migration.parameters());
    let exchange = exchange.chain(migration.into_iter().flatten());
    let parameters = exchange.chain(engine.parameters_of(method));
    Provenance::new(engine.name(), &method.to_string(), search.seed, ranks, parameters)
}

//! The result of a run.

use super::{Effort, Progress, Search, SizedSolution, StopReason};
use ccsched_bounds::Bound;
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
    /// The engine that was asked for.
    pub engine: Engine,
    /// The seed, the exchanges, the number of steps asked for.
    pub search: Search,
    /// Number of islands: threads or MPI ranks.
    pub ranks: usize,
    /// The best schedule, if one was found.
    pub plan: Option<Arc<Plan>>,
    /// The method that found it; none where its time was to be the least.
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
    /// The lengths and starts of the schedule and the bounds in bytes, where its time was to be the least.
    pub sized: Option<Box<SizedSolution>>,
}

impl From<SizedSolution> for Solution {
    /// The steps of a timed schedule are one, with all transfers.
    fn from(sized: SizedSolution) -> Self {
        let done = sized.iterations;
        Solution {
            problem: sized.problem.clone(),
            bounds: sized.of_steps.clone(),
            engine: Engine::default(),
            search: sized.search,
            ranks: sized.ranks,
            plan: sized.found.as_ref().map(|(made, _)| Arc::new(made.plan.clone())),
            method: None,
            reason: sized.reason,
            progress: Progress { iterations: done, iterations_done: done, ..Progress::default() },
            seconds: sized.seconds,
            peak_of_others: None,
            busiest: Effort::default(),
            sized: Some(Box::new(sized)),
        }
    }
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
        if let Some(sized) = &self.sized {
            return sized.is_optimal();
        }
        self.steps() == Some(self.lower_bound() as usize)
    }

    /// The schedule file, self-contained, with its bounds.
    pub fn schedule(&self) -> Option<ScheduleFile> {
        if let Some(sized) = &self.sized {
            return sized.found.as_ref().map(|(_, file)| file.clone());
        }
        let (plan, method) = (self.plan.as_ref()?, self.method.as_ref()?);
        let provenance = provenance(&self.engine, method, &self.search, self.ranks);
        Some(plan.record(&self.problem, &self.bounds, provenance))
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

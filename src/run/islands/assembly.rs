//! The one assembly of a run: problem, bounds, engine, islands, refutation, and the inspection of
//! every schedule before it is passed on.

use super::inspector::{Inspecting, Past};
use super::least_time::{self, Late, OfTime, check_sized};
use super::opening::{self, Opening};
use super::run::exact;
use super::{
    Backend, CpuClock, Effort, FirstOrder, Form, Job, Keeper, Observer, Outcome, Proven, Run,
    Search, SearchError, Solution, StopCondition, StopReason, Watcher, estimate,
};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_bounds::Bound;
use ccsched_engines::exact::conflict_graph::Conflicts;
use ccsched_engines::row::Runs;
use ccsched_engines::{Engine, Method};
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, TransferRef};
use ccsched_verify::verify;
use std::sync::Arc;
use std::time::Duration;

/// A job that has passed all checks and can be run.
#[derive(Clone, Debug)]
pub struct Prepared {
    job: Job,
    problem: Arc<Problem>,
    bounds: Arc<[Bound]>,
    /// The conflict graph, for engines without islands.
    conflicts: Option<Arc<Conflicts>>,
    /// The schedule that the run begins with, if there is one.
    first: Option<Arc<Plan>>,
    /// The order of messages that a run for the least time begins with.
    order: Option<Arc<FirstOrder>>,
}

impl Prepared {
    /// Prepares a job for a number of islands.
    ///
    /// # Errors A problem that cannot be posed, an engine that cannot schedule it, or fewer steps
    /// than a bound allows.
    pub fn new(job: Job, islands: usize) -> Result<Self> {
        let problem = job.pose()?;
        Self::of(job, problem, islands)
    }

    /// Prepares a job whose problem is posed already.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn of(job: Job, problem: Arc<Problem>, islands: usize) -> Result<Self> {
        Self::within(job, problem, islands, &|| false)
    }

    /// The same; bounds that take long are given up when `is_over` returns true.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn within(
        job: Job,
        problem: Arc<Problem>,
        islands: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self> {
        // Cheap checks come before the bounds are computed.
        job.engine.check(problem.switching(), islands)?;
        if job.search.form.is_some() {
            return Self::without_bounds(job, problem, islands);
        }
        // Those that take long come after the first schedule of a large problem.
        let quick = bounds::quick(&problem);
        let bounds = match job.engine.opens(&problem) {
            true => quick,
            false => bounds::with_congestion(&problem, quick, is_over),
        };
        Self::with_bounds(job, problem, bounds.into(), islands)
    }

    /// A job whose problem is posed already, for a run that finds its bounds.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn without_bounds(job: Job, problem: Arc<Problem>, islands: usize) -> Result<Self> {
        Self::with_bounds(job, problem, Arc::new([]), islands)
    }

    fn with_bounds(
        job: Job,
        problem: Arc<Problem>,
        bounds: Arc<[Bound]>,
        islands: usize,
    ) -> Result<Self> {
        job.engine.check(problem.switching(), islands)?;
        let (name, goal) = (job.engine.name(), job.search.goal);
        if job.search.form.is_some() {
            job.engine.least_time()?;
            check_sized(&problem)?;
            if goal.is_some() {
                let why = "it is for the fewest steps, not for the least time";
                return Err(Error::field("steps", why));
            }
        }
        if matches!(job.engine.runs(), Runs::Once(..)) && goal.is_some() {
            return Err(Error::field(
                "steps",
                format!("{name} cannot search for a number of steps; the other engines can"),
            ));
        }
        if job.search.exchange_every == 0 {
            return Err(Error::field(
                "exchange_every",
                "0 iterations would never lead to an exchange; at least 1 is needed",
            ));
        }
        if job.search.exchange_group == 0 {
            return Err(Error::field(
                "exchange_group",
                "a group of 0 islands has no exchange; at least 1 is needed",
            ));
        }
        job.search.migration.check()?;
        check_goal(goal, &problem, &bounds)?;
        let conflicts = match job.engine.has_islands() {
            true if job.search.form.is_some() => None,
            true => {
                job.engine.check_problem(&problem)?;
                None
            }
            false => Some(Arc::new(Conflicts::new(&problem, name)?)),
        };
        if let Some(conflicts) =
            conflicts.as_ref().filter(|_| matches!(job.engine.runs(), Runs::Exact))
        {
            conflicts.check_matrix(name)?;
            let (transfers, pairs) = (conflicts.transfers(), conflicts.pairs());
            log::info!(
                "{transfers}, {pairs} conflicting pairs",
                transfers = counted(transfers, "transfer")
            );
        }
        Ok(Prepared { job, problem, bounds, conflicts, first: None, order: None })
    }

    /// The same for the least time with an order of messages to begin with, each along its channels.
    pub fn in_order(self, order: FirstOrder) -> Self {
        Prepared { order: Some(Arc::new(order)), ..self }
    }

    /// The same with a schedule to begin with: it is the best one until a shorter one is found; for the least
    /// time it is the order of messages.
    ///
    /// # Errors
    /// The schedule is not valid for the problem; the engine does not run on islands.
    pub fn from(self, plan: Arc<Plan>) -> Result<Self> {
        if self.job.search.form.is_some() {
            let order = plan.transfers().map(|t| (t.message, t.channels.to_vec())).collect();
            return Ok(self.in_order(order));
        }
        let name = self.job.engine.name();
        if !self.job.engine.has_islands() {
            let why = format!("{name} cannot begin with a schedule; auto, hgsa and umda can");
            return Err(Error::field("from", why));
        }
        let problem = &self.problem;
        let (messages, channels) = (problem.messages(), problem.network().channels().len());
        let is_known = |t: &TransferRef<'_>| {
            (t.message as usize) < messages
                && !t.channels.is_empty()
                && t.channels.iter().all(|&c| (c as usize) < channels)
        };
        let wrong = match plan.all(is_known) {
            true => {
                let file = plan.record(problem, &self.bounds, Provenance::default());
                verify(&file).first().map(ToString::to_string)
            }
            false => Some("it has messages or channels of another problem".into()),
        };
        match wrong {
            Some(why) => Err(Error::problem(format!("not valid for the problem: {why}"))),
            None => Ok(Prepared { first: Some(plan), ..self }),
        }
    }

    /// The same problem for another engine and search, on a number of islands. The bounds are not
    /// computed again.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn again(&self, engine: Engine, search: Search, islands: usize) -> Result<Self> {
        let job = Job { engine, search, ..self.job.clone() };
        Self::with_bounds(job, self.problem.clone(), self.bounds.clone(), islands)
    }

    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The problem.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// Its bounds, the largest first; those of a large problem that take long are found by the run.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// Searches. `watcher` receives only verified schedules.
    ///
    /// # Errors
    /// An island fails, a schedule is invalid, or the watcher or keeper fails.
    pub fn run(
        &self,
        backend: &mut dyn Backend,
        stop: StopCondition<'_>,
        watcher: &mut dyn Watcher,
        keeper: Option<&mut dyn Keeper>,
    ) -> Result<Solution, SearchError> {
        match self.job.search.form {
            Some(form) => self.least_time(form, backend, stop, watcher, keeper),
            None => self.fewest_steps(backend, stop, watcher, keeper),
        }
    }

    /// Searches for the least time.
    fn least_time(
        &self,
        form: Form,
        backend: &mut dyn Backend,
        stop: StopCondition<'_>,
        watcher: &mut dyn Watcher,
        keeper: Option<&mut dyn Keeper>,
    ) -> Result<Solution, SearchError> {
        let (problem, search) = (&self.problem, self.job.search);
        let begin = CpuClock::Thread.now();
        let ranks = backend.islands();
        let was_narrow = keeper.as_ref().and_then(|keeper| keeper.resuming());
        let known = (self.order.clone(), was_narrow.map(|state| state.is_narrow));
        let of_time = OfTime::begin(problem, search.seed, known, stop);
        let quick = Proven::quick(problem, form);
        let bound = quick.least(Some(form));
        watcher.bound(bound);
        let late = Late::begin(problem, form, &quick)?;
        let subject = (problem, Arc::new(quick), &self.job);
        let mut observer = Inspecting::new(subject, ranks, stop, watcher).with_late(late);
        let opened = CpuClock::Thread.now().saturating_sub(begin);
        let run = Run {
            problem,
            bound,
            of_time: Some(of_time),
            first: None,
            // The last schedule is verified and written in time.
            stop: stop.leaving(least_time::checking(problem)),
            observer: &mut observer,
            keeper: keeper.map(|keeper| keeper as &mut dyn Keeper),
        };
        let mut outcome = backend.search(&self.job, run)?;
        let found = observer.last_bounds(outcome.best.as_ref().map(|plan| plan.cost()));
        let found = observer.end(&mut outcome, found).map_err(SearchError::Observer)?;
        Ok(self.solution(outcome, found, ranks, (stop, opened)))
    }

    /// The result of a run.
    fn solution(
        &self,
        outcome: Outcome,
        found: Proven,
        ranks: usize,
        (stop, opened): (StopCondition<'_>, Duration),
    ) -> Solution {
        let least = found.least(self.job.search.form);
        let meets_bound = outcome.best.as_ref().is_some_and(|plan| plan.cost() <= least);
        let reason = match outcome.reason {
            StopReason::Goal if meets_bound => StopReason::Bound,
            // The bounds of the least time come late.
            _ if meets_bound && self.job.search.form.is_some() => StopReason::Bound,
            other => other,
        };
        Solution {
            problem: self.problem.clone(),
            bounds: found.steps,
            of_bytes: found.bytes,
            of_delays: found.of_delays,
            engine: self.job.engine,
            search: self.job.search,
            ranks,
            plan: outcome.best,
            method: outcome.method,
            reason,
            progress: outcome.progress,
            seconds: stop.elapsed().as_secs_f64(),
            peak_of_others: outcome.peak_of_others,
            // The other ranks wait for the opening.
            busiest: Effort { cpu: opened + outcome.busiest.cpu, ..outcome.busiest },
        }
    }

    /// Searches for the fewest steps, or a number of them.
    fn fewest_steps(
        &self,
        backend: &mut dyn Backend,
        stop: StopCondition<'_>,
        watcher: &mut dyn Watcher,
        keeper: Option<&mut dyn Keeper>,
    ) -> Result<Solution, SearchError> {
        let ranks = backend.islands();
        let begin = CpuClock::Thread.now();
        let (opening, past, shown_in) = self.open(ranks, stop, watcher, keeper.as_deref())?;
        let Opening { first, bounds, ended } = opening;
        let subject = (&self.problem, Arc::new(Proven::from(&bounds[..])), &self.job);
        let mut observer = Inspecting::new(subject, ranks, stop, watcher).after(past);
        // The last schedule takes as long to verify and to write, and the memory of a copy: the search leaves both.
        let stop = stop.leaving(shown_in).sparing(|| estimate::least(&self.problem) / 2);
        let bound = bounds.first().map_or(1, |b| b.steps);
        let least = self.job.search.goal.unwrap_or(bound);
        let meets = first.as_ref().is_some_and(|(plan, _)| plan.len() <= least as usize);
        let is_near = |plan: &Plan| stop.is_near(plan.cost(), u64::from(bound));
        let is_near = first.as_ref().is_some_and(|(plan, _)| is_near(plan));
        let ended = match meets {
            true => Some(StopReason::Goal),
            false if is_near => Some(StopReason::Gap),
            // With a schedule at hand, too little memory for the search ends the run.
            false => ended.or(first.as_ref().and_then(|_| stop.cuts())),
        };
        let opened = CpuClock::Thread.now().saturating_sub(begin);
        let mut outcome = match (&self.conflicts, ended) {
            (Some(conflicts), _) => {
                exact::search(&self.job, &self.problem, conflicts, stop, &mut observer)?
            }
            (None, Some(reason)) => Outcome::of(first, reason),
            (None, None) => {
                let run = Run {
                    problem: &self.problem,
                    bound: u64::from(bound),
                    of_time: None,
                    first,
                    stop,
                    observer: &mut observer,
                    keeper: keeper.map(|keeper| keeper as &mut dyn Keeper),
                };
                backend.search(&self.job, run)?
            }
        };
        let steps = bounds::with_search(outcome.shown(), &bounds);
        let found = Proven { steps, ..Proven::default() };
        let found = observer.end(&mut outcome, found).map_err(SearchError::Observer)?;
        Ok(self.solution(outcome, found, ranks, (stop, opened)))
    }

    /// Opens the run of a large problem; others get the known bounds only. Returns also the
    /// schedule passed on, and the time of its verification.
    fn open(
        &self,
        ranks: usize,
        stop: StopCondition<'_>,
        watcher: &mut dyn Watcher,
        keeper: Option<&dyn Keeper>,
    ) -> Result<(Opening, Past, Duration), SearchError> {
        let known = Opening { first: None, bounds: self.bounds.to_vec(), ended: None };
        let opens = self.job.engine.opens(&self.problem);
        let resumes = keeper.is_some_and(|keeper| keeper.resuming().is_some());
        if !opens && (resumes || self.first.is_none()) {
            return Ok((known, Past::default(), Duration::ZERO));
        }
        if resumes {
            let bounds = opening::bounds(&self.problem, &self.bounds, stop)?;
            return Ok((Opening { bounds, ..known }, Past::default(), Duration::ZERO));
        }
        let search = self.job.search;
        let subject = (&self.problem, Arc::new(Proven::from(&self.bounds[..])), &self.job);
        let mut observer = Inspecting::new(subject, ranks, stop, watcher);
        let (mut shown_in, mut shown) = (Duration::ZERO, None);
        let mut show = |plan: &Arc<Plan>, method: &Method| {
            let begin = stop.elapsed();
            let is_news = shown.is_none_or(|rank| plan.rank() < rank);
            if search.wants(plan) && is_news {
                shown = Some(plan.rank());
                observer.found(plan, method).map_err(SearchError::Observer)?;
            }
            shown_in = stop.elapsed() - begin;
            Ok(())
        };
        let given = self.first.clone().map(|plan| (plan, Method::Given));
        if let Some((plan, method)) = &given {
            show(plan, method)?;
        }
        let subject = (&self.problem, self.job.engine, search.seed);
        let mut opening = match opens {
            true => opening::open(subject, &self.bounds, stop, &mut show)?,
            false => known,
        };
        let found = opening.first.into_iter().chain(given);
        opening.first = found.min_by_key(|(plan, _)| plan.rank());
        let past = observer.into_past();
        opening.first = opening.first.filter(|(plan, _)| search.wants(plan));
        if let Some(bound) = opening.bounds.first() {
            watcher.bound(u64::from(bound.steps));
        }
        check_goal(search.goal, &self.problem, &opening.bounds)?;
        Ok((opening, past, shown_in))
    }
}

/// A goal up to this is never too large.
const FEW_STEPS: usize = 1_000;

/// Refuses a goal that a bound rules out, and a large one beyond the length of any schedule in which
/// each step has a transfer: engines keep a place for every step.
fn check_goal(goal: Option<u32>, problem: &Problem, bounds: &[Bound]) -> Result<()> {
    let hops = match problem.switching() {
        Switching::Wormhole => 1,
        Switching::StoreAndForward | Switching::Hosts => problem.network().vertices().len(),
    };
    let most = problem.demands().len().saturating_mul(hops);
    if let Some(goal) = goal.filter(|&goal| goal as usize > most.max(FEW_STEPS)) {
        return Err(Error::field(
            "steps",
            format!(
                "{goal} are too many: {} of {} has {}, and a schedule with one transfer \
                 a step has at most {most}",
                problem.collective(),
                problem.network().name(),
                counted(problem.demands().len(), "delivery"),
                most = counted(most, "step")
            ),
        ));
    }
    match (goal, bounds.first()) {
        (Some(goal), Some(bound)) if goal < bound.steps => Err(Error::field(
            "steps",
            format!(
                "{goal} are too few: {} of {} needs at least {}, by the {} bound",
                problem.collective(),
                problem.network().name(),
                counted(bound.steps, "step"),
                bound.name
            ),
        )),
        _ => Ok(()),
    }
}

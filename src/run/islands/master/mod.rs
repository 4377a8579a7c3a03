//! The master of a search: at each exchange it receives the summary of all groups, keeps the best
//! schedule, lowers the step target, lets groups exchange with each other, and ends the search.

mod ending;
mod exchange;
mod keeping;
pub(super) mod refuter;
pub(super) mod target;

use super::groups::{Answer, Decision, Early, Summary, rng_between};
use super::state::{MasterState, State};
use super::{
    Effort, IslandStats, Keeper, Observer, Progress, Run, Search, SearchError, StopCondition,
    StopReason,
};
use ccsched_base::codec::CommError;
use ccsched_engines::Method;
use ccsched_model::schedule::{Plan, PlanRank};
use keeping::Held;
use refuter::Refuter;
use std::sync::Arc;
use target::Target;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best schedule.
    pub best: Option<Arc<Plan>>,
    /// The method that found it.
    pub method: Option<Method>,
    /// Why the search ended.
    pub reason: StopReason,
    /// The progress at the end.
    pub progress: Progress,
    /// The most memory that another process has used, in bytes, if there are others.
    pub peak_of_others: Option<u64>,
    /// What the busiest rank has spent.
    pub busiest: Effort,
}

impl Outcome {
    /// The outcome of a run that ends with its opening.
    pub(super) fn of(first: Option<(Arc<Plan>, Method)>, reason: StopReason) -> Self {
        let best = first.as_ref().map(|(plan, _)| plan.cost());
        let progress = Progress { seeking: best.unwrap_or(0), best, ..Progress::default() };
        let (best, method) = first.unzip();
        Outcome { best, method, reason, progress, peak_of_others: None, busiest: Effort::default() }
    }

    /// The fewest steps of any schedule, if the search itself has proved them.
    pub fn shown(&self) -> Option<u32> {
        let best = self.best.as_ref().filter(|_| self.reason == StopReason::Refuted)?;
        Some(best.len() as u32)
    }
}

/// The master's side of a search.
pub struct Master<'a> {
    state: MasterState,
    search: Search,
    islands: usize,
    stop: StopCondition<'a>,
    /// Tries to prove that no better schedule exists, if wanted.
    refuter: Option<Refuter>,
    observer: &'a mut dyn Observer,
    keeper: Option<&'a mut dyn Keeper>,
    reason: StopReason,
    /// Whether an interrupt reached another rank.
    is_told: bool,
    /// The rank of the best schedule passed to the observer.
    shown: Option<PlanRank>,
    /// The iterations that the last leg counts.
    passed: u64,
    /// Whether the messages of a search for the least time have one path each.
    is_narrow: bool,
    /// The state to save as soon as the islands have sent theirs.
    held: Option<Held>,
}

impl<'a> Master<'a> {
    /// The master of a search.
    pub fn new(search: Search, islands: usize, run: Run<'a>) -> Self {
        let Run { bound, first, stop, observer, keeper, of_time, .. } = run;
        let is_narrow = of_time.is_some_and(|of_time| of_time.is_narrow);
        let master =
            Master { keeper, is_narrow, ..Self::above(search, islands, bound, stop, observer) };
        master.after(first)
    }

    /// Begins with a schedule that the observer knows, if there is one.
    fn after(mut self, first: Option<(Arc<Plan>, Method)>) -> Self {
        let Some((plan, method)) = first else { return self };
        let MasterState { target, best, method: of_best, progress, .. } = &mut self.state;
        target.found(plan.cost());
        progress.best = Some(plan.cost());
        self.shown = Some(plan.rank());
        (*best, *of_best) = (Some(plan), Some(method));
        self
    }

    /// The master of a search above a lower bound, without a keeper.
    pub fn above(
        search: Search,
        islands: usize,
        bound: u64,
        stop: StopCondition<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let target = match search.form {
            Some(_) => Target::fixed(bound),
            None => Target::new(bound, search.goal.map(u64::from)),
        };
        let state = MasterState {
            target,
            rng: rng_between(search.seed),
            best: None,
            method: None,
            progress: Progress::default(),
        };
        Master {
            state,
            search,
            islands,
            refuter: None,
            stop,
            observer,
            keeper: None,
            reason: StopReason::Goal,
            is_told: false,
            shown: None,
            passed: search.exchange_every,
            is_narrow: false,
            held: None,
        }
    }

    /// Saves the states of the search with a keeper.
    pub fn with_keeper(self, keeper: Option<&'a mut dyn Keeper>) -> Self {
        Master { keeper, ..self }
    }

    /// Ends the search also when a refuter proves that no better schedule exists.
    pub(in crate::islands) fn with_refuter(self, refuter: Option<Refuter>) -> Self {
        Master { refuter, ..self }
    }

    /// The parameters that the islands share.
    pub fn search(&self) -> Search {
        self.search
    }

    /// Whether the search saves a state when it ends or is interrupted.
    pub fn keeps(&mut self) -> bool {
        self.wants_state(true)
    }

    fn wants_state(&mut self, ends: bool) -> bool {
        self.keeper.as_mut().is_some_and(|keeper| keeper.wants_state(ends))
    }

    /// Saves a state; the observer first makes everything before it durable.
    fn keep(&mut self, state: State) -> Result<(), SearchError> {
        self.observer.flush();
        let kept = self.keeper.as_mut().map_or(Ok(()), |keeper| keeper.keep(state));
        kept.map_err(SearchError::Observer)
    }

    /// Whether the observer uses statistics of islands.
    pub(in crate::islands) fn wants_islands(&self) -> bool {
        self.observer.wants_islands()
    }

    /// Handles what does not wait for the end of a leg: a better schedule is passed on at once, the
    /// course of the search is decided when all islands have reported.
    pub(in crate::islands) fn hear(&mut self, news: &Early) -> Result<(), SearchError> {
        match news {
            Early::Interrupted => self.is_told = true,
            Early::Found(plan, method)
                if self.search.wants(plan)
                    && self.shown.is_none_or(|shown| plan.rank() < shown) =>
            {
                self.observer.found(plan, method).map_err(SearchError::Observer)?;
                self.shown = Some(plan.rank());
            }
            Early::Found(..) => {}
        }
        Ok(())
    }

    /// From the answer of all groups to the next decision. During long work, `polls` returns
    /// whether an interrupt has reached another rank.
    pub(in crate::islands) fn reply(
        &mut self,
        answer: Answer,
        polls: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, SearchError> {
        match (self.held.take(), answer) {
            (Some(held), Answer::Saved(states)) => self.keep_state(held, states),
            (None, Answer::Summary(summary)) if summary.is_broken => self.break_off(*summary),
            (None, Answer::Summary(summary)) => self.decide(*summary, polls),
            _ => Err(CommError::OutOfTurn(0).into()),
        }
    }

    /// One exchange.
    fn decide(
        &mut self,
        mut summary: Summary,
        polls: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, SearchError> {
        self.note(&summary);
        let seek_on = self.keep_best(summary.plan.take())?;
        let decision = self.next(&mut summary);
        // After a new number of steps islands tell anew whether they have something to try.
        let is_idle = summary.cost > 0
            && summary.patience == 0
            && summary.failed < self.islands
            && !matches!(decision, Decision::Seek(_));
        // A part of an iteration of a team is no progress to tell.
        if summary.passed > 0 {
            self.tell(&summary.stats);
        }
        if !seek_on {
            if self.wants_state(true) {
                let state = State { is_over: true, ..self.state() };
                self.keep(state)?;
            }
            return Ok(Decision::End);
        }
        let all_failed = (summary.failed == self.islands).then_some(StopReason::Failed);
        let idle = is_idle.then_some(StopReason::Idle);
        let reason = all_failed.or_else(|| self.check(polls)).or(idle);
        self.reason = reason.unwrap_or(self.reason);
        if !self.wants_state(reason.is_some()) {
            return Ok(if reason.is_some() { Decision::End } else { decision });
        }
        self.held = Some(Held { state: self.state(), ends: reason.is_some() });
        Ok(Decision::Save(Some(Box::new(decision))))
    }

    /// The result of the search.
    pub fn outcome(self) -> Outcome {
        let MasterState { best, method, progress, .. } = self.state;
        Outcome { reason: self.reason, progress, ..Outcome::of(best.zip(method), self.reason) }
    }

    fn note(&mut self, summary: &Summary) {
        let seeking = self.seeking();
        let MasterState { progress, .. } = &mut self.state;
        progress.seeking = seeking;
        if summary.failed < self.islands {
            progress.conflicts = summary.cost;
        }
        progress.temperature = summary.temperature;
        progress.iterations += summary.passed;
        self.passed = summary.passed;
        progress.iterations_done += summary.iterations;
        progress.evaluations += summary.evaluations;
        progress.exchanges += 1;
    }

    /// Passes the progress to the observer.
    fn tell(&mut self, stats: &[IslandStats]) {
        self.observer.progress(&self.state.progress);
        if self.observer.wants_islands() {
            self.observer.islands(&self.state.progress, stats);
        }
    }

    /// Keeps the best schedule of a leg if it is better than the best so far. Returns whether the
    /// search goes on.
    fn keep_best(&mut self, best: Option<(Arc<Plan>, Method)>) -> Result<bool, SearchError> {
        let Some((plan, found)) = best.filter(|(plan, _)| self.search.wants(plan)) else {
            return Ok(true);
        };
        let MasterState { best, method, progress, target, .. } = &mut self.state;
        if best.as_ref().is_some_and(|best| best.rank() <= plan.rank()) {
            return Ok(true);
        }
        let cost = plan.cost();
        self.observer.improved(&plan, &found).map_err(SearchError::Observer)?;
        self.shown = Some(plan.rank());
        (*best, *method) = (Some(plan), Some(found));
        progress.best = Some(cost);
        progress.improved_at = progress.iterations;
        Ok(target.found(cost))
    }
}

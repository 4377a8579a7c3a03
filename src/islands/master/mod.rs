//! The master: collects the reports at each exchange, keeps the best schedule, lowers the step
//! target, chooses partners by roulette, and ends the search.

mod ending;
mod keeping;
pub(super) mod refuter;
mod roulette;
pub(super) mod step_target;

use super::protocol::{FromIsland, FromMaster, Report};
use super::state::{MasterState, State};
use super::{
    IslandStats, Keeper, Observer, Progress, Run, Search, SearchError, StopCondition, StopReason,
};
use crate::comm::CommError;
use crate::engines::{Genome, Method};
use crate::rng::rng_of;
use crate::schedule::Plan;
use keeping::Held;
use refuter::Refuter;
use std::sync::Arc;
use step_target::StepTarget;

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
}

impl Outcome {
    /// The outcome of a run that ends with its opening.
    pub(super) fn of(first: Option<(Arc<Plan>, Method)>, reason: StopReason) -> Self {
        let steps = first.as_ref().map(|(plan, _)| plan.len());
        let seeking = steps.unwrap_or(0) as u32;
        let progress = Progress { seeking, best: steps, ..Progress::default() };
        let (best, method) = first.unzip();
        Outcome { best, method, reason, progress }
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
    shown: Option<(usize, usize, usize)>,
    /// Reports of the current leg that were sent before an interrupt.
    early: Vec<Option<Report>>,
    /// The state to save as soon as the islands have sent theirs.
    held: Option<Held>,
}

impl<'a> Master<'a> {
    /// The master of a search.
    pub fn new(search: Search, islands: usize, run: Run<'a>) -> Self {
        let Run { bound, first, stop, observer, keeper, .. } = run;
        let master = Master { keeper, ..Self::above(search, islands, bound, stop, observer) };
        master.after(first)
    }

    /// Begins with a schedule that the observer knows, if there is one.
    fn after(mut self, first: Option<(Arc<Plan>, Method)>) -> Self {
        let Some((plan, method)) = first else { return self };
        let MasterState { target, best, method: of_best, progress, .. } = &mut self.state;
        target.found(plan.len() as u32);
        progress.best = Some(plan.len());
        self.shown = Some(plan.rank());
        (*best, *of_best) = (Some(plan), Some(method));
        self
    }

    /// The master of a search above a lower bound, without a keeper.
    pub fn above(
        search: Search,
        islands: usize,
        bound: u32,
        stop: StopCondition<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let state = MasterState {
            target: StepTarget::new(bound, search.goal),
            rng: rng_of(search.seed, 0, 1),
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
            early: vec![],
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

    /// Handles a message from an island on arrival. A better schedule is passed on at once; the
    /// course of the search is decided when all islands have reported.
    pub(in crate::islands) fn hear(&mut self, word: &FromIsland) -> Result<(), SearchError> {
        match word {
            FromIsland::Interrupted => self.is_told = true,
            FromIsland::Report(Report { plan: Some((plan, method)), .. })
                if self.search.wants(plan)
                    && self.shown.is_none_or(|shown| plan.rank() < shown) =>
            {
                self.observer.found(plan, method).map_err(SearchError::Observer)?;
                self.shown = Some(plan.rank());
            }
            _ => {}
        }
        Ok(())
    }

    /// From the messages of all islands to the next messages to them. During long work, `overhears`
    /// returns whether an interrupt has reached another rank.
    pub(in crate::islands) fn reply(
        &mut self,
        words: Vec<FromIsland>,
        overhears: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<FromMaster>, SearchError> {
        if let Some(held) = self.held.take() {
            return self.keep_state(held, words);
        }
        let mut early = std::mem::take(&mut self.early).into_iter();
        let mut reports = Vec::with_capacity(words.len());
        for (island, word) in words.into_iter().enumerate() {
            reports.push(match (early.next().flatten(), word) {
                (Some(report), _) | (None, FromIsland::Report(report)) => report,
                _ => return Err(CommError::OutOfTurn(island).into()),
            });
        }
        if reports.iter().any(|report| report.broken_off) {
            return self.break_off(reports);
        }
        self.decide(reports, overhears)
    }

    /// One exchange.
    fn decide(
        &mut self,
        mut reports: Vec<Report>,
        overhears: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<FromMaster>, SearchError> {
        self.note(&reports);
        let seek_on = self.keep_best(&mut reports)?;
        let (orders, partners) = self.next_orders(&reports);
        self.tell(&reports, &partners);
        if !seek_on {
            if self.wants_state(true) {
                let state = State { is_over: true, ..self.state(vec![], vec![]) };
                self.keep(state)?;
            }
            return Ok(self.to_all(FromMaster::End));
        }
        let reason = self.check(overhears);
        self.reason = reason.unwrap_or(self.reason);
        if !self.wants_state(reason.is_some()) {
            return Ok(if reason.is_some() { self.to_all(FromMaster::End) } else { orders });
        }
        self.held = Some(Held { state: self.state(orders, vec![]), ends: reason.is_some() });
        Ok(self.to_all(FromMaster::Save))
    }

    /// The messages to all islands until the next exchange, and the partner of each.
    fn next_orders(&mut self, reports: &[Report]) -> (Vec<FromMaster>, Vec<Option<usize>>) {
        let costs: Vec<u64> = reports.iter().map(|r| r.cost).collect();
        let MasterState { target, rng, .. } = &mut self.state;
        if costs.contains(&0) || target.passed(self.search.exchange_every, reports[0].patience) {
            return (vec![FromMaster::Seek(target.seeking()); self.islands], vec![]);
        }
        let partners: Vec<Option<usize>> =
            (0..self.islands).map(|island| roulette::spin(&costs, island, rng)).collect();
        let genome = |p: usize| reports[p].genome.clone();
        (partners.iter().map(|p| FromMaster::CrossOver(p.map(genome))).collect(), partners)
    }

    /// The result of the search.
    pub fn outcome(self) -> Outcome {
        let MasterState { best, method, progress, .. } = self.state;
        Outcome { best, method, reason: self.reason, progress }
    }

    fn to_all(&self, orders: FromMaster) -> Vec<FromMaster> {
        vec![orders; self.islands]
    }

    fn note(&mut self, reports: &[Report]) {
        let MasterState { progress, target, .. } = &mut self.state;
        progress.seeking = target.seeking();
        progress.conflicts = reports.iter().map(|r| r.cost).min().unwrap_or(0);
        progress.temperature = reports[0].temperature;
        progress.iterations += self.search.exchange_every;
        progress.iterations_done += reports.iter().map(|r| r.iterations).max().unwrap_or(0);
        progress.evaluations += reports.iter().map(|r| r.evaluations).sum::<u64>();
        progress.exchanges += 1;
    }

    /// Passes the progress to the observer.
    fn tell(&mut self, reports: &[Report], partners: &[Option<usize>]) {
        self.observer.progress(&self.state.progress);
        let shows = |r: &Report| r.genome != Genome::Nothing;
        let stats = |(island, r): (usize, &Report)| IslandStats {
            cost: r.cost,
            temperature: r.temperature,
            evaluations: r.evaluations,
            tally: r.tally,
            sent: partners.iter().filter(|&&p| p == Some(island) && shows(r)).count() as u64,
        };
        let stats: Vec<IslandStats> = reports.iter().enumerate().map(stats).collect();
        self.observer.islands(&self.state.progress, &stats);
    }

    /// Keeps the best schedule reported if it is better than the best so far; ties go to the
    /// island of the lowest number. Returns whether the search goes on.
    fn keep_best(&mut self, reports: &mut [Report]) -> Result<bool, SearchError> {
        let plans = reports.iter_mut().filter_map(|r| r.plan.take());
        let plans = plans.filter(|(plan, _)| self.search.wants(plan));
        let Some((plan, found)) = plans.min_by_key(|(plan, _)| plan.rank()) else {
            return Ok(true);
        };
        let MasterState { best, method, progress, target, .. } = &mut self.state;
        if best.as_ref().is_some_and(|best| best.rank() <= plan.rank()) {
            return Ok(true);
        }
        let steps = plan.len();
        self.observer.improved(&plan, &found).map_err(SearchError::Observer)?;
        self.shown = Some(plan.rank());
        (*best, *method) = (Some(plan), Some(found));
        progress.best = Some(steps);
        progress.improved_at = progress.iterations;
        Ok(target.found(steps as u32))
    }
}

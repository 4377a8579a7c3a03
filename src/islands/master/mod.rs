//! The master: collects solutions at every exchange, keeps the best schedule, lowers the number of
//! steps for everybody, sends partners by roulette, and ends the search.

mod ending;
mod keeping;
pub(super) mod refuter;
mod roulette;
pub(super) mod step_target;

use super::protocol::{FromIsland, FromMaster, Report};
use super::state::{MasterState, State};
use super::{IslandStats, Limits, Observer, Progress, Search, SearchError, StopReason};
use crate::comm::CommError;
use crate::engines::Genome;
use crate::rng::rng_of;
use crate::schedule::Plan;
use keeping::Held;
use refuter::Refuter;
use step_target::StepTarget;

/// What a search has come to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best schedule.
    pub best: Option<Plan>,
    /// How it was found, where the islands had several ways.
    pub method: Option<String>,
    /// Why it ended.
    pub reason: StopReason,
    /// Where it stood at the end.
    pub progress: Progress,
}

impl Outcome {
    /// The fewest steps of any schedule, if the search has shown that itself.
    pub fn shown(&self) -> Option<u32> {
        let best = self.best.as_ref().filter(|_| self.reason == StopReason::Refuted)?;
        Some(best.steps.len() as u32)
    }
}

/// The master's side of a search.
pub struct Master<'a> {
    state: MasterState,
    search: Search,
    islands: usize,
    stop: Limits<'a>,
    /// Tries to prove that nothing is left to seek, if that is wanted.
    prover: Option<Refuter>,
    listener: &'a mut dyn Observer,
    reason: StopReason,
    /// An interrupt has reached another rank.
    is_told: bool,
    /// The best schedule that the listener has heard of.
    shown: Option<(usize, usize, usize)>,
    /// Reports of the stretch under way from before a break.
    early: Vec<Option<Report>>,
    /// What is kept as soon as the islands have told their states.
    held: Option<Held>,
}

impl<'a> Master<'a> {
    /// The master of a search above a lower bound.
    pub fn new(
        search: Search,
        islands: usize,
        bound: u32,
        stop: Limits<'a>,
        listener: &'a mut dyn Observer,
    ) -> Self {
        let state = MasterState {
            ladder: StepTarget::new(bound, search.goal),
            rng: rng_of(search.seed, 0, 1),
            best: None,
            method: None,
            progress: Progress::default(),
        };
        Master {
            state,
            search,
            islands,
            prover: stop.prover(),
            stop,
            listener,
            reason: StopReason::Goal,
            is_told: false,
            shown: None,
            early: vec![],
            held: None,
        }
    }

    /// Whether the search is to leave a state when it ends or is broken off.
    pub fn keeps(&mut self) -> bool {
        self.listener.wants_state(true)
    }

    /// Hears an island as soon as it speaks. A better schedule is kept at once; the course of the
    /// search is decided when everybody has spoken.
    pub(in crate::islands) fn hear(&mut self, word: &FromIsland) -> Result<(), SearchError> {
        match word {
            FromIsland::Interrupted => self.is_told = true,
            FromIsland::Report(Report { plan: Some((plan, _)), .. })
                if self.shown.is_none_or(|shown| plan.rank() < shown) =>
            {
                self.listener.found(plan).map_err(SearchError::Observer)?;
                self.shown = Some(plan.rank());
            }
            _ => {}
        }
        Ok(())
    }

    /// From everybody's answer to everybody's orders. Where that takes a while, `overhears` says whether
    /// an interrupt has reached somebody meanwhile.
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
            if self.listener.wants_state(true) {
                let state = State { is_over: true, ..self.state(vec![], vec![]) };
                self.listener.keep(state).map_err(SearchError::Observer)?;
            }
            return Ok(self.to_all(FromMaster::End));
        }
        let reason = self.check(overhears);
        self.reason = reason.unwrap_or(self.reason);
        if !self.listener.wants_state(reason.is_some()) {
            return Ok(if reason.is_some() { self.to_all(FromMaster::End) } else { orders });
        }
        self.held = Some(Held { state: self.state(orders, vec![]), ends: reason.is_some() });
        Ok(self.to_all(FromMaster::Save))
    }

    /// What everybody does until the next exchange, and whose solution each of them meets.
    fn next_orders(&mut self, reports: &[Report]) -> (Vec<FromMaster>, Vec<Option<usize>>) {
        let costs: Vec<u64> = reports.iter().map(|r| r.cost).collect();
        let MasterState { ladder, rng, .. } = &mut self.state;
        if costs.contains(&0) || ladder.passed(self.search.exchange_every, reports[0].patience) {
            return (vec![FromMaster::Seek(ladder.seeking()); self.islands], vec![]);
        }
        let partners: Vec<Option<usize>> =
            (0..self.islands).map(|island| roulette::spin(&costs, island, rng)).collect();
        let genome = |p: usize| reports[p].genome.clone();
        (partners.iter().map(|p| FromMaster::CrossOver(p.map(genome))).collect(), partners)
    }

    /// What the search has come to.
    pub fn outcome(self) -> Outcome {
        let MasterState { best, method, progress, .. } = self.state;
        Outcome { best, method, reason: self.reason, progress }
    }

    fn to_all(&self, orders: FromMaster) -> Vec<FromMaster> {
        vec![orders; self.islands]
    }

    fn note(&mut self, reports: &[Report]) {
        let MasterState { progress, ladder, .. } = &mut self.state;
        progress.seeking = ladder.seeking();
        progress.conflicts = reports.iter().map(|r| r.cost).min().unwrap_or(0);
        progress.temperature = reports[0].temperature;
        progress.iterations += self.search.exchange_every;
        progress.evaluations += reports.iter().map(|r| r.evaluations).sum::<u64>();
        progress.exchanges += 1;
    }

    /// Tells the listener how it goes.
    fn tell(&mut self, reports: &[Report], partners: &[Option<usize>]) {
        self.listener.progress(&self.state.progress);
        let shows = |r: &Report| r.genome != Genome::Nothing;
        let fared = |(island, r): (usize, &Report)| IslandStats {
            cost: r.cost,
            temperature: r.temperature,
            evaluations: r.evaluations,
            tally: r.tally,
            sent: partners.iter().filter(|&&p| p == Some(island) && shows(r)).count() as u64,
        };
        let fared: Vec<IslandStats> = reports.iter().enumerate().map(fared).collect();
        self.listener.fared(&self.state.progress, &fared);
    }

    /// Keeps the best schedule reported if it is better; of equally good ones that of the lowest
    /// rank. Says whether there is anything left to seek.
    fn keep_best(&mut self, reports: &mut [Report]) -> Result<bool, SearchError> {
        let plans = reports.iter_mut().filter_map(|r| r.plan.take());
        let Some((plan, found)) = plans.min_by_key(|(plan, _)| plan.rank()) else {
            return Ok(true);
        };
        let MasterState { best, method, progress, ladder, .. } = &mut self.state;
        if best.as_ref().is_some_and(|best| best.rank() <= plan.rank()) {
            return Ok(true);
        }
        let steps = plan.steps.len();
        self.listener.improved(&plan).map_err(SearchError::Observer)?;
        self.shown = Some(plan.rank());
        (*best, *method) = (Some(plan), found);
        progress.best = Some(steps);
        progress.improved_at = progress.iterations;
        Ok(ladder.found(steps as u32))
    }
}

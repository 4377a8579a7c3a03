//! The master: collects solutions at every exchange, keeps the best schedule, lowers the number of
//! steps for everybody, sends partners by roulette, and ends the search.

use super::ladder::Ladder;
use super::messages::{Orders, Report};
use super::{Listener, Progress, Search, SearchError, Stop, StopReason, roulette};
use crate::engines::{Rng, Walker, rng_of};
use crate::schedule::Plan;

/// What a search has come to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best schedule.
    pub best: Option<Plan>,
    /// How it was found, where the islands had several ways.
    pub way: Option<String>,
    /// Why it ended.
    pub reason: StopReason,
    /// Where it stood at the end.
    pub progress: Progress,
}

/// The master's side of a search.
pub struct Master<'a> {
    ladder: Ladder,
    search: Search,
    islands: usize,
    stop: Stop<'a>,
    listener: &'a mut dyn Listener,
    rng: Rng,
    best: Option<Plan>,
    way: Option<String>,
    progress: Progress,
    reason: StopReason,
}

impl<'a> Master<'a> {
    /// The master of a search above a lower bound.
    pub fn new(
        search: Search,
        islands: usize,
        bound: u32,
        stop: Stop<'a>,
        listener: &'a mut dyn Listener,
    ) -> Self {
        Master {
            ladder: Ladder::new(bound, search.goal),
            rng: rng_of(search.seed, 0, 1),
            search,
            islands,
            stop,
            listener,
            best: None,
            way: None,
            progress: Progress::default(),
            reason: StopReason::Goal,
        }
    }

    /// The first orders to everybody.
    pub(super) fn begin(&mut self) -> Vec<Orders> {
        self.to_all(Orders::Seek(self.ladder.seeking()))
    }

    /// One exchange: from everybody's report to everybody's orders. `walker` is the master's own.
    pub(super) fn decide(
        &mut self,
        mut reports: Vec<Report>,
        walker: &dyn Walker,
    ) -> Result<Vec<Orders>, SearchError> {
        let costs: Vec<u64> = reports.iter().map(|r| r.cost).collect();
        self.note(&reports, walker);
        // Of equally good schedules that of the lowest rank.
        let plans = reports.iter_mut().filter_map(|r| r.plan.take());
        let seek_on = match plans.min_by_key(|(plan, _)| plan.rank()) {
            Some((plan, way)) => self.keep(plan, way)?,
            None => true,
        };
        self.listener.progress(&self.progress);
        if !seek_on {
            self.reason = StopReason::Goal;
            return Ok(self.to_all(Orders::Stop));
        }
        if let Some(reason) = self.stop.check(self.progress.iterations, self.progress.evaluations) {
            self.reason = reason;
            return Ok(self.to_all(Orders::Stop));
        }
        if self.is_refuted() {
            self.reason = StopReason::Refuted;
            return Ok(self.to_all(Orders::Stop));
        }
        let solved = costs.contains(&0);
        if solved || self.ladder.passed(self.search.exchange_every, walker.patience()) {
            return Ok(self.to_all(Orders::Seek(self.ladder.seeking())));
        }
        let meet = |island| {
            let partner = roulette::spin(&costs, island, &mut self.rng);
            Orders::Meet(partner.map(|p| reports[p].genome.clone()))
        };
        Ok((0..self.islands).map(meet).collect())
    }

    /// What the search has come to.
    pub fn outcome(self) -> Outcome {
        Outcome { best: self.best, way: self.way, reason: self.reason, progress: self.progress }
    }

    fn to_all(&self, orders: Orders) -> Vec<Orders> {
        vec![orders; self.islands]
    }

    fn note(&mut self, reports: &[Report], walker: &dyn Walker) {
        self.progress.seeking = self.ladder.seeking();
        self.progress.conflicts = reports.iter().map(|r| r.cost).min().unwrap_or(0);
        self.progress.temperature = walker.temperature();
        self.progress.iterations += self.search.exchange_every;
        self.progress.evaluations += reports.iter().map(|r| r.evaluations).sum::<u64>();
        self.progress.exchanges += 1;
    }

    /// Whether what is left to seek has been shown not to exist.
    fn is_refuted(&self) -> bool {
        let Progress { best, iterations, improved_at, .. } = self.progress;
        let fewer = best.map(|best| best as u32 - 1);
        let sought = self.search.goal.or(fewer);
        let quiet = (iterations - improved_at, self.search.exchange_every);
        sought.is_some_and(|steps| self.stop.refutes(steps, quiet))
    }

    /// Keeps a schedule if it is better. Says whether there is anything left to seek.
    fn keep(&mut self, plan: Plan, way: Option<String>) -> Result<bool, SearchError> {
        if self.best.as_ref().is_some_and(|best| best.rank() <= plan.rank()) {
            return Ok(true);
        }
        let steps = plan.steps.len();
        self.listener.improved(&plan).map_err(SearchError::Listener)?;
        self.best = Some(plan);
        self.way = way;
        self.progress.best = Some(steps);
        self.progress.improved_at = self.progress.iterations;
        Ok(self.ladder.found(steps as u32))
    }
}

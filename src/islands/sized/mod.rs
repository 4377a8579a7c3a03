//! A run for messages of different lengths: islands on threads or ranks, each with a search of its own; after
//! every round the worse half goes on from the best schedule of all. The bounds that take long are found beside
//! them. The schedule is verified.

mod team;

pub use team::{Answer, Order, RankTeam, SizedJob, Team, ThreadTeam, follow};

use super::aside::{aside, wait_for_extra};
use super::{Backend, Job, Search, SearchError, StopCondition, StopReason};
use crate::bounds::{self, Bound, ByteBound};
use crate::engines::Engine;
use crate::engines::sized::{Choices, Made, Timetable, steps_plan, timed_plan};
use crate::network::ChannelId;
use crate::problem::{MessageId, Problem};
use crate::schedule::ScheduleFile;
use crate::schedule::file::Provenance;
use crate::verify::verify;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most bytes of all messages, so that sums of loads and times stay far below the limit of 64 bits.
const MOST_BYTES: u64 = 1 << 50;

/// The messages of an earlier schedule in their order, each with its channels.
pub type FirstOrder = Vec<(MessageId, Vec<ChannelId>)>;

/// The form of a schedule of the least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Synchronised steps, each of which takes a start-up time, here in bytes, and that of its longest
    /// message.
    Steps {
        /// The start-up time of a step, in bytes.
        startup: u64,
    },
    /// Each transfer has a start.
    Timed,
}

impl Form {
    /// Whether transfers have starts.
    pub fn is_timed(self) -> bool {
        self == Form::Timed
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct SizedSolution {
    /// The problem.
    pub problem: Arc<Problem>,
    /// The form that was asked for.
    pub form: Form,
    /// Bounds in bytes, the largest first.
    pub bounds: Vec<ByteBound>,
    /// Of a schedule with steps, bounds on their number, the largest first.
    pub of_steps: Vec<Bound>,
    /// The schedule, if one was found, and its file.
    pub found: Option<(Made, ScheduleFile)>,
    /// The seed and the exchanges.
    pub search: Search,
    /// Number of islands.
    pub ranks: usize,
    /// Iterations of each island.
    pub iterations: u64,
    /// Why the run ended.
    pub reason: StopReason,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl SizedSolution {
    /// No schedule has fewer bytes.
    pub fn lower_bound(&self) -> u64 {
        self.bounds.first().map_or(0, |bound| bound.bytes)
    }

    /// No schedule costs less, start-up times included.
    pub fn least_cost(&self) -> u64 {
        least(self.form, &self.bounds, &self.of_steps)
    }

    /// Whether no schedule costs less.
    pub fn is_optimal(&self) -> bool {
        self.found.as_ref().is_some_and(|(made, _)| made.cost <= self.least_cost())
    }
}

/// What a schedule costs at least.
fn least(form: Form, bounds: &[ByteBound], of_steps: &[Bound]) -> u64 {
    let bytes = bounds.first().map_or(0, |bound| bound.bytes);
    match form {
        Form::Timed => bytes,
        Form::Steps { startup } => {
            let steps = of_steps.first().map_or(1, |bound| u64::from(bound.steps));
            bytes.saturating_add(startup.saturating_mul(steps))
        }
    }
}

/// Searches for a schedule of the least time, beginning with an order if it is given. `hear` is told the cost of each better schedule.
///
/// # Errors
/// A problem whose messages have no lengths, or do not hold their paths; a schedule that is not valid.
pub fn solve_sized(
    problem: &Arc<Problem>,
    form: Form,
    search: Search,
    first: Option<FirstOrder>,
    backend: &mut dyn Backend,
    stop: StopCondition<'_>,
    hear: &mut dyn FnMut(u64),
) -> Result<SizedSolution, SearchError> {
    check_sized(problem)?;
    let choices = Arc::new(Choices::of(problem, search.seed));
    let job = SizedJob { job: Job::of(problem, Engine::default(), search), form, first };
    let ranks = backend.islands();
    let mut team = backend.sized(&job, problem, &choices)?;
    let mut of_steps = if form.is_timed() { vec![] } else { bounds::of_ports(problem) };
    let quick = bounds::bytes::quick(problem, form.is_timed());
    let (of_thread, mut bounds) = (problem.clone(), quick.clone());
    let has_ended = Arc::new(AtomicBool::new(false));
    let told_end = has_ended.clone();
    let late_bounds = aside(move || {
        let is_over = || told_end.load(Ordering::Relaxed);
        let of_bytes = bounds::bytes::all(&of_thread, quick, &is_over);
        let needs_steps = !form.is_timed() && !is_over();
        (of_bytes, needs_steps.then(|| bounds::quick(&of_thread)))
    })?;
    // What the searches aim at does not depend on when the late bounds arrive.
    let aim = least(form, &bounds, &of_steps);
    let (mut iterations, mut cost) = (0, u64::MAX);
    let (mut best, mut adopting): (Option<Timetable>, Vec<usize>) = (None, vec![]);
    let reason = loop {
        // The first round makes the first schedule alone.
        let most = if iterations == 0 { 1 } else { search.exchange_every };
        let adopt = best.clone().filter(|_| !adopting.is_empty());
        let order = Order { iterations: most, aim, adopt, left: stop.left() };
        let answers = team.round(order, &adopting, stop)?;
        iterations += most;
        let costs: Vec<u64> = answers.iter().map(|answer| answer.cost).collect();
        adopting = worse_half(&costs);
        for Answer { cost: found, table } in answers {
            if let Some(table) = table.filter(|_| found < cost) {
                (cost, best) = (found, Some(table));
                hear(cost);
            }
        }
        if cost <= aim {
            break StopReason::Bound;
        }
        if let Ok(all) = late_bounds.try_recv() {
            (bounds, of_steps) = (all.0, all.1.unwrap_or(of_steps));
        }
        let least = least(form, &bounds, &of_steps);
        let gap = stop.gap_of(least);
        if cost <= least {
            break StopReason::Bound;
        } else if gap > least && cost <= gap {
            break StopReason::Gap;
        } else if let Some(reason) = stop.check(iterations, 0) {
            if let Some(all) = wait_for_extra(&late_bounds, || stop.cuts().is_some()) {
                (bounds, of_steps) = (all.0, all.1.unwrap_or(of_steps));
            }
            break reason;
        }
    };
    has_ended.store(true, Ordering::Relaxed);
    team.end()?;
    let mut solution = SizedSolution {
        problem: problem.clone(),
        form,
        bounds,
        of_steps,
        found: None,
        search,
        ranks,
        iterations,
        reason,
        seconds: 0.0,
    };
    if let Some(table) = best {
        let made = match form {
            Form::Timed => timed_plan(&choices, &table),
            Form::Steps { .. } => steps_plan(&choices, &table),
        };
        let file = file(&solution, &made);
        if let Some(why) = verify(&file).first() {
            return Err(SearchError::Observer(format!("internal error: {why}")));
        }
        solution.found = Some((made, file));
        if solution.is_optimal() {
            solution.reason = StopReason::Bound;
        }
    }
    solution.seconds = stop.elapsed().as_secs_f64();
    Ok(solution)
}

/// Refuses problems of which this makes no schedules.
///
/// # Errors
/// Messages without lengths, or too long; transfers that do not hold their whole paths.
pub fn check_sized(problem: &Problem) -> Result<()> {
    if problem.lengths().is_none() {
        let why = "time is for messages with lengths; where all are alike the fewest steps take the \
                   least time";
        return Err(Error::field("minimize", why));
    }
    let lengths = problem.lengths().unwrap_or_default();
    if lengths.iter().fold(0u64, |sum, &bytes| sum.saturating_add(bytes)) > MOST_BYTES {
        return Err(Error::field("pairs", format!("more than {MOST_BYTES} bytes in all")));
    }
    match problem.holds_whole_paths() {
        true => Ok(()),
        false => {
            let why = "time is for wormhole switching, where a transfer holds its whole path";
            Err(Error::field("minimize", why))
        }
    }
}

/// The islands with schedules that cost more than those of the others: half of them.
fn worse_half(costs: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&island| costs[island]);
    order.split_off(costs.len().div_ceil(2))
}

/// The schedule file.
fn file(solution: &SizedSolution, made: &Made) -> ScheduleFile {
    let method = if solution.form.is_timed() { "timed lists" } else { "first fit by length" };
    let search = &solution.search;
    let parameters = [("exchange-every", search.exchange_every.into())];
    let provenance = Provenance::new("auto", method, search.seed, solution.ranks, parameters);
    let file = made.plan.record(&solution.problem, &solution.of_steps, provenance);
    file.with_lengths(&solution.problem, &solution.bounds, made.starts.as_deref())
}

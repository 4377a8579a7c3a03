//! A run for messages of different lengths: islands on threads or ranks, each with a search of its own; after
//! every round the worse half goes on from the best schedule of all. The bounds that take long are found beside
//! them. The schedule is verified.

mod keeping;
mod ranks;
mod team;

pub use keeping::SizedState;
pub use ranks::{RankTeam, follow};
pub use team::{Answer, Order, SizedJob, Team, ThreadTeam};

use super::aside::{aside, wait_for_extra};
use super::{Backend, Job, Keeper, Search, SearchError, StopCondition, StopReason};
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_bounds::{Bound, ByteBound};
use ccsched_engines::Engine;
use ccsched_engines::sized::{Choices, Made, Timetable, steps_plan, timed_plan};
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::file::Provenance;
use ccsched_network::ChannelId;
use ccsched_verify::{Violation, verify, verify_bounds};
use keeping::Keeping;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// The most bytes of all messages, so that sums of loads and times stay far below the limit of 64 bits.
const MOST_BYTES: u64 = 1 << 50;

/// Bounds that take long are waited for at the end, even if others suffice, and include congestion in steps, for
/// this number of messages.
const FEW_MESSAGES: usize = 300;

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

/// Is told the cost of a better schedule, and the iterations so far; the third argument makes its verified
/// file.
pub type Hear<'h> = &'h mut dyn FnMut(u64, u64, &dyn Fn() -> Result<ScheduleFile, SearchError>);

/// What a schedule of a problem costs at least, by all bounds.
///
/// # Errors
/// As [`check_sized`].
pub fn least_cost(problem: &Problem, form: Form) -> Result<u64> {
    check_sized(problem)?;
    let quick = bounds::bytes::quick(problem, form.is_timed());
    let of_bytes = bounds::bytes::all(problem, quick, &|| false);
    let of_steps = if form.is_timed() { vec![] } else { of_steps(problem, &|| false) };
    Ok(least(form, &of_bytes, &of_steps))
}

/// The bounds on the number of steps, of few messages with that of congestion.
fn of_steps(problem: &Problem, is_over: &dyn Fn() -> bool) -> Vec<Bound> {
    let quick = bounds::quick(problem);
    match problem.messages() <= FEW_MESSAGES {
        true => bounds::with_congestion(problem, quick, is_over),
        false => quick,
    }
}

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

/// Searches for a schedule of the least time, beginning with an order if it is given, or going on from the
/// state that the keeper has. `hear` is told of each better schedule.
///
/// # Errors
/// A problem whose messages have no lengths, or do not hold their paths; a schedule that is not valid; a state
/// of another search.
pub fn solve_sized(
    problem: &Arc<Problem>,
    form: Form,
    search: Search,
    (first, keeper): (Option<FirstOrder>, Option<&mut dyn Keeper>),
    backend: &mut dyn Backend,
    stop: StopCondition<'_>,
    hear: Hear<'_>,
) -> Result<SizedSolution, SearchError> {
    check_sized(problem)?;
    // All paths are found in half of the time, or the first schedule is the only one.
    let mut keeping = Keeping::new(keeper);
    let resumed = keeping.resumes()?;
    let was_narrow = resumed.as_ref().map(|(state, _)| state.is_narrow);
    let of_paths = stop.leaving_half();
    let is_over = || was_narrow.unwrap_or_else(|| of_paths.cuts().is_some());
    let all = Choices::of(problem, search.seed, &is_over);
    let is_narrow = all.is_none();
    let choices = Arc::new(all.unwrap_or_else(|| Choices::narrow(problem, search.seed)));
    let job = SizedJob { job: Job::of(problem, Engine::default(), search), form, first, is_narrow };
    let mut solution = SizedSolution {
        problem: problem.clone(),
        form,
        bounds: bounds::bytes::quick(problem, form.is_timed()),
        of_steps: if form.is_timed() { vec![] } else { bounds::of_ports(problem) },
        found: None,
        search,
        ranks: backend.islands(),
        iterations: 0,
        reason: StopReason::Bound,
        seconds: 0.0,
    };
    let mut team = backend.sized(&job, problem, &choices)?;
    let (of_thread, quick) = (problem.clone(), solution.bounds.clone());
    let has_ended = Arc::new(AtomicBool::new(false));
    let told_end = has_ended.clone();
    let (tell, of_cut) = mpsc::channel();
    let late_bounds = aside(move || {
        let is_over = || told_end.load(Ordering::Relaxed);
        let in_bytes = of_thread.in_bytes();
        let of_bytes = bounds::bytes::with_cut(&in_bytes, quick);
        // The receiver is gone if the search has ended.
        let _ = tell.send(of_bytes.clone());
        let of_bytes = bounds::bytes::with_congestion(&in_bytes, of_bytes, &is_over);
        let needs_steps = !form.is_timed() && !is_over();
        (of_bytes, needs_steps.then(|| of_steps(&of_thread, &is_over)))
    })?;
    let take = |solution: &mut SizedSolution, (of_bytes, of_steps): (_, Option<_>)| {
        solution.bounds = of_bytes;
        solution.of_steps = of_steps.unwrap_or(std::mem::take(&mut solution.of_steps));
    };
    // What the searches aim at does not depend on when the late bounds arrive.
    let aim = solution.least_cost();
    let of_aim = (solution.bounds.clone(), solution.of_steps.clone());
    let (mut cost, mut best, mut adopting) = (u64::MAX, None::<Timetable>, vec![]);
    // The first schedule, verified, until there is a better one.
    let mut first = None;
    let mut stop = stop;
    let mut ended = None;
    if let Some((state, iterations)) = resumed {
        state.check(form, solution.ranks, &choices)?;
        team.resume(state.islands)?;
        (solution.iterations, best, adopting) = (iterations, state.best, state.adopting);
        if let Some(table) = &best {
            cost = table.end;
            hear(cost, iterations, &|| Ok(verified(&solution, &choices, table)?.1));
        }
        ended = stop.check(iterations, 0).filter(|_| best.is_some());
    }
    solution.reason = loop {
        if let Some(reason) = ended {
            if let Some(late) = wait_for_extra(&late_bounds, || stop.cuts().is_some()) {
                take(&mut solution, late);
            }
            break reason;
        }
        // The first round makes the first schedule alone.
        let most = if solution.iterations == 0 { 1 } else { search.exchange_every };
        let adopt = best.clone().filter(|_| !adopting.is_empty());
        let order = Order { iterations: most, aim, adopt, left: stop.left() };
        let answers = team.round(order, &adopting, stop)?;
        solution.iterations += most;
        let costs: Vec<u64> = answers.iter().map(|answer| answer.cost).collect();
        let is_interrupted = answers.iter().any(|answer| answer.is_interrupted);
        adopting = worse_half(&costs);
        let before = cost;
        for Answer { cost: found, table, .. } in answers {
            if let Some(table) = table.filter(|_| found < cost) {
                (cost, best) = (found, Some(table));
            }
        }
        if let Some(table) = best.as_ref().filter(|_| cost < before) {
            hear(cost, solution.iterations, &|| Ok(verified(&solution, &choices, table)?.1));
            first = None;
            if before == u64::MAX && stop.left().is_some() {
                // The last schedule is verified and written in time.
                let begin = stop.elapsed();
                first = Some(verified(&solution, &choices, table)?);
                stop = stop.leaving(2 * (stop.elapsed() - begin));
            }
        }
        let is_late = || is_interrupted || stop.cuts().is_some();
        if !is_late() {
            keeping.after_round(&mut *team, solution.iterations, |islands| {
                let (best, adopting) = (best.clone(), adopting.clone());
                SizedState { form, is_narrow, best, adopting, islands }
            })?;
        }
        if cost <= aim {
            // Nor does the file.
            if problem.messages() > FEW_MESSAGES {
                (solution.bounds, solution.of_steps) = of_aim;
            } else if let Some(late) = wait_for_extra(&late_bounds, is_late) {
                take(&mut solution, late);
            }
            break StopReason::Bound;
        }
        if let Ok(of_bytes) = of_cut.try_recv() {
            take(&mut solution, (of_bytes, None));
        }
        if let Ok(late) = late_bounds.try_recv() {
            take(&mut solution, late);
        }
        let least = solution.least_cost();
        let gap = stop.gap_of(least);
        if cost <= least {
            break StopReason::Bound;
        } else if gap > least && cost <= gap {
            break StopReason::Gap;
        }
        // What cuts a round short is the reason, not that its iterations are over.
        let told = is_interrupted.then_some(StopReason::Interrupted).or_else(|| stop.cuts());
        if let Some(reason) = told.or_else(|| stop.check(solution.iterations, 0)) {
            if let Some(late) = wait_for_extra(&late_bounds, is_late) {
                take(&mut solution, late);
            }
            break reason;
        }
    };
    has_ended.store(true, Ordering::Relaxed);
    keeping.save()?;
    team.end()?;
    drop(team);
    solution.found = match first {
        Some(first) => Some(with_last_bounds(&solution, first)?),
        None => best.map(|table| verified(&solution, &choices, &table)).transpose()?,
    };
    if solution.is_optimal() {
        solution.reason = StopReason::Bound;
    }
    solution.seconds = stop.elapsed().as_secs_f64();
    Ok(solution)
}

/// The schedule of a table, and its file.
fn verified(
    solution: &SizedSolution,
    choices: &Choices,
    table: &Timetable,
) -> Result<(Made, ScheduleFile), SearchError> {
    let made = match solution.form {
        Form::Timed => timed_plan(choices, table),
        Form::Steps { .. } => steps_plan(choices, table),
    };
    let file = file(solution, &made);
    pass(&verify(&file))?;
    Ok((made, file))
}

/// A schedule that was verified, with the bounds that were found since.
fn with_last_bounds(
    solution: &SizedSolution,
    (made, mut file): (Made, ScheduleFile),
) -> Result<(Made, ScheduleFile), SearchError> {
    if file.set_bounds(&solution.problem, (&solution.of_steps, &solution.bounds)) {
        pass(&verify_bounds(&file))?;
    }
    Ok((made, file))
}

fn pass(violations: &[Violation]) -> Result<(), SearchError> {
    let told = |why| SearchError::Observer(format!("internal error: {why}"));
    violations.first().map_or(Ok(()), |why| Err(told(why)))
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
            let why = "time is for wormhole switching, where a transfer holds its whole path, and \
                       messages with one destination each";
            Err(Error::field("minimize", why))
        }
    }
}

/// The islands with schedules that cost more than those of the others, half of them, and those without one.
fn worse_half(costs: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&island| costs[island]);
    let have_one = order.partition_point(|&island| costs[island] < u64::MAX);
    order.split_off(costs.len().div_ceil(2).min(have_one))
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

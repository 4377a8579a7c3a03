//! What a search for the least time has beside that for the fewest steps: the paths that its messages choose
//! from, and bounds in bytes that are found beside it.

use super::aside::{aside, wait_for_extra};
use super::proven::Proven;
use super::{SearchError, StopCondition};
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_bounds::{Bound, ByteBound};
use ccsched_engines::sized::{Choices, FirstOrder, Form, Start};
use ccsched_model::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// The most bytes of all messages, so that sums of loads and times stay far below the limit of 64 bits.
const MOST_BYTES: u64 = 1 << 50;

/// Bounds that take long are waited for at the end, even if others suffice, and include congestion in steps, for
/// this number of messages.
const FEW_MESSAGES: usize = 300;

/// The time that is left at the end to verify and write the schedule, for each message.
const CHECK: Duration = Duration::from_micros(10);

/// What islands must know of a search for the least time beside its form.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct OfTime {
    /// The order to begin with, if it is given.
    pub first: Option<Arc<FirstOrder>>,
    /// Whether each message has one path, because there was no time to find all.
    pub is_narrow: bool,
    /// The paths, where they are found already.
    #[serde(skip)]
    choices: Option<Arc<Choices>>,
}

impl fmt::Debug for OfTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfTime").field("is_narrow", &self.is_narrow).finish_non_exhaustive()
    }
}

impl OfTime {
    /// The paths of the messages, which are found in half of the time, or one shortest path for each; `was_narrow`
    /// says what a search that is resumed had.
    pub(super) fn begin(
        problem: &Problem,
        seed: u64,
        (first, was_narrow): (Option<Arc<FirstOrder>>, Option<bool>),
        stop: StopCondition<'_>,
    ) -> Self {
        let of_paths = stop.leaving_half();
        let is_over = || was_narrow.unwrap_or_else(|| of_paths.cuts().is_some());
        let all = Choices::of(problem, seed, &is_over);
        let is_narrow = all.is_none();
        let choices = Some(Arc::new(all.unwrap_or_else(|| Choices::narrow(problem, seed))));
        OfTime { first, is_narrow, choices }
    }

    /// What the search of an island begins with; a rank finds the paths that rank 0 has.
    pub(super) fn start(self, problem: &Problem, form: Form, seed: u64) -> Start {
        let find = || Arc::new(Choices::in_time(problem, seed, &|| self.is_narrow));
        let choices = self.choices.unwrap_or_else(find);
        Start::new(problem, choices, form, self.first)
    }
}

/// The time that is left at the end to verify and to write the schedule of a problem.
pub(super) fn checking(problem: &Problem) -> Duration {
    CHECK * problem.messages() as u32
}

/// Bounds that are found beside a search for the least time.
pub(super) struct Late {
    form: Form,
    has_few_messages: bool,
    quick: Proven,
    has_ended: Arc<AtomicBool>,
    of_cut: Receiver<Vec<ByteBound>>,
    all: Receiver<(Vec<ByteBound>, Option<Vec<Bound>>)>,
}

impl Drop for Late {
    /// The search for bounds ends too.
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

impl Late {
    /// Begins to look for bounds beyond those that are found at once.
    pub fn begin(
        problem: &Arc<Problem>,
        form: Form,
        quick: &Proven,
    ) -> std::result::Result<Self, SearchError> {
        let has_ended = Arc::new(AtomicBool::new(false));
        let (tell, of_cut) = mpsc::channel();
        let (of_thread, of_bytes, told_end) =
            (problem.clone(), quick.bytes.clone(), has_ended.clone());
        let all = aside(move || {
            let is_over = || told_end.load(Ordering::Relaxed);
            let in_bytes = of_thread.in_bytes();
            let of_bytes = bounds::bytes::with_cut(&in_bytes, of_bytes, form.is_timed());
            // The receiver is gone if the search has ended.
            let _ = tell.send(of_bytes.clone());
            let of_bytes = bounds::bytes::with_congestion(&in_bytes, of_bytes, &is_over);
            let needs_steps = !form.is_timed() && !is_over();
            (of_bytes, needs_steps.then(|| of_steps(&of_thread, &is_over)))
        })?;
        let has_few_messages = problem.messages() <= FEW_MESSAGES;
        Ok(Late { form, has_few_messages, quick: quick.clone(), has_ended, of_cut, all })
    }

    /// Takes what has been found in; whether anything has.
    pub fn look(&self, proven: &mut Proven) -> bool {
        let cut = self.of_cut.try_recv().map(|of_bytes| proven.bytes = of_bytes).is_ok();
        let all = self.all.try_recv().map(|late| take(proven, late)).is_ok();
        cut || all
    }

    /// The bounds at the end of a search whose best schedule costs `cost`, which waits for them until `is_late`. Those
    /// of many messages do not depend on the speed of the machine if the search has reached what it aimed at.
    pub fn end(
        &self,
        mut proven: Proven,
        cost: Option<u64>,
        is_late: impl FnMut() -> bool,
    ) -> Proven {
        let has_reached = cost.is_some_and(|cost| cost <= self.quick.least(Some(self.form)));
        if has_reached && !self.has_few_messages {
            return self.quick.clone();
        }
        let is_proved = cost.is_some_and(|cost| cost <= proven.least(Some(self.form)));
        if (has_reached || !is_proved)
            && let Some(late) = wait_for_extra(&self.all, is_late)
        {
            take(&mut proven, late);
        }
        proven
    }
}

fn take(proven: &mut Proven, (of_bytes, of_steps): (Vec<ByteBound>, Option<Vec<Bound>>)) {
    proven.bytes = of_bytes;
    proven.steps = of_steps.unwrap_or(std::mem::take(&mut proven.steps));
}

/// The bounds on the number of steps, of few messages with that of congestion.
fn of_steps(problem: &Problem, is_over: &dyn Fn() -> bool) -> Vec<Bound> {
    let quick = bounds::quick(problem);
    match problem.messages() <= FEW_MESSAGES {
        true => bounds::with_congestion(problem, quick, is_over),
        false => quick,
    }
}

/// What a schedule of a problem costs at least, by all bounds.
///
/// # Errors
/// As [`check_sized`].
pub fn least_cost(problem: &Problem, form: Form) -> Result<u64> {
    check_sized(problem)?;
    let quick = bounds::bytes::quick(problem, form.is_timed());
    let bytes = bounds::bytes::all(problem, quick, form.is_timed(), &|| false);
    let steps = if form.is_timed() { vec![] } else { of_steps(problem, &|| false) };
    let of_delays = Proven::of_delays(problem, form);
    Ok(Proven { steps, bytes, of_delays }.least(Some(form)))
}

/// Refuses problems of which this makes no schedules.
///
/// # Errors
/// Messages without lengths, or too long; transfers that do not hold their whole paths.
pub fn check_sized(problem: &Problem) -> Result<()> {
    if problem.lengths().is_none() {
        let why = match problem.network().has_delays() {
            true => "a timed schedule is of messages with lengths: a traffic with their bytes",
            false => {
                "time is for messages with lengths; where all are alike the fewest steps take the \
                 least time"
            }
        };
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

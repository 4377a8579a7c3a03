//! The refuter: decides when to try to prove that no better schedule exists. Attempts start after
//! fixed numbers of iterations without a better schedule (engines/policy.rs), first with few conflicts,
//! later with more. Long attempts run in parallel with the search, and their verdict counts at a later
//! exchange. The timing depends on iterations and conflicts alone, so it is the same on threads and
//! on ranks.

use ccsched_base::caught::caught;
use ccsched_bounds::refute::{Verdict, memory, refute};
use ccsched_engines::policy;
use ccsched_model::problem::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two checks of the stop condition while waiting for an attempt.
const LOOK: Duration = Duration::from_millis(2);

/// Makes the attempts.
pub struct Refuter {
    problem: Arc<Problem>,
    /// Whether long attempts have a thread of their own.
    aside: bool,
    /// A number of steps and the memory that its refutation needs; no memory if there is no attempt.
    needs: Option<(u32, Option<u64>)>,
    under_way: Option<Attempt>,
}

/// An attempt on a thread. Dropping it ends the thread within a moment, without joining it.
struct Attempt {
    steps: u32,
    conflicts: u64,
    is_stopped: Arc<AtomicBool>,
    verdict: Receiver<Verdict>,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl Refuter {
    /// A refuter of a problem; with `aside`, the search goes on during long attempts.
    pub fn new(problem: Arc<Problem>, aside: bool) -> Self {
        Refuter { problem, aside, needs: None, under_way: None }
    }

    /// Whether a verdict is due that no schedule has `steps` steps. `quiet` is the number of
    /// iterations without success, the last `passed` of them since the last call. An
    /// attempt that is waited for ends early when `stop` returns true. None is begun that needs more memory than
    /// `room` says is left.
    pub fn shows(
        &mut self,
        steps: u32,
        (quiet, passed): (u64, u64),
        room: &dyn Fn() -> Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        let is_now = |after: u64| quiet >= after && quiet - after < passed;
        let goes_on = |begin: u64, end: u64| quiet >= begin && (quiet < end || is_now(end));
        let due = policy::REFUTATIONS.iter().find(|&&(begin, end, _)| goes_on(begin, end));
        let needs = due.filter(|_| steps > 0).and_then(|_| self.needs(steps));
        let (Some(&(begin, end, conflicts)), Some(needs)) = (due, needs) else {
            self.under_way = None;
            return false;
        };
        let fits = || needs < policy::LITTLE_MEMORY || room().is_none_or(|room| needs <= room);
        let verdict = if begin == end || !self.aside {
            // Without a thread of its own, the attempt runs here as soon as it begins.
            (is_now(begin) && fits()).then(|| attempt(&self.problem, steps, conflicts, stop))
        } else {
            if self.under_way.is_some() || fits() {
                self.begin(steps, conflicts);
            }
            is_now(end).then(|| self.end(stop))
        };
        if let Some(verdict) = verdict {
            log::debug!("schedules of {steps} steps, {conflicts} conflicts: {verdict:?}");
        }
        verdict == Some(Verdict::Impossible)
    }

    /// The memory of an attempt, if there may be one.
    fn needs(&mut self, steps: u32) -> Option<u64> {
        let (problem, known) = (&self.problem, self.needs.filter(|&(of, _)| of == steps));
        self.needs.insert(known.unwrap_or_else(|| (steps, memory(problem, steps)))).1
    }

    /// Begins an attempt on a thread, unless it is under way.
    fn begin(&mut self, steps: u32, conflicts: u64) {
        let is_same = |a: &Attempt| (a.steps, a.conflicts) == (steps, conflicts);
        if self.under_way.as_ref().is_some_and(is_same) {
            return;
        }
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (problem, flag) = (self.problem.clone(), is_stopped.clone());
        let (tell, verdict) = channel();
        let work = move || {
            let stop = || flag.load(Ordering::Relaxed);
            // The receiver is gone if a better schedule was found.
            tell.send(attempt(&problem, steps, conflicts, &stop)).ok();
        };
        // Without a thread there is no attempt.
        let started = thread::Builder::new().spawn(work);
        self.under_way = started.ok().map(|_| Attempt { steps, conflicts, is_stopped, verdict });
    }

    /// Waits for the verdict of the current attempt.
    fn end(&mut self, stop: &dyn Fn() -> bool) -> Verdict {
        let Some(attempt) = self.under_way.take() else { return Verdict::Open };
        loop {
            match attempt.verdict.recv_timeout(LOOK) {
                Ok(verdict) => return verdict,
                Err(RecvTimeoutError::Timeout) if !stop() => {}
                Err(_) => return Verdict::Open,
            }
        }
    }
}

/// Refutes, or says what has gone wrong: the search can do without.
fn attempt(problem: &Problem, steps: u32, conflicts: u64, stop: &dyn Fn() -> bool) -> Verdict {
    caught(|| refute(problem, steps, conflicts, stop)).unwrap_or_else(|why| {
        log::warn!("internal error, please report it: a refutation has failed: {why}");
        Verdict::Open
    })
}

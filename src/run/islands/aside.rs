//! Long work on a thread of its own, so that the caller can keep the time limit and react to
//! interrupts. Late work is abandoned; it ends with the program.

use super::{SearchError, StopCondition, StopReason};
use ccsched_base::caught::caught;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two looks at whether the work is late.
pub const LOOK: Duration = Duration::from_millis(5);

/// Starts work on a thread of its own.
///
/// # Errors
/// The operating system cannot start another thread.
pub fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Receiver<T>, SearchError> {
    let (to_caller, results) = channel();
    let work = move || match caught(work) {
        // The receiver is gone if the run is over.
        Ok(result) => drop(to_caller.send(result)),
        Err(why) => log::warn!("internal error, please report it: {why}"),
    };
    let started = thread::Builder::new().spawn(work);
    started.map_err(|why| SearchError::Thread { rank: 0, why })?;
    Ok(results)
}

/// The result of such work, which the run can do without; none if it is late, or panicked.
pub fn wait_for_extra<T>(results: &Receiver<T>, is_late: impl FnMut() -> bool) -> Option<T> {
    wait(results, is_late).unwrap_or_default()
}

/// The result of such work; none if it is late.
///
/// # Errors
/// The work panicked.
pub fn wait<T>(
    results: &Receiver<T>,
    mut is_late: impl FnMut() -> bool,
) -> Result<Option<T>, SearchError> {
    loop {
        match results.recv_timeout(LOOK) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Panicked(0)),
            Err(RecvTimeoutError::Timeout) if is_late() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The result of work that comes before a search, or the reason if there was no time for it. The work is told when the
/// limits are reached, and has a second more to end.
///
/// # Errors
/// The work panicked, or its thread cannot be started.
pub fn in_time<T: Send + 'static>(
    stop: StopCondition<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send + 'static,
) -> Result<Result<T, StopReason>, SearchError> {
    let is_over = Arc::new(AtomicBool::new(false));
    let told = is_over.clone();
    let result = aside(move || work(&|| told.load(Ordering::Relaxed)))?;
    let is_late = || {
        is_over.fetch_or(stop.cuts().is_some(), Ordering::Relaxed);
        stop.breaks().is_some()
    };
    let done = wait(&result, is_late)?;
    Ok(done.ok_or_else(|| stop.breaks().unwrap_or(StopReason::Interrupted)))
}

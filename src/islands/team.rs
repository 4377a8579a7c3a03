//! Islands as threads of this process.

use super::{Listener, Master, Outcome, Search, SearchError, Stop, live};
use crate::comm::{Solo, team};
use crate::engines::Walker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Runs a search on `islands` threads, each with a copy of `walker`.
///
/// # Errors
/// When the listener refuses a schedule, an island panics, or its thread cannot be started.
pub fn run_on_threads(
    mut walker: Box<dyn Walker>,
    search: &Search,
    islands: usize,
    bound: u32,
    stop: Stop<'_>,
    listener: &mut dyn Listener,
) -> Result<Outcome, SearchError> {
    let interrupted = stop.interrupted();
    let mut master = Master::new(*search, islands, bound, stop, listener);
    if islands == 1 {
        caught(|| live(&mut Solo, walker.as_mut(), search, interrupted, Some(&mut master)))?;
        return Ok(master.outcome());
    }
    let mut members = team(islands).into_iter();
    let mut comm = members.next().expect("a team has a master");
    thread::scope(|scope| {
        let start = |(rank, mut comm): (usize, _)| {
            let mut walker = walker.boxed_clone();
            let work = move || live(&mut comm, walker.as_mut(), search, interrupted, None);
            let handle = thread::Builder::new().spawn_scoped(scope, work);
            handle.map(|handle| (rank, handle)).map_err(|why| SearchError::Thread { rank, why })
        };
        let handles: Vec<_> = (1..).zip(members).map(start).collect::<Result<_, SearchError>>()?;
        let result =
            caught(|| live(&mut comm, walker.as_mut(), search, interrupted, Some(&mut master)));
        // Lets the others notice if the master has ended before its time.
        drop(comm);
        // Everybody is joined before anything is said: a scope panics for those that are not.
        let ended: Vec<_> =
            handles.into_iter().map(|(rank, handle)| (rank, handle.join())).collect();
        for (rank, ended) in ended {
            let ended = ended.map_err(|_| SearchError::Panicked(rank))?;
            // The master's own error says more than that its members have lost it.
            if result.is_ok() {
                ended?;
            }
        }
        result
    })?;
    Ok(master.outcome())
}

/// The life of the master's island, which has no thread of its own to panic on.
fn caught(life: impl FnOnce() -> Result<(), SearchError>) -> Result<(), SearchError> {
    // After a panic nobody uses what the island has left behind.
    catch_unwind(AssertUnwindSafe(life)).unwrap_or(Err(SearchError::Panicked(0)))
}

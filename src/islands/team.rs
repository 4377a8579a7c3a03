//! Islands as threads of this process.

use super::{Listener, Master, Outcome, Search, SearchError, Stop, live};
use crate::comm::{Solo, team};
use crate::engines::Walker;
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
    let mut master = Master::new(*search, islands, bound, stop, listener);
    if islands == 1 {
        live(&mut Solo, walker.as_mut(), search, Some(&mut master))?;
        return Ok(master.outcome());
    }
    let mut members = team(islands).into_iter();
    let mut comm = members.next().expect("a team has a master");
    thread::scope(|scope| {
        let start = |(rank, mut comm): (usize, _)| {
            let mut walker = walker.boxed_clone();
            let work = move || live(&mut comm, walker.as_mut(), search, None);
            let handle = thread::Builder::new().spawn_scoped(scope, work);
            handle.map(|handle| (rank, handle)).map_err(|why| SearchError::Thread { rank, why })
        };
        let handles: Vec<_> = (1..).zip(members).map(start).collect::<Result<_, SearchError>>()?;
        let result = live(&mut comm, walker.as_mut(), search, Some(&mut master));
        // Lets the others notice if the master has ended before its time.
        drop(comm);
        for (rank, handle) in handles {
            let ended = handle.join().map_err(|_| SearchError::Panicked(rank))?;
            // The master's own error says more than that its members have lost it.
            if result.is_ok() {
                ended?;
            }
        }
        result
    })?;
    Ok(master.outcome())
}

//! The worker of an island: the calling thread, or a thread of its own, so that the caller can
//! receive messages meanwhile and need not wait for the end of an iteration.

use super::snapshot::Snapshot;
use super::{Island, out_of_search, warn_of_failure};
use crate::islands::protocol::{FromIsland, FromMaster, Report};
use crate::islands::{CpuClock, Effort, Search, SearchError};
use ccsched_base::caught::caught;
use ccsched_base::codec::CommError;
use ccsched_engines::Walker;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Stack size: that of a program's main thread.
const STACK: usize = 8 << 20;

/// The time that an iteration has to end after a break.
const MOMENT: Duration = Duration::from_millis(300);

/// An island and the thread that runs it.
pub enum Worker<'a> {
    /// The calling thread. It breaks off by itself, between two iterations.
    Here(Box<Island<'a>>, Option<FromMaster>),
    /// A thread of its own.
    Apart(Thread),
}

/// The connection to the thread of an island. When it is dropped, the thread ends after the current
/// iteration; it is not joined.
pub struct Thread {
    rank: usize,
    orders: Sender<FromMaster>,
    words: Receiver<Result<FromIsland, CommError>>,
    /// An answer that arrived before a break.
    early: Option<Result<FromIsland, CommError>>,
    snapshot: Arc<Snapshot>,
    spent: Arc<Spent>,
    /// Whether the thread was asked for its state.
    saves: bool,
    /// Whether its iterations end early after a break.
    heeds: bool,
}

/// What a thread has spent: nanoseconds of CPU time, and moves.
#[derive(Default)]
struct Spent {
    cpu: AtomicU64,
    moves: AtomicU64,
}

impl Worker<'_> {
    /// A thread that runs island number `rank` of `islands`; it also makes the walker. If the
    /// search `keeps` states, the thread keeps snapshots for breaks.
    ///
    /// # Errors
    /// The operating system cannot start another thread.
    pub fn apart(
        (rank, islands): (usize, usize),
        make: impl FnOnce() -> Box<dyn Walker> + Send + 'static,
        search: Search,
        keeps: bool,
    ) -> Result<Self, SearchError> {
        let (to_thread, orders) = channel();
        let (to_caller, words) = channel();
        let snapshot = Arc::new(Snapshot::default());
        let on_thread = snapshot.clone();
        let spent = Arc::<Spent>::default();
        let spends = spent.clone();
        let work = move || {
            let (snapshot, broken) = (on_thread.clone(), on_thread.clone());
            let made = caught(|| {
                let island =
                    Island::new((rank, islands), make(), &search, move || broken.is_broken());
                if keeps { island.with_snapshot(on_thread) } else { island }
            });
            let mut island = made.map_err(|why| warn_of_failure(rank, &why)).ok();
            for orders in orders {
                let copies = keeps && orders != FromMaster::Save;
                let (word, copy) = match &mut island {
                    Some(island) => {
                        let word = island.obey(orders);
                        let copies = copies && !island.has_failed();
                        spends.moves.store(island.moves(), Ordering::Relaxed);
                        (word, copies.then(|| island.copy()))
                    }
                    None => (Ok(out_of_search(orders == FromMaster::Save)), None),
                };
                let cpu = CpuClock::Thread.now().as_nanos() as u64;
                spends.cpu.store(cpu, Ordering::Relaxed);
                // The receiver is gone if the search is over.
                snapshot.say(copy, || drop(to_caller.send(word)));
                if snapshot.is_broken() {
                    return;
                }
            }
        };
        let started = thread::Builder::new().stack_size(STACK).spawn(work);
        started.map_err(|why| SearchError::Thread { rank, why })?;
        let orders = to_thread;
        Ok(Worker::Apart(Thread {
            rank,
            orders,
            words,
            early: None,
            snapshot,
            spent,
            saves: false,
            heeds: search.form.is_some(),
        }))
    }

    /// Passes a message of the master to the island.
    ///
    /// # Errors
    /// The thread of the island panicked.
    pub fn order(&mut self, orders: FromMaster) -> Result<(), SearchError> {
        match self {
            Worker::Here(_, next) => *next = Some(orders),
            Worker::Apart(thread) => {
                thread.saves = orders == FromMaster::Save;
                if !thread.saves {
                    thread.snapshot.order(&orders);
                }
                if !thread.snapshot.is_broken() {
                    let gone = |_| SearchError::Panicked(thread.rank);
                    thread.orders.send(orders).map_err(gone)?;
                }
            }
        }
        Ok(())
    }

    /// The answer to the last message; none if it does not arrive within this time.
    ///
    /// # Errors
    /// The thread of the island panicked, or the island failed.
    pub fn wait(&mut self, within: Duration) -> Result<Option<FromIsland>, SearchError> {
        let thread = match self {
            Worker::Here(island, orders) => {
                return Ok(orders.take().map(|orders| island.obey(orders)).transpose()?);
            }
            Worker::Apart(thread) => thread,
        };
        if let Some(word) = thread.early.take() {
            return Ok(Some(word?));
        }
        if thread.snapshot.is_broken() {
            let report =
                || Ok(FromIsland::Report(Report { broken_off: true, ..Report::default() }));
            return Ok(Some(if thread.saves { thread.snapshot.state() } else { report() }?));
        }
        match thread.words.recv_timeout(within) {
            Ok(word) => Ok(Some(word?)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(SearchError::Panicked(thread.rank)),
        }
    }

    /// What the island has spent up to its last answer; without the CPU time of the calling thread.
    pub fn effort(&self) -> Effort {
        match self {
            Worker::Here(island, _) => Effort { cpu: Duration::ZERO, moves: island.moves() },
            Worker::Apart(Thread { spent, .. }) => Effort {
                cpu: Duration::from_nanos(spent.cpu.load(Ordering::Relaxed)),
                moves: spent.moves.load(Ordering::Relaxed),
            },
        }
    }

    /// Breaks off the current work; the answer is available at once. An iteration that ends early has a moment for
    /// that, and its best schedule counts.
    pub fn break_off(&mut self) {
        let Worker::Apart(thread) = self else { return };
        thread.early = thread.snapshot.break_off(|| thread.words.try_recv().ok());
        if thread.early.is_none() && thread.heeds {
            let word = thread.words.recv_timeout(MOMENT).ok();
            // The state is that of the last copy, whatever the iteration has come to since.
            thread.early = word.map(|word| match word {
                Ok(FromIsland::Report(report)) => {
                    Ok(FromIsland::Report(Report { broken_off: true, ..report }))
                }
                other => other,
            });
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.snapshot.break_off(|| None::<()>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::islands::protocol::IslandState;
    use crate::islands::{Graph, Migration};
    use ccsched_engines::hgsa;
    use ccsched_model::problem::{Collective, Problem, Request};
    use ccsched_network::spec;

    const SEARCH: Search = Search {
        seed: 1,
        exchange_every: 10,
        exchange_group: 64,
        migration: Migration { graph: Graph::Star, migrants: None, choice: None },
        goal: None,
        form: None,
    };
    const SOON: Duration = Duration::from_secs(20);

    fn state(worker: &mut Worker<'_>) -> (IslandState, FromMaster) {
        worker.order(FromMaster::Save).unwrap();
        let Some(FromIsland::State(Some(state))) = worker.wait(SOON).unwrap() else {
            panic!("the island has no state");
        };
        *state
    }

    /// Its report is already in the state of its group, so that the leg can be complete.
    #[test]
    fn an_island_that_is_broken_off_before_it_has_loaded_its_state_keeps_it() {
        let problem: Problem =
            Request::new(Collective::Aas).pose(spec::parse("petersen").unwrap(), vec![]).unwrap();
        let walker = hgsa::walker(&Arc::new(problem), hgsa::Params::default(), 1);
        let same = walker.clone();
        let mut first = Worker::apart((0, 1), || walker, SEARCH, true).unwrap();
        first.order(FromMaster::Seek(4, None)).unwrap();
        assert!(matches!(first.wait(SOON).unwrap(), Some(FromIsland::Report(_))));
        let (kept, next) = state(&mut first);
        assert_eq!(next, FromMaster::Wait);
        // The walker is not even made when the break comes.
        let (made, wait) = channel::<()>();
        let make = move || {
            let _ = wait.recv();
            same
        };
        let mut second = Worker::apart((0, 1), make, SEARCH, true).unwrap();
        second.order(FromMaster::Load(Box::new(kept.clone()), Box::new(FromMaster::Wait))).unwrap();
        second.break_off();
        assert!(matches!(second.wait(SOON).unwrap(), Some(FromIsland::Report(r)) if r.broken_off));
        assert_eq!(state(&mut second), (kept, FromMaster::Wait));
        drop(made);
    }
}

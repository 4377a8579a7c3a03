//! The task farm: the master hands a task to each idle rank. Each rank works on a thread of its
//! own, so that it can answer messages at any time.

use crate::comm::{Communicator, codec};
use crate::islands::SearchError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Time between two polls for messages.
const LOOK: Duration = Duration::from_millis(1);

/// What is done with a task of type `T`: the outcome, or none if the flag was raised before the end.
pub type Solve<'s, T, S> = dyn Fn(&T, &AtomicBool) -> Result<Option<S>, SearchError> + Sync + 's;

/// What is done with the outcome of a task, by the number of the task.
pub type Done<'d, S> = dyn FnMut(usize, S) -> Result<(), SearchError> + 'd;

/// From the master to a rank that works on tasks.
#[derive(Serialize, Deserialize)]
enum Order<T> {
    /// A task and its number.
    Solve(usize, T),
    /// No task is left, or the current one must end.
    End,
}

/// From such a rank to the master.
#[derive(Serialize, Deserialize)]
enum Answer<S> {
    /// The outcome of a task, by number, with none for one that was interrupted; a request for the
    /// next one.
    Solved(Option<(usize, Option<S>)>),
    /// The last message after tasks.
    Rests,
}

/// Distributes tasks over all ranks, and passes the outcome of each to `done`. An interrupt of any
/// rank breaks off the current tasks and hands out no more; returns whether there was one. The other
/// ranks [`work`].
///
/// # Errors
/// A task fails, a rank is gone, or `done` fails.
pub fn run_tasks<C, T, S>(
    comm: &mut C,
    (tasks, solve): (&[T], &Solve<'_, T, S>),
    interrupted: &AtomicBool,
    done: &mut Done<'_, S>,
) -> Result<bool, SearchError>
where
    C: Communicator,
    T: Serialize + Sync,
    S: DeserializeOwned + Send,
{
    let stops = AtomicBool::new(false);
    thread::scope(|scope| {
        let (to_own, orders) = channel::<usize>();
        let (answers, from_own) = channel();
        let stops = &stops;
        scope.spawn(move || {
            for task in orders {
                let solved = solve(&tasks[task], stops);
                if answers.send((task, solved)).is_err() {
                    return;
                }
            }
        });
        let result = hand_out(comm, tasks, (to_own, from_own), (interrupted, stops), done);
        // Stops the master's own thread in case of an error, too.
        let has_stopped = stops.swap(true, Ordering::Relaxed);
        result.map(|()| has_stopped)
    })
}

/// The channels to and from the master's own thread.
type Own<S> = (Sender<usize>, Receiver<(usize, Result<Option<S>, SearchError>)>);

fn hand_out<C: Communicator, T: Serialize, S: DeserializeOwned>(
    comm: &mut C,
    tasks: &[T],
    (to_own, from_own): Own<S>,
    (interrupted, stops): (&AtomicBool, &AtomicBool),
    done: &mut Done<'_, S>,
) -> Result<(), SearchError> {
    let end = || codec::encode(&Order::<&T>::End);
    let mut left: VecDeque<usize> = (0..tasks.len()).collect();
    let next = |left: &mut VecDeque<usize>| {
        if stops.load(Ordering::Relaxed) { None } else { left.pop_front() }
    };
    let mut note = |task: usize, solved: Option<S>| match solved {
        Some(solved) => done(task, solved),
        None => {
            stops.store(true, Ordering::Relaxed);
            Ok(())
        }
    };
    // By rank, the master's own thread as rank 0: whether the rank has not been told to end, and
    // whether it has not sent its last message.
    let mut is_busy = vec![true; comm.size()];
    let mut is_there = vec![true; comm.size()];
    is_there[0] = next(&mut left).is_some_and(|task| to_own.send(task).is_ok());
    while is_there.contains(&true) {
        if stops.fetch_or(interrupted.load(Ordering::Relaxed), Ordering::Relaxed) {
            for rank in (1..comm.size()).filter(|&rank| is_busy[rank]) {
                comm.send(vec![(rank, end()?)])?;
            }
            is_busy.fill(false);
        }
        if is_there[0] {
            match from_own.recv_timeout(LOOK) {
                Ok((task, solved)) => {
                    note(task, solved?)?;
                    is_there[0] = next(&mut left).is_some_and(|task| to_own.send(task).is_ok());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Panicked(0)),
            }
        } else {
            thread::sleep(LOOK);
        }
        while let Some((rank, bytes)) = comm.receive(Duration::ZERO)? {
            let solved = match codec::decode(&bytes)? {
                Answer::Solved(solved) => solved,
                Answer::Rests => {
                    is_there[rank] = false;
                    continue;
                }
            };
            if let Some((task, solved)) = solved {
                note(task, solved)?;
            }
            let task = next(&mut left);
            if std::mem::replace(&mut is_busy[rank], task.is_some()) {
                let order = task.map(|task| codec::encode(&Order::Solve(task, &tasks[task])));
                comm.send(vec![(rank, order.unwrap_or_else(end)?)])?;
            }
        }
    }
    Ok(())
}

/// Works on tasks as a rank other than 0 until none is left.
///
/// # Errors
/// The master is gone, or a task fails.
pub fn work<C, T, S>(
    comm: &mut C,
    solve: &Solve<'_, T, S>,
    interrupted: &AtomicBool,
) -> Result<(), SearchError>
where
    C: Communicator,
    T: DeserializeOwned + Sync,
    S: Serialize + Send,
{
    let mut solved: Option<(usize, Option<S>)> = None;
    loop {
        send(comm, &Answer::Solved(solved.take()))?;
        let Order::Solve(number, task) = codec::decode(&comm.hear()?)? else {
            return send(comm, &Answer::<S>::Rests);
        };
        let (what, is_dismissed) = attend(comm, &|stops| solve(&task, stops), interrupted)?;
        solved = Some((number, what));
        if is_dismissed {
            // The master waits for these last messages and does not answer.
            send(comm, &Answer::Solved(solved))?;
            return send(comm, &Answer::<S>::Rests);
        }
    }
}

fn send<C: Communicator, S: Serialize>(
    comm: &mut C,
    answer: &Answer<S>,
) -> Result<(), SearchError> {
    Ok(comm.send(vec![(0, codec::encode(answer)?)])?)
}

/// Solves a task, and breaks it off after an interrupt or when the master ends it; the second
/// result is whether the master did.
fn attend<C: Communicator, S: Send>(
    comm: &mut C,
    solve: &(dyn Fn(&AtomicBool) -> Result<Option<S>, SearchError> + Sync),
    interrupted: &AtomicBool,
) -> Result<(Option<S>, bool), SearchError> {
    let stops = AtomicBool::new(false);
    thread::scope(|scope| {
        let solving = scope.spawn(|| solve(&stops));
        let mut is_dismissed = false;
        while !solving.is_finished() {
            // During a task, the only message from the master is that it must end.
            let heard = comm.receive(LOOK);
            is_dismissed |= matches!(heard, Ok(Some(_)));
            let is_over = is_dismissed || heard.is_err() || interrupted.load(Ordering::Relaxed);
            stops.store(is_over, Ordering::Relaxed);
            heard?;
        }
        let solved = solving.join().unwrap_or(Err(SearchError::Panicked(comm.rank())));
        Ok((solved?, is_dismissed))
    })
}

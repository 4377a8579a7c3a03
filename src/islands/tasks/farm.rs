//! The task farm: the master hands a task to each idle rank. Each rank works on a thread of its
//! own, so that it can answer messages at any time.

use super::{Solved, Task};
use crate::comm::{CommError, Communicator, codec};
use crate::islands::SearchError;
use crate::islands::protocol::{IslandMessage, MasterMessage};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Time between two polls for messages.
const LOOK: Duration = Duration::from_millis(1);

/// Distributes tasks over all ranks, and passes the result of each to `done`. An interrupt of any
/// rank breaks off the current tasks and hands out no more; returns whether there was one.
///
/// # Errors
/// A task fails, a rank is gone, or `done` fails.
pub fn run_tasks<C: Communicator>(
    comm: &mut C,
    tasks: &[Task],
    interrupted: &AtomicBool,
    done: &mut dyn FnMut(usize, Solved) -> Result<(), SearchError>,
) -> Result<bool, SearchError> {
    let stops = AtomicBool::new(false);
    thread::scope(|scope| {
        let (to_own, orders) = channel::<usize>();
        let (answers, from_own) = channel();
        let stops = &stops;
        scope.spawn(move || {
            for task in orders {
                let solved = tasks[task].solve(stops);
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
type Own = (Sender<usize>, Receiver<(usize, Result<Solved, SearchError>)>);

fn hand_out<C: Communicator>(
    comm: &mut C,
    tasks: &[Task],
    (to_own, from_own): Own,
    (interrupted, stops): (&AtomicBool, &AtomicBool),
    done: &mut dyn FnMut(usize, Solved) -> Result<(), SearchError>,
) -> Result<(), SearchError> {
    let mut left: VecDeque<usize> = (0..tasks.len()).collect();
    let next = |left: &mut VecDeque<usize>| {
        if stops.load(Ordering::Relaxed) { None } else { left.pop_front() }
    };
    let mut note = |task: usize, solved: Solved| {
        stops.fetch_or(solved == Solved::Interrupted, Ordering::Relaxed);
        done(task, solved)
    };
    // By rank, the master's own thread as rank 0: whether the rank has not been told to end, and
    // whether it has not sent its last message.
    let mut is_busy = vec![true; comm.size()];
    let mut is_there = vec![true; comm.size()];
    is_there[0] = next(&mut left).is_some_and(|task| to_own.send(task).is_ok());
    while is_there.contains(&true) {
        if stops.fetch_or(interrupted.load(Ordering::Relaxed), Ordering::Relaxed) {
            for rank in (1..comm.size()).filter(|&rank| is_busy[rank]) {
                comm.send(vec![(rank, codec::encode(&MasterMessage::NoTask)?)])?;
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
                IslandMessage::Solved(solved) => solved,
                IslandMessage::Rests => {
                    is_there[rank] = false;
                    continue;
                }
                _ => return Err(CommError::OutOfTurn(rank).into()),
            };
            if let Some((task, solved)) = solved {
                note(task, solved)?;
            }
            let task = next(&mut left);
            if std::mem::replace(&mut is_busy[rank], task.is_some()) {
                let task = task.map(|task| (task, Box::new(tasks[task].clone())));
                let order = task.map_or(MasterMessage::NoTask, |(i, t)| MasterMessage::Task(i, t));
                order.send(comm, [rank])?;
            }
        }
    }
    Ok(())
}

/// Works on tasks as a rank other than 0 until none is left.
///
/// # Errors
/// The master is gone, or a task fails.
pub fn work<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    let mut solved: Option<(usize, Solved)> = None;
    loop {
        IslandMessage::Solved(solved.take()).send(comm, 0)?;
        let (number, task) = match codec::decode(&comm.hear()?)? {
            MasterMessage::Task(number, task) => (number, task),
            MasterMessage::NoTask => return IslandMessage::Rests.send(comm, 0),
            _ => return Err(CommError::OutOfTurn(0).into()),
        };
        let (what, is_dismissed) = solve(comm, &task, interrupted)?;
        solved = Some((number, what));
        if is_dismissed {
            // The master waits for these last messages and does not answer.
            IslandMessage::Solved(solved).send(comm, 0)?;
            return IslandMessage::Rests.send(comm, 0);
        }
    }
}

/// Solves a task, and breaks it off after an interrupt or when the master ends it; the second
/// result is whether the master did.
fn solve<C: Communicator>(
    comm: &mut C,
    task: &Task,
    interrupted: &AtomicBool,
) -> Result<(Solved, bool), SearchError> {
    let stops = AtomicBool::new(false);
    thread::scope(|scope| {
        let solving = scope.spawn(|| task.solve(&stops));
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

//! Tasks for everybody: the master hands one to whoever has nothing to do. Who works does so on a
//! thread of its own, so that everybody always has time for the others.

use super::{Solved, Task};
use crate::comm::{CommError, Communicator, codec};
use crate::islands::SearchError;
use crate::islands::protocol::{IslandMessage, MasterMessage};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Between two looks at what others say.
const LOOK: Duration = Duration::from_millis(1);

/// Hands tasks out to all members of a group, and tells what has come of each. An interrupt,
/// whomever it has reached, breaks off the tasks under way, and no other is handed out; returns
/// whether there was one.
///
/// # Errors
/// When a task fails, a member is gone, or `done` fails.
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
        // Whatever has gone wrong, the own thread ends, too.
        let has_stopped = stops.swap(true, Ordering::Relaxed);
        result.map(|()| has_stopped)
    })
}

/// The lines to the master's own thread and back.
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
    // Members by rank, the own thread as rank 0: who has not been told to end, and who has not said
    // its last word.
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
            let IslandMessage::Solved(solved) = codec::decode(&bytes)? else {
                return Err(CommError::OutOfTurn(rank).into());
            };
            if let Some((task, solved)) = solved {
                note(task, solved)?;
            }
            let task = next(&mut left);
            is_there[rank] = task.is_some();
            if std::mem::replace(&mut is_busy[rank], task.is_some()) {
                let task = task.map(|task| (task, Box::new(tasks[task].clone())));
                let order = task.map_or(MasterMessage::NoTask, |(i, t)| MasterMessage::Task(i, t));
                order.send(comm, [rank])?;
            }
        }
    }
    Ok(())
}

/// Works as another member of the group until nothing is left to do.
///
/// # Errors
/// When the master is gone, or a task fails.
pub fn work<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    let mut solved: Option<(usize, Solved)> = None;
    loop {
        IslandMessage::Solved(solved.take()).send(comm)?;
        let (number, task) = match codec::decode(&comm.hear()?)? {
            MasterMessage::Task(number, task) => (number, task),
            MasterMessage::NoTask => return Ok(()),
            _ => return Err(CommError::OutOfTurn(0).into()),
        };
        let (what, is_dismissed) = solve(comm, &task, interrupted)?;
        solved = Some((number, what));
        if is_dismissed {
            // The master waits for this last word and does not answer.
            return IslandMessage::Solved(solved).send(comm);
        }
    }
}

/// Solves a task, and breaks it off after an interrupt or when the master wants it to end, which is
/// returned, too.
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
            // While a task is under way the master says nothing else than that it is to end.
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

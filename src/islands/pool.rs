//! Tasks for everybody: the master hands one to whoever has nothing to do. Its own processor works,
//! too, on a thread of its own, so that the master always has time for the others.

use super::{SearchError, Solved, Task};
use crate::comm::{CommError, Communicator, codec};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long the master waits for its own thread before it looks for the others again.
const LOOK: Duration = Duration::from_millis(1);

/// Hands tasks out to all members of a group, and tells what has come of each. After an interrupt,
/// whomever it has reached, no task is handed out any more; returns whether there was one.
///
/// # Errors
/// When a task fails, a member is gone, or `done` fails.
pub fn run_tasks<C: Communicator>(
    comm: &mut C,
    tasks: &[Task],
    interrupted: &AtomicBool,
    done: &mut dyn FnMut(usize, Solved) -> Result<(), SearchError>,
) -> Result<bool, SearchError> {
    let stops = Cell::new(false);
    let mut done = |task, solved| {
        stops.set(stops.get() || solved == Solved::Interrupted);
        done(task, solved)
    };
    thread::scope(|scope| {
        let (to_own, orders) = channel::<usize>();
        let (answers, from_own) = channel();
        scope.spawn(move || {
            for task in orders {
                let solved = tasks[task].solve(interrupted);
                if answers.send((task, solved)).is_err() {
                    return;
                }
            }
        });
        let mut left: VecDeque<usize> = (0..tasks.len()).collect();
        let next = |left: &mut VecDeque<usize>| {
            stops.set(stops.get() || interrupted.load(Ordering::Relaxed));
            if stops.get() { None } else { left.pop_front() }
        };
        // Who is at work: members by rank, the own thread as rank 0.
        let mut at_work = comm.size();
        let mut own = next(&mut left);
        match own {
            Some(task) => drop(to_own.send(task)),
            None => at_work -= 1,
        }
        while at_work > 0 {
            if own.is_none() {
                thread::sleep(LOOK);
            } else {
                match from_own.recv_timeout(LOOK) {
                    Ok((task, solved)) => {
                        done(task, solved?)?;
                        own = next(&mut left);
                        match own {
                            Some(task) => drop(to_own.send(task)),
                            None => at_work -= 1,
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Panicked(0)),
                }
            }
            while let Some((rank, bytes)) = comm.receive(Duration::ZERO)? {
                if let Some((task, solved)) = codec::decode::<Option<(usize, Solved)>>(&bytes)? {
                    done(task, solved)?;
                }
                let task = next(&mut left);
                at_work -= usize::from(task.is_none());
                let order = codec::encode(&task.map(|task| (task, &tasks[task])))?;
                comm.send(vec![(rank, order)])?;
            }
        }
        Ok(stops.get())
    })
}

/// Works as another member of the group until nothing is left to do.
///
/// # Errors
/// When the master is gone, or a task fails.
pub fn work<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    let mut solved: Option<(usize, Solved)> = None;
    loop {
        comm.send(vec![(0, codec::encode(&solved)?)])?;
        let order: Result<Option<(usize, Task)>, CommError> = codec::decode(&comm.hear()?);
        let Some((number, task)) = order? else { return Ok(()) };
        solved = Some((number, task.solve(interrupted)?));
    }
}

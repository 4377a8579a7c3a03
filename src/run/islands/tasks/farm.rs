//! The task farm: the master hands a task to each idle rank. Each rank works on a thread of its
//! own, so that it can answer messages at any time, and says every second that it is there. A rank
//! that says nothing for long, because it was stopped or its machine is gone, is given up: another
//! rank gets its task.

use crate::comm::Communicator;
use crate::islands::SearchError;
use ccsched_base::codec;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two polls for messages.
const LOOK: Duration = Duration::from_millis(1);
/// Time between two signs of life of a rank.
const BEAT: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });
/// A rank that says nothing for so long is given up. Its main thread does nothing but answer, but its
/// processor may have other work.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 600 } else { 15_000 });
/// The same after an interrupt, when someone waits.
const AFTER_INTERRUPT: Duration = Duration::from_millis(if cfg!(test) { 600 } else { 5000 });
/// Before its first message a rank reads the same files as the master; this much longer at most.
const LONGEST_START: Duration = Duration::from_secs(60);
/// No pause of the master counts for more: where it was stopped itself, the others are not late.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

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
    /// The rank works on its task.
    Works,
    /// The last message after tasks.
    Rests,
}

/// Distributes tasks over all ranks, and passes the outcome of each to `done`. An interrupt of any
/// rank breaks off the current tasks and hands out no more; returns whether there was one. The other
/// ranks [`work`], but for those that are `lost`; those that are given up become that.
///
/// # Errors
/// A task fails, a rank is gone, or `done` fails.
pub fn run_tasks<C, T, S>(
    (comm, lost): (&mut C, &mut BTreeSet<usize>),
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
        let crew = Crew::new(comm.size(), lost);
        let own = (to_own, from_own);
        let result = hand_out(comm, tasks, crew, own, (interrupted, stops), done);
        // Stops the master's own thread in case of an error, too.
        let has_stopped = stops.swap(true, Ordering::Relaxed);
        result.map(|()| has_stopped)
    })
}

/// What the master knows of the ranks, by rank; its own thread is rank 0.
struct Crew<'l> {
    /// Whether the rank has not been told to end.
    is_busy: Vec<bool>,
    /// Whether it has not sent its last message.
    is_there: Vec<bool>,
    /// The task that it has.
    holds: Vec<Option<usize>>,
    /// How long it has said nothing, and whether it has ever said anything.
    silent: Vec<Duration>,
    has_begun: Vec<bool>,
    /// Those that are given up.
    lost: &'l mut BTreeSet<usize>,
    begin: Instant,
    looked: Instant,
    /// How long the tasks took, in which a rank may not have begun yet.
    took: Option<Duration>,
}

impl<'l> Crew<'l> {
    fn new(size: usize, lost: &'l mut BTreeSet<usize>) -> Self {
        let there: Vec<bool> = (0..size).map(|rank| !lost.contains(&rank)).collect();
        let now = Instant::now();
        Crew {
            is_busy: there.clone(),
            is_there: there,
            holds: vec![None; size],
            silent: vec![Duration::ZERO; size],
            has_begun: vec![false; size],
            lost,
            begin: now,
            looked: now,
            took: None,
        }
    }

    /// Gives up the ranks that have been silent for too long; returns their tasks. A rank without a task
    /// that has not begun holds nothing up before the tasks are done.
    fn give_up(&mut self, is_interrupted: bool, are_done: bool) -> Vec<usize> {
        let pause = self.looked.elapsed().min(LONGEST_PAUSE);
        self.looked = Instant::now();
        let patience = if is_interrupted { AFTER_INTERRUPT } else { PATIENCE };
        let took = self.begin.elapsed().min(LONGEST_START);
        let start = if are_done { *self.took.get_or_insert(took) } else { took };
        let mut left = Vec::new();
        for rank in 1..self.is_there.len() {
            let has_begun = self.has_begun[rank];
            if !self.is_there[rank] || !has_begun && !are_done {
                continue;
            }
            let silent = &mut self.silent[rank];
            *silent += pause;
            if *silent < if has_begun { patience } else { patience + start } {
                continue;
            }
            let seconds = silent.as_secs();
            self.lost.insert(rank);
            (self.is_there[rank], self.is_busy[rank]) = (false, false);
            let task = self.holds[rank].take();
            let after = if task.is_some() { "; another rank gets its task" } else { "" };
            log::warn!("rank {rank} has not answered for {seconds} s, and is given up{after}");
            left.extend(task);
        }
        left
    }
}

/// The channels to and from the master's own thread.
type Own<S> = (Sender<usize>, Receiver<(usize, Result<Option<S>, SearchError>)>);

fn hand_out<C: Communicator, T: Serialize, S: DeserializeOwned>(
    comm: &mut C,
    tasks: &[T],
    crew: Crew<'_>,
    (to_own, from_own): Own<S>,
    (interrupted, stops): (&AtomicBool, &AtomicBool),
    done: &mut Done<'_, S>,
) -> Result<(), SearchError> {
    let mut hands = Hands { tasks, left: (0..tasks.len()).collect(), crew, stops };
    let own = |hands: &mut Hands<'_, '_, T>| {
        hands.crew.is_there[0] = hands.next().is_some_and(|task| to_own.send(task).is_ok());
    };
    let mut note = |task: usize, solved: Option<S>| match solved {
        Some(solved) => done(task, solved),
        None => {
            stops.store(true, Ordering::Relaxed);
            Ok(())
        }
    };
    own(&mut hands);
    while hands.crew.is_there.contains(&true) {
        let is_over = stops.fetch_or(interrupted.load(Ordering::Relaxed), Ordering::Relaxed);
        if is_over {
            hands.end_all(comm)?;
        }
        if hands.crew.is_there[0] {
            match from_own.recv_timeout(LOOK) {
                Ok((task, solved)) => {
                    note(task, solved?)?;
                    own(&mut hands);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Panicked(0)),
            }
        } else {
            thread::sleep(LOOK);
        }
        while let Some((rank, bytes)) = comm.receive(Duration::ZERO)? {
            hands.hear(comm, rank, codec::decode(&bytes)?, &mut note)?;
        }
        let Hands { left, crew, .. } = &mut hands;
        let are_done = left.is_empty() && crew.holds.iter().all(Option::is_none);
        left.extend(crew.give_up(is_over, is_over || are_done && !crew.is_there[0]));
        // Ranks that were told to end take no more: what is left is for the own thread.
        if !crew.is_there[0] {
            own(&mut hands);
        }
    }
    Ok(())
}

/// The tasks in the hands of ranks, and those that are left.
struct Hands<'h, 'l, T> {
    tasks: &'h [T],
    left: VecDeque<usize>,
    crew: Crew<'l>,
    stops: &'h AtomicBool,
}

impl<T: Serialize> Hands<'_, '_, T> {
    /// The next task to hand out, unless the work stops.
    fn next(&mut self) -> Option<usize> {
        if self.stops.load(Ordering::Relaxed) { None } else { self.left.pop_front() }
    }

    /// Tells all ranks that work to end.
    fn end_all<C: Communicator>(&mut self, comm: &mut C) -> Result<(), SearchError> {
        for rank in (1..comm.size()).filter(|&rank| self.crew.is_busy[rank]) {
            comm.send(vec![(rank, codec::encode(&Order::<&T>::End)?)])?;
        }
        self.crew.is_busy.fill(false);
        Ok(())
    }

    /// Takes what a rank says, and gives it the next task if it has none.
    fn hear<C: Communicator, S>(
        &mut self,
        comm: &mut C,
        rank: usize,
        answer: Answer<S>,
        note: &mut dyn FnMut(usize, Option<S>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let crew = &mut self.crew;
        // What a rank says that was given up is too late: another one has its task.
        if crew.lost.contains(&rank) {
            return Ok(());
        }
        (crew.silent[rank], crew.has_begun[rank]) = (Duration::ZERO, true);
        let solved = match answer {
            Answer::Solved(solved) => solved,
            Answer::Works => return Ok(()),
            Answer::Rests => {
                crew.is_there[rank] = false;
                return Ok(());
            }
        };
        if let Some((task, solved)) = solved {
            crew.holds[rank] = None;
            note(task, solved)?;
        }
        let task = self.next();
        if std::mem::replace(&mut self.crew.is_busy[rank], task.is_some()) {
            self.crew.holds[rank] = task;
            let order = match task {
                Some(task) => codec::encode(&Order::Solve(task, &self.tasks[task])),
                None => codec::encode(&Order::<&T>::End),
            };
            comm.send(vec![(rank, order?)])?;
        }
        Ok(())
    }
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
fn attend<C: Communicator, S: Serialize + Send>(
    comm: &mut C,
    solve: &(dyn Fn(&AtomicBool) -> Result<Option<S>, SearchError> + Sync),
    interrupted: &AtomicBool,
) -> Result<(Option<S>, bool), SearchError> {
    let stops = AtomicBool::new(false);
    thread::scope(|scope| {
        let solving = scope.spawn(|| solve(&stops));
        let mut is_dismissed = false;
        let mut said = Instant::now();
        while !solving.is_finished() {
            if said.elapsed() >= BEAT {
                said = Instant::now();
                send(comm, &Answer::<S>::Works)?;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{ThreadMember, thread_group};

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// The squares that three ranks find, of which the last one is the given function, and the ranks that are
    /// given up.
    fn squares(
        last: fn(ThreadMember) -> ThreadMember,
        interrupted: &AtomicBool,
    ) -> (bool, Vec<u64>, BTreeSet<usize>) {
        let tasks: Vec<u64> = (1..=20).collect();
        let square = |task: &u64, _: &AtomicBool| {
            thread::sleep(Duration::from_millis(15));
            Ok(Some(task * task))
        };
        let mut members = thread_group(3);
        let (silent, mut other) = (members.pop().unwrap(), members.pop().unwrap());
        let mut master = members.pop().unwrap();
        let (mut found, mut lost) = (Vec::new(), BTreeSet::new());
        let is_interrupted = thread::scope(|scope| {
            let other = scope.spawn(move || {
                work(&mut other, &square, &NEVER).unwrap();
                other
            });
            let last = scope.spawn(move || last(silent));
            let mut done = |_, square| {
                found.push(square);
                Ok(())
            };
            let (tasks, ranks) = ((&tasks[..], &square as &Solve<_, _>), (&mut master, &mut lost));
            let is_interrupted = run_tasks(ranks, tasks, interrupted, &mut done).unwrap();
            // A member that is dropped tells the master that it has ended.
            drop((other.join(), last.join()));
            is_interrupted
        });
        found.sort_unstable();
        (is_interrupted, found, lost)
    }

    fn all() -> Vec<u64> {
        (1..=20).map(|task| task * task).collect()
    }

    #[test]
    fn the_task_of_a_rank_that_is_silent_goes_to_another() {
        let takes_one = |mut comm: ThreadMember| {
            send(&mut comm, &Answer::<u64>::Solved(None)).unwrap();
            assert!(matches!(
                codec::decode(&comm.hear().unwrap()),
                Ok(Order::Solve(_, 1..=20_u64))
            ));
            thread::sleep(PATIENCE * 3);
            // It wakes up when all is over.
            send(&mut comm, &Answer::Solved(Some((0, Some(7_u64))))).unwrap();
            comm
        };
        assert_eq!(squares(takes_one, &NEVER), (false, all(), BTreeSet::from([2])));
    }

    #[test]
    fn a_rank_that_never_begins_holds_nothing_up() {
        let never_begins = |comm: ThreadMember| {
            thread::sleep(PATIENCE * 5);
            comm
        };
        assert_eq!(squares(never_begins, &NEVER), (false, all(), BTreeSet::from([2])));
        let (is_interrupted, _, lost) = squares(never_begins, &AtomicBool::new(true));
        assert_eq!((is_interrupted, lost), (true, BTreeSet::from([2])));
    }

    #[test]
    fn a_rank_that_is_slow_is_not_given_up() {
        let is_slow = |mut comm: ThreadMember| {
            let slowly = |task: &u64, stops: &AtomicBool| {
                let begin = Instant::now();
                while begin.elapsed() < PATIENCE * 2 && !stops.load(Ordering::Relaxed) {
                    thread::sleep(LOOK);
                }
                Ok(Some(task * task))
            };
            work(&mut comm, &slowly, &NEVER).unwrap();
            comm
        };
        assert_eq!(squares(is_slow, &NEVER), (false, all(), BTreeSet::new()));
    }
}

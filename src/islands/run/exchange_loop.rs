//! The exchange loop: carries messages between the island's worker thread and the master, and polls
//! while it waits, so that new schedules and interrupts spread at once.

use crate::comm::{CommError, Communicator, codec};
use crate::islands::island::thread::Worker;
use crate::islands::protocol::{FromIsland, FromMaster, IslandMessage, MasterMessage};
use crate::islands::{Master, SearchError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time between two polls; longer for many islands, so that polling does not slow them down.
fn look<C: Communicator>(comm: &C) -> Duration {
    Duration::from_millis(5) * (1 + comm.size() as u32 / 64)
}

/// Runs island 0 together with the master.
///
/// # Errors
/// Islands cannot communicate, or the master's observer or keeper fails.
pub fn lead<C: Communicator>(
    comm: &mut C,
    mut worker: Worker<'_>,
    master: &mut Master<'_>,
) -> Result<(), SearchError> {
    let mut orders = master.begin(&mut || overhears(comm))?;
    loop {
        let own = orders.remove(0);
        let others = orders.drain(..).map(MasterMessage::Order);
        let others = (1..).zip(others.map(|order| codec::encode(&order)));
        let others = others.map(|(rank, bytes)| Ok((rank, bytes?)));
        comm.send(others.collect::<Result<_, CommError>>()?)?;
        if own == FromMaster::End {
            return Ok(());
        }
        worker.order(own)?;
        let words = gather(comm, &mut worker, master)?;
        orders = master.reply(words, &mut || overhears(comm))?;
    }
}

/// Whether an interrupt has reached the process of another island; while the islands wait for the
/// master, they send no other message.
fn overhears<C: Communicator>(comm: &mut C) -> bool {
    matches!(comm.receive(Duration::ZERO), Ok(Some(_)))
}

/// Collects the answers of all islands.
fn gather<C: Communicator>(
    comm: &mut C,
    worker: &mut Worker<'_>,
    master: &mut Master<'_>,
) -> Result<Vec<FromIsland>, SearchError> {
    let mut words: Vec<Option<FromIsland>> = (0..comm.size()).map(|_| None).collect();
    let mut is_broken = false;
    let look = look(comm);
    while words.contains(&None) {
        if !is_broken && master.breaks() {
            is_broken = true;
            // Even if island 0 has answered: from now on its snapshot answers for it.
            worker.break_off();
            let late = (1..comm.size()).filter(|&rank| words[rank].is_none());
            MasterMessage::Order(FromMaster::Break).send(comm, late.collect::<Vec<_>>())?;
        }
        let mut patience = look;
        if words[0].is_none() {
            words[0] = worker.wait(look)?;
            words[0].iter().try_for_each(|word| master.hear(word))?;
            patience = Duration::ZERO;
        }
        while words[1..].contains(&None)
            && let Some((rank, bytes)) = comm.receive(patience)?
        {
            let word = IslandMessage::answer(rank, &bytes)?;
            master.hear(&word)?;
            if word != FromIsland::Interrupted {
                words[rank] = Some(word);
            }
        }
    }
    Ok(words.into_iter().flatten().collect())
}

/// Runs an island other than 0. The flag `interrupted` ends the search on all islands.
///
/// # Errors
/// The master is gone, or the island fails.
pub fn follow<C: Communicator>(
    comm: &mut C,
    mut worker: Worker<'_>,
    interrupted: &AtomicBool,
) -> Result<(), SearchError> {
    let mut has_told = false;
    let mut is_at_work = false;
    let look = look(comm);
    loop {
        if !has_told && interrupted.load(Ordering::Relaxed) {
            has_told = true;
            // A master that has ended in the meantime needs no answer; its last message, received
            // below, tells whether it ended properly.
            let _ = IslandMessage::Answer(FromIsland::Interrupted).send(comm);
        }
        let mut patience = look;
        if is_at_work {
            if let Some(word) = worker.wait(look)? {
                IslandMessage::Answer(word).send(comm)?;
                is_at_work = false;
            }
            patience = Duration::ZERO;
        }
        let Some((_, bytes)) = comm.receive(patience)? else { continue };
        let MasterMessage::Order(order) = codec::decode(&bytes)? else {
            return Err(CommError::OutOfTurn(0).into());
        };
        match order {
            FromMaster::End => return Ok(()),
            // The island answered before the message arrived.
            FromMaster::Break if !is_at_work => {}
            FromMaster::Break => worker.break_off(),
            orders => {
                worker.order(orders)?;
                is_at_work = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread_group;
    use crate::engines::{Engine, hgsa};
    use crate::islands::Search;
    use crate::network::spec;
    use crate::problem::{Collective, Request};
    use std::sync::Arc;

    fn worker() -> Worker<'static> {
        let network = spec::parse("ring:4").unwrap();
        let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
        let engine = Engine::Hgsa(hgsa::Params::default());
        let make = move || engine.searcher(&problem).unwrap().walker(1).0;
        let search = Search { seed: 1, exchange_every: 10, goal: None };
        Worker::apart(1, make, search, false).unwrap()
    }

    /// An interrupt reaches all threads of a process at once: the master may have seen it, and
    /// ended, before another island polls.
    #[test]
    fn who_hears_an_interrupt_last_ends_as_the_master_has_said() {
        let interrupted = AtomicBool::new(true);
        let mut members = thread_group(2).into_iter();
        let (mut master, mut member) = (members.next().unwrap(), members.next().unwrap());
        MasterMessage::Order(FromMaster::End).send(&mut master, [1]).unwrap();
        drop(master);
        follow(&mut member, worker(), &interrupted).unwrap();
    }

    #[test]
    fn a_master_that_ends_without_a_word_is_missed() {
        let interrupted = AtomicBool::new(true);
        let mut members = thread_group(2).into_iter();
        let (master, mut member) = (members.next().unwrap(), members.next().unwrap());
        drop(master);
        let ended = follow(&mut member, worker(), &interrupted);
        assert!(matches!(ended, Err(SearchError::Comm(CommError::Lost(0)))), "{ended:?}");
    }
}

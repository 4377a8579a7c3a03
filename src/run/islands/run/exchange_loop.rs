//! The exchange loops: of rank 0, which runs the master of the search; of a rank that runs groups
//! below it; and of a rank with an island alone.

use super::above::{Superior, look};
use super::branch::Branch;
use crate::comm::{Census, Communicator, Counted};
use crate::islands::groups::{Decision, FromGroups};
use crate::islands::island::thread::Worker;
use crate::islands::protocol::{FromIsland, FromMaster, IslandMessage, MasterMessage};
use crate::islands::{CpuClock, Effort, Master, SearchError, memory};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Runs the master of the search together with the branch of rank 0. Returns the census of all other
/// ranks; the most CPU time and moves are those of rank 0, if that has more.
///
/// # Errors
/// Islands cannot communicate, or the master's observer or keeper fails.
pub fn lead<C: Communicator>(
    comm: &mut C,
    mut branch: Branch<'_>,
    master: &mut Master<'_>,
) -> Result<Census, SearchError> {
    let comm = &mut Counted::new(comm);
    let begin = CpuClock::Thread.now();
    let mut decision = master.begin(&mut || polls(comm))?;
    while decision != Decision::End {
        let answer = branch.leg(comm, master, (decision, master.terms()))?;
        decision = master.reply(answer, &mut || polls(comm))?;
    }
    let mut below = branch.end(comm)?;
    let Census { most_cpu, most_moves, .. } = own(comm, &branch.worker, begin);
    below.add(Census { most_cpu, most_moves, ..Census::default() });
    if comm.size() > 1 {
        let mut all = comm.census();
        all.add(below);
        log::debug!(
            "all ranks sent {}; rank 0 sent {} and received {}; no other rank sent and received \
             more than {} messages, or {} bytes",
            all.sent,
            comm.sent,
            comm.received,
            below.most,
            below.most_bytes
        );
    }
    Ok(below)
}

/// The census of a rank alone, at the end. The CPU time of its thread was `begin` at the beginning.
fn own<C: Communicator>(comm: &Counted<'_, C>, worker: &Worker<'_>, begin: Duration) -> Census {
    let Effort { cpu, moves } = worker.effort();
    let most_cpu = CpuClock::Thread.now().saturating_sub(begin) + cpu;
    Census { peak_memory: memory::peak(), most_cpu, most_moves: moves, ..comm.census() }
}

/// Whether an interrupt has reached the process of another island; while the islands wait for the
/// master, they send no other message.
fn polls<C: Communicator>(comm: &mut C) -> bool {
    matches!(comm.receive(Duration::ZERO), Ok(Some(_)))
}

/// Runs the groups of a rank below the master of rank `above`. The flag `interrupted` ends the
/// search on all islands.
///
/// # Errors
/// A master or a member is gone, or an island fails.
pub fn relay<C: Communicator>(
    comm: &mut C,
    mut branch: Branch<'_>,
    above: usize,
    interrupted: &AtomicBool,
) -> Result<(), SearchError> {
    let comm = &mut Counted::new(comm);
    let begin = CpuClock::Thread.now();
    let mut above = Superior::new(above, interrupted);
    loop {
        let (decision, terms) = above.wait(comm)?;
        if decision == Decision::End {
            let mut census = branch.end(comm)?;
            census.add(own(comm, &branch.worker, begin));
            // A master that does not wait for it needs no last message.
            let _ = IslandMessage::Ended(census).send(comm, above.rank);
            return Ok(());
        }
        let answer = branch.leg(comm, &mut above, (decision, terms))?;
        above.tell(comm, FromGroups::Answer(answer))?;
    }
}

/// Runs an island alone, whose group the master of rank `above` runs. The flag `interrupted` ends
/// the search on all islands.
///
/// # Errors
/// The master is gone, or the island fails.
pub fn follow<C: Communicator>(
    comm: &mut C,
    mut worker: Worker<'_>,
    above: usize,
    interrupted: &AtomicBool,
) -> Result<(), SearchError> {
    let comm = &mut Counted::new(comm);
    let begin = CpuClock::Thread.now();
    let mut has_told = false;
    let mut is_at_work = false;
    let look = look(comm);
    loop {
        if !has_told && interrupted.load(Ordering::Relaxed) {
            has_told = true;
            // A master that has ended in the meantime needs no answer; its last message, received
            // below, tells whether it ended properly.
            let _ = IslandMessage::Answer(FromIsland::Interrupted).send(comm, above);
        }
        let mut patience = look;
        if is_at_work {
            if let Some(word) = worker.wait(look)? {
                IslandMessage::Answer(word).send(comm, above)?;
                is_at_work = false;
            }
            patience = Duration::ZERO;
        }
        let Some((rank, bytes)) = comm.receive(patience)? else { continue };
        let MasterMessage::Order(order) = codec::decode(&bytes)? else {
            return Err(CommError::OutOfTurn(rank).into());
        };
        match order {
            FromMaster::End => {
                let _ = IslandMessage::Ended(own(comm, &worker, begin)).send(comm, above);
                return Ok(());
            }
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
    use crate::islands::Search;
    use crate::islands::run::tree::Tree;
    use ccsched_engines::{Engine, hgsa};
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use std::sync::Arc;

    fn worker() -> Worker<'static> {
        let network = spec::parse("ring:4").unwrap();
        let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
        let engine = Engine::of(&hgsa::ROW);
        let make = move || engine.searcher(&problem).unwrap().walker(1);
        let search = Search::default();
        Worker::apart((1, 2), make, search, false).unwrap()
    }

    /// An interrupt reaches all threads of a process at once: the master may have seen it, and
    /// ended, before another island polls.
    #[test]
    fn a_late_interrupt_after_the_end_is_ignored() {
        let interrupted = AtomicBool::new(true);
        let mut members = thread_group(2).into_iter();
        let (mut master, mut member) = (members.next().unwrap(), members.next().unwrap());
        MasterMessage::Order(FromMaster::End).send(&mut master, [1]).unwrap();
        drop(master);
        follow(&mut member, worker(), 0, &interrupted).unwrap();
    }

    #[test]
    fn a_member_that_misses_the_end_of_the_search_is_given_up() {
        let mut members = thread_group(2);
        let tree = Tree::flat(2, 64);
        let branch = Branch::new(tree.place(0), worker(), Search::default(), false);
        // The other member is there, and says nothing.
        let census = branch.of_ranks(0).end(&mut members[0]).unwrap();
        assert_eq!(census.lost, 1);
    }

    #[test]
    fn a_master_that_ends_without_a_word_is_missed() {
        let interrupted = AtomicBool::new(true);
        let mut members = thread_group(2).into_iter();
        let (master, mut member) = (members.next().unwrap(), members.next().unwrap());
        drop(master);
        let ended = follow(&mut member, worker(), 0, &interrupted);
        assert!(matches!(ended, Err(SearchError::Comm(CommError::Lost(0)))), "{ended:?}");
    }
}

//! The protocol of master and islands as a state machine, explored to the end: three islands, two
//! exchanges, every order of messages, threads and polls, interrupts at any process at any time, a
//! state saved at any exchange, and a thread that is lost at any time. In every one of them no rank
//! waits for ever and no message is out of turn; without an interrupt the result is always the same;
//! a search that was interrupted has its best schedule, and resumed it has the result of one that was
//! not.
//!
//! The explorer is world.rs: the states fit into memory, and `stateright` would bring a web server
//! and forty packages more into the tests. `loom` explores memory orders; ranks share nothing but
//! channels and a lock, whose uses are steps here.

mod gather;
mod group;
mod island;
mod master;
mod rank;
mod world;

use island::Value;
use master::{Saved, better};
use std::collections::BTreeMap;
use world::{CALM, Events, Shape, World, explore};

/// The result of a search that nothing interrupts: it must be one.
fn calm(shape: Shape, salt: Value, resumes: Option<Saved>) -> (Option<u8>, Option<Saved>) {
    let (_, ends) = explore(World::new(shape, salt, true, resumes), CALM);
    assert_eq!(ends.len(), 1, "the result depends on the order of events: {ends:#?}");
    let (best, kept, is_interrupted) = ends[0].clone();
    assert!(!is_interrupted && kept.is_some());
    (best, kept)
}

/// Explores interrupts at these ranks, and resumes every state that they leave.
fn interrupt(shape: Shape, salt: Value, flags: [bool; 3]) -> usize {
    let whole = calm(shape, salt, None);
    let events = Events { flags, losses: false };
    let (states, ends) = explore(World::new(shape, salt, true, None), events);
    let mut resumed = BTreeMap::new();
    for (best, kept, is_interrupted) in ends {
        if !is_interrupted {
            assert_eq!((best, &kept), (whole.0, &whole.1), "{shape:?}, {salt}");
            continue;
        }
        let end = resumed.entry(format!("{kept:?}")).or_insert_with(|| calm(shape, salt, kept));
        assert_eq!(*end, whole, "{shape:?}, {salt}: the resumed search ends otherwise");
        // A schedule of the leg that was interrupted is found again.
        assert_eq!(better(best, end.0), end.0);
    }
    assert!(resumed.len() > 1, "nothing was interrupted");
    states
}

#[test]
fn the_result_does_not_depend_on_the_order_of_events() {
    for shape in [Shape::Flat, Shape::Chain, Shape::Mixed] {
        for salt in 0..4 {
            calm(shape, salt, None);
        }
    }
}

#[test]
fn an_interrupt_anywhere_loses_nothing() {
    let (master, other) = ([true, false, false], [false, true, false]);
    for (shape, flags) in
        [(Shape::Flat, master), (Shape::Flat, other), (Shape::Chain, other), (Shape::Mixed, other)]
    {
        let states = interrupt(shape, 1, flags);
        eprintln!("{shape:?}, {flags:?}: {states} states");
    }
}

#[test]
#[ignore = "takes minutes: more searches, and interrupts that reach all processes one after the other"]
fn interrupts_everywhere_lose_nothing() {
    for shape in [Shape::Flat, Shape::Chain, Shape::Mixed] {
        for salt in 0..4 {
            let states = interrupt(shape, salt, [true; 3]);
            eprintln!("{shape:?}, {salt}, all: {states} states");
        }
    }
}

/// Threads are the only ranks that can be lost: an MPI rank that panics or is killed ends the whole job.
/// And threads are always below rank 0.
#[test]
fn a_lost_thread_ends_all_others() {
    let events = Events { losses: true, ..CALM };
    for salt in 0..3 {
        let (states, _) = explore(World::new(Shape::Flat, salt, true, None), events);
        eprintln!("a thread lost, {salt}: {states} states");
    }
}

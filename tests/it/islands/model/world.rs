//! All ranks with the messages between them, and the explorer of everything that can happen.

use super::island::{Value, Word, Worker};
use super::master::{Master, Saved, better};
use super::rank::{At, Message, Rank, Sent};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};

/// By rank, the rank that it reports to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// One group: ranks 1 and 2 run islands alone.
    Flat,
    /// Groups of one island, each below the one before.
    Chain,
    /// A group of two islands, and one island below.
    Mixed,
}

/// What may happen from outside.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    /// Flags that may be raised, by rank.
    pub flags: [bool; 3],
    /// Whether one rank may end as by a panic.
    pub losses: bool,
}

pub const CALM: Events = Events { flags: [false; 3], losses: false };

/// The ranks, and the messages under way, in order between any two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    ranks: Vec<Rank>,
    wires: Vec<VecDeque<Message>>,
    has_lost: bool,
}

/// How a search ended: the best schedule, the last state kept, whether it was interrupted.
pub type End = (Option<u8>, Option<Saved>, bool);

impl World {
    pub fn new(shape: Shape, salt: Value, keeps: bool, resumes: Option<Saved>) -> Self {
        let worker = |rank| Worker::new(rank, salt, keeps);
        let rank = |number, above| Rank::new(number, worker(number), above);
        let mut ranks = match shape {
            Shape::Flat => {
                vec![rank(0, 0).with_group(vec![0, 1, 2], None), rank(1, 0), rank(2, 0)]
            }
            Shape::Chain => vec![
                rank(0, 0).with_group(vec![0], Some(1)),
                rank(1, 0).with_group(vec![1], Some(2)),
                rank(2, 1).with_group(vec![2], None),
            ],
            Shape::Mixed => vec![
                rank(0, 0).with_group(vec![0, 1], Some(2)),
                rank(1, 0),
                rank(2, 0).with_group(vec![2], None),
            ],
        };
        let sent = ranks[0].lead(Master::new(keeps), resumes);
        let mut world = World { ranks, wires: vec![VecDeque::new(); 9], has_lost: false };
        world.post(0, sent);
        world
    }

    fn post(&mut self, from: usize, sent: Sent) {
        for (to, message) in sent {
            // To a member that has ended a message cannot be sent: the error ends the sender. Words
            // that come at the end may be lost.
            let is_gone = matches!(self.ranks[to].at, At::Done { .. });
            let may_fail = matches!(message, Message::Gone | Message::Ended | Message::Interrupted)
                || matches!(message, Message::Answer(Word::Interrupted));
            if !is_gone {
                self.wires[3 * from + to].push_back(message);
            } else if !may_fail && !matches!(self.ranks[from].at, At::Done { .. }) {
                assert!(self.has_lost, "{message:?} from {from} to {to}, which has ended");
                self.ranks[from].at = At::Done { has_failed: true };
                let goodbye = self.ranks[from].goodbye();
                self.post(from, goodbye);
            }
        }
    }

    /// All that can happen next.
    fn successors(&self, events: Events) -> Vec<World> {
        let mut all = vec![];
        for (number, rank) in self.ranks.iter().enumerate() {
            let is_done = matches!(rank.at, At::Done { .. });
            if let Some(worker) = rank.worker.step().filter(|_| !is_done) {
                let mut next = self.clone();
                next.ranks[number].worker = worker;
                all.push(next);
            }
            for (after, sent) in rank.act() {
                let mut next = self.clone();
                next.ranks[number] = after;
                next.post(number, sent);
                all.push(next);
            }
            for from in 0..3 {
                let mut next = self.clone();
                let Some(message) = next.wires[3 * from + number].pop_front() else { continue };
                let (after, sent) = rank.take(from, message);
                next.ranks[number] = after;
                next.post(number, sent);
                all.push(next);
            }
            if events.flags[number] && !rank.flag && !is_done {
                let mut next = self.clone();
                next.ranks[number].flag = true;
                all.push(next);
            }
            if events.losses && !self.has_lost && !is_done {
                let mut next = self.clone();
                next.has_lost = true;
                next.ranks[number].at = At::Done { has_failed: true };
                next.post(number, rank.goodbye());
                all.push(next);
            }
        }
        all
    }

    /// What must hold where nothing can happen any more.
    fn end(&self) -> Option<End> {
        for rank in &self.ranks {
            let At::Done { has_failed } = rank.at else { panic!("deadlock: {self:#?}") };
            assert!(!has_failed || self.has_lost, "a rank has failed: {self:#?}");
        }
        let master = self.ranks[0].master.as_ref().expect("rank 0 leads");
        let heard = self.ranks[0].heard;
        let has_failed = matches!(self.ranks[0].at, At::Done { has_failed: true });
        if has_failed {
            // Every schedule that reached it has reached the observer, which writes files.
            assert_eq!(master.shown, heard, "a schedule is lost: {self:#?}");
            return None;
        }
        let best = master.state.best;
        // A resumed search may have a better one, from a report that was saved.
        assert_eq!(best, better(best, heard), "a schedule is lost: {self:#?}");
        assert_eq!(best, master.shown, "the observer has another schedule: {self:#?}");
        Some((best, master.kept.clone(), master.is_interrupted))
    }
}

/// A state in 8 bytes: among a million, two different ones are equal by chance once in 10^7 times.
fn print_of(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

/// Explores all that can happen; returns the number of states and the different ends.
pub fn explore(start: World, events: Events) -> (usize, Vec<End>) {
    let mut seen = HashSet::from([print_of(&start)]);
    let mut open = vec![start];
    let mut ends = BTreeMap::new();
    while let Some(world) = open.pop() {
        let next = world.successors(events);
        // Rank 0 has ended in order: no message to it is under way, or the next search would get it.
        if matches!(world.ranks[0].at, At::Done { has_failed: false }) && !world.has_lost {
            for wire in [3, 6] {
                let late = world.wires[wire].iter().find(|&message| *message != Message::Gone);
                assert!(late.is_none(), "{late:?} comes after the end: {world:#?}");
            }
        }
        if next.is_empty()
            && let Some(end) = world.end()
        {
            ends.insert(format!("{end:?}"), end);
        }
        open.extend(next.into_iter().filter(|world| seen.insert(print_of(world))));
    }
    (seen.len(), ends.into_values().collect())
}

//! Ejection on the time line: what ends after a target is taken out of a schedule, and put back in the
//! place where it drives out least; what it drives out waits in turn. A message that had to drive others
//! out costs more to be driven out itself. This pays where few messages share a link.

use super::Choices;
use super::insertion::{Timetable, earliest};
use super::line::Line;
use crate::rng::Rng;
use crate::routing::PathId;
use rand::RngExt as _;

/// Paths of a waiting message that are looked at for a free place, and over which places are weighed if
/// there is none.
const PATHS: usize = 6;
const SWEPT: usize = 24;
/// The largest price of a message, so that sums stay far below the limit of 64 bits.
const MOST_PRICE: u64 = 1 << 50;
/// The part of a schedule's length by which the next target is shorter.
const PART: u64 = 1000;
/// Moves from one look at whether time is over to the next.
const LOOK: usize = 32;

/// A schedule of which some messages wait.
pub struct Ejection<'c> {
    choices: &'c Choices,
    lines: Vec<Line>,
    /// By resource, the placed messages that hold it.
    users: Vec<Vec<u32>>,
    table: Timetable,
    waiting: Vec<u32>,
    /// By message, how often it has driven others out.
    failures: Vec<u32>,
    /// What the place at hand drives out.
    blockers: Vec<u32>,
    /// By message, the last sweep in which it was counted.
    seen: Vec<u32>,
    place: u32,
    /// By start, how prices change in a sweep.
    changes: Vec<(u64, i64)>,
}

impl<'c> Ejection<'c> {
    /// Begins with a whole schedule, and with how often messages have driven others out before.
    pub fn of(choices: &'c Choices, table: &Timetable, failures: Vec<u32>) -> Self {
        let resources = choices.capacity.len();
        let mut begun = Ejection {
            choices,
            lines: vec![Line::default(); resources],
            users: vec![Vec::new(); resources],
            table: table.clone(),
            waiting: Vec::new(),
            failures,
            blockers: Vec::new(),
            seen: vec![0; choices.len()],
            place: 0,
            changes: Vec::new(),
        };
        // What is held last is added last, so that little is moved in a line.
        let mut by_start: Vec<u32> = (0..choices.len() as u32).collect();
        by_start.sort_by_key(|&m| table.starts[m as usize]);
        for m in by_start {
            let (start, end) = (table.starts[m as usize], begun.end(m));
            for &r in choices.held(table.routes[m as usize]) {
                begun.lines[r as usize].hold(start, end);
            }
        }
        for m in 0..choices.len() {
            let held = choices.held(table.routes[m]).iter();
            held.for_each(|&r| begun.users[r as usize].push(m as u32));
        }
        begun
    }

    /// The shortest schedule within some moves; none if none is shorter than the one that it began with.
    pub fn run(
        &mut self,
        aim: u64,
        moves: usize,
        rng: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Timetable> {
        let mut best: Option<Timetable> = None;
        let mut target = self.shorten(aim)?;
        for number in 0..moves {
            if number % LOOK == LOOK - 1 && is_over() {
                break;
            }
            if self.waiting.is_empty() {
                best = Some(self.whole());
                match self.shorten(aim) {
                    Some(shorter) => target = shorter,
                    None => return best,
                }
            }
            let at = rng.random_range(0..self.waiting.len());
            let m = self.waiting.swap_remove(at);
            self.settle(m, target, rng);
        }
        if self.waiting.is_empty() { Some(self.whole()) } else { best }
    }

    /// How often messages have driven others out.
    pub fn failures(self) -> Vec<u32> {
        self.failures
    }

    /// The schedule, of which no message waits.
    fn whole(&mut self) -> Timetable {
        let all = 0..self.choices.len() as u32;
        self.table.end = all.map(|m| self.end(m)).max().unwrap_or(0);
        self.table.clone()
    }

    fn end(&self, m: u32) -> u64 {
        self.table.starts[m as usize] + self.choices.lengths[m as usize]
    }

    /// Takes out what ends after the next target, which is returned; none if the schedule cannot be
    /// shorter.
    fn shorten(&mut self, aim: u64) -> Option<u64> {
        let longest = self.choices.lengths.iter().copied().max().unwrap_or(0);
        let target = (self.table.end - (self.table.end / PART).max(1).min(self.table.end)).max(aim);
        if target >= self.table.end || target < longest {
            return None;
        }
        for m in 0..self.choices.len() as u32 {
            if self.end(m) > target {
                self.lift(m);
                self.waiting.push(m);
            }
        }
        Some(target)
    }

    fn put(&mut self, m: u32, path: PathId, start: u64) {
        let end = start + self.choices.lengths[m as usize];
        for &r in self.choices.held(path) {
            self.lines[r as usize].hold(start, end);
            self.users[r as usize].push(m);
        }
        (self.table.routes[m as usize], self.table.starts[m as usize]) = (path, start);
    }

    fn lift(&mut self, m: u32) {
        let (start, end) = (self.table.starts[m as usize], self.end(m));
        for &r in self.choices.held(self.table.routes[m as usize]) {
            self.lines[r as usize].release(start, end);
            let users = &mut self.users[r as usize];
            if let Some(at) = users.iter().position(|&user| user == m) {
                users.swap_remove(at);
            }
        }
    }

    /// Puts a message where it drives out least before the target.
    fn settle(&mut self, m: u32, target: u64, rng: &mut Rng) {
        let (paths, bytes) = (self.choices.paths(m), self.choices.lengths[m as usize]);
        let last = target - bytes;
        let mut drawn = || rng.random_range(paths.clone());
        for n in 0..paths.len().min(PATHS) as PathId {
            let path = if paths.len() <= PATHS { paths.start + n } else { drawn() };
            let start = earliest(self.choices, &self.lines, path, (bytes, last));
            if start <= last {
                return self.put(m, path, start);
            }
        }
        let mut best = Cheapest { cost: u64::MAX, path: paths.start, start: 0, ties: 0 };
        for n in 0..paths.len().min(SWEPT) as PathId {
            let all = paths.len() <= SWEPT;
            let path = if all { paths.start + n } else { rng.random_range(paths.clone()) };
            self.sweep(path, (bytes, last), &mut best, rng);
        }
        let Cheapest { path, start, .. } = best;
        self.block(path, start, start + bytes);
        let blockers = std::mem::take(&mut self.blockers);
        for &blocker in &blockers {
            self.lift(blocker);
            self.waiting.push(blocker);
        }
        self.blockers = blockers;
        self.failures[m as usize] += 1;
        self.put(m, path, start);
    }

    /// Sweeps over the starts of a path up to `last`, and keeps one that drives out least if that is less
    /// than before.
    fn sweep(
        &mut self,
        path: PathId,
        (bytes, last): (u64, u64),
        best: &mut Cheapest,
        rng: &mut Rng,
    ) {
        self.place += 1;
        self.changes.clear();
        let mut cost = 0;
        for &r in self.choices.held(path) {
            let users = &self.users[r as usize];
            let capacity = self.choices.capacity[r as usize];
            if users.len() < capacity as usize {
                continue;
            }
            for &user in users {
                let u = user as usize;
                if self.seen[u] == self.place {
                    continue;
                }
                self.seen[u] = self.place;
                let length = self.choices.lengths[u];
                let price =
                    length.saturating_mul(1 + u64::from(self.failures[u])) / u64::from(capacity);
                let price = price.clamp(1, MOST_PRICE) as i64;
                // It is in the way of starts from here to its end.
                match (self.table.starts[u] + 1).checked_sub(bytes) {
                    Some(from) => self.changes.push((from, price)),
                    None => cost += price,
                }
                self.changes.push((self.table.starts[u] + length, -price));
            }
        }
        self.changes.sort_unstable();
        let (mut from, mut at) = (0, 0);
        while from <= last {
            let next = self.changes.get(at).map_or(u64::MAX, |change| change.0);
            if next > from {
                let ends = (from, last.min(next - 1));
                best.consider(cost as u64, path, ends, rng);
                from = next;
            }
            match self.changes.get(at) {
                Some(change) => cost += change.1,
                None => break,
            }
            at += 1;
        }
    }

    /// Lists what a place drives out in `blockers`.
    fn block(&mut self, path: PathId, start: u64, end: u64) {
        self.place += 1;
        self.blockers.clear();
        for &r in self.choices.held(path) {
            let r = r as usize;
            let capacity = self.choices.capacity[r];
            if self.lines[r].earliest(start, end - start, capacity) == start {
                continue;
            }
            for &user in &self.users[r] {
                let is_in_the_way = self.table.starts[user as usize] < end
                    && start < self.end(user)
                    && self.seen[user as usize] != self.place;
                if is_in_the_way {
                    self.seen[user as usize] = self.place;
                    self.blockers.push(user);
                }
            }
        }
    }
}

/// The place that drives out least so far.
struct Cheapest {
    cost: u64,
    path: PathId,
    start: u64,
    /// Places of the same cost.
    ties: u32,
}

impl Cheapest {
    /// Takes one of the two ends of a range of starts if these cost less; of equal ranges, any with the
    /// same probability.
    fn consider(&mut self, cost: u64, path: PathId, ends: (u64, u64), rng: &mut Rng) {
        if cost > self.cost {
            return;
        }
        self.ties = if cost < self.cost { 0 } else { self.ties + 1 };
        if rng.random_range(0..=self.ties) == 0 {
            let start = if rng.random_bool(0.5) { ends.0 } else { ends.1 };
            *self = Cheapest { cost, path, start, ties: self.ties };
        }
    }
}

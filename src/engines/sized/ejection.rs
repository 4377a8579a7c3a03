//! Ejection on the time line: what ends after a target is taken out of a schedule, and put back in the
//! place where it drives out least; what it drives out waits in turn. A message that had to drive others
//! out costs more to be driven out itself. This pays where few messages share a link.

use super::Choices;
use super::insertion::{Timetable, earliest};
use super::line::Line;
use crate::rng::Rng;
use crate::routing::PathId;
use rand::RngExt as _;

/// Paths of a waiting message that are looked at for a free place, and places that are weighed if there
/// is none.
const PATHS: usize = 6;
const PLACES: usize = 16;
/// The part of a schedule's length by which the next target is shorter.
const PART: u64 = 1000;
/// Moves from one look at whether time is over to the next.
const LOOK: usize = 256;

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
    /// By message, the last place for which it was counted.
    seen: Vec<u32>,
    place: u32,
}

impl<'c> Ejection<'c> {
    /// Begins with a whole schedule.
    pub fn of(choices: &'c Choices, table: &Timetable) -> Self {
        let resources = choices.capacity.len();
        let mut begun = Ejection {
            choices,
            lines: vec![Line::default(); resources],
            users: vec![Vec::new(); resources],
            table: table.clone(),
            waiting: Vec::new(),
            failures: vec![0; choices.len()],
            blockers: Vec::new(),
            seen: vec![0; choices.len()],
            place: 0,
        };
        for m in 0..choices.len() as u32 {
            begun.put(m, table.routes[m as usize], table.starts[m as usize]);
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
        let mut best: Option<(u64, PathId, u64)> = None;
        for _ in 0..PLACES {
            let path = rng.random_range(paths.clone());
            let held = self.choices.held(path);
            let users = &self.users[held[rng.random_range(0..held.len())] as usize];
            // Beside another transfer, or anywhere.
            let start = match users.is_empty() {
                true => rng.random_range(0..=last),
                false => {
                    let user = users[rng.random_range(0..users.len())];
                    match rng.random_range(0..3) {
                        0 => self.end(user),
                        1 => self.table.starts[user as usize].saturating_sub(bytes),
                        _ => self.table.starts[user as usize],
                    }
                }
            };
            let start = start.min(last);
            let limit = best.map_or(u64::MAX, |(cost, ..)| cost);
            let cost = self.weigh(path, start, start + bytes, limit);
            if cost < limit {
                best = Some((cost, path, start));
            }
        }
        let Some((_, path, start)) = best else { return self.waiting.push(m) };
        self.weigh(path, start, start + bytes, u64::MAX);
        let blockers = std::mem::take(&mut self.blockers);
        for &blocker in &blockers {
            self.lift(blocker);
            self.waiting.push(blocker);
        }
        self.blockers = blockers;
        self.failures[m as usize] += 1;
        self.put(m, path, start);
    }

    /// What a place drives out, in `blockers`, and its cost; a cost of `limit` or more need not be exact.
    fn weigh(&mut self, path: PathId, start: u64, end: u64, limit: u64) -> u64 {
        self.place += 1;
        self.blockers.clear();
        let mut cost = 0u64;
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
                    let failures = 1 + u64::from(self.failures[user as usize]);
                    cost = cost.saturating_add(self.choices.lengths[user as usize] * failures);
                    if cost >= limit {
                        return cost;
                    }
                }
            }
        }
        cost
    }
}

//! What holds each resource when: the transfers of a schedule on the time lines, and the place that drives
//! out least.

use super::Choices;
use super::insertion::earliest;
use super::line::Line;
use crate::ground::Timetable;
use ccsched_base::rng::Rng;
use ccsched_model::routing::PathId;
use rand::RngExt as _;

/// Paths of a waiting message over which places are weighed.
pub const SWEPT: usize = 24;
/// The largest price of a message, so that sums stay far below the limit of 64 bits.
pub const MOST_PRICE: u64 = 1 << 50;

/// Messages on the time lines.
#[derive(Clone)]
pub struct Occupancy<'c> {
    choices: &'c Choices,
    lines: Vec<Line>,
    /// By resource, the placed messages that hold it.
    users: Vec<Vec<u32>>,
    /// By message, its path and its start; the last ones if it is not placed.
    pub table: Timetable,
    /// What the place at hand drives out.
    blockers: Vec<u32>,
    /// By message, the last sweep in which it was counted.
    seen: Vec<u32>,
    place: u32,
    /// By start, how prices change in a sweep.
    changes: Vec<(u64, i64)>,
}

impl<'c> Occupancy<'c> {
    /// Those messages of a schedule that a condition names.
    pub fn of(choices: &'c Choices, table: &Timetable, is_placed: impl Fn(u32) -> bool) -> Self {
        let resources = choices.capacity.len();
        let mut begun = Occupancy {
            choices,
            lines: vec![Line::default(); resources],
            users: vec![Vec::new(); resources],
            table: table.clone(),
            blockers: Vec::new(),
            seen: vec![0; choices.len()],
            place: 0,
            changes: Vec::new(),
        };
        // What is held last is added last, so that little is moved in a line.
        let mut by_start: Vec<u32> = (0..choices.len() as u32).filter(|&m| is_placed(m)).collect();
        by_start.sort_by_key(|&m| table.starts[m as usize]);
        for &m in &by_start {
            let (start, bytes) = (table.starts[m as usize], choices.lengths[m as usize]);
            for (r, after) in choices.held_after(table.routes[m as usize]) {
                begun.lines[r].hold(start + after, start + after + bytes);
            }
        }
        by_start.sort_unstable();
        for m in by_start {
            let held = choices.held(table.routes[m as usize]).iter();
            held.for_each(|&r| begun.users[r as usize].push(m));
        }
        begun
    }

    /// The messages and their paths.
    pub fn choices(&self) -> &'c Choices {
        self.choices
    }

    /// Where a placed message ends.
    pub fn end(&self, m: u32) -> u64 {
        self.table.starts[m as usize] + self.choices.span(m, self.table.routes[m as usize])
    }

    /// Places a message.
    pub fn put(&mut self, m: u32, path: PathId, start: u64) {
        let bytes = self.choices.lengths[m as usize];
        for (r, after) in self.choices.held_after(path) {
            self.lines[r].hold(start + after, start + after + bytes);
            self.users[r].push(m);
        }
        (self.table.routes[m as usize], self.table.starts[m as usize]) = (path, start);
    }

    /// Takes a placed message out.
    pub fn lift(&mut self, m: u32) {
        let (start, bytes) = (self.table.starts[m as usize], self.choices.lengths[m as usize]);
        for (r, after) in self.choices.held_after(self.table.routes[m as usize]) {
            self.lines[r].release(start + after, start + after + bytes);
            let users = &mut self.users[r];
            if let Some(at) = users.iter().position(|&user| user == m) {
                users.swap_remove(at);
            }
        }
    }

    /// Whether a path is free for some bytes from a start on.
    pub fn is_free(&self, path: PathId, (start, bytes): (u64, u64)) -> bool {
        self.choices.held_after(path).all(|(r, after)| {
            let start = start + after;
            self.lines[r].earliest(start, bytes, self.choices.capacity[r]) == start
        })
    }

    /// The first of up to `tries` paths of a message, all or random ones, that is free from a start up to the
    /// `last` one of that path on, and its earliest start.
    pub fn free(
        &self,
        m: u32,
        last: &dyn Fn(PathId) -> Option<u64>,
        tries: usize,
        rng: &mut Rng,
    ) -> Option<(PathId, u64)> {
        let (paths, bytes) = (self.choices.paths(m), self.choices.lengths[m as usize]);
        for n in 0..paths.len().min(tries) as PathId {
            let are_all = paths.len() <= tries;
            let path = if are_all { paths.start + n } else { rng.random_range(paths.clone()) };
            let Some(last) = last(path) else { continue };
            let start = earliest((self.choices, false), &self.lines, path, (bytes, last));
            if start <= last {
                return Some((path, start));
            }
        }
        None
    }

    /// The path on which a message can end first, and its start.
    pub fn earliest(&self, m: u32) -> (PathId, u64) {
        let (paths, bytes) = (self.choices.paths(m), self.choices.lengths[m as usize]);
        let mut best = (paths.start, u64::MAX);
        for path in paths {
            let start = earliest((self.choices, false), &self.lines, path, (bytes, u64::MAX));
            let end =
                |(path, start): (PathId, u64)| start.saturating_add(self.choices.across(path));
            if end((path, start)) < end(best) {
                best = (path, start);
            }
        }
        best
    }

    /// The place that drives out least, of starts up to the `last` one of a path, by the prices of messages; none
    /// if no path has one.
    pub fn cheapest(
        &mut self,
        m: u32,
        last: &dyn Fn(PathId) -> Option<u64>,
        price: &dyn Fn(u32, (PathId, u64)) -> u64,
        rng: &mut Rng,
    ) -> Option<(PathId, u64)> {
        let (paths, bytes) = (self.choices.paths(m), self.choices.lengths[m as usize]);
        let mut best = Cheapest { cost: u64::MAX, path: paths.start, start: 0, ties: 0 };
        for n in 0..paths.len().min(SWEPT) as PathId {
            let all = paths.len() <= SWEPT;
            let path = if all { paths.start + n } else { rng.random_range(paths.clone()) };
            if let Some(last) = last(path) {
                self.sweep(path, (bytes, last), price, (&mut best, rng));
            }
        }
        (best.cost < u64::MAX).then_some((best.path, best.start))
    }

    /// Sweeps over the starts of a path up to `last`, and keeps one that drives out least if that is less
    /// than before.
    fn sweep(
        &mut self,
        path: PathId,
        (bytes, last): (u64, u64),
        price: &dyn Fn(u32, (PathId, u64)) -> u64,
        (best, rng): (&mut Cheapest, &mut Rng),
    ) {
        self.place += 1;
        self.changes.clear();
        let mut cost = 0;
        for (r, after) in self.choices.held_after(path) {
            let users = &self.users[r];
            let capacity = self.choices.capacity[r];
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
                let place = (self.table.routes[u], self.table.starts[u]);
                let price = (price(user, place) / u64::from(capacity)).clamp(1, MOST_PRICE) as i64;
                // It is in the way of starts from here to its end.
                let held = self.table.starts[u] + self.choices.before(self.table.routes[u], r);
                let Some(until) = (held + length).checked_sub(after).filter(|&until| until > 0)
                else {
                    continue;
                };
                match (held + 1).checked_sub(bytes + after) {
                    Some(from) => self.changes.push((from, price)),
                    None => cost += price,
                }
                self.changes.push((until, -price));
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

    /// Takes what is in the way of a place out, and adds it to a list.
    pub fn clear(&mut self, path: PathId, (start, bytes): (u64, u64), out: &mut Vec<u32>) {
        self.block(path, (start, bytes));
        let blockers = std::mem::take(&mut self.blockers);
        for &blocker in &blockers {
            self.lift(blocker);
            out.push(blocker);
        }
        self.blockers = blockers;
    }

    /// Lists what a place drives out in `blockers`.
    fn block(&mut self, path: PathId, (start, bytes): (u64, u64)) {
        self.place += 1;
        self.blockers.clear();
        for (r, after) in self.choices.held_after(path) {
            let (start, end) = (start + after, start + after + bytes);
            let capacity = self.choices.capacity[r];
            if self.lines[r].earliest(start, bytes, capacity) == start {
                continue;
            }
            for &user in &self.users[r] {
                let u = user as usize;
                let held = self.table.starts[u] + self.choices.before(self.table.routes[u], r);
                let is_in_the_way = held < end
                    && start < held + self.choices.lengths[u]
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

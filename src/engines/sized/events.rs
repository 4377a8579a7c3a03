//! Event-driven lists: whenever transfers end, waiting messages with a free path start, in the order of a
//! list over any of their paths, or over their routes, those with most left to carry first.

use super::Choices;
use super::insertion::Timetable;
use crate::routing::PathId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events from one look at whether time is over to the next.
const LOOK: usize = 64;

/// Which of the messages that can start does, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The first of the list, over any free path.
    Listed,
    /// That whose route has the channel with the most bytes left.
    MostLeft,
}

/// The state of the network at an instant.
struct Now<'c> {
    choices: &'c Choices,
    holders: Vec<u32>,
    /// By resource, the bytes of the routes of waiting messages, over its capacity.
    left: Vec<f64>,
}

impl Now<'_> {
    #[inline]
    fn is_free(&self, path: PathId) -> bool {
        let held = self.choices.held(path);
        held.iter().all(|&r| self.holders[r as usize] < self.choices.capacity[r as usize])
    }

    fn most_left(&self, path: PathId) -> f64 {
        self.choices.held(path).iter().map(|&r| self.left[r as usize]).fold(0.0, f64::max)
    }

    fn add_left(&mut self, path: PathId, bytes: f64) {
        for &r in self.choices.held(path) {
            self.left[r as usize] += bytes / f64::from(self.choices.capacity[r as usize]);
        }
    }

    /// The free path of a message with the least left to carry. The path of its route is among them.
    fn lightest(&self, message: u32) -> Option<PathId> {
        let free = self.choices.paths(message).filter(|&path| self.is_free(path));
        let left = |path: &PathId| {
            self.choices.held(*path).iter().map(|&r| self.left[r as usize]).sum::<f64>()
        };
        free.map(|path| (left(&path), path)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|f| f.1)
    }
}

/// The schedule of a list; none if `is_over` returns true meanwhile.
pub fn listed(
    choices: &Choices,
    list: &[u32],
    routes: &[PathId],
    first: First,
    is_over: &dyn Fn() -> bool,
) -> Option<Timetable> {
    let resources = choices.capacity.len();
    let mut now = Now { choices, holders: vec![0; resources], left: vec![0.0; resources] };
    for (&path, &bytes) in routes.iter().zip(&choices.lengths) {
        now.add_left(path, bytes as f64);
    }
    let mut table = Timetable { routes: routes.to_vec(), starts: vec![0; routes.len()], end: 0 };
    let mut waiting = list.to_vec();
    let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let mut time = 0;
    let mut ready: Vec<(f64, u32)> = Vec::new();
    let mut is_waiting = vec![true; routes.len()];
    let mut events = 0;
    while !waiting.is_empty() {
        events += 1;
        if events % LOOK == 0 && is_over() {
            return None;
        }
        let path_of = |now: &Now<'_>, m: u32| match first {
            First::Listed => now.lightest(m),
            First::MostLeft => Some(routes[m as usize]).filter(|&path| now.is_free(path)),
        };
        let mut start = |now: &mut Now<'_>, m: u32, path: PathId| {
            let bytes = choices.lengths[m as usize];
            now.add_left(routes[m as usize], -(bytes as f64));
            (table.starts[m as usize], table.routes[m as usize]) = (time, path);
            table.end = table.end.max(time + bytes);
            if bytes > 0 {
                choices.held(path).iter().for_each(|&r| now.holders[r as usize] += 1);
                running.push(Reverse((time + bytes, m)));
            }
        };
        match first {
            First::Listed => waiting.retain(|&m| match path_of(&now, m) {
                Some(path) => {
                    start(&mut now, m, path);
                    false
                }
                None => true,
            }),
            First::MostLeft => {
                ready.clear();
                for &m in &waiting {
                    if let Some(path) = path_of(&now, m) {
                        ready.push((now.most_left(path), m));
                    }
                }
                ready.sort_by(|a, b| b.0.total_cmp(&a.0));
                for &(_, m) in &ready {
                    if let Some(path) = path_of(&now, m) {
                        start(&mut now, m, path);
                        is_waiting[m as usize] = false;
                    }
                }
                waiting.retain(|&m| is_waiting[m as usize]);
            }
        }
        let Some(Reverse((next, _))) = running.peek().copied() else { continue };
        time = next;
        while let Some(&Reverse((end, m))) = running.peek().filter(|event| event.0.0 == time) {
            debug_assert_eq!(end, time);
            running.pop();
            let path = table.routes[m as usize];
            choices.held(path).iter().for_each(|&r| now.holders[r as usize] -= 1);
        }
    }
    Some(table)
}

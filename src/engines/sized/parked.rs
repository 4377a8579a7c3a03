//! The list over routes by events, for any number of messages: whenever transfers end, messages of free
//! routes start. Each message is filed by the two resources of its route that carry most, its two ends, so
//! that what is freed is looked up only with partners that are free as well; the first of the list goes to
//! the partner with the most bytes left. A message that waits for neither end, but for another resource, is
//! noted there.

use super::Choices;
use crate::ground::Timetable;
use ccsched_model::routing::PathId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events from one look at whether time is over to the next.
const LOOK: usize = 1024;
/// No message.
const NONE: u32 = u32::MAX;

/// The state of the network at an instant. Messages are numbered by their places in the list.
struct Lot<'c> {
    choices: &'c Choices,
    /// What each message holds: up to `ends[place]` in `held`, its two ends first.
    ends: Vec<u32>,
    held: Vec<u32>,
    has_started: Vec<bool>,
    /// By file, its first message that may wait; by message, the next of its file.
    heads: Vec<u32>,
    next: Vec<u32>,
    /// By resource, the files of which it is an end, each with the other end.
    files: Vec<Vec<(u32, u32)>>,
    /// By resource, the messages that are noted there; by message, whether it is.
    noted: Vec<Vec<u32>>,
    is_noted: Vec<bool>,
    holders: Vec<u32>,
    /// By resource, the bytes of the routes of waiting messages.
    left: Vec<u64>,
    running: BinaryHeap<Reverse<(u64, u32)>>,
    time: u64,
}

impl<'c> Lot<'c> {
    /// Nothing has started of the messages of a list.
    fn new(choices: &'c Choices, list: &[u32], routes: &[PathId]) -> Self {
        let resources = choices.capacity.len();
        let mut left = vec![0u64; resources];
        for (&path, &bytes) in routes.iter().zip(&choices.lengths) {
            choices.held(path).iter().for_each(|&r| left[r as usize] += bytes);
        }
        let relative = |r: u32| left[r as usize] / u64::from(choices.capacity[r as usize]);
        let mut lot = Lot {
            choices,
            ends: Vec::with_capacity(list.len()),
            held: Vec::new(),
            has_started: vec![false; list.len()],
            heads: Vec::new(),
            next: vec![NONE; list.len()],
            files: vec![Vec::new(); resources],
            noted: vec![Vec::new(); resources],
            is_noted: vec![false; list.len()],
            holders: vec![0; resources],
            left: Vec::new(),
            running: BinaryHeap::new(),
            time: 0,
        };
        let mut filed = Vec::with_capacity(list.len());
        for (place, &m) in (0u32..).zip(list) {
            let first = lot.held.len();
            // What has no bytes holds nothing.
            if choices.lengths[m as usize] > 0 {
                lot.held.extend_from_slice(choices.held(routes[m as usize]));
                let held = &mut lot.held[first..];
                for at in 0..held.len().min(2) {
                    let rest = (at..held.len()).rev().max_by_key(|&i| relative(held[i]));
                    held.swap(at, rest.unwrap_or(at));
                }
                if let (Some(&a), Some(&b)) = (held.first(), held.get(1).or(held.first())) {
                    filed.push((a.min(b), a.max(b), place));
                }
            }
            lot.ends.push(lot.held.len() as u32);
        }
        lot.left = left;
        filed.sort_unstable();
        for file in filed.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (a, b, head) = file[0];
            lot.files[a as usize].push((b, lot.heads.len() as u32));
            if a != b {
                lot.files[b as usize].push((a, lot.heads.len() as u32));
            }
            lot.heads.push(head);
            file.windows(2).for_each(|two| lot.next[two[0].2 as usize] = two[1].2);
        }
        lot
    }

    #[inline]
    fn is_full(&self, r: u32) -> bool {
        self.holders[r as usize] >= self.choices.capacity[r as usize]
    }

    fn held(&self, place: u32) -> std::ops::Range<usize> {
        let first = (place as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[place as usize] as usize
    }

    fn two_ends(&self, place: u32) -> &[u32] {
        let held = &self.held[self.held(place)];
        &held[..held.len().min(2)]
    }

    /// The first full resource of a message.
    #[inline]
    fn blocking(&self, place: u32) -> Option<u32> {
        self.held[self.held(place)].iter().copied().find(|&r| self.is_full(r))
    }

    /// Whether a message, whose ends are free, can start; if not, it is noted where it waits.
    fn can_start(&mut self, place: u32) -> bool {
        let Some(r) = self.blocking(place) else { return true };
        if !std::mem::replace(&mut self.is_noted[place as usize], true) {
            self.noted[r as usize].push(place);
        }
        false
    }

    fn start(&mut self, place: u32, bytes: u64) {
        for i in self.held(place) {
            let r = self.held[i] as usize;
            self.holders[r] += 1;
            self.left[r] -= bytes;
        }
        self.has_started[place as usize] = true;
        self.running.push(Reverse((self.time + bytes, place)));
    }

    /// What is left to carry of a resource, over its capacity.
    fn left(&self, r: u32) -> u64 {
        self.left[r as usize] / u64::from(self.choices.capacity[r as usize])
    }

    /// Of the messages that hold a resource, which is free, and can start, the first of those whose partner
    /// has most left to carry.
    fn first(&mut self, r: u32) -> Option<u32> {
        let mut best: Option<(u64, Reverse<u32>)> = None;
        let mut files = std::mem::take(&mut self.files[r as usize]);
        files.retain(|&(other, file)| {
            let left = self.left(other);
            if self.is_full(other) || best.is_some_and(|best| left < best.0) {
                return true;
            }
            let (mut before, mut at) = (NONE, self.heads[file as usize]);
            while at != NONE {
                let next = self.next[at as usize];
                if !self.has_started[at as usize] {
                    if self.can_start(at) {
                        best = best.max(Some((left, Reverse(at))));
                        break;
                    }
                    before = at;
                } else if before == NONE {
                    self.heads[file as usize] = next;
                } else {
                    self.next[before as usize] = next;
                }
                at = next;
            }
            self.heads[file as usize] != NONE
        });
        self.files[r as usize] = files;
        let mut noted = std::mem::take(&mut self.noted[r as usize]);
        noted.retain(|&place| {
            let is_here = !self.has_started[place as usize] && {
                match self.blocking(place) {
                    None => {
                        let left = self.two_ends(place).iter().map(|&end| self.left(end)).max();
                        best = best.max(left.map(|left| (left, Reverse(place))));
                        true
                    }
                    // It is found again when that is free.
                    Some(end) if self.two_ends(place).contains(&end) => false,
                    Some(other) => {
                        self.noted[other as usize].push(place);
                        return false;
                    }
                }
            };
            self.is_noted[place as usize] = is_here;
            is_here
        });
        self.noted[r as usize] = noted;
        best.map(|(_, Reverse(place))| place)
    }

    /// Ends the transfers that end next; the resources that they have freed are in `freed`.
    fn end_next(&mut self, freed: &mut Vec<u32>) -> bool {
        let Some(&Reverse((time, _))) = self.running.peek() else { return false };
        self.time = time;
        while let Some(&Reverse((_, place))) = self.running.peek().filter(|end| end.0.0 == time) {
            self.running.pop();
            for i in self.held(place) {
                let r = self.held[i];
                if self.is_full(r) {
                    freed.push(r);
                }
                self.holders[r as usize] -= 1;
            }
        }
        true
    }
}

/// The schedule of a list over routes; none if `is_over` returns true meanwhile.
pub fn parked(
    choices: &Choices,
    list: &[u32],
    routes: &[PathId],
    is_over: &dyn Fn() -> bool,
) -> Option<Timetable> {
    let mut lot = Lot::new(choices, list, routes);
    let mut table = Timetable { routes: routes.to_vec(), starts: vec![0; routes.len()], end: 0 };
    let mut start = |lot: &mut Lot<'_>, place: u32| {
        let m = list[place as usize] as usize;
        table.starts[m] = lot.time;
        table.end = table.end.max(lot.time + choices.lengths[m]);
        lot.start(place, choices.lengths[m]);
    };
    for place in 0..list.len() as u32 {
        let waits_for_ends = lot.two_ends(place).iter().any(|&r| lot.is_full(r));
        if !waits_for_ends && lot.can_start(place) {
            start(&mut lot, place);
        }
    }
    let (mut freed, mut events) = (Vec::new(), 0);
    while lot.end_next(&mut freed) {
        events += 1;
        if events % LOOK == 0 && is_over() {
            return None;
        }
        for r in freed.drain(..) {
            while !lot.is_full(r)
                && let Some(place) = lot.first(r)
            {
                start(&mut lot, place);
            }
        }
    }
    Some(table)
}

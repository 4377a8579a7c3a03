//! The list over routes by events, for any number of messages: whenever transfers end, messages of free
//! routes start. A waiting message is parked at the resource of its route that is held longest, and is
//! looked at again when that is free; so events do not look at all that wait.

use super::Choices;
use super::insertion::Timetable;
use crate::routing::PathId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events from one look at whether time is over to the next.
const LOOK: usize = 1024;

/// The state of the network at an instant. Messages are numbered by their places in the list.
struct Lot<'c> {
    choices: &'c Choices,
    /// What each message holds: up to `ends[place]` in `held`.
    ends: Vec<u32>,
    held: Vec<u32>,
    holders: Vec<u32>,
    /// By resource, the end of the transfer that has made it full.
    until: Vec<u64>,
    /// By resource, the messages that wait for it.
    parked: Vec<BinaryHeap<Reverse<u32>>>,
    running: BinaryHeap<Reverse<(u64, u32)>>,
    time: u64,
}

impl Lot<'_> {
    #[inline]
    fn is_full(&self, r: usize) -> bool {
        self.holders[r] >= self.choices.capacity[r]
    }

    fn held(&self, place: u32) -> std::ops::Range<usize> {
        let first = (place as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[place as usize] as usize
    }

    /// Starts a message now, or parks it; the start.
    fn look_at(&mut self, place: u32, bytes: u64) -> Option<u64> {
        let full = self.held(place).map(|i| self.held[i] as usize).filter(|&r| self.is_full(r));
        if let Some(longest) = full.max_by_key(|&r| self.until[r]) {
            self.parked[longest].push(Reverse(place));
            return None;
        }
        let end = self.time + bytes;
        for i in self.held(place) {
            let r = self.held[i] as usize;
            self.holders[r] += 1;
            self.until[r] = end;
        }
        self.running.push(Reverse((end, place)));
        Some(self.time)
    }
}

/// The schedule of a list over routes; none if `is_over` returns true meanwhile.
pub fn parked(
    choices: &Choices,
    list: &[u32],
    routes: &[PathId],
    is_over: &dyn Fn() -> bool,
) -> Option<Timetable> {
    let resources = choices.capacity.len();
    let mut lot = Lot {
        choices,
        ends: Vec::with_capacity(list.len()),
        held: Vec::new(),
        holders: vec![0; resources],
        until: vec![0; resources],
        parked: vec![BinaryHeap::new(); resources],
        running: BinaryHeap::new(),
        time: 0,
    };
    let mut table = Timetable { routes: routes.to_vec(), starts: vec![0; routes.len()], end: 0 };
    for &m in list {
        // What has no bytes holds nothing.
        if choices.lengths[m as usize] > 0 {
            lot.held.extend_from_slice(choices.held(routes[m as usize]));
        }
        lot.ends.push(lot.held.len() as u32);
    }
    let mut look_at = |lot: &mut Lot<'_>, place: u32| {
        let m = list[place as usize] as usize;
        if let Some(start) = lot.look_at(place, choices.lengths[m]) {
            table.starts[m] = start;
            table.end = table.end.max(start + choices.lengths[m]);
        }
    };
    for place in 0..list.len() as u32 {
        look_at(&mut lot, place);
    }
    let mut freed: Vec<usize> = Vec::new();
    let mut events = 0;
    while let Some(&Reverse((time, _))) = lot.running.peek() {
        events += 1;
        if events % LOOK == 0 && is_over() {
            return None;
        }
        lot.time = time;
        while let Some(&Reverse((_, place))) = lot.running.peek().filter(|event| event.0.0 == time)
        {
            lot.running.pop();
            for i in lot.held(place) {
                let r = lot.held[i] as usize;
                if lot.is_full(r) {
                    freed.push(r);
                }
                lot.holders[r] -= 1;
            }
        }
        for r in freed.drain(..) {
            while !lot.is_full(r)
                && let Some(Reverse(place)) = lot.parked[r].pop()
            {
                look_at(&mut lot, place);
            }
        }
    }
    Some(table)
}

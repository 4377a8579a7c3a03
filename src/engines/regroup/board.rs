//! The steps of a schedule, each with the largest delay that a transfer in it may have, and the transfers in them.
//! What finds no room drives others out, which wait in turn: those that hold its links or ports, those that bring
//! its message too late, those that pass it on too early.

use super::ways::{Item, Ways};
use ccsched_base::rng::Rng;
use ccsched_model::problem::places;
use ccsched_model::schedule::{Plan, PlanBuilder};
use rand::RngExt as _;

/// No transfer, no step.
pub const NONE: u32 = u32::MAX;
/// Ways of a waiting transfer that are looked at.
const LOOKED: usize = 12;

#[derive(Clone)]
pub struct Board<'w> {
    ways: &'w Ways<'w>,
    /// By resource, its first place in a step; it has as many as its capacity.
    firsts: std::sync::Arc<[u32]>,
    /// By step, the largest delay that is allowed.
    pub most: Vec<u64>,
    /// By step and place, the transfer that holds it.
    owners: Vec<u32>,
    /// By transfer, its step and its way; a waiting one has no step.
    steps: Vec<u32>,
    routes: Vec<u32>,
    pub waiting: Vec<u32>,
    /// By transfer, how often it has driven others out.
    failures: Vec<u32>,
    blockers: Vec<u32>,
}

impl<'w> Board<'w> {
    /// The steps of the schedule that the ways are of.
    pub fn of(ways: &'w Ways<'w>, capacities: &[u32], steps: usize) -> Self {
        let firsts = places(capacities);
        let size = firsts.last().map_or(0, |&end| end as usize);
        let count = ways.items.len();
        let mut board = Board {
            ways,
            firsts: firsts.into(),
            most: vec![0; steps],
            owners: vec![NONE; steps * size],
            steps: vec![NONE; count],
            routes: ways.items.iter().map(|item| item.way).collect(),
            waiting: Vec::new(),
            failures: vec![0; count],
            blockers: Vec::new(),
        };
        for (number, item) in (0..).zip(&ways.items) {
            board.put(number, item.way, item.step);
        }
        board.tighten();
        board
    }

    /// The nanoseconds of the schedule, of which each step takes some beside its delay.
    pub fn total(&self, of_step: u64) -> u64 {
        self.most.iter().map(|delay| delay + of_step).sum()
    }

    fn size(&self) -> usize {
        self.firsts.last().map_or(0, |&end| end as usize)
    }

    /// The places of a resource in a step.
    fn places(&self, step: u32, resource: u32) -> std::ops::Range<usize> {
        let row = step as usize * self.size();
        let [first, end] = [resource, resource + 1].map(|r| self.firsts[r as usize] as usize);
        row + first..row + end
    }

    fn put(&mut self, item: u32, way: u32, step: u32) {
        for &r in &self.ways.ways[way as usize].held {
            let places = self.places(step, r);
            if let Some(place) = self.owners[places].iter_mut().find(|owner| **owner == NONE) {
                *place = item;
            }
        }
        (self.routes[item as usize], self.steps[item as usize]) = (way, step);
    }

    fn lift(&mut self, item: u32) {
        let (way, step) = (self.routes[item as usize], self.steps[item as usize]);
        for &r in &self.ways.ways[way as usize].held {
            let places = self.places(step, r);
            if let Some(place) = self.owners[places].iter_mut().find(|owner| **owner == item) {
                *place = NONE;
            }
        }
        self.steps[item as usize] = NONE;
        self.waiting.push(item);
    }

    fn delay(&self, item: u32) -> u64 {
        self.ways.ways[self.routes[item as usize] as usize].delay
    }

    /// The transfers of a step.
    fn of_step(&self, step: u32) -> Vec<u32> {
        let all = 0..self.steps.len() as u32;
        all.filter(|&item| self.steps[item as usize] == step).collect()
    }

    /// Takes out what has a larger delay than a step shall have; whether that is less than it has.
    pub fn lower(&mut self, step: u32, most: u64) -> bool {
        if self.most[step as usize] <= most {
            return false;
        }
        self.most[step as usize] = most;
        for item in self.of_step(step) {
            if self.delay(item) > most {
                self.lift(item);
            }
        }
        true
    }

    /// The delays that transfers of a step have, rising.
    pub fn delays_in(&self, step: u32) -> Vec<u64> {
        let mut delays: Vec<u64> =
            self.of_step(step).into_iter().map(|item| self.delay(item)).collect();
        delays.sort_unstable();
        delays.dedup();
        delays
    }

    /// A step more, before another one.
    pub fn insert(&mut self, before: u32, most: u64) {
        self.most.insert(before as usize, most);
        let (at, size) = (before as usize * self.size(), self.size());
        self.owners.splice(at..at, std::iter::repeat_n(NONE, size));
        let later = self.steps.iter_mut().filter(|step| **step != NONE && **step >= before);
        later.for_each(|step| *step += 1);
    }

    /// A step less; its transfers wait.
    pub fn remove(&mut self, step: u32) {
        self.of_step(step).into_iter().for_each(|item| self.lift(item));
        self.most.remove(step as usize);
        let (at, size) = (step as usize * self.size(), self.size());
        self.owners.drain(at..at + size);
        let later = self.steps.iter_mut().filter(|other| **other != NONE && **other > step);
        later.for_each(|other| *other -= 1);
    }

    /// Gives each step the largest delay that its transfers have, and drops steps without transfers.
    pub fn tighten(&mut self) {
        for step in (0..self.most.len() as u32).rev() {
            match self.of_step(step).into_iter().map(|item| self.delay(item)).max() {
                Some(most) => self.most[step as usize] = most,
                None => self.remove(step),
            }
        }
    }

    /// Places all that wait; whether there is room, within some moves without fewer waiting ones than ever, and
    /// with the places that may still be looked at.
    pub fn settle(&mut self, patience: usize, left: &mut usize, rng: &mut Rng) -> bool {
        self.failures.fill(0);
        let (mut fewest, mut idle) = (self.waiting.len(), 0);
        while !self.waiting.is_empty() {
            if idle == patience || *left == 0 {
                return false;
            }
            let at = rng.random_range(0..self.waiting.len());
            let item = self.waiting.swap_remove(at);
            let looks = self.most.len() * self.ways.list_of(item).len().min(LOOKED);
            (idle, *left) = (idle + 1, left.saturating_sub(looks));
            if !self.place(item, rng) {
                return false;
            }
            if self.waiting.len() < fewest {
                (fewest, idle) = (self.waiting.len(), 0);
            }
        }
        true
    }

    /// Puts a transfer where it drives out least; whether there is such a place.
    fn place(&mut self, item: u32, rng: &mut Rng) -> bool {
        let ways = self.ways;
        let list = ways.list_of(item);
        // What passes the message on from where this brings it, with its step.
        let Item { message, head, .. } = ways.items[item as usize];
        let is_after = |&other: &u32| {
            let way = self.routes[other as usize];
            other != item && ways.ways[way as usize].tail == head
        };
        let of_message = ways.of_message[message as usize].iter().copied();
        let after: Vec<u32> = of_message
            .filter(|&other| self.steps[other as usize] != NONE)
            .filter(is_after)
            .collect();
        let mut best: Option<(u64, u32, u32)> = None;
        let mut ties = 0;
        for n in 0..list.len().min(LOOKED) {
            let way = match list.len() <= LOOKED {
                true => list[n],
                // The way that it had is one of those.
                false if n == 0 => self.routes[item as usize],
                false => list[rng.random_range(0..list.len())],
            };
            let delay = ways.ways[way as usize].delay;
            for step in 0..self.most.len() as u32 {
                if self.most[step as usize] < delay {
                    continue;
                }
                let limit = best.map_or(u64::MAX, |(cost, ..)| cost);
                let Some(cost) = self.weigh(item, (way, step), &after, limit) else { continue };
                if cost < limit {
                    (best, ties) = (Some((cost, way, step)), 1);
                } else if cost == limit {
                    ties += 1;
                    if rng.random_range(0..ties) == 0 {
                        best = Some((cost, way, step));
                    }
                }
            }
        }
        let Some((cost, way, step)) = best else { return false };
        if cost > 0 {
            self.weigh(item, (way, step), &after, u64::MAX);
            std::mem::take(&mut self.blockers).into_iter().for_each(|blocker| self.lift(blocker));
            self.failures[item as usize] += 1;
        }
        self.put(item, way, step);
        true
    }

    /// What a way in a step drives out, in `blockers`, and its cost; more than `limit` need not be exact. None if
    /// the message never comes to where the way begins.
    fn weigh(
        &mut self,
        item: u32,
        (way, step): (u32, u32),
        after: &[u32],
        limit: u64,
    ) -> Option<u64> {
        self.blockers.clear();
        let ways = self.ways;
        let price = |failures: &[u32], other: u32| 1 + u64::from(failures[other as usize]);
        let mut cost = 0;
        if let Some(before) = ways.before(item, way).ok()? {
            if before == item {
                return None;
            }
            if self.steps[before as usize] != NONE && self.steps[before as usize] >= step {
                cost += price(&self.failures, before);
                self.blockers.push(before);
            }
        }
        for &other in after {
            if self.steps[other as usize] <= step && !self.blockers.contains(&other) {
                cost += price(&self.failures, other);
                self.blockers.push(other);
            }
        }
        for &r in &ways.ways[way as usize].held {
            if cost > limit {
                return Some(cost);
            }
            let places = &self.owners[self.places(step, r)];
            let is_free = places.iter().any(|&o| o == NONE || self.blockers.contains(&o));
            if is_free {
                continue;
            }
            let cheapest = places.iter().copied().min_by_key(|&o| price(&self.failures, o))?;
            cost += price(&self.failures, cheapest);
            self.blockers.push(cheapest);
        }
        Some(cost)
    }

    /// The schedule, of which nothing waits.
    pub fn plan(&self) -> Plan {
        let mut plan = PlanBuilder::default();
        for (item, (&way, &step)) in self.ways.items.iter().zip(self.routes.iter().zip(&self.steps))
        {
            plan.push(step, item.message, &self.ways.ways[way as usize].channels);
        }
        let mut plan = plan.build();
        plan.tidy();
        plan
    }
}

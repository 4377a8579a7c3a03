//! Steps of given lengths, the profile: a message may go where its length fits. Messages that find no free
//! path in such a step drive others out, which wait in turn. A profile that does not fit is stretched where
//! that costs least; one that fits is tightened, step by step.

use super::Choices;
use crate::ground::Timetable;
use ccsched_base::rng::Rng;
use ccsched_model::problem::places;
use ccsched_model::routing::PathId;
use rand::RngExt as _;

/// No message.
const NONE: u32 = u32::MAX;
/// Paths of a message that are looked at in a move.
const PATHS: usize = 6;
/// Moves for every message without fewer waiting ones, after which a profile is stretched.
const PATIENCE: usize = 2;
/// Moves of an attempt to tighten a step.
const ATTEMPT: usize = 400;
/// Moves from one look at whether time is over to the next.
const LOOK: usize = 256;

/// Steps of given lengths, with the messages in them.
#[derive(Clone)]
pub struct Profile<'c> {
    choices: &'c Choices,
    /// The start-up time of a step in bytes.
    startup: u64,
    /// By resource, its first place in a step; it has as many as its capacity.
    firsts: Vec<u32>,
    /// By step, its bytes.
    lengths: Vec<u64>,
    /// By step, the largest delay of a path in it.
    delays: Vec<u64>,
    /// By step and place, the message that holds it.
    owners: Vec<u32>,
    /// By message, its path and its step; a waiting one has none.
    routes: Vec<PathId>,
    steps: Vec<u32>,
    waiting: Vec<u32>,
    /// By message, how often it has driven others out.
    failures: Vec<u32>,
    blockers: Vec<u32>,
}

impl<'c> Profile<'c> {
    /// Steps of these lengths without messages.
    pub fn new(choices: &'c Choices, startup: u64, lengths: Vec<u64>) -> Self {
        let firsts = places(&choices.capacity);
        let delays = vec![u64::MAX; lengths.len()];
        let owners = vec![NONE; lengths.len() * firsts[firsts.len() - 1] as usize];
        let mut waiting: Vec<u32> = (0..choices.len() as u32).collect();
        // The longest one is the last, and is placed first.
        waiting.sort_by_key(|&m| choices.lengths[m as usize]);
        Profile {
            choices,
            startup,
            firsts,
            lengths,
            delays,
            owners,
            routes: vec![0; choices.len()],
            steps: vec![NONE; choices.len()],
            waiting,
            failures: vec![0; choices.len()],
            blockers: Vec::new(),
        }
    }

    /// The steps of a schedule, whose starts are numbers of steps.
    pub fn of(choices: &'c Choices, startup: u64, table: &Timetable) -> Self {
        let (mut lengths, mut delays) = (Vec::new(), Vec::new());
        for (m, (&step, &bytes)) in table.starts.iter().zip(&choices.lengths).enumerate() {
            let step = step as usize;
            lengths.resize(lengths.len().max(step + 1), 0);
            delays.resize(lengths.len(), 0);
            lengths[step] = bytes.max(lengths[step]);
            delays[step] = choices.across(table.routes[m]).max(delays[step]);
        }
        let mut profile = Profile { delays, ..Profile::new(choices, startup, lengths) };
        profile.waiting.clear();
        for m in 0..choices.len() {
            profile.put(m as u32, table.routes[m], table.starts[m] as u32);
        }
        profile
    }

    /// The schedule, if no message waits; `end` is its cost. Steps without messages are left out.
    pub fn table(&self) -> Option<Timetable> {
        if !self.waiting.is_empty() {
            return None;
        }
        let mut longest: Vec<Option<(u64, u64)>> = vec![None; self.lengths.len()];
        for (m, (&step, &bytes)) in self.steps.iter().zip(&self.choices.lengths).enumerate() {
            let (longest, delay) = longest[step as usize].get_or_insert((0, 0));
            *longest = (*longest).max(bytes);
            *delay = (*delay).max(self.choices.across(self.routes[m]));
        }
        let number = longest.iter().scan(0, |next, longest| {
            *next += u64::from(longest.is_some());
            Some(*next - u64::from(longest.is_some()))
        });
        let number: Vec<u64> = number.collect();
        let of_step = longest.iter().flatten().map(|(bytes, delay)| bytes + delay + self.startup);
        let starts = self.steps.iter().map(|&step| number[step as usize]).collect();
        Some(Timetable { routes: self.routes.clone(), starts, end: of_step.sum() })
    }

    /// Places all messages, and stretches the profile where that fails for long. Whether none waits.
    pub fn fill(&mut self, rng: &mut Rng, is_over: &dyn Fn() -> bool) -> bool {
        let patience = PATIENCE * self.choices.len();
        let (mut fewest, mut idle) = (self.waiting.len(), 0);
        let mut moves = 0;
        while !self.waiting.is_empty() {
            moves += 1;
            if moves % LOOK == 0 && is_over() {
                return false;
            }
            idle += 1;
            if idle > patience {
                self.stretch();
                idle = 0;
            }
            self.settle(rng);
            if self.waiting.len() < fewest {
                (fewest, idle) = (self.waiting.len(), 0);
            }
        }
        true
    }

    /// Makes a random step shorter, or drops it, and places what no longer fits elsewhere. Whether this
    /// succeeds; if not, the profile is of no more use.
    pub fn tighten(&mut self, rng: &mut Rng) -> bool {
        let step = rng.random_range(0..self.lengths.len()) as u32;
        let of_step = (0..self.choices.len() as u32).filter(|&m| self.steps[m as usize] == step);
        let mut own: Vec<u32> = of_step.collect();
        if self.choices.has_delays() && rng.random_bool(0.5) {
            return self.bring_near((step, own), rng);
        }
        own.sort_by_key(|&m| std::cmp::Reverse(self.choices.lengths[m as usize]));
        let Some(&longest) = own.first() else { return false };
        // As short as one of the next messages, or nothing is left of it.
        let most = self.choices.lengths[longest as usize];
        let place = 1 << rng.random_range(0..6);
        let rest = own.iter().skip(place).map(|&m| self.choices.lengths[m as usize]);
        let shorter = rest.into_iter().find(|&bytes| bytes < most);
        self.lengths[step as usize] = shorter.unwrap_or(0);
        for m in own {
            if shorter.is_none_or(|shorter| self.choices.lengths[m as usize] > shorter) {
                self.lift(m);
                self.waiting.push(m);
            }
        }
        self.attempt(step, shorter.is_none(), rng)
    }

    /// Lowers the largest delay of a step with these messages, as [`Profile::tighten`] its length.
    fn bring_near(&mut self, (step, own): (u32, Vec<u32>), rng: &mut Rng) -> bool {
        let choices = self.choices;
        let routes = self.routes.clone();
        let across = |m: u32| choices.across(routes[m as usize]);
        let Some(most) = own.iter().map(|&m| across(m)).max() else { return false };
        let nearer = own.iter().map(|&m| across(m)).filter(|&delay| delay < most).max();
        let Some(nearer) = nearer else { return false };
        self.delays[step as usize] = nearer;
        for m in own.into_iter().filter(|&m| across(m) > nearer) {
            self.lift(m);
            self.waiting.push(m);
        }
        self.attempt(step, false, rng)
    }

    /// Places what waits, not in a step that is dropped; whether there is room for all.
    fn attempt(&mut self, step: u32, is_dropped: bool, rng: &mut Rng) -> bool {
        for _ in 0..ATTEMPT {
            if self.waiting.is_empty() {
                return true;
            }
            self.settle_but(rng, step, is_dropped);
        }
        false
    }

    fn put(&mut self, m: u32, path: PathId, step: u32) {
        let row = self.row(step);
        for &r in self.choices.held(path) {
            let [first, end] = [self.firsts[r as usize], self.firsts[r as usize + 1]];
            let places = &mut self.owners[row + first as usize..row + end as usize];
            if let Some(place) = places.iter_mut().find(|owner| **owner == NONE) {
                *place = m;
            }
        }
        (self.routes[m as usize], self.steps[m as usize]) = (path, step);
    }

    fn lift(&mut self, m: u32) {
        let row = self.row(self.steps[m as usize]);
        for &r in self.choices.held(self.routes[m as usize]) {
            let [first, end] = [self.firsts[r as usize], self.firsts[r as usize + 1]];
            let places = &mut self.owners[row + first as usize..row + end as usize];
            if let Some(place) = places.iter_mut().find(|owner| **owner == m) {
                *place = NONE;
            }
        }
        self.steps[m as usize] = NONE;
    }

    fn row(&self, step: u32) -> usize {
        step as usize * self.firsts[self.firsts.len() - 1] as usize
    }

    fn settle(&mut self, rng: &mut Rng) {
        self.settle_but(rng, NONE, false);
    }

    /// Puts a waiting message where it drives out least; not in `step` if this is `dropped`.
    fn settle_but(&mut self, rng: &mut Rng, step: u32, dropped: bool) {
        let Some(m) = self.waiting.pop() else { return };
        let (paths, bytes) = (self.choices.paths(m), self.choices.lengths[m as usize]);
        let mut best: Option<(u64, PathId, u32)> = None;
        let mut ties = 0;
        'paths: for n in 0..paths.len().min(PATHS) as PathId {
            let path = match paths.len() <= PATHS {
                true => paths.start + n,
                false => rng.random_range(paths.clone()),
            };
            for at in 0..self.lengths.len() as u32 {
                let is_too_far = self.delays[at as usize] < self.choices.across(path);
                if self.lengths[at as usize] < bytes || is_too_far || dropped && at == step {
                    continue;
                }
                let limit = best.map_or(u64::MAX, |(cost, ..)| cost);
                let cost = self.weigh(path, at, limit);
                if cost < limit {
                    (best, ties) = (Some((cost, path, at)), 1);
                    if cost == 0 {
                        break 'paths;
                    }
                } else if cost == limit {
                    ties += 1;
                    if rng.random_range(0..ties) == 0 {
                        best = Some((cost, path, at));
                    }
                }
            }
        }
        let Some((cost, path, at)) = best else {
            let place = rng.random_range(0..=self.waiting.len());
            return self.waiting.insert(place, m);
        };
        if cost > 0 {
            self.weigh(path, at, u64::MAX);
            let blockers = std::mem::take(&mut self.blockers);
            for &blocker in &blockers {
                self.lift(blocker);
                let place = rng.random_range(0..=self.waiting.len());
                self.waiting.insert(place, blocker);
            }
            self.blockers = blockers;
            self.failures[m as usize] += 1;
        }
        self.put(m, path, at);
    }

    /// What a path in a step drives out, in `blockers`, and its cost; more than `limit` need not be exact.
    fn weigh(&mut self, path: PathId, step: u32, limit: u64) -> u64 {
        self.blockers.clear();
        let row = self.row(step);
        let mut cost = 0;
        for &r in self.choices.held(path) {
            let [first, end] = [self.firsts[r as usize], self.firsts[r as usize + 1]];
            let places = &self.owners[row + first as usize..row + end as usize];
            if places.contains(&NONE) || places.iter().any(|owner| self.blockers.contains(owner)) {
                continue;
            }
            let price = |&owner: &u32| 1 + u64::from(self.failures[owner as usize]);
            let Some(&cheapest) = places.iter().min_by_key(|owner| price(owner)) else { continue };
            cost += price(&cheapest);
            self.blockers.push(cheapest);
            if cost > limit {
                return cost;
            }
        }
        cost
    }

    /// Gives a waiting message one more step: the longest that is too short gets its length, or a step is
    /// added.
    fn stretch(&mut self) {
        let Some(&m) = self.waiting.last() else { return };
        let bytes = self.choices.lengths[m as usize];
        let shorter = (0..self.lengths.len()).filter(|&step| self.lengths[step] < bytes);
        let longest = shorter.max_by_key(|&step| self.lengths[step]);
        let raise = longest.map_or(u64::MAX, |step| bytes - self.lengths[step]);
        match longest {
            Some(step) if raise <= bytes + self.startup => self.lengths[step] = bytes,
            _ => {
                self.lengths.push(bytes);
                self.delays.push(u64::MAX);
                let places = self.firsts[self.firsts.len() - 1] as usize;
                self.owners.resize(self.owners.len() + places, NONE);
            }
        }
    }
}

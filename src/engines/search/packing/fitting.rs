//! First fit over planned routes: every message takes the first free step of its planned route, the
//! longest messages first. A message that finds none before the planned load takes the first step in
//! which any of its shortest paths is free. Where few channels are the bottleneck, the schedule is
//! hardly longer than the planned load.

use super::ground::Ground;
use super::packed::Packed;
use super::routes::Routes;
use crate::construct::first_fit::Fit;
use ccsched_base::rng::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Messages being placed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fitting {
    /// All messages, by pair and number within it, the longest first.
    order: Vec<(u32, u32)>,
    /// Those that are placed, in this order, and their steps.
    placed: Packed,
    steps: Vec<u32>,
    /// The largest planned load.
    load: u32,
    #[serde(skip)]
    fit: Option<Fit>,
}

impl Fitting {
    /// No message is placed. `left` is the number of messages by pair.
    pub fn new(ground: &Ground, routes: &Routes, left: &[u32], rng: &mut Rng) -> Self {
        let pairs = (0..).zip(left);
        let messages = pairs.flat_map(|(p, &left)| (0..left).map(move |copy| (p, copy)));
        let mut order: Vec<(u32, u32)> = messages.collect();
        order.shuffle(rng);
        order.sort_by_key(|&(pair, _)| std::cmp::Reverse(ground.distance(pair)));
        let load = routes.largest(ground).ceil() as u32;
        Fitting { order, load, ..Fitting::default() }
    }

    /// The schedule of these messages, placed at once.
    pub fn at_once(ground: &Ground, routes: &Routes, left: &[u32], rng: &mut Rng) -> Packed {
        let mut fitting = Self::new(ground, routes, left, rng);
        fitting.place_some(ground, routes, usize::MAX);
        fitting.placed.sorted(&fitting.steps)
    }

    /// Places some messages. Returns their number.
    pub fn place_some(&mut self, ground: &Ground, routes: &Routes, most: usize) -> u64 {
        let mut fit = self.fit.take().unwrap_or_else(|| self.refit(ground));
        let problem = &ground.problem;
        let first = self.placed.transfers();
        let last = self.order.len().min(first.saturating_add(most));
        for &message in &self.order[first..last] {
            let pair = ground.pairs[message.0 as usize];
            let ends = (pair.source, pair.destination);
            let own = || routes.has(message.0).then(|| routes.route(ground, message));
            let planned = ground.fixed(message.0).or_else(own);
            let along = planned.map(|route| fit.along(problem, ends, route));
            let on_time = along.filter(|&step| step < self.load || ground.has_fixed_routes());
            let step =
                on_time.unwrap_or_else(|| fit.choose(problem, ends, ground.to(pair.destination)));
            fit.take(problem, step);
            self.placed.push(message.0, fit.path());
            self.steps.push(step);
        }
        self.fit = Some(fit);
        (last - first) as u64
    }

    /// The free steps beside the messages that are placed.
    fn refit(&self, ground: &Ground) -> Fit {
        let mut fit = Fit::new(&ground.problem);
        for (t, &step) in self.steps.iter().enumerate() {
            fit.occupy(&ground.problem, self.placed.transfer(t).1, step);
        }
        fit
    }

    /// The schedule, once all messages are placed.
    pub fn schedule(&self) -> Option<Packed> {
        let is_complete = self.placed.transfers() == self.order.len();
        is_complete.then(|| self.placed.sorted(&self.steps))
    }
}

//! What a search for the least time goes on from, as a checkpoint keeps it.

use super::Choices;
use crate::ground::Timetable;
use ccsched_base::rng::{Rng, is_sound};
use ccsched_model::routing::PathId;
use serde::{Deserialize, Serialize};

/// No schedule ends later, and no count is larger; so sums stay far below the limit of 64 bits.
const MOST: u64 = 1 << 52;
const MOST_COUNT: u32 = 1 << 30;

/// The state of a search between two iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub(super) rng: Rng,
    /// Lists made, or iterations.
    pub(super) done: u64,
    /// By message, its path; none before the first schedule.
    pub(super) routes: Vec<PathId>,
    pub(super) is_balanced: bool,
    pub(super) best: Option<Timetable>,
    /// The schedule that is changed next, if it may be another than the best.
    pub(super) at_hand: Option<Timetable>,
    /// By message, what searches have learnt of it: how often it has driven others out, and the factor of
    /// its length in orders.
    pub(super) failures: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl Kept {
    /// Whether this can be the state of a search of these messages; `startup` is that of a step in bytes,
    /// none if there are no steps.
    ///
    /// # Errors
    /// What cannot be.
    pub fn check(&self, choices: &Choices, startup: Option<u64>) -> Result<(), &'static str> {
        let are_all = |length: usize| length == 0 || length == choices.len();
        if !are_all(self.failures.len()) || !are_all(self.weights.len()) || self.done > MOST {
            return Err("the counts must be those of the messages");
        }
        let is_factor = |&weight: &f64| weight.is_finite() && weight > 0.0;
        if self.failures.iter().any(|&count| count > MOST_COUNT)
            || !self.weights.iter().all(is_factor)
            || !is_sound(&self.rng)
        {
            return Err("the numbers must be those of a search");
        }
        if !self.routes.is_empty() && !are_paths(&self.routes, choices) {
            return Err("the paths must exist");
        }
        [&self.best, &self.at_hand]
            .into_iter()
            .flatten()
            .try_for_each(|table| table.check(choices, startup))
    }
}

fn are_paths(routes: &[PathId], choices: &Choices) -> bool {
    let is_path = |(m, path): (u32, &PathId)| choices.paths(m).contains(path);
    routes.len() == choices.len() && (0..).zip(routes).all(is_path)
}

impl Timetable {
    /// Whether paths, starts and the end belong together. Whether the schedule is valid is for `verify`.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, choices: &Choices, startup: Option<u64>) -> Result<(), &'static str> {
        let n = choices.len();
        if !are_paths(&self.routes, choices) || self.starts.len() != n {
            return Err("the paths of a schedule must exist");
        }
        let latest = if startup.is_some() { (n as u64).saturating_sub(1) } else { MOST };
        if self.starts.iter().any(|&start| start > latest) {
            return Err("the starts of a schedule must be those of a search");
        }
        let end = match startup {
            None => {
                let end = |m: usize| self.starts[m] + choices.span(m as u32, self.routes[m]);
                (0..n).map(end).max().unwrap_or(0)
            }
            Some(startup) => {
                let steps = self.starts.iter().max().map_or(0, |&last| last as usize + 1);
                let mut longest = vec![(0u64, 0u64); steps];
                for (m, (&step, &bytes)) in self.starts.iter().zip(&choices.lengths).enumerate() {
                    let (longest, delay) = &mut longest[step as usize];
                    *longest = bytes.max(*longest);
                    *delay = choices.across(self.routes[m]).max(*delay);
                }
                let of_step = longest
                    .into_iter()
                    .map(|(bytes, delay)| bytes.saturating_add(delay).saturating_add(startup));
                of_step.fold(0, u64::saturating_add)
            }
        };
        match end == self.end {
            true => Ok(()),
            false => Err("the end of a schedule must be that of its last message"),
        }
    }
}

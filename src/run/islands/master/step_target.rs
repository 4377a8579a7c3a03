//! The step target: the number of steps that islands seek. It starts far above the bound. After a
//! success it moves halfway to the bound, after patience runs out halfway back to the last success,
//! and it ends at one below the best.

use serde::{Deserialize, Serialize};

/// A target beyond this is that of no search: engines keep a place for every step.
const MOST: u32 = 1 << 30;

/// The step target of a search, which changes at exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTarget {
    bound: u32,
    goal: Option<u32>,
    best: Option<u32>,
    /// Given up: no schedule of this number of steps or fewer was found within the patience.
    given_up: u32,
    seeking: u32,
    spent: u64,
}

impl StepTarget {
    /// A target above a lower bound; with a goal, the target is always the goal.
    pub fn new(bound: u32, goal: Option<u32>) -> Self {
        let bound = bound.max(1);
        let seeking = goal.unwrap_or(bound.saturating_mul(2));
        StepTarget { bound, goal, best: None, given_up: bound - 1, seeking, spent: 0 }
    }

    /// Whether the numbers can result from successes and failures, with this best schedule.
    pub fn is_sound(&self, best: Option<usize>) -> bool {
        let StepTarget { bound, goal, seeking, given_up, spent, .. } = *self;
        let is_below = |best: u32| best <= bound || (seeking < best && given_up + 1 < best);
        bound >= 1
            && (1..=MOST).contains(&seeking)
            && given_up <= seeking
            && spent < u64::MAX / 2
            && goal.is_none_or(|goal| goal == seeking)
            && self.best.map(|best| best as usize) == best
            && self.best.is_none_or(|best| goal.is_some() || is_below(best))
    }

    /// Whether a number of steps is asked for.
    pub fn has_goal(&self) -> bool {
        self.goal.is_some()
    }

    /// No schedule has fewer steps.
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// The number of steps to seek now.
    pub fn seeking(&self) -> u32 {
        self.seeking
    }

    /// Records a schedule of this number of steps. Returns whether the search goes on.
    pub fn found(&mut self, steps: u32) -> bool {
        self.best = Some(steps);
        if steps <= self.goal.unwrap_or(self.bound) {
            return false;
        }
        self.given_up = self.given_up.min(steps - 2);
        self.move_to_middle();
        true
    }

    /// Records iterations without success; `patience` is the number to spend on one target. Returns
    /// whether the target has changed.
    pub fn passed(&mut self, iterations: u64, patience: u64) -> bool {
        self.spent += iterations;
        if self.spent < patience || self.goal.is_some() {
            return false;
        }
        let before = self.seeking;
        match self.best {
            Some(best) if self.seeking + 1 >= best => return false,
            Some(_) => {
                self.given_up = self.seeking;
                self.move_to_middle();
            }
            None => {
                self.given_up = self.seeking;
                self.seeking = self.seeking.saturating_mul(2);
                self.spent = 0;
            }
        }
        self.seeking != before
    }

    /// Moves the target halfway between the number given up and the best.
    fn move_to_middle(&mut self) {
        let (low, high) = (self.given_up + 1, self.best.unwrap_or(u32::MAX) - 1);
        self.seeking = low + (high - low) / 2;
        self.spent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: u64 = 2000;

    #[test]
    fn successes_lead_to_the_bound() {
        let mut target = StepTarget::new(7, None);
        let mut sought = vec![target.seeking()];
        while target.found(target.seeking()) {
            sought.push(target.seeking());
        }
        assert_eq!(sought, [14, 10, 8, 7]);
    }

    #[test]
    fn failures_lead_back_to_one_below_the_best() {
        let mut target = StepTarget::new(7, None);
        assert!(target.found(14));
        assert_eq!(target.seeking(), 10);
        assert!(!target.passed(PATIENCE - 1, PATIENCE));
        assert!(target.passed(1, PATIENCE));
        assert_eq!(target.seeking(), 12);
        assert!(target.passed(PATIENCE, PATIENCE));
        assert_eq!(target.seeking(), 13);
        assert!(!target.passed(100 * PATIENCE, PATIENCE), "one below the best is sought for good");
        assert!(target.found(13));
        assert_eq!(target.seeking(), 12);
    }

    #[test]
    fn without_any_success_it_climbs() {
        let mut target = StepTarget::new(3, None);
        assert!(target.passed(PATIENCE, PATIENCE));
        assert_eq!(target.seeking(), 12);
        assert!(target.found(12));
        assert_eq!(target.seeking(), 9);
    }

    #[test]
    fn a_goal_is_all_there_is() {
        let mut target = StepTarget::new(3, Some(5));
        assert_eq!(target.seeking(), 5);
        assert!(!target.passed(100 * PATIENCE, PATIENCE));
        assert!(!target.found(5));
    }
}

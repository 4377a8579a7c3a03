//! The target: the cost that islands seek, in steps or bytes. It starts far above the bound. After a
//! success it moves halfway to the bound, after patience runs out halfway back to the last success,
//! and it ends at one below the best. Searches that improve their best schedule have the bound as their target.

use serde::{Deserialize, Serialize};

/// Steps beyond this are the target of no search: engines keep a place for every step.
const MOST_STEPS: u64 = 1 << 30;
/// Nor is a time in bytes.
const MOST_BYTES: u64 = 1 << 60;

/// The target of a search, which changes at exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    bound: u64,
    goal: Option<u64>,
    /// Whether it is the bound for good.
    is_fixed: bool,
    best: Option<u64>,
    /// Given up: no schedule of this number of steps or fewer was found within the patience.
    given_up: u64,
    seeking: u64,
    spent: u64,
}

impl Target {
    /// A target above a lower bound; with a goal, the target is always the goal.
    pub fn new(bound: u64, goal: Option<u64>) -> Self {
        let bound = bound.max(1);
        let seeking = goal.unwrap_or(bound.saturating_mul(2));
        Target { bound, goal, is_fixed: false, best: None, given_up: bound - 1, seeking, spent: 0 }
    }

    /// The bound as the target for good: of searches that improve their best schedule, step or byte by byte.
    pub fn fixed(bound: u64) -> Self {
        Target { is_fixed: true, seeking: bound.max(1), ..Target::new(bound, None) }
    }

    /// Whether the numbers can result from successes and failures, with this best schedule.
    pub fn is_sound(&self, best: Option<u64>) -> bool {
        let Target { bound, goal, seeking, given_up, spent, is_fixed, .. } = *self;
        if is_fixed {
            return goal.is_none() && seeking == bound && bound <= MOST_BYTES && self.best == best;
        }
        let is_below = |best: u64| best <= bound || (seeking < best && given_up + 1 < best);
        bound >= 1
            && (1..=MOST_STEPS).contains(&seeking)
            && given_up <= seeking
            && spent < u64::MAX / 2
            && goal.is_none_or(|goal| goal == seeking)
            && self.best == best
            && self.best.is_none_or(|best| goal.is_some() || is_below(best))
    }

    /// Whether it is the bound for good.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Whether a cost is asked for.
    pub fn has_goal(&self) -> bool {
        self.goal.is_some()
    }

    /// No schedule costs less.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// The cost to seek now.
    pub fn seeking(&self) -> u64 {
        self.seeking
    }

    /// Records a schedule of this cost. Returns whether the search goes on.
    pub fn found(&mut self, cost: u64) -> bool {
        self.best = Some(cost);
        if cost <= self.goal.unwrap_or(self.bound) {
            return false;
        }
        if self.is_fixed {
            return true;
        }
        self.given_up = self.given_up.min(cost - 2);
        self.move_to_middle();
        true
    }

    /// Records iterations without success; `patience` is the number to spend on one target. Returns
    /// whether the target has changed.
    pub fn passed(&mut self, iterations: u64, patience: u64) -> bool {
        self.spent += iterations;
        if self.spent < patience || self.goal.is_some() || self.is_fixed {
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
        let (low, high) = (self.given_up + 1, self.best.unwrap_or(u64::MAX) - 1);
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
        let mut target = Target::new(7, None);
        let mut sought = vec![target.seeking()];
        while target.found(target.seeking()) {
            sought.push(target.seeking());
        }
        assert_eq!(sought, [14, 10, 8, 7]);
    }

    #[test]
    fn failures_lead_back_to_one_below_the_best() {
        let mut target = Target::new(7, None);
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
        let mut target = Target::new(3, None);
        assert!(target.passed(PATIENCE, PATIENCE));
        assert_eq!(target.seeking(), 12);
        assert!(target.found(12));
        assert_eq!(target.seeking(), 9);
    }

    #[test]
    fn a_fixed_target_is_the_bound() {
        let mut target = Target::fixed(700);
        assert!(target.found(1000) && target.found(701));
        assert!(!target.passed(100 * PATIENCE, PATIENCE));
        assert_eq!(target.seeking(), 700);
        assert!(target.is_sound(Some(701)) && !target.is_sound(Some(700)));
        assert!(!target.found(700));
    }

    #[test]
    fn a_goal_is_all_there_is() {
        let mut target = Target::new(3, Some(5));
        assert_eq!(target.seeking(), 5);
        assert!(!target.passed(100 * PATIENCE, PATIENCE));
        assert!(!target.found(5));
    }
}

//! What the islands of a team know of the schedule that they pack together.
//!
//! In every leg each island fills a *window*: a few steps, from all messages that were left when the leg
//! began. The master of the group hands the windows of all islands to each of them. They take them in the
//! order of the islands, so that all come to the same messages left: a message that stands in several
//! windows stays in the first, and the others *mend* their steps in the next leg. Since all messages are there
//! to choose from, steps are as full as those of one island.
//!
//! Each island plans the routes of its own share of the messages and tells the loads; the first island
//! alone keeps the whole schedule, the others its last steps.

mod ends;
#[cfg(test)]
mod tests;
mod windows;

use super::ground::Ground;
use super::packed::Packed;
use super::routes::Share;
use serde::{Deserialize, Serialize};

/// What an island has done in a leg.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its number in the team, and how many they are.
    share: Share,
    /// The repaired steps of its last window that had lost messages, now final, and the messages
    /// that they had, by pair.
    mended: Packed,
    given: Vec<u32>,
    /// The steps filled in this leg.
    drafts: Packed,
    /// By resource: the load of the routes that it plans.
    loads: Vec<u32>,
    /// The end of the filled schedule, from [`Team::floor`] on, in fewer steps.
    end: Option<Packed>,
    /// The next pass begins. The first island says so.
    is_over: bool,
}

/// The state of an island of a team.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Team {
    /// Its number, and how many they are.
    pub share: Share,
    /// Messages left at the beginning of the leg, by pair and in all.
    pub pool: Vec<u32>,
    pub messages: u64,
    /// The steps of its last window that have lost messages, and how many of them are repaired.
    pub open: Packed,
    pub mended: usize,
    /// All such steps of all islands.
    pub pending: Packed,
    /// Steps at the beginning of the schedule that this island does not keep.
    pub gone: usize,
    /// Once all steps are filled: the first one, of those kept, that may be packed anew.
    pub floor: Option<usize>,
    /// The shortest end that an island has found.
    pub end: Option<Packed>,
    /// Searches for a shorter end in this pass, and those since the last one was found.
    pub searches: usize,
    pub in_vain: usize,
    /// What it will show.
    pub window: Window,
}

impl Team {
    /// All messages are left.
    pub fn new(ground: &Ground, share: Share) -> Self {
        let window = Window { share, ..Window::default() };
        let (pool, messages) = (ground.messages(), ground.problem.demands().len() as u64);
        Team { share, pool, messages, window, ..Team::default() }
    }

    /// Whether this island keeps the whole schedule.
    pub fn is_first(&self) -> bool {
        self.share.index == 0
    }

    /// Whether all messages are in final steps.
    pub fn is_filled(&self) -> bool {
        self.messages == 0 && self.pending.len() == 0
    }

    /// Takes the windows of all islands, in their order. Returns the steps that are final.
    pub fn take(&mut self, windows: &[Window]) -> Packed {
        for &pair in windows.iter().flat_map(|w| &w.given) {
            self.pool[pair as usize] += 1;
            self.messages += 1;
        }
        let mut ended = Packed::default();
        for window in windows {
            for step in 0..window.mended.len() {
                ended.append(&self.claimed(&window.mended, step));
            }
        }
        (self.open, self.pending, self.mended) = Default::default();
        for window in windows {
            for step in 0..window.drafts.len() {
                let claimed = self.claimed(&window.drafts, step);
                if claimed.transfers() == window.drafts.step(step).len() {
                    ended.append(&claimed);
                    continue;
                }
                self.pending.append(&claimed);
                if window.share == self.share {
                    self.open.append(&claimed);
                }
            }
        }
        self.window = Window { share: self.share, ..Window::default() };
        ended
    }

    /// A step without the messages that are no longer left; the others are taken.
    fn claimed(&mut self, steps: &Packed, step: usize) -> Packed {
        let mut claimed = Packed::default();
        for (pair, path) in steps.step(step).map(|t| steps.transfer(t)) {
            let left = &mut self.pool[pair as usize];
            if *left > 0 {
                *left -= 1;
                self.messages -= 1;
                claimed.push(pair, path);
            }
        }
        claimed.close_step();
        claimed
    }

    /// What this island shows after a leg: steps that it had no time to mend stay as they are.
    pub fn shown(&self, loads: Vec<u32>) -> Window {
        let mut window = Window { loads, ..self.window.clone() };
        for step in self.mended..self.open.len() {
            window.given.extend(self.open.step(step).map(|t| self.open.transfer(t).0));
            window.mended.push_step(&self.open, step);
        }
        window
    }

    /// Whether the numbers of a saved state fit to the problem, and to its last steps.
    pub fn is_sound(&self, ground: &Ground, kept: &Packed) -> bool {
        let steps = [Some(&self.open), Some(&self.pending), self.end.as_ref()];
        let messages: u64 = self.pool.iter().map(|&left| u64::from(left)).sum();
        steps.into_iter().flatten().all(|steps| steps.is_sound(ground))
            && self.pool.len() == ground.pairs.len()
            && self.messages == messages
            && self.mended <= self.open.len()
            && self.floor.is_none_or(|floor| floor <= kept.len())
            && self.window.has_sound_steps(ground)
    }
}

impl Window {
    /// Whether all its numbers are below those of a problem.
    pub fn is_sound(&self, ground: &Ground) -> bool {
        self.loads.len() == ground.problem.resources().capacities().len()
            && self.has_sound_steps(ground)
    }

    /// The same but for the loads, which are told at the end of a leg.
    fn has_sound_steps(&self, ground: &Ground) -> bool {
        let steps = [Some(&self.mended), Some(&self.drafts), self.end.as_ref()];
        steps.into_iter().flatten().all(|steps| steps.is_sound(ground))
            && self.given.iter().all(|&pair| (pair as usize) < ground.pairs.len())
    }
}

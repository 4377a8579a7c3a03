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

use super::finish::first_of;
use super::ground::{Ground, Packed};
use super::routes::{Routes, Share};
use super::values::Values;
use super::{Packing, Phase, SHARES, SHOWN_EVERY, State};
use ccsched_base::rng::Rng;
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
    pool: Vec<u32>,
    messages: u64,
    /// The steps of its last window that have lost messages, and how many of them are repaired.
    open: Packed,
    mended: usize,
    /// All such steps of all islands.
    pub pending: Packed,
    /// Steps at the beginning of the schedule that this island does not keep.
    pub gone: usize,
    /// Once all steps are filled: the first one, of those kept, that may be packed anew.
    pub floor: Option<usize>,
    /// The shortest end that an island has found.
    end: Option<Packed>,
    /// Searches for a shorter end in this pass, and those since the last one was found.
    pub searches: usize,
    in_vain: usize,
    /// What it will show.
    window: Window,
}

impl Team {
    /// All messages are left.
    pub fn new(ground: &Ground, share: Share) -> Self {
        let window = Window { share, ..Window::default() };
        let (pool, messages) = (ground.messages(), ground.problem.demands().len() as u64);
        Team { share, pool, messages, window, ..Team::default() }
    }

    /// Whether this island keeps the whole schedule.
    fn is_first(&self) -> bool {
        self.share.index == 0
    }

    /// Whether all messages are in final steps.
    fn is_filled(&self) -> bool {
        self.messages == 0 && self.pending.len() == 0
    }

    /// Takes the windows of all islands, in their order. Returns the steps that are final.
    fn take(&mut self, windows: &[Window]) -> Packed {
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
    fn shown(&self, loads: Vec<u32>) -> Window {
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

// The end of a pass of a team: when all steps are filled, each island packs the last ones together in its
// own way, and goes on from the shortest end that any has found when it finds no shorter one.

impl Packing {
    /// Packs the last steps anew. Returns the number of moves made.
    pub(super) fn pack_end(&mut self, rng: &mut Rng) -> u64 {
        let Packing { state, finish, .. } = self;
        let Some(team) = &mut state.team else { return 0 };
        let (Some(search), Some(floor)) = (finish, team.floor) else {
            team.window.is_over = team.is_first();
            return 0;
        };
        let (before, moves) = (state.packed.len(), search.go_on(rng));
        search.improve(&mut state.packed, rng);
        if state.packed.len() < before {
            team.in_vain = 0;
            team.window.end = Some(state.packed.since(floor));
        }
        let is_first = team.is_first();
        if search.bears_on(rng) {
            if is_first && state.quiet >= SHOWN_EVERY {
                self.offer_end();
            }
            return moves;
        }
        // It goes on where another island has come further.
        let further = team.end.take().filter(|end| floor + end.len() < state.packed.len());
        team.in_vain += 1;
        if let Some(end) = further {
            team.in_vain = 0;
            state.packed.replace_end(floor, &end);
        }
        let is_over = team.in_vain >= SHARES.len();
        self.finish = None;
        if is_first {
            self.offer();
        }
        if !(is_first && is_over) {
            self.begin_finish(rng);
        }
        moves
    }

    /// Notes the shortest end of the filled schedule that another island has found.
    fn take_ends(&mut self, windows: &[Window], rng: &mut Rng) {
        let State { team, packed, pass, phase, .. } = &mut self.state;
        let Some(team) = team else { return };
        team.floor.get_or_insert_with(|| first_of(packed, 1));
        let ends = windows.iter().filter_map(|window| window.end.as_ref());
        let all = ends.chain(&team.end);
        team.end = all.min_by_key(|end| end.len()).cloned();
        let is_first = team.is_first();
        if *pass > 0 && *phase != Phase::Finish {
            if is_first {
                log::debug!("pass {pass}: {} steps filled by a team", packed.len());
                self.offer();
            }
            self.begin_finish(rng);
        }
    }

    /// Keeps the schedule with the shortest end if it is the best so far.
    fn offer_end(&mut self) {
        let State { team, packed, best, .. } = &self.state;
        let known = team.as_ref().and_then(|team| team.floor.zip(team.end.as_ref()));
        let is_better = |steps| steps < packed.len() && steps < best.len();
        let Some((floor, end)) = known.filter(|(floor, end)| is_better(floor + end.len())) else {
            return self.offer();
        };
        let mut whole = packed.clone();
        whole.replace_end(floor, end);
        self.offer_other(whole);
    }
}

// The steps of a pass, filled by a team: every island fills windows and takes those of all. The first
// pass, by first fit over routes of all messages, is made by the first island alone, which then joins the
// others in theirs.

/// Share of the remaining steps, one in this number, that all islands together fill in a leg: more
/// steps mean more messages in several of them.
const AT_ONCE: u32 = 64;
/// Divisor of the repairs of a new step, for a step that has lost messages.
const MENDED: u64 = 2;
/// Transfers of the last steps that are kept by islands which do not keep all.
const KEPT: usize = 100_000;

impl Packing {
    /// Joins a team.
    pub(super) fn join(&mut self, share: Share) {
        let team = Team::new(&self.ground, share);
        if !team.is_first() {
            self.state.pass = 1;
            self.state.routes = Routes::new(&self.ground, share);
        }
        self.state.team = Some(team);
    }

    /// Goes on, after the first pass, with the one that the others have begun.
    pub(super) fn follow_team(&mut self) {
        let Packing { ground, state, .. } = self;
        let Some(team) = &state.team else { return };
        // Messages of steps that are not final are still to be planned.
        let mut left = team.pool.clone();
        team.pending.pairs().iter().for_each(|&pair| left[pair as usize] += 1);
        state.routes = state.routes.of_share(ground, team.share, &left);
        state.routes.sharpen(ground);
        state.values = Values::default();
        state.left.copy_from_slice(&team.pool);
        state.messages = team.messages;
        state.completed_at = state.messages / 2;
        state.pass = 1;
        state.phase = Phase::Fill;
    }

    /// Mends a step of the last window, and fills one of the next. Returns the number of repairs and
    /// growths.
    pub(super) fn fill_window(&mut self, rng: &mut Rng) -> u64 {
        let mended = self.mend(rng);
        let quota = self.quota();
        let Some(team) = &self.state.team else { return mended };
        if self.state.messages == 0 || team.window.drafts.len() >= quota {
            return mended;
        }
        let filled = self.fill_step(rng);
        let Some(team) = &mut self.state.team else { return mended };
        let mut transfers = 0;
        for (pair, path) in self.step.transfers() {
            team.window.drafts.push(pair, path);
            transfers += 1;
        }
        team.window.drafts.close_step();
        self.state.messages -= transfers as u64;
        self.replan(transfers, rng);
        mended + filled
    }

    /// Steps that this island fills in a leg.
    fn quota(&self) -> usize {
        let Some(team) = &self.state.team else { return 0 };
        let at_once = (self.state.routes.largest(&self.ground) as u32 / AT_ONCE).max(1);
        let Share { index, of } = team.share;
        (at_once / of + u32::from(index < at_once % of)) as usize
    }

    /// Fills up a step that has lost messages to other islands, if one is left.
    fn mend(&mut self, rng: &mut Rng) -> u64 {
        let (batch, most) = self.effort();
        let most = batch.max(most) / MENDED;
        let Packing { ground, state, step, filler, .. } = self;
        let State { team, values, left, routes, messages, .. } = state;
        let Some(team) = team else { return 0 };
        if team.mended == team.open.len() {
            return 0;
        }
        if values.is_empty() {
            values.update(ground, routes, usize::MAX);
        }
        step.clear(ground);
        for t in team.open.step(team.mended) {
            let transfer = team.open.transfer(t);
            step.insert(ground, transfer, values);
            team.window.given.push(transfer.0);
            *messages += 1;
        }
        team.mended += 1;
        let mut work = filler.begin(ground, step, left, values, rng);
        work += filler.repair_all(ground, step, left, (values, batch.min(most), most), rng);
        for (pair, path) in step.transfers() {
            team.window.mended.push(pair, path);
            *messages -= 1;
        }
        team.window.mended.close_step();
        work
    }

    /// What this island shows to the team.
    pub(super) fn window(&self) -> Option<Window> {
        let State { routes, team, .. } = &self.state;
        let team = team.as_ref()?;
        Some(team.shown(routes.loads(&self.ground, team.share, &team.pool)))
    }

    /// Takes the windows of a team.
    pub(super) fn take_windows(&mut self, windows: &[Window], rng: &mut Rng) {
        let Packing { ground, state, .. } = self;
        let State { team, routes, packed, .. } = state;
        let Some(team) = team else { return };
        // Those of another team may be left in a saved state.
        if windows.iter().any(|window| window.share.of != team.share.of) {
            return;
        }
        let ended = team.take(windows);
        packed.append(&ended);
        if routes.share() == team.share {
            let planned = ended.pairs().iter().filter(|&&pair| team.share.has(pair));
            planned.for_each(|&pair| routes.remove(ground, pair));
            let mut others = vec![0; ground.problem.resources().capacities().len()];
            for window in windows.iter().filter(|window| window.share != team.share) {
                others.iter_mut().zip(&window.loads).for_each(|(all, load)| *all += load);
            }
            if !matches!(state.phase, Phase::Plan(..)) {
                routes.set_others(ground, others);
            }
        }
        if state.pass > 0 {
            state.left.copy_from_slice(&team.pool);
            state.messages = team.messages;
        }
        if windows.iter().any(|window| window.is_over) {
            self.begin_pass();
        } else if team.is_filled() {
            self.take_ends(windows, rng);
        } else if !team.is_first() {
            if packed.transfers() > 2 * KEPT {
                team.gone += packed.behead(KEPT);
            }
        } else if state.pass > 0 {
            self.offer_completed(rng);
        }
    }
}

#[cfg(test)]
mod tests;

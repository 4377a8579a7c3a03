//! The steps of a pass, filled by a team: every island fills windows and takes those of all. The first
//! pass, by first fit over routes of all messages, is made by the first island alone, which then joins the
//! others in theirs.

use super::{Team, Window};
use crate::search::packing::Packing;
use crate::search::packing::routes::{Routes, Share};
use crate::search::packing::state::{Phase, State};
use crate::search::packing::values::Values;
use ccsched_base::rng::Rng;

/// Share of the remaining steps, one in this number, that all islands together fill in a leg: more
/// steps mean more messages in several of them.
const AT_ONCE: u32 = 64;
/// Divisor of the repairs of a new step, for a step that has lost messages.
const MENDED: u64 = 2;
/// Transfers of the last steps that are kept by islands which do not keep all.
const KEPT: usize = 100_000;

impl Packing {
    /// Joins a team.
    pub(in super::super) fn join(&mut self, share: Share) {
        let team = Team::new(&self.ground, share);
        if !team.is_first() {
            self.state.pass = 1;
            self.state.routes = Routes::new(&self.ground, share);
        }
        self.state.team = Some(team);
    }

    /// Goes on, after the first pass, with the one that the others have begun.
    pub(in super::super) fn follow_team(&mut self) {
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
    pub(in super::super) fn fill_window(&mut self, rng: &mut Rng) -> u64 {
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
    pub(in super::super) fn window(&self) -> Option<Window> {
        let State { routes, team, .. } = &self.state;
        let team = team.as_ref()?;
        Some(team.shown(routes.loads(&self.ground, team.share, &team.pool)))
    }

    /// Takes the windows of a team.
    pub(in super::super) fn take_windows(&mut self, windows: &[Window], rng: &mut Rng) {
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

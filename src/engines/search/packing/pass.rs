//! The phases of a pass: routes are planned, messages placed by first fit or steps filled, and the last steps
//! packed together.

use super::finish::Finish;
use super::fitting::Fitting;
use super::packed::Packed;
use super::state::{Phase, State};
use super::team::Team;
use super::values::Values;
use super::{Packing, rounds};
use ccsched_base::rng::Rng;
use rand::RngExt;

/// Repairs in a batch of the first pass that fills steps: three for every channel up to the first
/// number, one for every channel above it; at most the second number, in any pass.
const BATCH: (u64, u64) = (6_000, 20_000);
/// Repairs of all steps of that pass together, at most.
const REPAIRS: u64 = 20_000_000;
/// Each later pass makes more repairs by this factor, in a batch and in all.
const FACTOR: u64 = 4;
/// Messages planned, or placed, in an iteration.
const PLACED: u32 = 20_000;
/// Factor by which a team member places more per iteration: its schedule is the first of the
/// search, and the other islands wait for it after equal iterations.
const IN_TEAM: u32 = 3;
/// Repairs and growths in an iteration, about.
const WORK: u64 = 3_000;
/// Channels examined between two steps to compute values anew, about.
const VALUED: usize = 300_000;
/// Messages whose routes are planned anew between two steps: for every transfer of the step, and at
/// most.
const REPLANNED: (usize, usize) = (60, 8_000);
/// In later passes fewer of the last steps are packed together, by these factors in turn.
pub(super) const SHARES: [usize; 3] = [1, 2, 4];
/// Iterations between two schedules that the search shows.
pub(super) const SHOWN_EVERY: u32 = 10;

impl Packing {
    /// The messages planned, or placed, in an iteration.
    fn placed_at_once(&self) -> u32 {
        if self.state.team.is_some() { IN_TEAM * PLACED } else { PLACED }
    }

    /// Plans some routes. Returns their number.
    pub(super) fn plan_some(&mut self, mut planning: (u32, u32), rng: &mut Rng) -> u64 {
        let most = self.placed_at_once();
        let (ground, state, finder) = (&self.ground, &mut self.state, &mut self.finder);
        let planned = state.routes.plan_some(ground, &mut planning, most, finder, rng);
        state.phase = Phase::Plan(planning.0, planning.1);
        if planning.1 == 0 {
            state.routes.sharpen(ground);
        }
        if planning.0 == 0 && state.pass == 0 {
            state.fitting = Fitting::new(ground, &state.routes, &state.left, rng);
            state.phase = Phase::Fit;
        } else if planning.0 == 0 {
            // A later pass has a good schedule already.
            state.completed_at = if state.pass == 1 { state.messages / 2 } else { 0 };
            state.values = Values::default();
            state.phase = Phase::Fill;
            log::debug!("pass {}: planned load {}", state.pass, state.routes.largest(ground));
        }
        planned
    }

    /// Places some messages by first fit. Returns their number.
    pub(super) fn fit_some(&mut self) -> u64 {
        let most = self.placed_at_once() as usize;
        let State { fitting, routes, .. } = &mut self.state;
        let placed = fitting.place_some(&self.ground, routes, most);
        if let Some(schedule) = fitting.schedule() {
            self.state.fitting = Fitting::default();
            if self.state.team.is_some() {
                self.offer_other(schedule);
                self.follow_team();
            } else {
                self.state.packed = schedule;
                self.offer();
                self.begin_pass();
            }
        }
        placed
    }

    /// Fills some steps. Returns the number of repairs and growths.
    pub(super) fn fill_some(&mut self, rng: &mut Rng) -> u64 {
        let mut work = 0;
        while work < WORK && self.state.messages > 0 {
            work += self.fill_one(rng);
        }
        if self.state.messages == 0 {
            self.offer();
            log::debug!("pass {}: {} steps filled", self.state.pass, self.state.packed.len());
            self.begin_finish(rng);
        } else {
            self.offer_completed(rng);
        }
        work
    }

    /// Begins to pack the last steps of the schedule of this pass together.
    pub(super) fn begin_finish(&mut self, rng: &mut Rng) {
        let Packing { ground, state, island, .. } = self;
        let (mut floor, mut before) = (0, 0);
        if let Some(team) = &mut state.team {
            (floor, before) = (team.floor.unwrap_or(0), team.searches);
            team.searches += 1;
        }
        let share = SHARES[(state.pass as usize + *island + 2 + before) % SHARES.len()];
        self.finish = Finish::new(ground, (&state.packed, floor), (share, *island), rng);
        self.state.phase = Phase::Finish;
    }

    /// Fills the next step.
    pub(super) fn fill_one(&mut self, rng: &mut Rng) -> u64 {
        let work = self.fill_step(rng);
        for (pair, path) in self.step.transfers() {
            self.state.packed.push(pair, path);
        }
        self.state.packed.close_step();
        let done = self.state.packed.step(self.state.packed.len() - 1);
        self.state.messages -= done.len() as u64;
        for t in done.clone() {
            self.state.routes.remove(&self.ground, self.state.packed.transfer(t).0);
        }
        self.replan(done.len(), rng);
        work
    }

    /// Fills a step with messages left. Returns the number of repairs and growths.
    pub(super) fn fill_step(&mut self, rng: &mut Rng) -> u64 {
        let (batch, most) = self.effort();
        let Packing { ground, state, step, filler, .. } = self;
        let State { routes, values, left, .. } = state;
        routes.set_level(ground);
        values.update(ground, routes, VALUED.div_ceil(ground.problem.network().channels().len()));
        step.clear(ground);
        let begun = filler.begin(ground, step, left, values, rng);
        begun + filler.repair_all(ground, step, left, (values, batch, most), rng)
    }

    /// Repairs of a step: in a batch, and at most.
    pub(super) fn effort(&self) -> (u64, u64) {
        let Packing { ground, state, .. } = self;
        // Teams make shorter passes, two of each kind: restarts help more than repairs.
        let passes = state.pass.saturating_sub(1) / if state.team.is_some() { 2 } else { 1 };
        let factor = FACTOR.saturating_pow(passes);
        let channels = ground.problem.network().channels().len() as u64;
        let batch = (3 * channels).min(BATCH.0).max(channels);
        let batch = batch.saturating_mul(factor).min(BATCH.1);
        let gone = state.team.as_ref().map_or(0, |team| team.gone);
        let steps = (gone + state.packed.len()) as u64 + state.routes.largest(ground) as u64;
        (batch, REPAIRS.saturating_mul(factor) / steps.max(1))
    }

    /// Plans the routes of some random messages anew, after a step with these transfers.
    pub(super) fn replan(&mut self, transfers: usize, rng: &mut Rng) {
        let draws = if self.ground.has_fixed_routes() { 0 } else { REPLANNED.0 * transfers };
        for _ in 0..draws.min(REPLANNED.1) {
            let Some(pair) = self.state.routes.random_pair(&self.ground, rng) else { return };
            let left = self.state.left[pair as usize];
            if left > 0 {
                let copy = if left > 1 { rng.random_range(0..left) } else { 0 };
                self.state.routes.plan(&self.ground, (pair, copy), &mut self.finder, rng);
            }
        }
    }

    /// Packs the last steps together. Returns the number of moves made.
    pub(super) fn finish_some(&mut self, rng: &mut Rng) -> u64 {
        let Some(finish) = &mut self.finish else {
            self.begin_pass();
            return 0;
        };
        let moves = finish.go_on(rng);
        finish.improve(&mut self.state.packed, rng);
        let goes_on = finish.bears_on(rng);
        if !goes_on || self.state.quiet >= SHOWN_EVERY {
            self.offer();
        }
        if !goes_on {
            self.begin_pass();
        }
        moves
    }

    /// Keeps the schedule of this pass if it is the best so far.
    pub(super) fn offer(&mut self) {
        // That of a team lacks messages if an island was lost.
        if self.state.packed.transfers() < self.ground.problem.demands().len() {
            return;
        }
        if self.state.best.len() == 0 || self.state.packed.len() < self.state.best.len() {
            self.state.best = self.state.packed.clone();
            self.state.is_new = true;
            self.state.quiet = 0;
        }
    }

    /// Keeps another schedule than that of this pass if it is the best so far.
    pub(super) fn offer_other(&mut self, schedule: Packed) {
        let own = std::mem::replace(&mut self.state.packed, schedule);
        self.offer();
        self.state.packed = own;
    }

    /// When few messages are left: keeps the schedule of the filled steps, the steps under repair
    /// of a team, and first fit of these messages, if it is the best.
    pub(super) fn offer_completed(&mut self, rng: &mut Rng) {
        let State { routes, left, messages, completed_at, packed, team, .. } = &mut self.state;
        if !(1..=*completed_at).contains(messages) {
            return;
        }
        *completed_at /= 2;
        let rest = Fitting::at_once(&self.ground, routes, left, rng);
        let filled = packed.len();
        if let Some(team) = team {
            packed.append(&team.pending);
        }
        packed.append(&rest);
        self.offer();
        self.state.packed.truncate(filled);
    }

    /// Begins the next pass.
    pub(super) fn begin_pass(&mut self) {
        log::debug!("pass {}: {} steps", self.state.pass, self.state.packed.len());
        self.state.pass += 1;
        self.state.packed = Packed::default();
        self.finish = None;
        self.state.routes.restore(&self.ground);
        if let Some(team) = &mut self.state.team {
            *team = Team::new(&self.ground, team.share);
            self.state.routes.forget_others(&self.ground);
        }
        self.state.left = self.ground.messages();
        self.state.messages = self.ground.problem.demands().len() as u64;
        self.state.phase = Phase::Plan(rounds(&self.ground), 0);
    }
}

//! Large scatters without symmetry. Relay scheduling (`relay`) is for store-and-forward switching;
//! step packing, for wormhole switching, is this: one step after the other is filled with the
//! transfers that take the most off the bottlenecks, chosen among all messages left; then the last
//! steps are packed together into fewer. The first pass is first fit over planned routes; each later
//! pass spends more on every step.
//!
//! The bottlenecks follow from planned routes of all messages left (`routes`), whose loads give
//! every channel a price (`values`): the congestion program and its dual. A step is filled by
//! removing and growing transfers (`fill`); the last steps are packed by guided ejection (`finish`).
//! Of very many messages, the islands of a group pack the steps of one schedule together (`team`).

mod fill;
mod finish;
mod ground;
mod relay;
mod routes;
mod team;
mod values;

use crate::policy::is_team;
use crate::{Genome, Method, Part, Resume, Seat, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use fill::{Filler, Step};
use finish::{Finish, Fitting};
use ground::{Ground, Packed};
use rand::RngExt;
pub use relay::Relay;
use routes::{Finder, Routes, Share};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use team::{Team, Window};
use values::Values;

/// Messages planned before a pass, about; all of them at least [`ROUNDS`]`.0` times, and at most
/// `.1` times.
const PLANNED_BEFORE: usize = 5_000_000;
const ROUNDS: (usize, usize) = (3, 40);

/// A search by packing steps.
#[derive(Clone)]
pub struct Packing {
    ground: Arc<Ground>,
    island: usize,
    state: State,
    /// The search of the last steps, in its phase.
    finish: Option<Finish>,
    step: Step,
    filler: Filler,
    finder: Finder,
}

/// How often all routes are planned before a pass.
fn rounds(ground: &Ground) -> u32 {
    if ground.has_fixed_routes() {
        return 1;
    }
    (PLANNED_BEFORE / ground.problem.demands().len()).clamp(ROUNDS.0, ROUNDS.1) as u32
}

impl Packing {
    /// A search for a scatter over shortest paths or fixed routes. With store-and-forward switching
    /// it packs steps as for wormhole switching, and shows the schedules that follow from them.
    pub fn new(problem: Arc<Problem>) -> Self {
        let ground = Arc::new(Ground::new(problem));
        Packing {
            island: 0,
            state: State::new(&ground),
            finish: None,
            step: Step::new(&ground),
            filler: Filler::default(),
            finder: Finder::default(),
            ground,
        }
    }
}

// Step packing as a [`Walker`]. It ignores the step target, and shows every schedule that is
// shorter than its last.

impl Walker for Packing {
    fn settle(&mut self, seat: Seat) {
        self.island = seat.island;
        match seat.team {
            // The first pass is the first island's alone.
            Some((index, of)) if is_team(self.ground.problem.demands().len(), of) => {
                self.join(Share { index: index as u32, of: of as u32 });
            }
            // Every other island starts with the second pass.
            _ => self.state.pass = seat.island as u32 % 2,
        }
    }

    fn seek(&mut self, _steps: u32, _rng: &mut Rng) -> u64 {
        self.state.is_new = false;
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.state.quiet = self.state.quiet.saturating_add(1);
        match self.state.phase {
            Phase::Plan(rounds, next) => self.plan_some((rounds, next), rng),
            Phase::Fit => self.fit_some(),
            Phase::Fill if self.state.team.is_some() => self.fill_window(rng),
            Phase::Fill => self.fill_some(rng),
            Phase::Finish if self.state.team.is_some() => self.pack_end(rng),
            Phase::Finish => self.finish_some(rng),
        }
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        if let Some(windows) = windows(partner) {
            self.take_windows(&windows, rng);
        }
        0
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        match partner {
            Genome::Parts(_) => windows(partner)
                .is_some_and(|windows| windows.iter().all(|window| window.is_sound(&self.ground))),
            _ => true,
        }
    }

    fn cost(&self) -> u64 {
        match self.state.phase {
            _ if self.state.is_new => 0,
            Phase::Finish => self.finish.as_ref().map_or(1, Finish::waiting).max(1),
            _ => self.state.messages.max(1),
        }
    }

    fn genome(&self) -> Genome {
        self.window()
            .map_or(Genome::Nothing, |window| Genome::Part(Arc::new(Part::for_all(&window))))
    }

    fn method(&self) -> Method {
        Method::StepPacking
    }

    fn plan(&self) -> Plan {
        match self.ground.problem.switching() {
            Switching::Wormhole | Switching::Hosts => self.state.best.plan(&self.ground),
            Switching::StoreAndForward => {
                relay::best_hops(&self.ground, &self.state.best).plan(&self.ground.problem)
            }
        }
    }
}

/// The windows of a team, if a genome is these.
fn windows(genome: &Genome) -> Option<Vec<Window>> {
    let Genome::Parts(parts) = genome else { return None };
    parts.iter().map(|part| part.shown()).collect()
}

// The phases of a pass: routes are planned, messages placed by first fit or steps filled, and the last steps
// packed together.

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
const SHARES: [usize; 3] = [1, 2, 4];
/// Iterations between two schedules that the search shows.
const SHOWN_EVERY: u32 = 10;

impl Packing {
    /// The messages planned, or placed, in an iteration.
    fn placed_at_once(&self) -> u32 {
        if self.state.team.is_some() { IN_TEAM * PLACED } else { PLACED }
    }

    /// Plans some routes. Returns their number.
    fn plan_some(&mut self, mut planning: (u32, u32), rng: &mut Rng) -> u64 {
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
    fn fit_some(&mut self) -> u64 {
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
    fn fill_some(&mut self, rng: &mut Rng) -> u64 {
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
    fn begin_finish(&mut self, rng: &mut Rng) {
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
    fn fill_one(&mut self, rng: &mut Rng) -> u64 {
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
    fn fill_step(&mut self, rng: &mut Rng) -> u64 {
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
    fn effort(&self) -> (u64, u64) {
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
    fn replan(&mut self, transfers: usize, rng: &mut Rng) {
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
    fn finish_some(&mut self, rng: &mut Rng) -> u64 {
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
    fn offer(&mut self) {
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
    fn offer_other(&mut self, schedule: Packed) {
        let own = std::mem::replace(&mut self.state.packed, schedule);
        self.offer();
        self.state.packed = own;
    }

    /// When few messages are left: keeps the schedule of the filled steps, the steps under repair
    /// of a team, and first fit of these messages, if it is the best.
    fn offer_completed(&mut self, rng: &mut Rng) {
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
    fn begin_pass(&mut self) {
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

// The state of step packing, which is saved as it is. The rest of the search is scratch memory.

/// The part of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Routes are planned: rounds left, and the next pair.
    Plan(u32, u32),
    /// Messages are placed by first fit over the planned routes.
    Fit,
    /// Steps are filled.
    Fill,
    /// The last steps are packed together.
    Finish,
}

/// The state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    phase: Phase,
    pass: u32,
    routes: Routes,
    values: Values,
    /// Messages left, by pair and in all.
    left: Vec<u32>,
    messages: u64,
    /// The number of messages left at which first fit completes the schedule, so that there is one
    /// in time.
    completed_at: u64,
    /// The messages that first fit places.
    fitting: Fitting,
    /// The schedule of this pass.
    packed: Packed,
    /// The best schedule of all passes, and whether it was not shown yet.
    best: Packed,
    is_new: bool,
    /// Iterations since a schedule was shown.
    quiet: u32,
    /// What it knows of a team, if it packs steps together with other islands.
    team: Option<Team>,
}

impl State {
    /// Before the first pass.
    fn new(ground: &Ground) -> Self {
        State {
            phase: Phase::Plan(rounds(ground), 0),
            pass: 0,
            routes: Routes::new(ground, Share::default()),
            values: Values::default(),
            left: ground.messages(),
            messages: ground.problem.demands().len() as u64,
            completed_at: 0,
            fitting: Fitting::default(),
            packed: Packed::default(),
            best: Packed::default(),
            is_new: false,
            quiet: 0,
            team: None,
        }
    }
}

impl Resume for Packing {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let finish = self.finish.as_ref().map(Finish::save).transpose()?;
        codec::encode(&(&self.state, finish))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (state, finish): (State, Option<finish::Saved>) = codec::decode(state)?;
        let share = |state: &State| state.team.as_ref().map(|team| team.share);
        if share(&state) != share(&self.state) {
            // The team is another one, and begins anew.
            return Ok(());
        }
        if state.team.as_ref().is_some_and(|team| !team.is_sound(&self.ground, &state.packed)) {
            return Err(CommError::Unfit("windows"));
        }
        // The first island of a team plans for all at first.
        let planned = state.routes.share();
        let is_like = (planned == Share::default() || Some(planned) == share(&state))
            && state.routes.is_like(&Routes::new(&self.ground, planned));
        if state.left.len() != self.state.left.len() || !is_like {
            return Err(CommError::Unfit("pairs"));
        }
        if !state.packed.is_sound(&self.ground) {
            return Err(CommError::Unfit("pairs"));
        }
        let load = |saved| Finish::load(&self.ground, &state.packed, &saved);
        self.finish = finish.map(load).transpose()?;
        self.state = state;
        Ok(())
    }
}

//! Large scatters without symmetry. Relay scheduling (`relay`) is for store-and-forward switching;
//! step packing, for wormhole switching, is this: one step after the other is filled with the
//! transfers that take the most off the bottlenecks, chosen among all messages left; then the last
//! steps are packed together into fewer. The first pass is quick; each later pass spends more on
//! every step.
//!
//! The bottlenecks follow from planned routes of all messages left (`routes`), whose loads give
//! every channel a price (`values`): the congestion program and its dual. A step is filled by
//! removing and growing transfers (`fill`, `step`); the last steps are packed by annealed ejection
//! on bits (`tail`).

mod ending;
mod fill;
mod fitting;
pub(super) mod ground;
pub(super) mod packed;
mod queues;
mod relay;
pub(super) mod routes;
mod state;
mod step;
mod stored;
pub(super) mod tail;
mod values;
mod walker;

use crate::engines::has_many_messages;
use crate::problem::{Content, Problem, Switching};
use crate::rng::Rng;
pub use relay::Relay;

use fill::Filler;
use fitting::Fitting;
use ground::Ground;
use rand::RngExt;
use routes::Finder;
use state::{Phase, State};
use std::sync::Arc;
use step::Step;

/// More cells of the tables over sources and vertices do not fit into memory.
const MOST_CELLS: usize = 100_000_000;
/// Repairs of all steps together in the first pass: for every message, and at most. Each later pass
/// makes four times as many, up to a limit.
const REPAIRS: (u64, u64) = (12, 500_000);
const MOST_DOUBLED: u32 = 14;
/// Messages planned before a pass, about; all of them at least [`ROUNDS`]`.0` times, and at most
/// `.1` times.
const PLANNED_BEFORE: usize = 3_000_000;
const ROUNDS: (usize, usize) = (3, 16);
/// Messages planned in an iteration.
const PLANNED: u32 = 20_000;
/// Messages placed in an iteration.
const FITTED: usize = 20_000;
/// Repairs and growths in an iteration, about.
const WORK: u64 = 3_000;
/// Channels examined between two steps to compute values anew, about.
const VALUED: usize = 300_000;
/// Messages whose routes are planned anew between two steps: for every transfer of the step, and at
/// most.
const REPLANNED: (usize, usize) = (60, 8_000);

/// A search by packing steps.
#[derive(Clone, Debug)]
pub struct Packing {
    ground: Arc<Ground>,
    state: State,
    step: Step,
    filler: Filler,
    finder: Finder,
}

/// Whether step packing is for this problem.
pub fn applies(problem: &Problem) -> bool {
    problem.switching == Switching::Wormhole && is_large_scatter(problem)
}

/// Whether relay scheduling is for this problem.
pub fn stored_applies(problem: &Problem) -> bool {
    problem.switching == Switching::StoreAndForward && is_large_scatter(problem)
}

fn is_large_scatter(problem: &Problem) -> bool {
    problem.collective.content() == Content::Personal
        && has_many_messages(problem)
        && problem.network.vertices().len() * problem.senders.len().max(problem.receivers.len())
            <= MOST_CELLS
}

/// How often all routes are planned before a pass.
fn rounds(ground: &Ground) -> u32 {
    if ground.has_fixed_routes() {
        return 1;
    }
    (PLANNED_BEFORE / ground.problem.demands.len()).clamp(ROUNDS.0, ROUNDS.1) as u32
}

impl Packing {
    /// A search for a scatter over shortest paths or fixed routes. With store-and-forward switching
    /// it packs steps as for wormhole switching, and shows the schedules that follow from them.
    pub fn new(problem: Arc<Problem>) -> Self {
        let ground = Arc::new(Ground::new(problem));
        Packing {
            state: State::new(&ground),
            step: Step::new(&ground),
            filler: Filler::default(),
            finder: Finder::default(),
            ground,
        }
    }

    /// Plans some routes. Returns their number.
    fn plan_some(&mut self, mut planning: (u32, u32), rng: &mut Rng) -> u64 {
        let (ground, state, finder) = (&self.ground, &mut self.state, &mut self.finder);
        let planned = state.routes.plan_some(ground, &mut planning, PLANNED, finder, rng);
        state.phase = Phase::Plan(planning.0, planning.1);
        if planning.0 == 0 && state.pass == 0 {
            state.fitting = Fitting::new(ground, &state.routes, rng);
            state.phase = Phase::Fit;
        } else if planning.0 == 0 {
            let steps = state.routes.largest(ground).max(1.0) as u64;
            let repairs = (REPAIRS.0 * ground.problem.demands.len() as u64).min(REPAIRS.1);
            state.repairs = (repairs << (2 * state.pass).min(MOST_DOUBLED)) / steps;
            state.routes.sharpen(1, 1);
            state.phase = Phase::Fill;
            log::debug!(
                "pass {}: planned load {steps}, {} repairs a step",
                state.pass,
                state.repairs
            );
        }
        planned
    }

    /// Places some messages by first fit. Returns their number.
    fn fit_some(&mut self) -> u64 {
        let State { fitting, routes, .. } = &mut self.state;
        let placed = fitting.place_some(&self.ground, routes, FITTED);
        if let Some(schedule) = fitting.schedule() {
            self.state.fitting = Fitting::default();
            self.state.packed = schedule;
            self.begin_tail();
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
            self.begin_tail();
        }
        work
    }

    /// Fills a step.
    fn fill_one(&mut self, rng: &mut Rng) -> u64 {
        let Packing { ground, state, step, filler, .. } = self;
        let State { routes, values, left, .. } = state;
        let repairs = state.repairs;
        routes.set_level(ground);
        let channels = ground.problem.network.channels().len();
        values.update(ground, routes, VALUED.div_ceil(channels));
        step.clear(ground);
        let mut work = filler.begin(ground, step, left, values, rng);
        for _ in 0..repairs {
            filler.repair(ground, step, left, values, rng);
        }
        work += repairs;
        for (pair, path) in step.transfers() {
            self.state.packed.push(pair, path);
        }
        self.state.packed.close_step();
        let done = self.state.packed.step(self.state.packed.len() - 1);
        self.state.messages -= done.len() as u64;
        for t in done.clone() {
            self.state.routes.remove(&self.ground, self.state.packed.transfer(t).0);
        }
        if !self.ground.has_fixed_routes() {
            self.replan((REPLANNED.0 * done.len()).min(REPLANNED.1), rng);
        }
        work
    }

    /// Plans the routes of some random messages anew.
    fn replan(&mut self, draws: usize, rng: &mut Rng) {
        for _ in 0..draws {
            let pair = rng.random_range(0..self.ground.pairs.len() as u32);
            let left = self.state.left[pair as usize];
            if left > 0 {
                let copy = if left > 1 { rng.random_range(0..left) } else { 0 };
                self.state.routes.plan(&self.ground, (pair, copy), &mut self.finder, rng);
            }
        }
    }
}

//! Large scatters without symmetry. Relay scheduling (`relay`) is for store-and-forward switching;
//! step packing, for wormhole switching, is this: one step after the other is filled with the
//! transfers that take the most off the bottlenecks, chosen among all messages left; then the last
//! steps are packed together into fewer. The first pass is first fit over planned routes; each later
//! pass spends more on every step.
//!
//! The bottlenecks follow from planned routes of all messages left (`routes`), whose loads give
//! every channel a price (`values`): the congestion program and its dual. A step is filled by
//! removing and growing transfers (`fill`, `step`); the last steps are packed by guided ejection
//! (`finish`). `pass` has the phases. Of very many messages, the islands of a group pack the steps of one
//! schedule together (`team`).

mod beginnings;
mod fill;
mod finish;
mod fitting;
mod ground;
mod packed;
mod pass;
mod queues;
mod relay;
mod routes;
mod state;
mod step;
mod stored;
mod team;
mod values;
mod walker;

use ccsched_model::problem::Problem;
pub use relay::Relay;
use team::Window;

use fill::Filler;
use finish::Finish;
use ground::Ground;
use routes::Finder;
use state::State;
use std::sync::Arc;
use step::Step;

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

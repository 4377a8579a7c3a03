//! Step packing as a [`Walker`]. It ignores the step target, and shows every schedule that is
//! shorter than its last.

use super::finish::Finish;
use super::routes::Share;
use super::state::Phase;
use super::{Packing, Window, stored};
use crate::policy::is_team;
use crate::{Genome, Method, Part, Seat, Walker};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Switching;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

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
                stored::best_hops(&self.ground, &self.state.best).plan(&self.ground.problem)
            }
        }
    }
}

/// The windows of a team, if a genome is these.
fn windows(genome: &Genome) -> Option<Vec<Window>> {
    let Genome::Parts(parts) = genome else { return None };
    parts.iter().map(|part| part.shown()).collect()
}

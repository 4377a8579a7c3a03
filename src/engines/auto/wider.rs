//! A search over shortest paths and one over longer paths, side by side: every schedule of shortest
//! paths is one of longer paths, but a search with more places to look at finds it later. Each has
//! its own random numbers, so that the first runs as it does alone. Where shortest paths do not allow
//! the number of steps that is sought, the second runs alone.

use super::Params;
use crate::ground::check_steps;
use crate::search::detours::Detours;
use crate::{Method, PathsFound, Resume, Seat, Tally, Walker, policy};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, is_sound, rng_of};
use ccsched_bounds as bounds;
use ccsched_model::problem::{Problem, Routing, Switching};
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The purpose of the random numbers of the search over longer paths.
const PURPOSE: usize = 6;

/// The two searches.
#[derive(Clone)]
pub struct Wider {
    problem: Arc<Problem>,
    shortest: Box<dyn Walker>,
    longer: Box<dyn Walker>,
    rng: Rng,
    seed: u64,
    /// No schedule over shortest paths has fewer steps.
    least: u32,
    steps: u32,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    shortest: Option<Vec<u8>>,
    longer: Vec<u8>,
    rng: Rng,
    steps: u32,
}

impl Wider {
    /// The searches of a problem that allows longer paths than shortest ones; none of another problem.
    pub fn of(problem: &Arc<Problem>, params: Params, seed: u64) -> Option<Self> {
        if !policy::searches_longer_paths(problem) {
            return None;
        }
        let inner = Arc::new(problem.with_free_paths(Routing::Minimal));
        let shortest = super::walker(&inner, params, seed);
        let bounds = bounds::quick(&inner);
        let bounds = match policy::is_large(&inner) {
            true => bounds,
            false => bounds::with_congestion(&inner, bounds, &|| false),
        };
        Some(Wider {
            problem: problem.clone(),
            shortest,
            longer: longer(problem, params, seed),
            rng: rng_of(seed, 0, PURPOSE),
            seed,
            least: bounds.first().map_or(1, |bound| bound.steps),
            steps: 0,
        })
    }

    /// Whether shortest paths may allow the number of steps.
    fn may_be_shortest(&self) -> bool {
        self.steps >= self.least
    }

    /// Whether the search over longer paths alone has a schedule, or alone runs.
    fn is_longer(&self) -> bool {
        !self.may_be_shortest() || self.longer.cost() == 0 && self.shortest.cost() > 0
    }

    fn shown(&self) -> &dyn Walker {
        if self.is_longer() { &*self.longer } else { &*self.shortest }
    }
}

/// The search over longer paths.
fn longer(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    match problem.switching() {
        Switching::StoreAndForward => Box::new(Detours::new(problem.clone())),
        Switching::Wormhole | Switching::Hosts => {
            let inner = problem.with_free_paths(Routing::Slack(policy::SLACK));
            super::searcher(&Arc::new(inner), params, seed)
        }
    }
}

impl Walker for Wider {
    /// The search over shortest paths, where it runs: the other one belongs to no team.
    fn inner(&self) -> Option<&dyn Walker> {
        self.may_be_shortest().then_some(&*self.shortest)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        if self.may_be_shortest() { Some(&mut *self.shortest) } else { None }
    }

    fn paths(&self) -> Option<PathsFound> {
        self.shortest.paths()
    }

    fn patience(&self) -> u64 {
        self.inner().unwrap_or(&*self.longer).patience()
    }

    fn settle(&mut self, seat: Seat) {
        self.shortest.settle(seat);
        // It belongs to no team.
        self.longer.settle(Seat { group: 1, ..seat });
        self.rng = rng_of(self.seed, seat.island, PURPOSE);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        let moves = if self.may_be_shortest() { self.shortest.seek(steps, rng) } else { 0 };
        moves + self.longer.seek(steps, &mut self.rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        if self.may_be_shortest() {
            moves = self.shortest.iterate(rng);
            if self.shortest.cost() == 0 {
                return moves;
            }
        }
        moves + self.longer.iterate(&mut self.rng)
    }

    fn cost(&self) -> u64 {
        self.shown().cost()
    }

    fn temperature(&self) -> f64 {
        self.shown().temperature()
    }

    fn polish(&mut self, rng: &mut Rng) {
        match self.is_longer() {
            true => self.longer.polish(&mut self.rng),
            false => self.shortest.polish(rng),
        }
    }

    fn tally(&mut self) -> Tally {
        self.shortest.tally()
    }

    fn method(&self) -> Method {
        self.shown().method()
    }

    fn plan(&self) -> Plan {
        self.shown().plan()
    }

    fn reported(&self) -> Option<Arc<Plan>> {
        self.shown().reported()
    }
}

impl Resume for Wider {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            shortest: self.may_be_shortest().then(|| self.shortest.save()).transpose()?,
            longer: self.longer.save()?,
            rng: self.rng.clone(),
            steps: self.steps,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { shortest, longer, rng, steps } = codec::decode(state)?;
        check_steps(steps, self.problem.demands().len())?;
        self.steps = steps;
        if shortest.is_some() != self.may_be_shortest() || !is_sound(&rng) {
            return Err(CommError::Unfit("paths"));
        }
        if let Some(shortest) = shortest {
            self.shortest.load(&shortest)?;
        }
        self.rng = rng;
        self.longer.load(&longer)
    }
}

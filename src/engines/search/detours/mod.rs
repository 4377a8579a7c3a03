//! Scatters with store-and-forward switching over paths longer than shortest ones. A search that
//! chooses routes and steps at the same time has too many places to look at. So routes come first:
//! one for each message, such that no resource is on more routes than the steps have room for
//! (`planner`). Guided ejection then finds the steps of messages that keep to their routes, which is
//! easy even where every resource is in use in every step.

mod finder;
mod planner;

use super::scatter::{Hops, ScatterSearch};
use crate::ground::check_steps;
use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use planner::{Planned, Planner};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Routes planned in an iteration.
const PLANNED: u64 = 500;
/// Iterations of guided ejection on the same routes.
const TRIES: u64 = 200;

/// A search over planned routes.
#[derive(Clone)]
pub struct Detours {
    problem: Arc<Problem>,
    planner: Planner,
    /// The search for steps, once there are routes.
    search: Option<ScatterSearch>,
    /// Its iterations.
    tried: u64,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    planned: Planned,
    search: Option<Vec<u8>>,
    tried: u64,
}

impl Detours {
    /// A search for a scatter with store-and-forward switching and a choice of paths.
    pub fn new(problem: Arc<Problem>) -> Self {
        Detours { planner: Planner::new(problem.clone()), problem, search: None, tried: 0 }
    }

    /// The search for steps along the planned routes.
    fn along_routes(&self) -> ScatterSearch {
        let routes = self.planner.plan.routes.clone();
        let hops = Arc::new(Hops::along(self.problem.clone(), routes));
        ScatterSearch::new(self.problem.clone(), hops)
    }

    /// Iterations at one number of steps before a larger one is tried.
    const PATIENCE: u64 = 1000;
}

impl Walker for Detours {
    fn seek(&mut self, steps: u32, _rng: &mut Rng) -> u64 {
        self.planner.seek(steps);
        (self.search, self.tried) = (None, 0);
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if let Some(search) = &mut self.search {
            if search.cost() == 0 {
                return 0;
            }
            self.tried += 1;
            if self.tried <= TRIES {
                return search.iterate(rng);
            }
            self.search = None;
            self.planner.stir(rng);
        }
        let planned = self.planner.some(PLANNED, rng);
        if !self.planner.is_done() {
            return planned;
        }
        let mut search = self.along_routes();
        let moves = search.seek(self.planner.plan.steps, rng);
        (self.search, self.tried) = (Some(search), 0);
        planned + moves
    }

    fn cost(&self) -> u64 {
        match &self.search {
            Some(search) => search.cost(),
            None => self.planner.over().max(1),
        }
    }

    fn polish(&mut self, rng: &mut Rng) {
        if let Some(search) = &mut self.search {
            search.polish(rng);
        }
    }

    fn patience(&self) -> u64 {
        Self::PATIENCE
    }

    fn method(&self) -> Method {
        Method::PlannedRoutes
    }

    fn plan(&self) -> Plan {
        self.search.as_ref().map_or_else(Plan::default, Walker::plan)
    }
}

impl Resume for Detours {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            planned: self.planner.plan.clone(),
            search: self.search.as_ref().map(Resume::save).transpose()?,
            tried: self.tried,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { planned, search, tried } = codec::decode(state)?;
        check_steps(planned.steps, self.problem.demands().len())?;
        if !planned.is_sound(&self.problem) || search.is_some() && !planned.is_whole() {
            return Err(CommError::Unfit("routes"));
        }
        self.planner.plan = planned;
        self.planner.count();
        self.search = match search {
            Some(saved) => {
                let mut search = self.along_routes();
                search.load(&saved)?;
                Some(search)
            }
            None => None,
        };
        self.tried = tried.min(TRIES + 1);
        Ok(())
    }
}

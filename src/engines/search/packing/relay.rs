//! Relay scheduling, for large scatters with store-and-forward switching: messages follow planned
//! routes whose loads are balanced (`Routes`), and wait in queues in front of channels. In every
//! step each channel forwards the message with the longest way left. The schedule is little longer
//! than the largest load, except where terminals at switches are nearly as loaded as the channels
//! between switches: there a wormhole schedule gives a shorter one. Each iteration plans some routes anew
//! and schedules all messages.

use super::fitting::Fitting;
use super::ground::Ground;
use super::queues::Queues;
use super::rounds;
use super::routes::{Finder, Routes, Share};
use super::stored;
use crate::journeys::{Hops, justified};
use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One message in `REPLANNED` gets another route before each schedule but the first.
const REPLANNED: u32 = 10;
/// Rounds of planning before the first schedule.
const BEFORE_FIRST: u32 = 3;
/// Messages planned in an iteration.
const PLANNED: u32 = 200_000;

/// A search by relay scheduling.
#[derive(Clone, Debug)]
pub struct Relay {
    ground: Arc<Ground>,
    finder: Finder,
    state: State,
}

/// The state that is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    routes: Routes,
    /// Rounds of planning left, and the next pair.
    planning: (u32, u32),
    /// The best schedule, and whether it was not shown yet.
    best: Hops,
    is_new: bool,
    /// Whether the way over a wormhole schedule is better here than queues.
    fits: bool,
}

impl Relay {
    /// A search for a scatter with store-and-forward switching over shortest paths.
    pub fn new(problem: Arc<Problem>) -> Self {
        let ground = Arc::new(Ground::new(problem));
        let state = State {
            routes: Routes::new(&ground, Share::default()),
            planning: (rounds(&ground), 0),
            best: Hops::default(),
            is_new: false,
            fits: false,
        };
        Relay { ground, finder: Finder::default(), state }
    }

    /// Plans some random routes anew.
    fn replan(&mut self, rng: &mut Rng) -> u64 {
        let ground = &self.ground;
        let pairs = ground.pairs.len() as u32;
        for _ in 0..pairs / REPLANNED {
            let pair = rng.random_range(0..pairs);
            let copy = rng.random_range(0..ground.pairs[pair as usize].messages);
            self.state.routes.plan(ground, (pair, copy), &mut self.finder, rng);
        }
        self.state.routes.set_level(ground);
        u64::from(pairs / REPLANNED)
    }

    /// Schedules all messages: the first time in both ways, later in the better one. Returns the
    /// number of hops.
    fn schedule(&mut self, rng: &mut Rng) -> u64 {
        let is_first = self.state.best.steps.is_empty();
        let mut made = 0;
        if is_first || !self.state.fits {
            let queued = Queues::new(&self.ground, &self.state.routes, rng).run(rng);
            made += self.offer(justified(&self.ground.problem, queued));
        }
        if is_first || self.state.fits {
            let queued = self.state.best.steps.len();
            made += self.offer(fitted(&self.ground, &self.state.routes, rng));
            self.state.fits |= self.state.best.steps.len() < queued;
        }
        made
    }

    /// Keeps a schedule if it is the best so far. Returns the number of its hops.
    fn offer(&mut self, hops: Hops) -> u64 {
        let made = hops.hops.len() as u64;
        let load = self.state.routes.largest(&self.ground);
        log::debug!("relay scheduling: {} steps, planned load {load}", hops.steps.len());
        let best = &mut self.state.best;
        if best.steps.is_empty() || hops.steps.len() < best.steps.len() {
            *best = hops;
            self.state.is_new = true;
        }
        made
    }
}

/// A schedule from one for wormhole switching by first fit over the planned routes.
fn fitted(ground: &Ground, routes: &Routes, rng: &mut Rng) -> Hops {
    let packed = Fitting::at_once(ground, routes, &ground.messages(), rng);
    stored::hops(ground, &packed)
}

impl Walker for Relay {
    fn seek(&mut self, _steps: u32, _rng: &mut Rng) -> u64 {
        self.state.is_new = false;
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.state.planning.0 > 0 {
            let State { routes, planning, best, .. } = &mut self.state;
            let planned = routes.plan_some(&self.ground, planning, PLANNED, &mut self.finder, rng);
            let is_third = planning.0 + BEFORE_FIRST <= rounds(&self.ground) && planning.1 == 0;
            let is_first = is_third && best.steps.is_empty();
            return planned + if is_first { self.schedule(rng) } else { 0 };
        }
        let planned = if self.state.best.steps.is_empty() { 0 } else { self.replan(rng) };
        planned + self.schedule(rng)
    }

    fn cost(&self) -> u64 {
        u64::from(!self.state.is_new)
    }

    fn method(&self) -> Method {
        Method::RelayScheduling
    }

    fn plan(&self) -> Plan {
        self.state.best.plan(&self.ground.problem)
    }
}

impl Resume for Relay {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        if !state.routes.is_like(&self.state.routes) {
            return Err(CommError::Unfit("pairs"));
        }
        self.state = state;
        Ok(())
    }
}

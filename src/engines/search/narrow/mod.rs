//! Large scatters on networks with narrow bottlenecks, such as the trunks of a leaf: the messages over
//! a bottleneck are scheduled first, all others around them.
//!
//! On a fabric a few links decide the number of steps; they must never be idle. Step packing fills
//! one step after the other, and learns at the end which messages it should have sent before. Here
//! the number of steps is fixed, at a bound to begin with. Messages are placed in the order of the
//! loads on their planned routes, by guided ejection: a message without a free place takes one
//! where a bottleneck is free, and the ejected message mostly uses no bottleneck and finds another
//! place. A stalled attempt is followed by one with more steps.

mod board;
mod places;
mod scan;
mod tight;

use super::packing::ground::Ground;
use super::packing::packed::Packed;
use crate::bounds;
use crate::comm::{CommError, codec};
use crate::engines::{Method, Resume, Walker, policy};
use crate::problem::Problem;
use crate::rng::{Rng, rng_of};
use crate::schedule::Plan;
use places::Places;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tight::Tight;

/// More places of links and ports in all steps take too long.
const MOST_CELLS: u64 = 50_000_000;
/// Moves in an iteration.
const MOVES: u64 = 5_000;
/// Moves without progress before an attempt ends: for every transfer, at first.
const PATIENCE: u64 = 20;
/// The purpose of the generator that plans routes: islands use 0, the master 1, constructors 2.
const PURPOSE: usize = 3;

/// The search.
#[derive(Clone, Debug)]
pub struct Narrow {
    ground: Arc<Ground>,
    tight: Arc<Tight>,
    state: State,
}

/// Its state.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// No schedule has fewer steps.
    least: u32,
    /// Steps of the present attempt above the least.
    above: u32,
    /// Patience of an attempt, as a multiple of that of the first.
    patience: u64,
    /// The fewest transfers without a place in the attempt, and moves since.
    fewest: usize,
    moves: u64,
    places: Places,
    /// The best schedule, and whether it was not shown yet.
    best: Packed,
    is_new: bool,
}

impl Narrow {
    /// The search for a large scatter with wormhole switching over shortest paths, if the network has
    /// narrow bottlenecks.
    pub fn new(problem: &Arc<Problem>, seed: u64) -> Option<Self> {
        if !policy::may_be_narrow(problem) {
            return None;
        }
        let ground = Ground::new(problem.clone());
        let rng = &mut rng_of(seed, 0, PURPOSE);
        let tight = Tight::new(&ground, rng);
        let planned = tight.steps(&ground).ceil() as u64;
        let all: u64 = problem.resources().capacities().iter().map(|&c| u64::from(c)).sum();
        if !policy::are_few(tight.share(&ground)) || all * (planned + 64) > MOST_CELLS {
            return None;
        }
        let least = bounds::quick(problem).first().map_or(1, |bound| bound.steps);
        if !policy::is_target(least, planned) {
            return None;
        }
        log::debug!(
            "nearly bottlenecks: {:.3} of all links; planned load {planned}, bound {least}",
            tight.share(&ground)
        );
        let state = State {
            least,
            above: 0,
            patience: PATIENCE,
            fewest: usize::MAX,
            moves: 0,
            places: Places::default(),
            best: Packed::default(),
            is_new: false,
        };
        Some(Narrow { ground: Arc::new(ground), tight: Arc::new(tight), state })
    }

    /// Begins an attempt.
    fn begin(&mut self, rng: &mut Rng) {
        let steps = (self.state.least + self.state.above) as usize;
        self.state.places = Places::new(&self.ground, &self.tight, steps, rng);
        (self.state.fewest, self.state.moves) = (usize::MAX, 0);
    }

    /// Ends the present attempt, and begins the next one.
    fn next(&mut self, rng: &mut Rng) {
        let state = &mut self.state;
        log::debug!(
            "{} steps: {} transfers without a place",
            state.places.steps,
            state.places.missing()
        );
        if state.places.missing() == 0 {
            state.best = state.places.packed();
            (state.is_new, state.above) = (true, 0);
            state.patience *= 2;
        } else {
            state.above = (2 * state.above).max(1);
            let best = state.best.len() as u32;
            if best > 0 && state.least + state.above >= best {
                state.above = 0;
                state.patience *= 2;
            }
        }
        self.begin(rng);
    }
}

impl Walker for Narrow {
    fn seek(&mut self, _steps: u32, rng: &mut Rng) -> u64 {
        self.state.is_new = false;
        if self.state.places.len() == 0 {
            self.begin(rng);
        }
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        for made in 1..=MOVES {
            self.state.places.place(&self.ground, &self.tight, rng);
            let missing = self.state.places.missing();
            self.state.moves += 1;
            if missing < self.state.fewest {
                (self.state.fewest, self.state.moves) = (missing, 0);
            }
            let limit = self.state.patience * self.state.places.len() as u64;
            if missing == 0 || self.state.moves > limit {
                self.next(rng);
                return made;
            }
        }
        MOVES
    }

    fn cost(&self) -> u64 {
        if self.state.is_new { 0 } else { self.state.places.missing().max(1) as u64 }
    }

    fn method(&self) -> Method {
        Method::GuidedEjection { group: 1 }
    }

    fn plan(&self) -> Plan {
        self.state.best.plan(&self.ground)
    }
}

impl Resume for Narrow {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        let transfers = self.ground.problem.demands().len();
        if state.places.len() != transfers && state.places.len() != 0 {
            return Err(CommError::Unfit("transfers"));
        }
        self.state = state;
        if self.state.places.len() > 0 {
            self.state.places.restore(&self.ground);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{LinkKind, Network, NetworkBuilder, spec};
    use crate::problem::{Collective, Request};

    /// Leaves of eight hosts below two spines; the first leaf has trunks of half the width.
    fn fabric() -> Network {
        let mut net = NetworkBuilder::new("fabric");
        let spines = ["s0", "s1"].map(|name| net.switch(name));
        for leaf in 0..4 {
            let switch = net.switch(format!("leaf{leaf}"));
            for spine in spines {
                let width = if leaf == 0 { 1 } else { 4 };
                net.wide_link(switch, spine, LinkKind::FullDuplex, width);
            }
            for host in 0..8 {
                let v = net.terminal(format!("n{leaf}-{host}"));
                net.link(v, switch, LinkKind::FullDuplex);
            }
        }
        net.build().unwrap()
    }

    fn narrow(network: Network) -> Option<Narrow> {
        let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
        Narrow::new(&Arc::new(problem), 1)
    }

    #[test]
    fn a_tapered_leaf_is_scheduled_at_the_bound_and_a_saved_search_goes_on() {
        let mut search = narrow(fabric()).unwrap();
        let rng = &mut rng_of(1, 0, 0);
        search.seek(200, rng);
        search.iterate(rng);
        let mut other = narrow(fabric()).unwrap();
        other.load(&search.save().unwrap()).unwrap();
        let mut plans = Vec::new();
        for search in [&mut search, &mut other] {
            let rng = &mut rng_of(2, 0, 0);
            let rounds = (0..200).find(|_| {
                search.iterate(rng);
                search.cost() == 0
            });
            assert!(rounds.is_some(), "it takes too long");
            plans.push(search.plan());
        }
        // 8 hosts with 24 others over 2 links.
        assert_eq!(plans[0].len(), 96);
        assert!(plans[0] == plans[1]);
        let problem = &search.ground.problem;
        let file = plans[0].record(problem, &bounds::all(problem), Default::default());
        assert_eq!(crate::verify::verify(&file).len(), 0);
    }

    #[test]
    fn networks_without_narrow_bottlenecks_are_left_to_others() {
        assert!(narrow(spec::parse("torus:6x6").unwrap()).is_none());
    }
}

//! Several ways to search for a scatter, in turn: guided ejection on the whole network, and under
//! groups of automorphisms, each with a random way to permute the steps. Which way works cannot be
//! known beforehand; turns are short at first and get longer, and islands begin with different ones.

use crate::comm::CommError;
use crate::engines::ejection::Ejection;
use crate::engines::symmetry::{Action, Group, Images, groups};
use crate::engines::{Genome, Rng, Walker, rng_of};
use crate::problem::{Problem, Switching};
use crate::schedule::Plan;
use rand::RngExt;
use std::sync::Arc;

/// Turns under a group for every turn on the whole network.
const GROUPS_A_ROUND: u64 = 5;
/// Iterations of a turn in the first round; a round takes half as many again as the one before.
const FIRST_TURN: u64 = 20;
/// How much longer than the others a turn on the whole network is.
const WHOLE: u64 = 4;

/// A search by turns.
#[derive(Clone)]
pub struct Turns {
    pub(super) problem: Arc<Problem>,
    pub(super) groups: Arc<Vec<Arc<Group>>>,
    pub(super) whole: Ejection,
    /// The search under a group, while it is its turn.
    pub(super) part: Option<Box<Ejection>>,
    pub(super) steps: u32,
    /// Whether the search on the whole network seeks so many steps yet.
    pub(super) is_whole_ready: bool,
    pub(super) island: u64,
    pub(super) turn: u64,
    /// Iterations left of this turn.
    pub(super) left: u64,
    /// Iterations of a turn of this round.
    pub(super) length: u64,
}

impl Turns {
    /// The turns for a problem; [`Walker::seek`] must follow. Groups are found with `seed`.
    pub fn new(problem: Arc<Problem>, exchanges: bool, seed: u64) -> Self {
        let groups = groups(&problem, &mut rng_of(seed, 0, 2));
        log::debug!(
            "groups of {:?} elements",
            groups.iter().map(|group| group.order()).collect::<Vec<_>>()
        );
        Turns {
            whole: Ejection::new(problem.clone(), exchanges),
            groups: Arc::new(groups),
            part: None,
            steps: 0,
            is_whole_ready: false,
            island: 0,
            turn: 0,
            left: 0,
            length: FIRST_TURN,
            problem,
        }
    }

    /// Begins the next turn.
    fn next_turn(&mut self, rng: &mut Rng) {
        loop {
            let place = (self.turn + 2 * self.island) % (GROUPS_A_ROUND + 1);
            self.turn += 1;
            if self.turn.is_multiple_of(GROUPS_A_ROUND + 1) {
                self.length += self.length.div_ceil(2);
            }
            self.left = self.length;
            if place == GROUPS_A_ROUND || self.groups.is_empty() {
                self.left *= WHOLE;
                self.part = None;
                if !std::mem::replace(&mut self.is_whole_ready, true) {
                    self.whole.seek(self.steps, rng);
                }
                return;
            }
            self.part = self.under_some_group(rng).map(Box::new);
            if self.part.is_some() {
                return;
            }
        }
    }

    /// A search under a group, rather one of the first, which are the most promising.
    fn under_some_group(&self, rng: &mut Rng) -> Option<Ejection> {
        let a = rng.random_range(0..self.groups.len());
        let b = rng.random_range(0..self.groups.len());
        let group = &self.groups[a.min(b)];
        let action = match self.problem.switching {
            Switching::Wormhole => Action::random(group, self.steps, rng),
            Switching::StoreAndForward => Action::at_rest(group, self.steps),
        };
        let mut part = self.whole.under(Images::new(&self.problem, group, action)?);
        part.seek(self.steps, rng);
        Some(part)
    }

    fn now(&self) -> &Ejection {
        self.part.as_deref().unwrap_or(&self.whole)
    }

    fn now_mut(&mut self) -> &mut Ejection {
        self.part.as_deref_mut().unwrap_or(&mut self.whole)
    }
}

impl Walker for Turns {
    fn settle(&mut self, island: usize) {
        self.island = island as u64;
        self.whole.settle(island);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        (self.turn, self.left, self.length) = (0, 0, FIRST_TURN);
        self.is_whole_ready = false;
        self.next_turn(rng);
        0
    }

    fn sweep(&mut self, rng: &mut Rng) -> u64 {
        if self.left == 0 {
            self.next_turn(rng);
        }
        self.left -= 1;
        self.now_mut().sweep(rng)
    }

    fn meet(&mut self, partner: &Genome, rng: &mut Rng) {
        if self.part.is_none() {
            self.whole.meet(partner, rng);
        }
    }

    fn cost(&self) -> u64 {
        self.now().cost()
    }

    fn genome(&self) -> Genome {
        self.whole.genome()
    }

    fn temperature(&self) -> f64 {
        0.0
    }

    fn polish(&mut self, rng: &mut Rng) {
        self.now_mut().polish(rng);
    }

    fn save(&self) -> Result<Vec<u8>, CommError> {
        self.to_bytes()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        self.set_from(state)
    }

    fn boxed_clone(&self) -> Box<dyn Walker> {
        Box::new(self.clone())
    }

    fn plan(&self) -> Plan {
        self.now().plan()
    }
}

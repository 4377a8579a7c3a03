//! Which part uses which link, and which port, in which step.

use super::hops::{HopId, Hops};
use ccsched_model::problem::{Problem, ResourceId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A transfer of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Its step, from 0.
    pub step: u32,
    /// Its hop.
    pub hop: HopId,
    /// Whether it copies the complete sum.
    pub gathers: bool,
}

/// The parts that are placed.
#[derive(Clone)]
pub struct Board {
    pub hops: Arc<Hops>,
    steps: u32,
    /// By step and resource, the transfers that use it, with those of a part that is not placed yet.
    used: Vec<u32>,
    /// By step and resource, the parts that use it.
    users: Vec<Vec<u32>>,
    /// By part, its transfers; none if it is not placed.
    uses: Vec<Vec<Use>>,
    /// By part, how often others gave way to it.
    weights: Vec<u32>,
}

impl Board {
    /// An empty board without steps.
    pub fn of(problem: &Problem, hops: Hops) -> Self {
        let parts = problem.messages() / 2;
        let (uses, weights) = (vec![Vec::new(); parts], vec![0; parts]);
        let (used, users) = (Vec::new(), Vec::new());
        Board { hops: Arc::new(hops), steps: 0, used, users, uses, weights }
    }

    /// Removes all parts; the board has as many steps.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps;
        let places = steps as usize * self.hops.capacities().len();
        self.used.clear();
        self.used.resize(places, 0);
        self.users.iter_mut().for_each(Vec::clear);
        self.users.resize(places, Vec::new());
        self.uses.iter_mut().for_each(Vec::clear);
        self.weights.fill(0);
    }

    /// Number of parts.
    pub fn parts(&self) -> u32 {
        self.uses.len() as u32
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether there is such a hop.
    pub fn has(&self, hop: HopId) -> bool {
        (hop as usize) < self.hops.len()
    }

    /// The transfers of a part.
    pub fn uses(&self, part: u32) -> &[Use] {
        &self.uses[part as usize]
    }

    /// By part, how often others gave way to it.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    #[inline]
    fn slot(&self, step: u32, resource: ResourceId) -> usize {
        step as usize * self.hops.capacities().len() + resource as usize
    }

    #[inline]
    fn has_room(&self, step: u32, resource: ResourceId) -> bool {
        self.used[self.slot(step, resource)] < self.hops.capacities()[resource as usize]
    }

    /// Whether a hop has room for one more transfer in a step.
    #[inline]
    pub fn is_free(&self, step: u32, hop: HopId) -> bool {
        self.hops.uses(hop).iter().all(|&resource| self.has_room(step, resource))
    }

    /// Takes the room of a transfer, or with -1 gives it back, for a part that is not placed yet.
    #[inline]
    pub fn take(&mut self, of: Use, times: i32) {
        for i in 0..self.hops.uses(of.hop).len() {
            let slot = self.slot(of.step, self.hops.uses(of.hop)[i]);
            self.used[slot] = self.used[slot].wrapping_add_signed(times);
        }
    }

    /// The part that gives way most easily on a resource in a step, and its weight.
    fn weakest(&self, step: u32, resource: ResourceId) -> Option<(u32, u32)> {
        let users = &self.users[self.slot(step, resource)];
        users.iter().map(|&part| (self.weights[part as usize], part)).min()
    }

    /// What room for a transfer costs: for each resource without room that of one in use, and the weight
    /// of the part that gives way; none if no part can.
    pub fn price(&self, step: u32, hop: HopId, in_use: u32) -> Option<u32> {
        let full = self.hops.uses(hop).iter().filter(|&&r| !self.has_room(step, r));
        full.map(|&r| self.weakest(step, r).map(|(weight, _)| in_use + weight)).sum()
    }

    /// Places a part; the parts that stand in its way are removed and returned.
    pub fn place(&mut self, part: u32, uses: &[Use]) -> Vec<u32> {
        let mut gone = Vec::new();
        let hops = self.hops.clone();
        for u in uses {
            for &resource in hops.uses(u.hop) {
                while !self.has_room(u.step, resource) {
                    let Some((_, weakest)) = self.weakest(u.step, resource) else { break };
                    self.remove(weakest);
                    gone.push(weakest);
                }
            }
            for &resource in hops.uses(u.hop) {
                let slot = self.slot(u.step, resource);
                self.users[slot].push(part);
                self.used[slot] += 1;
            }
            self.uses[part as usize].push(*u);
        }
        // A part that is in its own way twice does not fit.
        if gone.contains(&part) {
            self.remove(part);
        }
        if !gone.is_empty() {
            self.weights[part as usize] += 1;
        }
        gone
    }

    fn remove(&mut self, part: u32) {
        let hops = self.hops.clone();
        for u in std::mem::take(&mut self.uses[part as usize]) {
            for &resource in hops.uses(u.hop) {
                let slot = self.slot(u.step, resource);
                if let Some(place) = self.users[slot].iter().position(|&user| user == part) {
                    self.users[slot].swap_remove(place);
                    self.used[slot] -= 1;
                }
            }
        }
    }

    /// Places these parts.
    pub fn restore(&mut self, steps: u32, uses: Vec<Vec<Use>>, weights: Vec<u32>) {
        self.clear(steps);
        for (part, uses) in (0..).zip(uses) {
            self.place(part, &uses);
        }
        self.weights = weights;
    }
}

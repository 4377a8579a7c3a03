//! A schedule of pairs in flat arrays.

use super::ground::Ground;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Steps of transfers; a transfer is a pair and a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// By transfer.
    pairs: Vec<u32>,
    /// By transfer, the end of its path in `channels`.
    ends: Vec<u32>,
    channels: Vec<ChannelId>,
    /// By step, the end of its transfers.
    steps: Vec<u32>,
}

impl Packed {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a transfer to the step that is not closed yet.
    pub fn push(&mut self, pair: u32, path: &[ChannelId]) {
        self.pairs.push(pair);
        self.channels.extend_from_slice(path);
        self.ends.push(self.channels.len() as u32);
    }

    /// Ends a step.
    pub fn close_step(&mut self) {
        self.steps.push(self.pairs.len() as u32);
    }

    /// By transfer, its pair.
    pub fn pairs(&self) -> &[u32] {
        &self.pairs
    }

    /// Number of transfers.
    pub fn transfers(&self) -> usize {
        self.pairs.len()
    }

    /// Number of channels on all paths together.
    pub fn hops(&self) -> usize {
        self.channels.len()
    }

    /// The same transfers, each in its step of `step_of`.
    pub fn sorted(&self, step_of: &[u32]) -> Packed {
        let mut order: Vec<u32> = (0..step_of.len() as u32).collect();
        order.sort_by_key(|&t| step_of[t as usize]);
        let mut sorted = Packed::default();
        for t in order {
            while sorted.len() < step_of[t as usize] as usize {
                sorted.close_step();
            }
            let (pair, path) = self.transfer(t as usize);
            sorted.push(pair, path);
        }
        if !step_of.is_empty() {
            sorted.close_step();
        }
        sorted
    }

    /// Adds the steps of another schedule.
    pub fn append(&mut self, other: &Packed) {
        (0..other.len()).for_each(|step| self.push_step(other, step));
    }

    /// The steps from `step` on.
    pub fn since(&self, step: usize) -> Packed {
        let mut rest = Packed::default();
        (step..self.len()).for_each(|step| rest.push_step(self, step));
        rest
    }

    /// Adds a step of another schedule.
    pub fn push_step(&mut self, other: &Packed, step: usize) {
        for t in other.step(step) {
            let (pair, path) = other.transfer(t);
            self.push(pair, path);
        }
        self.close_step();
    }

    /// Whether all pairs and channels are those of a problem, and all ends in order.
    pub fn is_sound(&self, ground: &Ground) -> bool {
        let (pairs, channels) = (ground.pairs.len(), ground.problem.network().channels().len());
        let ends = [&[0], &self.ends[..], &[self.channels.len() as u32]].concat();
        let steps = [&[0], &self.steps[..], &[self.pairs.len() as u32]].concat();
        self.ends.len() == self.pairs.len()
            && steps.is_sorted()
            && ends.windows(2).all(|w| w[0] <= w[1] && (w[1] - w[0]) as usize <= ground.longest)
            && self.pairs.iter().all(|&pair| (pair as usize) < pairs)
            && self.channels.iter().all(|&c| (c as usize) < channels)
    }

    /// Drops the first steps, but for the last ones with `kept` transfers together. Returns the
    /// number of steps dropped.
    pub fn behead(&mut self, kept: usize) -> usize {
        let gone = self.transfers().saturating_sub(kept) as u32;
        let first = self.steps.partition_point(|&end| end <= gone);
        *self = self.since(first);
        first
    }

    /// Replaces all steps from `step` on by those of another schedule.
    pub fn replace_end(&mut self, step: usize, end: &Packed) {
        self.truncate(step);
        self.append(end);
    }

    /// Drops all steps from `step` on.
    pub fn truncate(&mut self, step: usize) {
        self.steps.truncate(step);
        let transfers = self.steps.last().map_or(0, |&end| end as usize);
        self.pairs.truncate(transfers);
        self.ends.truncate(transfers);
        self.channels.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// The transfers of a step, by number.
    pub fn step(&self, step: usize) -> Range<usize> {
        let first = if step == 0 { 0 } else { self.steps[step - 1] as usize };
        first..self.steps[step] as usize
    }

    /// The pair and the path of a transfer.
    pub fn transfer(&self, t: usize) -> (u32, &[ChannelId]) {
        let first = if t == 0 { 0 } else { self.ends[t - 1] as usize };
        (self.pairs[t], &self.channels[first..self.ends[t] as usize])
    }

    /// The schedule with the messages of the pairs.
    pub fn plan(&self, ground: &Ground) -> Plan {
        let mut sent = vec![0; ground.pairs.len()];
        let mut plan = Plan::new(self.len() as u32);
        for step in 0..self.len() {
            for t in self.step(step) {
                let (pair, path) = self.transfer(t);
                let demand = ground.pairs[pair as usize].first + sent[pair as usize];
                sent[pair as usize] += 1;
                let message = ground.problem.demands()[demand as usize].message;
                plan.push(step, message, path);
            }
        }
        plan.tidy();
        plan
    }
}

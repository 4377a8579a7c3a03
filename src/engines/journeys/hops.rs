//! A schedule for store-and-forward switching, hop by hop.

use ccsched_base::buckets;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use serde::{Deserialize, Serialize};

/// The hops of every step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hops {
    /// By hop: the demand and the channel.
    pub hops: Vec<(u32, ChannelId)>,
    /// By step, the end of its hops.
    pub steps: Vec<u32>,
}

impl Hops {
    /// The hops of a schedule of a scatter.
    pub fn of(plan: &Plan) -> Self {
        let mut hops = Hops::default();
        for step in plan.steps() {
            hops.hops.extend(step.iter().map(|t| (t.message, t.channels[0])));
            hops.steps.push(hops.hops.len() as u32);
        }
        hops
    }

    /// The hops, each given with its step, in the order of their steps; those of a step in the order given.
    pub fn sorted(hops: impl Iterator<Item = (u32, (u32, ChannelId))> + Clone + Sync) -> Self {
        let (hops, steps) = buckets::sorted(hops);
        Hops { hops, steps }
    }

    /// The hops, each with its step.
    pub fn iter(&self) -> impl Iterator<Item = (u32, (u32, ChannelId))> + '_ {
        let firsts = std::iter::once(0).chain(self.steps.iter().copied());
        let ranges = firsts.zip(&self.steps).zip(0..);
        ranges.flat_map(|((first, &end), step)| {
            self.hops[first as usize..end as usize].iter().map(move |&hop| (step, hop))
        })
    }

    /// The schedule.
    pub fn plan(&self, problem: &Problem) -> Plan {
        let end = |step: usize| self.steps[step] as usize;
        Plan::of_hops(self.steps.len(), end, |step, hops| {
            let start = step.checked_sub(1).map_or(0, end);
            let of_step = self.hops[start..end(step)].iter();
            hops.extend(
                of_step.map(|&(demand, c)| (problem.demands()[demand as usize].message, c)),
            );
        })
    }
}

/// Hops in any order.
#[derive(Clone, Debug, Default)]
pub struct Unsorted {
    /// By hop: the demand and the channel.
    hops: Vec<(u32, ChannelId)>,
    /// By hop: its step.
    steps: Vec<u32>,
}

impl Unsorted {
    /// Adds a hop.
    pub fn push(&mut self, step: u32, demand: u32, c: ChannelId) {
        self.hops.push((demand, c));
        self.steps.push(step);
    }

    /// The hops in the order of their steps.
    pub fn into_sorted(self) -> Hops {
        Hops::sorted(self.steps.iter().copied().zip(self.hops.iter().copied()))
    }
}

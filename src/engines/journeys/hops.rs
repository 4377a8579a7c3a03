//! A schedule for store-and-forward switching, hop by hop.

use crate::buckets;
use crate::network::ChannelId;
use crate::problem::Problem;
use crate::schedule::Plan;
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

    /// The hops in the order of their steps, which are as given.
    pub fn sorted(hops: &[(u32, ChannelId)], steps: &[u32]) -> Self {
        let mut sorted = vec![(0, 0); hops.len()];
        let ends = buckets::sort(steps.iter().copied(), |hop, place| sorted[place] = hops[hop]);
        Hops { hops: sorted, steps: ends }
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
        let mut plan = Plan::new(self.steps.len() as u32);
        for (step, (demand, c)) in self.iter() {
            plan.push(step as usize, problem.demands[demand as usize].message, [c]);
        }
        plan.tidy();
        plan
    }
}

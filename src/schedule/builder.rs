//! A plan from transfers in any order of their steps. They are kept in flat arrays and sorted at the end:
//! to add each of millions to its step at once would touch far memory for each.

use super::paths::Paths;
use super::{Plan, Step};
use crate::network::ChannelId;
use crate::problem::MessageId;
use crate::{buckets, cores};

/// Transfers in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct PlanBuilder {
    messages: Vec<MessageId>,
    steps: Vec<u32>,
    paths: Paths<usize>,
}

impl PlanBuilder {
    /// Adds a transfer to a step, from 0.
    pub fn push(&mut self, step: u32, message: MessageId, channels: &[ChannelId]) {
        self.paths.open().extend_from_slice(channels);
        self.paths.end(self.steps.len());
        self.messages.push(message);
        self.steps.push(step);
    }

    /// The plan, without empty steps, with the transfers of a step by message. All cores work on it.
    pub fn build(self) -> Plan {
        let PlanBuilder { messages, steps, paths } = self;
        let mut order = vec![0; steps.len()];
        let ends = buckets::sort(steps.iter().copied(), |t, place| order[place] = t as u32);
        let paths = paths.into_shared();
        let step = |number: usize| {
            let first = number.checked_sub(1).map_or(0, |before| ends[before]);
            let transfers = order[first as usize..ends[number] as usize].iter();
            let transfers = transfers.map(|&t| t as usize);
            let messages = transfers.clone().map(|t| messages[t]).collect();
            let mut step = Step::of(messages, paths.in_order(transfers));
            step.sort();
            step
        };
        let steps = cores::parts(ends.len(), |number| ends[number] as usize);
        let steps = cores::each(steps, |part| part.map(step).collect::<Vec<_>>());
        let mut plan = Plan::default();
        steps.into_iter().flatten().filter(|step| !step.is_empty()).for_each(|s| plan.append(s));
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_builds_the_plan_that_pushes_transfer_by_transfer() {
        let transfers: [(u32, u32, &[ChannelId]); 5] =
            [(3, 1, &[5, 6]), (0, 2, &[7]), (3, 0, &[8]), (3, 1, &[4]), (0, 2, &[3, 9])];
        let (mut builder, mut plan) = (PlanBuilder::default(), Plan::default());
        for (step, message, channels) in transfers {
            builder.push(step, message, channels);
            plan.push(step as usize, message, channels);
        }
        plan.tidy();
        assert_eq!(builder.build(), plan);
        assert!(PlanBuilder::default().build().is_empty());
    }
}

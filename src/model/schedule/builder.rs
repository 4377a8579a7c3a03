//! A plan from transfers in any order of their steps. They are kept in flat arrays and sorted at the end:
//! to add each of millions to its step at once would touch far memory for each.

use super::paths::Paths;
use super::{Plan, Step};
use crate::problem::MessageId;
use ccsched_base::{buckets, cores};
use ccsched_network::{ChannelId, Parts, PathList, Walk};
use std::ops::Range;

/// Transfers in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct PlanBuilder {
    messages: Vec<MessageId>,
    steps: Vec<u32>,
    paths: Added,
}

/// The paths of the transfers.
#[derive(Clone, Debug)]
enum Added {
    /// Parts of a walk that others have, too.
    Parts(Parts),
    /// Some of them were added channel by channel.
    List(PathList),
}

impl Default for Added {
    fn default() -> Self {
        Added::List(PathList::default())
    }
}

impl Added {
    /// The paths as a list, to which paths can be added. It has all of their walk.
    fn list(&mut self) -> &mut PathList {
        if let Added::Parts(parts) = self {
            *self = Added::List(std::mem::take(parts).into_list());
        }
        match self {
            Added::List(list) => list,
            Added::Parts(_) => unreachable!("they are a list now"),
        }
    }
}

impl PlanBuilder {
    /// The transfers of a plan.
    pub fn of(plan: &Plan) -> Self {
        let numbers = (0..).zip(plan.steps());
        let steps = numbers.flat_map(|(number, step)| std::iter::repeat_n(number, step.len()));
        let paths = Parts::together(plan.steps().map(Step::parts)).map(Added::Parts);
        let listed = || {
            let mut list = PathList::default();
            plan.transfers().for_each(|t| list.push(t.channels));
            Added::List(list)
        };
        PlanBuilder {
            messages: plan.transfers().map(|t| t.message).collect(),
            steps: steps.collect(),
            paths: paths.unwrap_or_else(listed),
        }
    }

    /// Adds a transfer to a step, from 0.
    pub fn push(&mut self, step: u32, message: MessageId, channels: &[ChannelId]) {
        self.paths.list().push(channels);
        self.messages.push(message);
        self.steps.push(step);
    }

    /// The same along a part of a walk, which takes no memory for its channels if all transfers go along parts of
    /// this walk.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn push_part(&mut self, step: u32, message: MessageId, walk: &Walk, place: Range<usize>) {
        if self.steps.is_empty() {
            self.paths = Added::Parts(Parts::of(walk));
        }
        match &mut self.paths {
            Added::Parts(parts) if parts.are_of(walk) => parts.push(place),
            paths => paths.list().push(&walk[place]),
        }
        self.messages.push(message);
        self.steps.push(step);
    }

    /// Adds the transfers of another one.
    pub fn append(&mut self, other: PlanBuilder) {
        if self.steps.is_empty() {
            *self = other;
            return;
        }
        match (&mut self.paths, other.paths) {
            (Added::Parts(own), Added::Parts(others)) if others.are_of(own.walk()) => {
                own.append(&others);
            }
            (paths, Added::Parts(others)) => paths.list().append(others.into_list()),
            (paths, Added::List(others)) => paths.list().append(others),
        }
        self.messages.extend(other.messages);
        self.steps.extend(other.steps);
    }

    /// The plan, without empty steps, with the transfers of a step by message. All cores work on it.
    pub fn build(self) -> Plan {
        let PlanBuilder { messages, steps, paths } = self;
        let mut order = vec![0; steps.len()];
        let ends = buckets::sort(steps.iter().copied(), |t, place| order[place] = t as u32);
        let (paths, are_shared) = match paths {
            Added::Parts(parts) => (parts, true),
            Added::List(list) => {
                let parts = list.into_parts();
                let are_long = parts.are_long();
                (parts, are_long)
            }
        };
        let step = |number: usize| {
            let first = number.checked_sub(1).map_or(0, |before| ends[before]);
            let transfers = order[first as usize..ends[number] as usize].iter();
            let transfers = transfers.map(|&t| t as usize);
            let messages = transfers.clone().map(|t| messages[t]).collect();
            let of_step = match are_shared {
                true => Paths::shared(paths.in_order(transfers)),
                false => Paths::listed(transfers.map(|t| paths.path(t))),
            };
            let mut step = Step::of(messages, of_step);
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

    #[test]
    fn parts_of_a_walk_are_shared_as_long_as_all_are() {
        let [walk, other] = [0, 40].map(|first| Walk::new((first..first + 40).collect()));
        let (mut shared, mut plan) = (PlanBuilder::default(), Plan::default());
        for (step, message, place) in [(2, 7, 0..3), (0, 9, 5..9), (2, 4, 1..1)] {
            shared.push_part(step, message, &walk, place.clone());
            plan.push(step as usize, message, &walk[place]);
        }
        let mut twice = shared.clone();
        twice.append(shared.clone());
        assert!(Parts::together(twice.build().steps().map(Step::parts)).is_some());
        plan.tidy();
        let built = shared.clone().build();
        assert!(built == plan && PlanBuilder::of(&built).build() == plan);
        // With others as well, they are listed if they are short, and share a walk of their own if they are long.
        for (place, are_long) in [(0..2, false), (0..40, true)] {
            let (mut mixed, mut right) = (PlanBuilder::of(&built), built.clone());
            let mut list = PlanBuilder::default();
            for step in [0, 1] {
                mixed.push_part(step, step, &other, place.clone());
                list.push(step, 20 + step, &other[place.clone()]);
                right.push(step as usize, step, &other[place.clone()]);
                right.push(step as usize, 20 + step, &other[place.clone()]);
            }
            mixed.append(list);
            right.tidy();
            let mixed = mixed.build();
            assert_eq!(mixed, right);
            assert_eq!(Parts::together(mixed.steps().map(Step::parts)).is_some(), are_long);
        }
    }
}

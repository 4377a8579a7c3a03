//! A schedule by ids, as engines make it.

use super::{Step, TransferRef};
use crate::problem::MessageId;
use ccsched_base::cores;
use ccsched_network::{ChannelId, Parts, Walk};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::HashSet;
use std::ops::Range;

/// The transfers of every step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// By step, from 0.
    steps: Vec<Step>,
    /// What it takes, if its time is to be the least.
    time: Option<Box<PlanTime>>,
}

/// The order of the plans of a problem.
pub type PlanRank = (u64, usize, usize);

/// The time of a plan whose messages have lengths, in bytes that pass one channel meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanTime {
    /// By message, the start of its transfer; all are in one step then. None if steps follow each other.
    pub starts: Option<Vec<u64>>,
    /// The end of the last transfer; the longest messages of all steps together.
    pub bytes: u64,
    /// What is to be the least: the bytes, and the start-up times of steps in bytes.
    pub cost: u64,
}

impl Plan {
    /// A plan of `steps` empty steps.
    pub fn new(steps: u32) -> Self {
        Plan { steps: vec![Step::default(); steps as usize], time: None }
    }

    /// The same, whose time is to be the least.
    pub fn lasting(self, time: PlanTime) -> Self {
        Plan { time: Some(Box::new(time)), ..self }
    }

    /// The same as a timed schedule: by message, the start of its transfer and its bytes. Delays of channels do not
    /// count.
    pub fn timed(self, starts: Vec<u64>, lengths: &[u64]) -> Self {
        let ends = starts.iter().zip(lengths).map(|(start, bytes)| start.saturating_add(*bytes));
        let bytes = ends.max().unwrap_or(0);
        self.lasting(PlanTime { starts: Some(starts), bytes, cost: bytes })
    }

    /// What it takes, if its time is to be the least.
    pub fn time(&self) -> Option<&PlanTime> {
        self.time.as_deref()
    }

    /// What is to be the least: the time in bytes if that is asked for, or the steps.
    pub fn cost(&self) -> u64 {
        self.time().map_or(self.len() as u64, |time| time.cost)
    }

    /// Adds a transfer to a step, from 0; the plan gets as many steps as that needs.
    pub fn push(
        &mut self,
        step: usize,
        message: MessageId,
        channels: impl IntoIterator<Item = impl Borrow<ChannelId>>,
    ) {
        self.grown(step).push(message, channels);
    }

    /// The same along a part of a walk, which the paths share.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn push_part(&mut self, step: usize, message: MessageId, walk: &Walk, place: Range<usize>) {
        self.grown(step).push_part(message, walk, place);
    }

    /// A step, from 0; the plan gets as many steps as that needs.
    fn grown(&mut self, step: usize) -> &mut Step {
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, Step::default);
        }
        &mut self.steps[step]
    }

    /// Adds a step after the last.
    pub fn append(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Puts transfers in place of those of a step, from 0.
    ///
    /// # Panics
    /// There is no such step.
    pub fn put(&mut self, place: usize, step: Step) {
        self.steps[place] = step;
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps in their order.
    pub fn steps(&self) -> std::slice::Iter<'_, Step> {
        self.steps.iter()
    }

    /// The schedule of hops, each a message over one channel, for store-and-forward switching: `list` lists those
    /// of a step, and the steps up to one have about `end` hops. It has no empty steps, and transfers are sorted.
    /// All cores work on it.
    pub fn of_hops(
        steps: usize,
        end: impl Fn(usize) -> usize,
        list: impl Fn(usize, &mut Vec<(MessageId, ChannelId)>) + Sync,
    ) -> Self {
        let fill = |steps: Range<usize>| -> Vec<Step> {
            let (mut hops, mut packed) = (Vec::new(), Vec::new());
            let fill = |number| {
                hops.clear();
                list(number, &mut hops);
                // Numbers are sorted in less time than pairs of them.
                packed.clear();
                packed.extend(hops.iter().map(|&(m, c)| (u64::from(m) << 32) | u64::from(c)));
                packed.sort_unstable();
                Step::of_hops(
                    packed.iter().map(|hop| ((hop >> 32) as MessageId, *hop as ChannelId)),
                )
            };
            steps.map(fill).collect()
        };
        let mut plan = Plan::default();
        let steps = cores::each(cores::parts(steps, end), fill).into_iter().flatten();
        steps.filter(|step| !step.is_empty()).for_each(|step| plan.append(step));
        plan
    }

    /// By step, the sum of a size of the steps up to its end.
    pub fn ends(&self, size: impl Fn(&Step) -> usize) -> Vec<usize> {
        cores::ends(self.steps.iter().map(size))
    }

    /// The steps in parts for all cores, of which each has about as much of this size.
    pub fn parts(&self, size: impl Fn(&Step) -> usize) -> Vec<Range<usize>> {
        let ends = self.ends(size);
        cores::parts(ends.len(), |step| ends[step])
    }

    /// What `work` makes of consecutive parts of the steps, each with the number of its first step, from 0; in their
    /// order. All cores work, each on about as many transfers.
    pub fn each_part<R: Send>(&self, work: impl Fn(usize, &[Step]) -> R + Sync) -> Vec<R> {
        let work = |part: Range<usize>| work(part.start, &self.steps[part]);
        cores::each(self.parts(Step::len), work)
    }

    /// All transfers, step by step.
    pub fn transfers(&self) -> impl Iterator<Item = TransferRef<'_>> {
        self.steps.iter().flatten()
    }

    /// The plan whose steps are `count` consecutive steps of this one together.
    pub fn merged(&self, count: usize) -> Plan {
        let step = |steps: &[Step]| steps.iter().flatten().collect();
        Plan { steps: self.steps.chunks(count).map(step).collect(), time: None }
    }

    /// The plan whose steps are made from those of this one. All cores work on it.
    pub fn mapped(&self, make: impl Fn(&Step) -> Step + Sync) -> Plan {
        let work = |_, steps: &[Step]| steps.iter().map(&make).collect::<Vec<_>>();
        Plan { steps: self.each_part(work).into_iter().flatten().collect(), time: None }
    }

    /// The plan in which other messages take the same paths in the opposite direction, over the opposite channel of
    /// each. All cores work on it.
    pub fn turned(
        &self,
        opposite: impl Fn(ChannelId) -> ChannelId + Sync,
        message: impl Fn(MessageId) -> MessageId + Sync,
    ) -> Plan {
        let walk = Parts::together(self.steps().map(Step::parts)).map(|parts| parts.walk().clone());
        let turned = |walk: Walk| walk.iter().rev().map(|&c| opposite(c)).collect::<Vec<_>>();
        let back: Option<Walk> = walk.map(|walk| turned(walk).into());
        self.mapped(|step| step.turned(&message, (&opposite, back.as_ref())))
    }

    /// The plan with one transfer for each path of a step and each of `pieces`, where those over one path are one.
    pub fn of_joined(&self, pieces: u32) -> Plan {
        self.mapped(|step| {
            let mut seen = HashSet::new();
            step.iter().filter(|t| seen.insert((t.channels, t.message % pieces))).collect()
        })
    }

    /// Whether all transfers are as wanted. All cores look.
    pub fn all(&self, is_wanted: impl Fn(&TransferRef<'_>) -> bool + Sync) -> bool {
        let all = |_, steps: &[Step]| steps.iter().flatten().all(|t| is_wanted(&t));
        self.each_part(all).into_iter().all(|all| all)
    }

    /// The schedule in which the hops of each step go by turns, by their channel; `turn` is below `count`. It has no
    /// empty steps. All cores work on it.
    pub fn in_turns(self, count: usize, turn: impl Fn(ChannelId) -> usize + Sync) -> Plan {
        let parts = self.parts(Step::len);
        let (mut steps, turn) = (self.steps, &turn);
        let parts = cores::cut(&mut steps, parts.into_iter().map(|part| part.end));
        let work = |steps: &mut [Step]| -> Vec<Step> {
            let turns = |step: &mut Step| std::mem::take(step).in_turns(count, turn);
            steps.iter_mut().flat_map(turns).filter(|step| !step.is_empty()).collect()
        };
        let parts = cores::each(parts, work);
        Plan { steps: parts.into_iter().flatten().collect(), time: None }
    }

    /// The schedule with each step divided into `count`. `of_core` makes a function that returns
    /// the turn of every transfer of a step, in order; transfers without a turn are dropped, and so
    /// are empty steps. All cores work on it.
    pub fn divided<T: FnMut(&Step) -> Vec<Option<usize>>>(
        &self,
        count: usize,
        of_core: impl Fn() -> T + Sync,
    ) -> Plan {
        let work = |part: Range<usize>| -> Vec<Step> {
            let mut turns = of_core();
            let divided =
                self.steps[part].iter().flat_map(|step| step.divided(count, &turns(step)));
            divided.filter(|step| !step.is_empty()).collect()
        };
        let parts = cores::each(self.parts(Step::channel_steps), work);
        Plan { steps: parts.into_iter().flatten().collect(), time: None }
    }

    /// The schedule run backwards: steps and paths in opposite order. It is a schedule of the
    /// reversed network, where every message goes from its destination to its source.
    pub fn reversed(&self) -> Plan {
        self.backwards(|c| c)
    }

    /// The same over other channels: over the opposite ones it is a schedule of the same network.
    pub fn backwards(&self, channel: impl Fn(ChannelId) -> ChannelId + Sync) -> Plan {
        let mut backwards = self.turned(channel, |message| message);
        backwards.steps.reverse();
        backwards
    }

    /// Channels used, summed over the steps.
    pub fn channel_steps(&self) -> usize {
        self.steps.iter().map(Step::channel_steps).sum()
    }

    /// Channels of the longest path.
    pub fn longest_path(&self) -> usize {
        self.steps.iter().map(Step::longest_path).max().unwrap_or(0)
    }

    /// Smaller is better: a lower cost, then fewer channel-steps, then a shorter longest path. Of a time the cost
    /// alone counts.
    pub fn rank(&self) -> PlanRank {
        if self.time.is_some() {
            return (self.cost(), 0, 0);
        }
        (self.cost(), self.channel_steps(), self.longest_path())
    }

    /// Drops empty steps and sorts the transfers.
    pub fn tidy(&mut self) {
        self.steps.retain(|step| !step.is_empty());
        let parts = self.parts(Step::len);
        let parts = cores::cut(&mut self.steps, parts.into_iter().map(|part| part.end));
        cores::each(parts, |steps| steps.iter_mut().for_each(Step::sort));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(transfers: &[(usize, MessageId, &[ChannelId])]) -> Plan {
        let mut plan = Plan::default();
        transfers.iter().for_each(|&(step, message, channels)| plan.push(step, message, channels));
        plan
    }

    #[test]
    fn a_plan_grows_to_the_step_of_a_transfer() {
        let mut late = plan(&[(2, 1, &[4, 5]), (0, 0, &[6])]);
        assert_eq!((late.len(), late.rank(), late.steps().len()), (3, (3, 3, 2), 3));
        late.append(Step::default());
        late.tidy();
        assert_eq!(late, plan(&[(0, 0, &[6]), (1, 1, &[4, 5])]));
        assert!(Plan::default().is_empty() && !Plan::new(1).is_empty());
    }

    #[test]
    fn steps_are_merged_sorted_and_turned() {
        let of_five = [(0, 9, &[1, 2][..]), (1, 3, &[7]), (2, 3, &[]), (3, 1, &[8]), (4, 0, &[0])];
        let mut merged = plan(&of_five).merged(2);
        merged.tidy();
        let right = [(0, 3, &[7][..]), (0, 9, &[1, 2]), (1, 1, &[8]), (1, 3, &[]), (2, 0, &[0])];
        assert_eq!(merged, plan(&right));
        let hops = plan(&[(0, 2, &[0][..]), (0, 3, &[3]), (0, 4, &[2]), (1, 2, &[2])]);
        let turned = plan(&[(0, 2, &[0][..]), (0, 4, &[2]), (1, 3, &[3]), (2, 2, &[2])]);
        assert_eq!(hops.in_turns(2, |c| c as usize % 2), turned);
        let ends = |step: &Step| step.iter().map(|t| t.channels.len().checked_sub(1)).collect();
        let right = [(0, 3, &[7][..]), (1, 9, &[1, 2]), (2, 1, &[8]), (3, 0, &[0])];
        assert_eq!(merged.divided(2, || ends), plan(&right));
        let back = merged.reversed();
        assert_eq!(back.steps().map(Step::len).collect::<Vec<_>>(), [1, 2, 2]);
        assert_eq!(back.transfers().last().unwrap().channels, [2, 1]);
    }
}

//! The transfers of one step in flat arrays: a schedule may have millions of transfers, and a vector
//! for each would cost more than its content.

use super::paths::Paths;
use crate::problem::MessageId;
use ccsched_network::{ChannelId, Parts, Walk};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;

/// One message moves along channels within one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransferRef<'p> {
    /// What is carried.
    pub message: MessageId,
    /// The path.
    pub channels: &'p [ChannelId],
}

/// The transfers of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Arrays")]
pub struct Step {
    /// By transfer, what is carried.
    messages: Vec<MessageId>,
    paths: Paths<u32>,
}

/// A step as another process or a checkpoint gives it.
#[derive(Deserialize)]
struct Arrays {
    messages: Vec<MessageId>,
    paths: Paths<u32>,
}

impl TryFrom<Arrays> for Step {
    type Error = &'static str;

    fn try_from(arrays: Arrays) -> Result<Self, Self::Error> {
        let Arrays { messages, paths } = arrays;
        let paths = paths.fitting(messages.len());
        let paths = paths.ok_or("the paths of a step do not end where its channels end")?;
        Ok(Step { messages, paths })
    }
}

impl Step {
    /// Messages along a path each.
    pub(super) fn of(messages: Vec<MessageId>, paths: Paths<u32>) -> Self {
        Step { messages, paths }
    }

    /// Messages over one channel each.
    pub(super) fn of_hops(hops: impl Iterator<Item = (MessageId, ChannelId)> + Clone) -> Self {
        let messages = hops.clone().map(|(message, _)| message).collect();
        Step { messages, paths: Paths::whole(Vec::new(), hops.map(|(_, c)| c).collect()) }
    }

    /// Adds a transfer.
    pub fn push(
        &mut self,
        message: MessageId,
        channels: impl IntoIterator<Item = impl Borrow<ChannelId>>,
    ) {
        self.paths.open().extend(channels.into_iter().map(|c| *c.borrow()));
        self.paths.end(self.messages.len());
        self.messages.push(message);
    }

    /// Adds a transfer along a part of a walk, which takes no memory for its channels if all transfers of the step
    /// go along parts of this walk.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn push_part(&mut self, message: MessageId, walk: &Walk, place: Range<usize>) {
        self.paths.push_part(self.messages.len(), walk, place);
        self.messages.push(message);
    }

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is no transfer.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The transfer at a place, from 0.
    ///
    /// # Panics
    /// There is none at this place.
    pub fn transfer(&self, place: usize) -> TransferRef<'_> {
        TransferRef { message: self.messages[place], channels: self.paths.path(place) }
    }

    /// The paths in use, each with all that is carried over it of one of `pieces`: where messages join, one
    /// transfer.
    pub fn joined(&self, pieces: u32) -> Vec<(&[ChannelId], Vec<MessageId>)> {
        let mut places: HashMap<(&[ChannelId], u32), usize> = HashMap::new();
        let mut joined: Vec<(&[ChannelId], Vec<MessageId>)> = Vec::new();
        for t in self {
            let of = (t.channels, t.message % pieces);
            let place = *places.entry(of).or_insert(joined.len());
            match joined.get_mut(place) {
                Some((_, messages)) => messages.push(t.message),
                None => joined.push((t.channels, vec![t.message])),
            }
        }
        joined
    }

    /// By transfer, what is carried.
    pub(super) fn messages(&self) -> &[MessageId] {
        &self.messages
    }

    /// The transfers in their order.
    pub fn iter(&self) -> Transfers<'_> {
        self.into_iter()
    }

    /// The paths as parts of a walk, if they are.
    pub(super) fn parts(&self) -> Option<&Parts> {
        self.paths.parts()
    }

    /// The hops of this step, divided into `count` steps by the turns of their channels.
    pub(super) fn in_turns(&self, count: usize, turn: impl Fn(ChannelId) -> usize) -> Vec<Step> {
        let channels = || self.iter().map(|t| t.channels[0]);
        let mut sizes = vec![0; count];
        channels().for_each(|c| sizes[turn(c)] += 1);
        let mut hops: Vec<(Vec<MessageId>, Vec<ChannelId>)> =
            sizes.iter().map(|&n| (Vec::with_capacity(n), Vec::with_capacity(n))).collect();
        for (&message, c) in self.messages.iter().zip(channels()) {
            let (messages, channels) = &mut hops[turn(c)];
            messages.push(message);
            channels.push(c);
        }
        let step =
            |(messages, channels)| Step { messages, paths: Paths::whole(Vec::new(), channels) };
        hops.into_iter().map(step).collect()
    }

    /// The transfers divided by their turns, below `count`; those without one are left out.
    pub(super) fn divided(&self, count: usize, turns: &[Option<usize>]) -> Vec<Step> {
        let of_turn = |turn| {
            let places = (0..self.len()).filter(|&place| turns[place] == Some(turn));
            let places: Vec<usize> = places.collect();
            let messages = places.iter().map(|&place| self.messages[place]).collect();
            Step { messages, paths: self.paths.in_order(places.iter().copied()) }
        };
        (0..count).map(of_turn).collect()
    }

    /// Channels used by all transfers together.
    pub fn channel_steps(&self) -> usize {
        self.paths.channels()
    }

    /// Channels of the longest path.
    pub fn longest_path(&self) -> usize {
        if self.has_single_hops() {
            return usize::from(!self.is_empty());
        }
        self.iter().map(|t| t.channels.len()).max().unwrap_or(0)
    }

    /// Whether the path of every transfer has one channel.
    pub(super) fn has_single_hops(&self) -> bool {
        self.paths.are_single()
    }

    /// Sorts the transfers by message, then path, and gives back unused memory.
    pub(super) fn sort(&mut self) {
        if self.iter().is_sorted() {
            self.messages.shrink_to_fit();
            self.paths.shrink();
            return;
        }
        // By message alone at first: few messages of a step are equal.
        let mut order: Vec<(MessageId, usize)> = self.messages.iter().copied().zip(0..).collect();
        order.sort_unstable();
        for same in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            same.sort_unstable_by_key(|&(_, place)| self.transfer(place).channels);
        }
        self.paths = self.paths.in_order(order.iter().map(|&(_, place)| place));
        self.messages = order.into_iter().map(|(message, _)| message).collect();
    }

    /// Other messages along the same paths in the opposite direction, as [`Paths::turned`] has them.
    pub(super) fn turned(
        &self,
        message: impl Fn(MessageId) -> MessageId,
        (opposite, back): (impl Fn(ChannelId) -> ChannelId, Option<&Walk>),
    ) -> Step {
        let messages = self.messages.iter().map(|&m| message(m)).collect();
        Step { messages, paths: self.paths.turned(opposite, back) }
    }
}

impl<'p> Extend<TransferRef<'p>> for Step {
    fn extend<I: IntoIterator<Item = TransferRef<'p>>>(&mut self, transfers: I) {
        transfers.into_iter().for_each(|t| self.push(t.message, t.channels));
    }
}

impl<'p> FromIterator<TransferRef<'p>> for Step {
    fn from_iter<I: IntoIterator<Item = TransferRef<'p>>>(transfers: I) -> Self {
        let mut step = Step::default();
        step.extend(transfers);
        step
    }
}

/// Iterates over the transfers of a step.
#[derive(Clone, Debug)]
pub struct Transfers<'p> {
    step: &'p Step,
    left: Range<usize>,
}

impl<'p> Iterator for Transfers<'p> {
    type Item = TransferRef<'p>;

    fn next(&mut self) -> Option<TransferRef<'p>> {
        self.left.next().map(|place| self.step.transfer(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl ExactSizeIterator for Transfers<'_> {}

impl<'p> IntoIterator for &'p Step {
    type Item = TransferRef<'p>;
    type IntoIter = Transfers<'p>;

    fn into_iter(self) -> Transfers<'p> {
        Transfers { step: self, left: 0..self.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(transfers: &[(MessageId, &[ChannelId])]) -> Step {
        transfers.iter().map(|&(message, channels)| TransferRef { message, channels }).collect()
    }

    #[test]
    fn paths_keep_their_ends_when_transfers_are_sorted() {
        let mut mixed = step(&[(2, &[7, 8]), (0, &[]), (2, &[7]), (1, &[9, 3, 4])]);
        mixed.sort();
        assert_eq!(mixed, step(&[(0, &[]), (1, &[9, 3, 4]), (2, &[7]), (2, &[7, 8])]));
        assert_eq!(mixed.turned(|m| m, (|c| c, None)).transfer(1).channels, [4, 3, 9]);
        assert_eq!((mixed.len(), mixed.iter().len(), mixed.channel_steps()), (4, 4, 6));
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let whole = step(&[(2, &[7, 8]), (0, &[5])]);
        let read = |ends: &[u32]| {
            let arrays =
                json!({"messages": [2, 0], "paths": {"ends": ends, "channels": [7, 8, 5]}});
            serde_json::from_value::<Step>(arrays)
        };
        assert_eq!(read(&[2, 3]).unwrap(), whole);
        assert_eq!(serde_json::to_value(&whole).unwrap()["paths"]["ends"], json!([2, 3]));
        for wrong in [&[2, 4][..], &[3, 2], &[3], &[2, 2], &[2, 3, 3], &[]] {
            let why = read(wrong).unwrap_err().to_string();
            assert!(why.contains("do not end where"), "{wrong:?}: {why}");
        }
    }
}

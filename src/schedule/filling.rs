//! Steps of millions of transfers, filled by all cores, each some steps.

use super::names::{NameId, Names};
use super::paths::Paths;
use super::stops::{Ends, Stops};
use super::transfers::{NOBODY, Steps};
use crate::cores;
use std::ops::Range;

/// Where the transfers of some steps go, one after the other.
pub(super) struct Part<'s> {
    messages: std::slice::IterMut<'s, Ends>,
    /// By transfer, the end of its path; empty if every path has one channel.
    path_ends: std::slice::IterMut<'s, usize>,
    channels: &'s mut [u32],
    /// The channels of all parts before and of the transfers that were put.
    before: usize,
}

impl Part<'_> {
    /// Adds a transfer, for which its part has place: source and destination of its message, and its path.
    pub fn put(&mut self, (source, destination): (NameId, Option<NameId>), path: &[u32]) {
        let (here, rest) = std::mem::take(&mut self.channels).split_at_mut(path.len());
        here.copy_from_slice(path);
        self.channels = rest;
        self.before += path.len();
        if let Some(end) = self.path_ends.next() {
            *end = self.before;
        }
        if let Some(message) = self.messages.next() {
            *message = [source, destination.unwrap_or(NOBODY)];
        }
    }
}

/// What the steps are to have, by number of transfers and channels.
pub(super) struct Sizes {
    /// By step, the transfers up to its end.
    pub transfers: Vec<usize>,
    /// By step, the channels on their paths.
    pub channels: Vec<usize>,
    /// Every path has one channel.
    pub are_single: bool,
}

/// The steps that `fill` makes: it is called with ranges of steps, at the same time, to put all of their
/// transfers.
pub(super) fn filled(
    (names, stops): (Names, Stops),
    sizes: Sizes,
    fill: impl Fn(Range<usize>, Part<'_>) + Sync,
) -> Steps {
    let Sizes { transfers: ends, channels: channel_ends, are_single } = sizes;
    let last = |ends: &[usize]| ends.last().copied().unwrap_or(0);
    // Memory that is zero at first is given page by page, to the core that comes to it.
    let mut messages: Vec<Ends> = vec![[0; 2]; last(&ends)];
    let mut path_ends = vec![0; if are_single { 0 } else { messages.len() }];
    let mut channels = vec![0; last(&channel_ends)];
    let ranges = cores::parts(ends.len(), |step| channel_ends[step]);
    let at = |ends: &[usize], step: usize| step.checked_sub(1).map_or(0, |before| ends[before]);
    let cuts = |ends: &[usize]| ranges.iter().map(|steps| at(ends, steps.end)).collect::<Vec<_>>();
    let of_transfers = cuts(&ends);
    let of_ends = if are_single { vec![0; ranges.len()] } else { of_transfers.clone() };
    let parts = ranges
        .iter()
        .zip(cores::cut(&mut messages, of_transfers))
        .zip(cores::cut(&mut path_ends, of_ends))
        .zip(cores::cut(&mut channels, cuts(&channel_ends)))
        .map(|(((steps, messages), path_ends), channels)| {
            let before = at(&channel_ends, steps.start);
            let (messages, path_ends) = (messages.iter_mut(), path_ends.iter_mut());
            (steps.clone(), Part { messages, path_ends, channels, before })
        })
        .collect();
    cores::each(parts, |(steps, part)| fill(steps, part));
    let paths = Paths::whole(path_ends, channels);
    Steps { names, ends, messages, stops, paths, ..Steps::default() }
}

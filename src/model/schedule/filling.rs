//! Steps of millions of transfers, filled by all cores, each some steps.

use super::names::{NameId, Names};
use super::paths::Paths;
use super::stops::{Ends, Stops};
use super::transfers::{NOBODY, Steps};
use ccsched_base::cores;
use ccsched_network::Parts;
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
    /// Adds a transfer, for which its part has place: source and destination of its message, and its path, which is
    /// left out where all are known.
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
    pub paths: Room,
}

/// The room for the paths.
pub(super) enum Room {
    /// Every path has one channel.
    Single,
    /// By step, the channels on the paths up to its end.
    Channels(Vec<usize>),
    /// None is needed: all paths are known.
    Known(Parts),
}

/// The steps that `fill` makes: it is called with ranges of steps, at the same time, to put all of their
/// transfers.
pub(super) fn filled(
    (names, stops): (Names, Stops),
    sizes: Sizes,
    fill: impl Fn(Range<usize>, Part<'_>) + Sync,
) -> Steps {
    let Sizes { transfers: ends, paths } = sizes;
    let none = vec![0; ends.len()];
    let (ends_of_paths, ends_of_channels) = match &paths {
        Room::Single => (&none, &ends),
        Room::Channels(channels) => (&ends, channels),
        Room::Known(_) => (&none, &none),
    };
    let last = |ends: &[usize]| ends.last().copied().unwrap_or(0);
    // Memory that is zero at first is given page by page, to the core that comes to it.
    let mut messages: Vec<Ends> = vec![[0; 2]; last(&ends)];
    let mut path_ends = vec![0; last(ends_of_paths)];
    let mut channels = vec![0; last(ends_of_channels)];
    let ranges = cores::parts(ends.len(), |step| ends[step].max(ends_of_channels[step]));
    let at = |ends: &[usize], step: usize| step.checked_sub(1).map_or(0, |before| ends[before]);
    let cuts = |ends: &[usize]| ranges.iter().map(|steps| at(ends, steps.end)).collect::<Vec<_>>();
    let parts = ranges
        .iter()
        .zip(cores::cut(&mut messages, cuts(&ends)))
        .zip(cores::cut(&mut path_ends, cuts(ends_of_paths)))
        .zip(cores::cut(&mut channels, cuts(ends_of_channels)))
        .map(|(((steps, messages), path_ends), channels)| {
            let before = at(ends_of_channels, steps.start);
            let (messages, path_ends) = (messages.iter_mut(), path_ends.iter_mut());
            (steps.clone(), Part { messages, path_ends, channels, before })
        })
        .collect();
    cores::each(parts, |(steps, part)| fill(steps, part));
    let paths = match paths {
        Room::Known(parts) => Paths::shared(parts),
        _ => Paths::whole(path_ends, channels),
    };
    Steps { names, ends, messages, stops, paths, ..Steps::default() }
}

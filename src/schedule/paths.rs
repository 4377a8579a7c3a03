//! Paths in one array, one after the other. With store-and-forward switching each has one channel, and then
//! no ends are kept.

use crate::network::ChannelId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where a path ends in the array of all channels.
pub(super) trait End: Copy {
    /// This place.
    ///
    /// # Panics
    /// It does not fit.
    fn of(place: usize) -> Self;

    /// The place.
    fn place(self) -> usize;
}

impl End for u32 {
    fn of(place: usize) -> Self {
        u32::try_from(place).expect("a step uses fewer than 2^32 channels")
    }

    fn place(self) -> usize {
        self as usize
    }
}

impl End for usize {
    fn of(place: usize) -> Self {
        place
    }

    fn place(self) -> usize {
        self
    }
}

/// The paths by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Paths<E> {
    /// By path, its end; the path before it ends where it starts. Empty if every path has one channel.
    ends: Vec<E>,
    channels: Vec<ChannelId>,
}

impl<E: End> Paths<E> {
    /// No paths, with room for some.
    pub fn sized(paths: usize, channels: usize) -> Self {
        let ends = Vec::with_capacity(if paths == channels { 0 } else { paths });
        Paths { ends, channels: Vec::with_capacity(channels) }
    }

    /// The paths of these arrays: the ends of all paths, none if every path has one channel.
    pub fn whole(ends: Vec<E>, channels: Vec<ChannelId>) -> Self {
        Paths { ends, channels }
    }

    /// These paths, which another process may have sent, if they are so many.
    pub fn fitting(mut self, paths: usize) -> Option<Self> {
        let Paths { ends, channels } = &mut self;
        let fits = if ends.is_empty() {
            channels.len() == paths
        } else {
            ends.len() == paths
                && ends.is_sorted_by_key(|end| end.place())
                && ends.last().is_some_and(|end| end.place() == channels.len())
        };
        if (1..).zip(&*ends).all(|(number, end)| end.place() == number) {
            ends.clear();
        }
        fits.then_some(self)
    }

    /// All paths have one channel.
    pub fn are_single(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where the channels of a path stand.
    fn places(&self, path: usize) -> Range<usize> {
        if self.ends.is_empty() {
            return path..path + 1;
        }
        path.checked_sub(1).map_or(0, |before| self.ends[before].place())..self.ends[path].place()
    }

    /// The channels of a path.
    ///
    /// # Panics
    /// There is no path of this number.
    pub fn path(&self, path: usize) -> &[ChannelId] {
        &self.channels[self.places(path)]
    }

    /// The channels of all paths.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// Where channels of the path after the last are added, until it is ended.
    pub fn open(&mut self) -> &mut Vec<ChannelId> {
        &mut self.channels
    }

    /// Ends the path after the last; `before` is the number of paths before it.
    pub fn end(&mut self, before: usize) {
        let end = self.channels.len();
        if self.ends.is_empty() {
            if end == before + 1 {
                return;
            }
            self.ends.extend((1..=before).map(E::of));
        }
        self.ends.push(E::of(end));
    }

    /// Gives back unused memory.
    pub fn shrink(&mut self) {
        self.ends.shrink_to_fit();
        self.channels.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_kept_where_paths_differ_in_length() {
        let mut paths = Paths::<u32>::default();
        let all: [&[ChannelId]; 5] = [&[4], &[5], &[], &[6, 7], &[8]];
        for (number, path) in all.iter().enumerate() {
            paths.open().extend_from_slice(path);
            paths.end(number);
            assert_eq!(paths.are_single(), number < 2);
            for (number, path) in all[..=number].iter().enumerate() {
                assert_eq!(paths.path(number), *path);
            }
        }
        let sent = |ends: &[u32], channels: &[ChannelId], paths| {
            Paths { ends: ends.to_vec(), channels: channels.to_vec() }.fitting(paths)
        };
        assert_eq!(sent(&[1, 2, 2, 4, 5], &[4, 5, 6, 7, 8], 5).unwrap(), paths);
        assert_eq!(sent(&[1, 2], &[4, 5], 2), sent(&[], &[4, 5], 2));
        assert!(sent(&[], &[4, 5], 2).unwrap().are_single());
        assert!(sent(&[], &[4, 5], 1).is_none());
    }
}

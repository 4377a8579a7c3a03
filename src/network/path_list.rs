//! Paths that are added one by one, of which [`Parts`](super::Parts) of one walk are made.

use super::ChannelId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Bits of the length of a path, beside those of the place of its first channel.
pub(super) const LENGTH: u32 = 24;

/// Where a path stands on its walk: the place of its first channel, then its length.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Place(u64);

impl Place {
    /// # Panics
    /// The walk or the path is longer than memory holds.
    pub fn of(place: &Range<usize>) -> Self {
        let [start, length] = [place.start, place.len()].map(|number| number as u64);
        assert!(
            length >> LENGTH == 0 && start >> (u64::BITS - LENGTH) == 0,
            "the walk is too long"
        );
        Place(start << LENGTH | length)
    }

    pub fn range(self) -> Range<usize> {
        let start = (self.0 >> LENGTH) as usize;
        start..start + self.len()
    }

    pub fn len(self) -> usize {
        (self.0 & ((1 << LENGTH) - 1)) as usize
    }
}

/// [`Parts`](super::Parts) of a walk that is being made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PathList {
    pub(super) walk: Vec<ChannelId>,
    pub(super) places: Vec<Place>,
}

impl PathList {
    /// Adds a path beside all others.
    pub fn push(&mut self, path: &[ChannelId]) {
        let place = self.lay(path.iter().copied());
        self.push_part(place);
    }

    /// Makes the walk longer. Returns where these channels stand.
    pub fn lay(&mut self, channels: impl Iterator<Item = ChannelId>) -> Range<usize> {
        let start = self.walk.len();
        self.walk.extend(channels);
        start..self.walk.len()
    }

    /// Adds a part of the walk as a path.
    pub fn push_part(&mut self, place: Range<usize>) {
        debug_assert!(place.end <= self.walk.len());
        self.places.push(Place::of(&place));
    }

    /// Adds the paths of another list.
    pub fn append(&mut self, other: PathList) {
        if self.places.is_empty() {
            *self = other;
            return;
        }
        let before = self.walk.len();
        let moved = |place: &Place| {
            let place = place.range();
            Place::of(&(before + place.start..before + place.end))
        };
        self.places.extend(other.places.iter().map(moved));
        self.walk.extend_from_slice(&other.walk);
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The channels of a path.
    ///
    /// # Panics
    /// There is no path of this number.
    pub fn path(&self, path: usize) -> &[ChannelId] {
        &self.walk[self.places[path].range()]
    }

    /// The channels of a path that shares them with no other.
    ///
    /// # Panics
    /// There is no path of this number.
    pub fn path_mut(&mut self, path: usize) -> &mut [ChannelId] {
        &mut self.walk[self.places[path].range()]
    }

    /// All paths.
    pub fn iter(&self) -> impl Iterator<Item = &[ChannelId]> {
        (0..self.len()).map(|path| self.path(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parts;

    #[test]
    fn parts_of_a_list_are_its_paths() {
        let mut list = PathList::default();
        let whole = list.lay([4, 5, 6, 7].into_iter());
        list.push_part(whole.start + 1..whole.end);
        list.push(&[8]);
        let mut other = PathList::default();
        other.append(list.clone());
        other.push(&[]);
        other.append(list);
        let right: [&[ChannelId]; 5] = [&[5, 6, 7], &[8], &[], &[5, 6, 7], &[8]];
        assert!(other.iter().eq(right));
        other.path_mut(1)[0] = 9;
        let parts = other.into_parts();
        assert_eq!(
            (parts.len(), parts.channels(), parts.path(1), parts.path(4)),
            (5, 8, &[9][..], &[8][..])
        );
        let sent = serde_json::to_value(&parts).unwrap();
        assert_eq!(serde_json::from_value::<Parts>(sent).unwrap(), parts);
    }
}

//! Paths in one array, one after the other, or as parts of a walk that they share. With store-and-forward switching
//! each has one channel, and then no ends are kept.

use ccsched_network::{ChannelId, Parts, Walk};
use serde::{Deserialize, Serialize, Serializer};
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

/// The paths by number. Other processes get them in one array.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Paths<E> {
    /// By path, its end; the path before it ends where it starts. Empty if every path has one channel.
    ends: Vec<E>,
    channels: Vec<ChannelId>,
    /// In place of the arrays: all paths, if they are parts of a walk.
    #[serde(skip)]
    parts: Option<Parts>,
}

/// The arrays of paths.
#[derive(Serialize)]
struct Arrays<'p, E> {
    ends: &'p [E],
    channels: &'p [ChannelId],
}

impl<E: End + Serialize> Serialize for Paths<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.parts.is_some() {
            let listed = Paths::<E>::listed((0..self.len()).map(|number| self.path(number)));
            return listed.serialize(serializer);
        }
        Arrays { ends: &self.ends, channels: &self.channels }.serialize(serializer)
    }
}

impl<E: End> PartialEq for Paths<E> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|path| self.path(path) == other.path(path))
    }
}

impl<E: End> Eq for Paths<E> {}

impl<E: End> Paths<E> {
    /// No paths, with room for some.
    pub fn sized(paths: usize, channels: usize) -> Self {
        let ends = Vec::with_capacity(if paths == channels { 0 } else { paths });
        Paths { ends, channels: Vec::with_capacity(channels), parts: None }
    }

    /// The paths of these arrays: the ends of all paths, none if every path has one channel.
    pub fn whole(ends: Vec<E>, channels: Vec<ChannelId>) -> Self {
        Paths { ends, channels, parts: None }
    }

    /// These parts of a walk.
    pub fn shared(parts: Parts) -> Self {
        Paths { ends: Vec::new(), channels: Vec::new(), parts: Some(parts) }
    }

    /// The paths as parts of a walk, if they are.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }

    /// The paths of several numbers, in their order.
    pub fn in_order<F: End>(
        &self,
        numbers: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Paths<F> {
        if let Some(parts) = &self.parts {
            return Paths::shared(parts.in_order(numbers));
        }
        Paths::listed(numbers.map(|number| self.path(number)))
    }

    /// Copies of paths in one array.
    pub fn listed<'p>(paths: impl ExactSizeIterator<Item = &'p [ChannelId]> + Clone) -> Self {
        let mut listed = Paths::sized(paths.len(), paths.clone().map(<[_]>::len).sum());
        listed.add(paths);
        listed
    }

    /// The paths in the opposite direction: of each channel the opposite one, or parts of the opposite walk if they are
    /// parts of one.
    pub fn turned(&self, opposite: impl Fn(ChannelId) -> ChannelId, back: Option<&Walk>) -> Self {
        if let (Some(parts), Some(back)) = (&self.parts, back) {
            return Paths::shared(parts.turned(back));
        }
        let mut turned = Paths::sized(self.len(), self.channels());
        for before in 0..self.len() {
            let path = self.path(before).iter().rev();
            turned.open().extend(path.map(|&c| opposite(c)));
            turned.end(before);
        }
        turned
    }

    /// These paths, from another process, if they have this number.
    pub fn fitting(mut self, paths: usize) -> Option<Self> {
        let Paths { ends, channels, .. } = &mut self;
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

    /// All paths have one channel each, and an array of their own.
    pub fn are_single(&self) -> bool {
        self.ends.is_empty() && self.parts.is_none()
    }

    /// The same, and all channels are below a number.
    pub fn are_single_below(&self, channels: usize) -> bool {
        self.are_single() && self.channels.iter().all(|&c| (c as usize) < channels)
    }

    /// Number of paths.
    fn len(&self) -> usize {
        match &self.parts {
            Some(parts) => parts.len(),
            None if self.ends.is_empty() => self.channels.len(),
            None => self.ends.len(),
        }
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
        match &self.parts {
            Some(parts) => parts.path(path),
            None => &self.channels[self.places(path)],
        }
    }

    /// Channels of all paths together.
    pub fn channels(&self) -> usize {
        self.parts.as_ref().map_or(self.channels.len(), Parts::channels)
    }

    /// Where channels of the path after the last are added, until it is ended.
    pub fn open(&mut self) -> &mut Vec<ChannelId> {
        if let Some(parts) = self.parts.take() {
            self.add((0..parts.len()).map(|number| parts.path(number)));
        }
        &mut self.channels
    }

    /// Adds the first paths.
    fn add<'p>(&mut self, paths: impl Iterator<Item = &'p [ChannelId]>) {
        for (before, path) in paths.enumerate() {
            self.channels.extend_from_slice(path);
            self.end(before);
        }
    }

    /// Adds a part of a walk as the path after the last; `before` is the number of paths before it.
    pub fn push_part(&mut self, before: usize, walk: &Walk, place: Range<usize>) {
        if before == 0 {
            self.parts = Some(Parts::of(walk));
        }
        match &mut self.parts {
            Some(parts) if parts.are_of(walk) => parts.push(place),
            _ => {
                self.open().extend_from_slice(&walk[place]);
                self.end(before);
            }
        }
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
        self.parts.iter_mut().for_each(Parts::shrink);
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
            assert_eq!(paths.are_single_below(5), number < 1);
            for (number, path) in all[..=number].iter().enumerate() {
                assert_eq!(paths.path(number), *path);
            }
        }
        let sent = |ends: &[u32], channels: &[ChannelId], paths| {
            Paths::whole(ends.to_vec(), channels.to_vec()).fitting(paths)
        };
        assert_eq!(sent(&[1, 2, 2, 4, 5], &[4, 5, 6, 7, 8], 5).unwrap(), paths);
        assert_eq!(sent(&[1, 2], &[4, 5], 2), sent(&[], &[4, 5], 2));
        assert!(sent(&[], &[4, 5], 2).unwrap().are_single());
        assert!(sent(&[], &[4, 5], 1).is_none());
    }

    #[test]
    fn parts_of_a_walk_are_paths_like_others() {
        let walk: Walk = vec![4, 5, 6, 7].into();
        let (mut shared, mut listed) = (Paths::<u32>::default(), Paths::<u32>::default());
        for (number, place) in [1..3, 3..4, 0..4].into_iter().enumerate() {
            shared.push_part(number, &walk, place.clone());
            listed.open().extend_from_slice(&walk[place]);
            listed.end(number);
            assert_eq!(shared, listed);
        }
        assert!(shared.parts().is_some_and(|parts| parts.len() == 3) && !shared.are_single());
        assert_eq!((shared.channels(), listed.channels()), (7, 7));
        let ordered: Paths<u32> = shared.in_order([2, 0].into_iter());
        assert_eq!((ordered.path(0), ordered.path(1)), (&[4, 5, 6, 7][..], &[5, 6][..]));
        assert_eq!(ordered, listed.in_order([2, 0].into_iter()));
        let sent = [&shared, &listed].map(|paths| serde_json::to_value(paths).unwrap());
        assert_eq!(sent[0], sent[1]);
        // A path of another walk takes all of them into an array.
        let other: Walk = vec![8, 9].into();
        shared.push_part(3, &other, 0..2);
        listed.open().extend([8, 9]);
        listed.end(3);
        assert!(shared == listed && shared.parts().is_none());
    }
}

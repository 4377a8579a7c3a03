//! Paths that are parts of one walk, which tables of routes, plans and files share. On a line or a ring a path has as many
//! channels as a third of the vertices, and all paths in one direction follow each other's; routes to one destination
//! that meet go on together.

use super::path_list::Place;
use super::{ChannelId, PathList};
use serde::{Deserialize, Serialize, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// The channels of a walk, one after the other. It may consist of several pieces, each for paths of its own.
pub type Walk = Arc<Vec<ChannelId>>;

/// Channels of a long path: as many as the processor reads at once.
const LONG: usize = 16;

/// The paths by number.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "PathList")]
pub struct Parts {
    pub(super) walk: Walk,
    /// By path.
    pub(super) places: Vec<Place>,
}

impl PathList {
    /// The paths, whose walk is made.
    pub fn into_parts(mut self) -> Parts {
        self.walk.shrink_to_fit();
        Parts { walk: self.walk.into(), places: self.places }
    }
}

impl Parts {
    /// No paths.
    pub fn of(walk: &Walk) -> Self {
        Parts { walk: walk.clone(), places: Vec::new() }
    }

    /// Whether the paths are parts of this walk.
    pub fn are_of(&self, walk: &Walk) -> bool {
        Arc::ptr_eq(&self.walk, walk)
    }

    /// Their walk.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// Whether the paths are so long that copies in another order take more time than reading them in it.
    pub fn are_long(&self) -> bool {
        self.channels() >= LONG * self.len().max(1)
    }

    /// Adds a path.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn push(&mut self, place: Range<usize>) {
        assert!(place.start <= place.end && place.end <= self.walk.len(), "no part of the walk");
        self.places.push(Place::of(&place));
    }

    /// The paths of several numbers, in their order.
    pub fn in_order(&self, numbers: impl Iterator<Item = usize>) -> Self {
        let places = numbers.map(|number| self.places[number]).collect();
        Parts { walk: self.walk.clone(), places }
    }

    /// The paths in the opposite direction, on the walk in the opposite direction.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn turned(&self, back: &Walk) -> Self {
        assert_eq!(back.len(), self.walk.len(), "not the same walk");
        let place = |place: &Place| {
            let place = place.range();
            Place::of(&(back.len() - place.end..back.len() - place.start))
        };
        Parts { places: self.places.iter().map(place).collect(), walk: back.clone() }
    }

    /// Adds other parts of the same walk.
    ///
    /// # Panics
    /// It is another walk.
    pub fn append(&mut self, other: &Parts) {
        assert!(other.are_of(&self.walk), "parts of another walk");
        self.places.extend_from_slice(&other.places);
    }

    /// The paths of several together, one after the other; none if they are not parts of one walk.
    pub fn together<'p>(all: impl Iterator<Item = Option<&'p Parts>> + Clone) -> Option<Self> {
        let mut together = Parts::of(&all.clone().next()??.walk);
        for parts in all {
            together.append(parts.filter(|parts| parts.are_of(&together.walk))?);
        }
        Some(together)
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where a path stands on the walk.
    ///
    /// # Panics
    /// There is no path of this number.
    pub fn place(&self, path: usize) -> Range<usize> {
        self.places[path].range()
    }

    /// The channels of a path.
    ///
    /// # Panics
    /// There is no path of this number.
    #[inline]
    pub fn path(&self, path: usize) -> &[ChannelId] {
        &self.walk[self.place(path)]
    }

    /// All paths.
    pub fn iter(&self) -> impl Iterator<Item = &[ChannelId]> {
        (0..self.len()).map(|path| self.path(path))
    }

    /// Channels of all paths together.
    pub fn channels(&self) -> usize {
        self.places.iter().map(|place| place.len()).sum()
    }

    /// The same paths, to which others are to be added.
    pub fn into_list(self) -> PathList {
        PathList { walk: Arc::unwrap_or_clone(self.walk), places: self.places }
    }

    /// Gives back unused memory.
    pub fn shrink(&mut self) {
        self.places.shrink_to_fit();
    }
}

impl Default for Parts {
    fn default() -> Self {
        PathList::default().into_parts()
    }
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        Lent { walk: &self.walk, places: &self.places }.serialize(out)
    }
}

/// [`PathList`] as [`Parts`] lend it.
#[derive(Serialize)]
struct Lent<'p> {
    walk: &'p [ChannelId],
    places: &'p [Place],
}

impl TryFrom<PathList> for Parts {
    type Error = &'static str;

    /// The paths of a list that another process may have sent.
    fn try_from(list: PathList) -> Result<Self, Self::Error> {
        let fits = |place: &Place| place.range().end <= list.walk.len();
        if list.places.iter().all(fits) {
            Ok(list.into_parts())
        } else {
            Err("a path ends past its walk")
        }
    }
}

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Parts {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path_list::LENGTH;

    #[test]
    fn parts_past_the_end_of_a_walk_are_refused() {
        let sent = |length: u64| serde_json::json!({ "walk": [1, 2], "places": [1u64 << LENGTH | length] });
        let read = |length| serde_json::from_value::<Parts>(sent(length));
        assert_eq!(read(1).unwrap().path(0), [2]);
        assert!(read(2).is_err());
    }
}

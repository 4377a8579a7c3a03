//! Paths that are parts of one walk, which a plan and its file share. On a line or a ring a path has as many channels as a
//! third of the vertices, and all paths in one direction follow each other's.

use crate::network::ChannelId;
use std::ops::Range;
use std::sync::Arc;

/// The channels of a walk, one after the other. It may consist of several pieces, each for paths of its own.
pub type Walk = Arc<Vec<ChannelId>>;

/// The paths by number.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    walk: Walk,
    /// By path, its first channel on the walk, and the one after its last.
    places: Vec<[u32; 2]>,
}

impl Parts {
    /// No paths.
    pub fn of(walk: &Walk) -> Self {
        Parts { walk: walk.clone(), places: Vec::new() }
    }

    /// The parts of a walk that consists of them, one after the other, by their ends.
    ///
    /// # Errors
    /// The walk, if it is too long.
    pub fn cut(
        walk: Vec<ChannelId>,
        ends: impl Iterator<Item = usize>,
    ) -> Result<Self, Vec<ChannelId>> {
        if u32::try_from(walk.len()).is_err() {
            return Err(walk);
        }
        let mut first = 0;
        let place = |end| [std::mem::replace(&mut first, end as u32), end as u32];
        Ok(Parts { places: ends.map(place).collect(), walk: walk.into() })
    }

    /// Whether the paths are parts of this walk.
    pub fn are_of(&self, walk: &Walk) -> bool {
        Arc::ptr_eq(&self.walk, walk)
    }

    /// Adds a path.
    ///
    /// # Panics
    /// The walk is shorter.
    pub fn push(&mut self, place: Range<usize>) {
        assert!(place.start <= place.end && place.end <= self.walk.len(), "no part of the walk");
        self.places.push([place.start, place.end].map(|place| place as u32));
    }

    /// The paths of several numbers, in their order.
    pub fn in_order(&self, numbers: impl Iterator<Item = usize>) -> Self {
        let places = numbers.map(|number| self.places[number]).collect();
        Parts { walk: self.walk.clone(), places }
    }

    /// The paths of several together, one after the other; none if they are not parts of one walk.
    pub fn together<'p>(all: impl Iterator<Item = Option<&'p Parts>> + Clone) -> Option<Self> {
        let mut together = Parts::of(&all.clone().next()??.walk);
        for parts in all {
            let parts = parts.filter(|parts| parts.are_of(&together.walk))?;
            together.places.extend_from_slice(&parts.places);
        }
        Some(together)
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The channels of a path.
    ///
    /// # Panics
    /// There is no path of this number.
    pub fn path(&self, path: usize) -> &[ChannelId] {
        let [first, end] = self.places[path];
        &self.walk[first as usize..end as usize]
    }

    /// Channels of all paths together.
    pub fn channels(&self) -> usize {
        self.places.iter().map(|[first, end]| (end - first) as usize).sum()
    }

    /// Gives back unused memory.
    pub fn shrink(&mut self) {
        self.places.shrink_to_fit();
    }
}

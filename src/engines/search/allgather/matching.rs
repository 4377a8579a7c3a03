//! Bipartite matching of hops and messages: the hops to one vertex in one step bring different
//! messages.
//!
//! Messages are matched lightest first. Each takes a free hop or, by an augmenting path, a hop
//! whose message can move to another hop. So the matching is as large as possible and uses the
//! lightest messages.

use super::flood::{Flood, Stage};
use super::hops::HopId;
use ccsched_base::rng::Rng;
use rand::RngExt;
use std::ops::Range;

impl Flood {
    /// Finds a hop for message `j`. Returns whether there is one.
    pub(super) fn find_hop(
        &mut self,
        stage: &mut Stage<'_>,
        over: &Range<HopId>,
        j: u32,
        rng: &mut Rng,
    ) -> bool {
        if self.met.len() < over.len() {
            self.met.resize(over.len(), 0);
        }
        self.search = self.search.wrapping_add(1);
        // The choice of a hop matters only where hops share resources.
        let first = if stage.hops.coupled() { rng.random_range(0..over.len()) } else { 0 };
        self.augment(stage, over, j, first)
    }

    fn augment(
        &mut self,
        stage: &mut Stage<'_>,
        over: &Range<HopId>,
        j: u32,
        first: usize,
    ) -> bool {
        let turn = (first..over.len()).chain(0..first);
        for i in turn.clone() {
            let h = over.start + i as HopId;
            if self.brings[i].is_none()
                && self.holds(stage.hops.from(h), j)
                && stage.board.has_room(stage.hops, h, stage.step)
            {
                stage.board.occupy(stage.hops, h, stage.step);
                self.brings[i] = Some(j);
                return true;
            }
        }
        for i in turn {
            let h = over.start + i as HopId;
            if let Some(other) = self.brings[i]
                && self.met[i] != self.search
                && self.holds(stage.hops.from(h), j)
            {
                self.met[i] = self.search;
                if self.augment(stage, over, other, first) {
                    self.brings[i] = Some(j);
                    return true;
                }
            }
        }
        false
    }
}

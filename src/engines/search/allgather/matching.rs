//! A small matching: the hops to one vertex in one step bring different messages.
//!
//! Messages come lightest first, and each finds a free hop or, by an augmenting path, one whose
//! message can come over another. So the hops that can be used at once are, and by the lightest
//! messages that they can bring.

use super::flood::{Flood, Stage};
use super::hops::HopId;
use crate::rng::Rng;
use rand::RngExt;
use std::ops::Range;

impl Flood {
    /// Finds a hop for message `j`. Says whether there is one.
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
        // Only where hops share resources does it matter which is taken.
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

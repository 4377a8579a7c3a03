//! Transfers of a barrier: messages that take one path in one step are one transfer.

use super::{Hanging, Hop};
use ccsched_network::{ChannelId, VertexId};
use std::collections::BTreeMap;

/// By transfer, its messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined(BTreeMap<Hop, u32>);

impl Joined {
    /// Whether a message needs no room, since others take the same path.
    pub fn joins(&mut self, hop: &Hop) -> bool {
        let others = self.0.get_mut(hop);
        others.map(|count| *count += 1).is_some()
    }

    /// The first message of a transfer.
    pub fn opens(&mut self, hop: &Hop) {
        self.0.insert(hop.clone(), 1);
    }

    /// Takes a message out; whether others stay.
    pub fn leaves(&mut self, hop: &Hop) -> bool {
        let Some(count) = self.0.get_mut(hop) else { return false };
        *count -= 1;
        if *count == 0 {
            self.0.remove(hop);
            return false;
        }
        true
    }

    /// The path of a transfer from a holder to a vertex in a step.
    pub fn towards(
        &self,
        all: &Hanging<'_>,
        (step, v): (u32, VertexId),
        since: &BTreeMap<VertexId, u32>,
    ) -> Option<Vec<ChannelId>> {
        let of_step = self.0.range((step, Vec::new())..(step + 1, Vec::new()));
        let is_held = |hop: &Hop| since.get(&all.start(hop)).is_some_and(|&first| first <= step);
        let mut hops = of_step.map(|(hop, _)| hop);
        hops.find(|hop| all.end(hop) == v && is_held(hop)).map(|hop| hop.1.clone())
    }
}

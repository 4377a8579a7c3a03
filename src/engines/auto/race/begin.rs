//! The searches under groups that begin a race.

use super::Race;
use crate::search::scatter::ScatterSearch;
use crate::{Walker, policy};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Switching;
use ccsched_model::symmetry::{Action, Group, Images};
use rand::RngExt;
use std::sync::Arc;

impl Race {
    /// Begins new searches under groups; returns the number of moves made.
    pub(super) fn begin(&mut self, rng: &mut Rng) -> u64 {
        if !policy::races(self.lookup.problem(), self.island) {
            return 0;
        }
        let few = self.few();
        let begun: Vec<_> = few.iter().filter_map(|groups| self.under(groups, rng)).collect();
        let moves = begun.iter().map(|(_, moves)| moves).sum();
        self.parts = begun.into_iter().map(|(part, _)| part).collect();
        self.lengths.1 *= self.share();
        moves
    }

    /// The groups of the searches that race.
    fn few(&self) -> Vec<&[Arc<Group>]> {
        let groups = self.fitting();
        let of_order =
            policy::RACING.iter().filter_map(|&order| groups.get(order).or(groups.last()));
        let mut begun = 0;
        let is_soon = |groups: &&[Arc<Group>]| {
            let before = begun;
            let orbits = self.lookup.problem().demands().len() / groups[0].order();
            begun += orbits * self.steps as usize;
            before == 0 || begun <= policy::MOST_BEGUN
        };
        of_order.copied().take_while(is_soon).collect()
    }

    /// By how much a search under a group has longer turns: where few race, they have the time of all.
    pub(super) fn share(&self) -> u64 {
        policy::RACING.len().checked_div(self.few().len()).unwrap_or(1) as u64
    }

    /// The groups that may serve for this number of steps, by order: of those with chains the ones whose
    /// orders divide it; if there are none, those whose orders divide a number a little lower.
    fn fitting(&self) -> Vec<&[Arc<Group>]> {
        let spare = |groups: &[Arc<Group>]| self.steps % groups[0].order() as u32;
        let with_chains = self.groups.iter().filter(|groups| groups[0].has_chains());
        let least = with_chains.map(|groups| spare(groups)).min().unwrap_or(0);
        let most = if least <= self.steps / policy::SPARED { least } else { 0 };
        let fits = |groups: &&[Arc<Group>]| !groups[0].has_chains() || spare(groups) <= most;
        self.groups.iter().map(Vec::as_slice).filter(fits).collect()
    }

    /// A search under one of `groups`, and the number of moves made to begin it.
    pub(super) fn under(
        &self,
        groups: &[Arc<Group>],
        rng: &mut Rng,
    ) -> Option<(ScatterSearch, u64)> {
        let group = &groups[rng.random_range(0..groups.len())];
        let action = match self.lookup.problem().switching() {
            Switching::Wormhole | Switching::Hosts if group.has_chains() => {
                Action::regular(group, self.steps)
            }
            Switching::Wormhole | Switching::Hosts => Action::random(group, self.steps, rng),
            Switching::StoreAndForward => Action::at_rest(group, self.steps),
        };
        let steps = action.steps();
        let images = Images::new(&self.lookup, group, action)?;
        let mut part = ScatterSearch::under(self.lookup.problem(), &self.hops, images);
        let moves = part.seek(steps, rng);
        Some((part, moves))
    }
}

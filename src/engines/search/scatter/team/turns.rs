//! A team on one island, whose members take turns: a search that has not found a schedule for long is
//! stuck around a few transfers, and several searches that start there find one with fewer moves in all.

use super::{Team, Teamed};
use crate::Walker;
use crate::search::scatter::ScatterSearch;
use crate::search::scatter::moves::RELOCATIONS;
use ccsched_base::rng::Rng;

impl Teamed {
    /// Makes the search a team of this number of members.
    pub(super) fn take_turns(&mut self, members: usize) {
        self.team =
            Some(Team { is_alone: true, ..Team::new((0, members), self.seed, self.island) });
        self.search.waiting.sort_unstable();
        self.begin_leg();
    }

    /// Makes the team one search again, that of the member with the fewest waiting transfers.
    pub(super) fn end_turns(&mut self) {
        if self.team.take_if(|team| team.is_alone).is_some() {
            self.search = self.shown_search().clone();
            self.search.log = None;
            self.search.relocations = RELOCATIONS;
            self.copies.clear();
        }
    }

    /// The search of the member with the fewest waiting transfers.
    pub(super) fn shown_search(&self) -> &ScatterSearch {
        self.copies.iter().min_by_key(|copy| copy.cost()).unwrap_or(&self.search)
    }

    /// An iteration: as many ejections as one search makes, by all members together.
    pub(super) fn iterate_by_turns(&mut self, rng: &mut Rng) -> u64 {
        let per_iteration = self.search.ejections();
        let mut moves = 0;
        while self.cost() > 0 {
            let Some(team) = &mut self.team else { break };
            if team.spent >= per_iteration {
                team.spent -= per_iteration;
                team.iterations += 1;
                break;
            }
            team.spent += team.quota() * team.of as u64;
            moves += if team.is_apart { self.turns_apart(rng) } else { self.turns_together(rng) };
        }
        moves
    }

    /// A leg of all members on the schedule that they have in common, and their exchange.
    fn turns_together(&mut self, rng: &mut Rng) -> u64 {
        let members = self.team.as_ref().map_or(0, |team| team.of);
        let (mut moves, mut all) = (0, Vec::with_capacity(members));
        for index in 0..members {
            self.take_share(index);
            moves += self.play(rng);
            all.extend(self.shown());
            self.search.undo();
        }
        self.merge(&all);
        moves
    }

    /// A leg of all members that have gone apart, until one has a schedule; then the worse half takes over
    /// the schedules of the better half.
    fn turns_apart(&mut self, rng: &mut Rng) -> u64 {
        let Teamed { search, team: Some(team), copies, .. } = self else { return 0 };
        if copies.is_empty() {
            search.log = None;
            copies.resize(team.of, ScatterSearch { ejected: 0, ..search.clone() });
        }
        let mut moves = 0;
        for (index, copy) in copies.iter_mut().enumerate() {
            team.index = index;
            copy.set_style(team.style());
            moves += copy.eject(team.quota(), rng);
            copy.forget_newest();
            if copy.cost() == 0 {
                return moves;
            }
        }
        copies.sort_by_key(|copy| copy.cost());
        let (better, worse) = copies.split_at_mut(team.of - team.of / 2);
        for (worse, better) in worse.iter_mut().zip(better) {
            let ejected = worse.ejected;
            worse.clone_from(better);
            worse.ejected = ejected;
        }
        moves
    }
}

//! The changes of all islands of a team, applied to the schedule that they have in common.

use super::{Shown, Teamed};
use crate::search::scatter::ScatterSearch;
use rand::seq::SliceRandom;

/// Share of the new places, one in this number, that may be lost to those of other islands before legs
/// become shorter.
const MOST_LOST: usize = 50;
/// Factors by which legs become longer and shorter, and their limits.
const LONGER: f64 = 1.1;
const SHORTER: f64 = 0.85;
const LIMITS: (f64, f64) = (1.0, 1000.0);

impl Teamed {
    /// Applies what the islands of the team have shown, of each share that of the island which has the
    /// fewest waiting transfers, and begins the next leg. Parts of another team or leg are of no use.
    pub(super) fn merge(&mut self, parts: &[Shown]) {
        let Teamed { search, team: Some(team), .. } = self else { return };
        let is_own = |part: &&Shown| part.of == team.of && part.leg == team.leg;
        let parts: Vec<&Shown> = parts.iter().filter(is_own).collect();
        if parts.is_empty() {
            return;
        }
        let best = |share: usize| {
            let of_share = parts.iter().filter(|part| part.index % team.shares == share);
            of_share.min_by_key(|part| part.waiting).copied()
        };
        let chosen: Vec<&Shown> = (0..team.shares).filter_map(best).collect();
        search.undo();
        search.waiting.clone_from(&team.waiting);
        let mut order = Vec::new();
        for (part, shown) in chosen.iter().enumerate() {
            for (i, (t, increment, _)) in shown.changes.iter().enumerate() {
                search.lift(t);
                search.set_weight(t, search.weight[t as usize].saturating_add(increment));
                order.push((part, i));
            }
        }
        order.shuffle(&mut team.rng);
        let (mut placed, mut lost) = (0, 0);
        for &(part, i) in &order {
            let (t, _, place) = chosen[part].changes.get(i);
            if !place.is_empty() && !search.places.is_placed(t) {
                search.put_if_free(t, place);
                placed += 1;
                lost += usize::from(!search.places.is_placed(t));
            }
        }
        search.return_to_old_places();
        search.collect_waiting();
        search.halve_if_due();
        let factor = if lost * MOST_LOST < placed { LONGER } else { SHORTER };
        if placed > 0 {
            team.moves = (team.moves * factor).clamp(LIMITS.0, LIMITS.1);
        }
        self.begin_leg();
    }
}

impl ScatterSearch {
    /// Puts transfers without a place back where they were before, if that is free.
    fn return_to_old_places(&mut self) {
        let Some(log) = self.log.take() else { return };
        for (t, _, place) in log.before.iter() {
            if !place.is_empty() && !self.places.is_placed(t) {
                self.put_if_free(t, place);
            }
        }
        self.log = Some(log);
    }

    /// Lists the transfers that wait: of those that waited before, and of those that have changed.
    pub(super) fn collect_waiting(&mut self) {
        self.waiting.retain(|&t| !self.places.is_placed(t));
        let changed = self.log.iter().flat_map(|log| log.before.iter());
        let ejected =
            changed.filter(|&(t, _, place)| !place.is_empty() && !self.places.is_placed(t));
        self.waiting.extend(ejected.map(|(t, ..)| t));
    }
}

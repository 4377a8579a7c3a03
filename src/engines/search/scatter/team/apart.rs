//! Islands of a team that have gone apart: each changes its own copy of the schedule that they had in
//! common, and takes over the schedule of another, as the changes since then.

use super::{Shown, Teamed};

impl Teamed {
    /// Takes over the schedule that another island has shown.
    pub(super) fn take_over(&mut self, shown: &Shown) {
        let Teamed { search, team: Some(team), .. } = self else { return };
        if shown.of != team.of || shown.leg != team.leg || shown.index == team.index {
            return;
        }
        search.forget_newest();
        let Some(mut log) = search.log.take() else { return };
        // What is as before stands in no list.
        let mut is_shown = vec![false; search.places.len()];
        shown.changes.transfers().iter().for_each(|&t| is_shown[t as usize] = true);
        let common = log.before.iter().filter(|&(t, ..)| !is_shown[t as usize]);
        let target: Vec<_> = shown.changes.iter().chain(common).collect();
        let differs = |&&(t, weight, place): &&(u32, i16, &[_])| {
            search.places.of(t) != place || search.weight[t as usize] != weight
        };
        let target: Vec<_> =
            target.iter().filter(differs).map(|&(t, w, p)| (t, w, p.to_vec())).collect();
        for (t, ..) in &target {
            log.note(*t, search.weight[*t as usize], search.places.of(*t));
            search.lift(*t);
        }
        for (t, weight, place) in &target {
            search.set_weight(*t, *weight);
            search.put(*t, place);
        }
        search.log = Some(log);
        search.waiting.clone_from(&team.waiting);
        search.collect_waiting();
        search.waiting.sort_unstable();
    }
}

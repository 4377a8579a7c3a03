//! The end of a pass of a team: when all steps are filled, each island packs the last ones together in its
//! own way, and goes on from the shortest end that any has found when it finds no shorter one.

use super::Window;
use crate::search::packing::Packing;
use crate::search::packing::finish::first_of;
use crate::search::packing::pass::{SHARES, SHOWN_EVERY};
use crate::search::packing::state::{Phase, State};
use ccsched_base::rng::Rng;

impl Packing {
    /// Packs the last steps anew. Returns the number of moves made.
    pub(in super::super) fn pack_end(&mut self, rng: &mut Rng) -> u64 {
        let Packing { state, finish, .. } = self;
        let Some(team) = &mut state.team else { return 0 };
        let (Some(search), Some(floor)) = (finish, team.floor) else {
            team.window.is_over = team.is_first();
            return 0;
        };
        let (before, moves) = (state.packed.len(), search.go_on(rng));
        search.improve(&mut state.packed, rng);
        if state.packed.len() < before {
            team.in_vain = 0;
            team.window.end = Some(state.packed.since(floor));
        }
        let is_first = team.is_first();
        if search.bears_on(rng) {
            if is_first && state.quiet >= SHOWN_EVERY {
                self.offer_end();
            }
            return moves;
        }
        // It goes on where another island has come further.
        let further = team.end.take().filter(|end| floor + end.len() < state.packed.len());
        team.in_vain += 1;
        if let Some(end) = further {
            team.in_vain = 0;
            state.packed.replace_end(floor, &end);
        }
        let is_over = team.in_vain >= SHARES.len();
        self.finish = None;
        if is_first {
            self.offer();
        }
        if !(is_first && is_over) {
            self.begin_finish(rng);
        }
        moves
    }

    /// Notes the shortest end of the filled schedule that another island has found.
    pub(super) fn take_ends(&mut self, windows: &[Window], rng: &mut Rng) {
        let State { team, packed, pass, phase, .. } = &mut self.state;
        let Some(team) = team else { return };
        team.floor.get_or_insert_with(|| first_of(packed, 1));
        let ends = windows.iter().filter_map(|window| window.end.as_ref());
        let all = ends.chain(&team.end);
        team.end = all.min_by_key(|end| end.len()).cloned();
        let is_first = team.is_first();
        if *pass > 0 && *phase != Phase::Finish {
            if is_first {
                log::debug!("pass {pass}: {} steps filled by a team", packed.len());
                self.offer();
            }
            self.begin_finish(rng);
        }
    }

    /// Keeps the schedule with the shortest end if it is the best so far.
    fn offer_end(&mut self) {
        let State { team, packed, best, .. } = &self.state;
        let known = team.as_ref().and_then(|team| team.floor.zip(team.end.as_ref()));
        let is_better = |steps| steps < packed.len() && steps < best.len();
        let Some((floor, end)) = known.filter(|(floor, end)| is_better(floor + end.len())) else {
            return self.offer();
        };
        let mut whole = packed.clone();
        whole.replace_end(floor, end);
        self.offer_other(whole);
    }
}

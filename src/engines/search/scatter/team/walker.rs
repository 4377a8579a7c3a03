//! A search of a team as a [`Walker`].

use super::ahead::Ahead;
use super::{Shown, Team, Teamed};
use crate::policy;
use crate::search::scatter::moves;
use crate::{Genome, Method, Part, Pause, Seat, Sharing, Tally, Walker};
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

impl Walker for Teamed {
    fn settle(&mut self, seat: Seat) {
        (self.seed, self.island) = (seat.seed, seat.island);
        self.search.settle(seat);
        self.team = seat.team.filter(|&(_, of)| of > 1).map(|(index, of)| {
            let group = seat.group.max(1);
            Team::new((index, of), seat.seed, seat.island - seat.island % group)
        });
        let seat = Seat { team: seat.team.filter(|_| self.team.is_some()), ..seat };
        self.ahead = Ahead::of(seat, &self.search.problem);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.alone = 0;
        self.end_turns();
        let Some(team) = &mut self.team else { return self.search.seek(steps, rng) };
        let steps = self.ahead.map_or(steps, |ahead| ahead.steps(steps));
        if self.ahead.is_some() && steps == self.search.steps && !team.waiting.is_empty() {
            return 0;
        }
        self.search.log = None;
        team.is_apart = false;
        self.search.set_style(team.style());
        let moves = self.search.seek(steps, &mut team.rng);
        self.search.waiting.sort_unstable();
        self.begin_leg();
        moves
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let relocates = policy::relocates(&self.search.problem, self.search.waiting.len());
        let members = if relocates { policy::members(self.alone) } else { 1 };
        if self.team.is_none() && members > 1 && !self.search.shows() {
            self.take_turns(members);
        }
        let Some(team) = &self.team else {
            self.alone += 1;
            self.search.relocations = if relocates { moves::RELOCATIONS } else { 0 };
            return self.search.iterate(rng);
        };
        if team.is_alone {
            return self.iterate_by_turns(rng);
        }
        let moves = self.play(rng);
        let Some(team) = &mut self.team else { return moves };
        if team.is_apart {
            self.search.halve_if_due();
        }
        let per_iteration = self.search.ejections();
        team.count(per_iteration);
        if self.search.cost() == 0 && team.others == 0 {
            let spent = team.iterations * per_iteration + team.spent;
            log::debug!("island {} of {}: complete after {spent} ejections", team.index, team.of);
        }
        moves
    }

    fn pause(&self) -> Pause {
        let of_team = |team: &Team| Pause { iterations: team.completed, is_due: true };
        self.team.as_ref().filter(|team| !team.is_alone).map_or(Pause::default(), of_team)
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Parts(parts) = partner else { return self.search.cross_over(partner, rng) };
        let shown: Option<Vec<Shown>> = parts.iter().map(|part| part.shown()).collect();
        let is_apart = self.team.as_ref().is_some_and(|team| team.is_apart);
        if self.team.as_ref().is_none_or(|team| team.is_alone) {
            return 0;
        }
        match (parts.first().map(|part| part.sharing), shown) {
            (Some(Sharing::All), Some(shown)) if !is_apart => self.merge(&shown),
            (Some(Sharing::Better), Some(shown)) if is_apart => self.take_over(&shown[0]),
            _ => {}
        }
        0
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        let Genome::Parts(parts) = partner else { return self.search.can_meet(partner) };
        let is_sound = |shown: Shown| shown.changes.is_sound(&self.search);
        parts.iter().all(|part| part.shown().is_some_and(is_sound))
    }

    fn cost(&self) -> u64 {
        if !self.copies.is_empty() {
            return self.shown_search().cost();
        }
        let others = self.team.as_ref().map_or(0, |team| team.others);
        self.search.cost() + others as u64
    }

    fn genome(&self) -> Genome {
        let team = self.team.as_ref().filter(|team| !team.is_alone);
        let Some((shown, team)) = self.shown().zip(team) else { return self.search.genome() };
        let part = match team.is_apart {
            true => Part::for_worse(shown.waiting as u64, &shown),
            false => Part::for_all(&shown),
        };
        Genome::Part(Arc::new(part))
    }

    fn shows(&self) -> bool {
        self.team.is_none() && self.search.shows()
    }

    fn polish(&mut self, rng: &mut Rng) {
        let best = self.copies.iter_mut().min_by_key(|copy| copy.cost());
        best.unwrap_or(&mut self.search).polish(rng);
    }

    fn tally(&mut self) -> Tally {
        let mut tally = self.search.tally();
        self.copies.iter_mut().for_each(|copy| tally += copy.tally());
        tally
    }

    fn method(&self) -> Method {
        self.search.method()
    }

    fn plan(&self) -> Plan {
        self.shown_search().plan()
    }
}

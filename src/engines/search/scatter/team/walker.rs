//! A search of a team as a [`Walker`].

use super::{Ahead, Shown, Team, Teamed};
use crate::search::scatter::places::{Changes, Log};
use crate::search::scatter::{RELOCATIONS, ScatterSearch};
use crate::{Genome, Leg, Method, Part, Resume, Seat, Sharing, Tally, Walker, policy};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, is_sound};
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
            self.search.relocations = if relocates { super::super::RELOCATIONS } else { 0 };
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

    fn pause(&self) -> Leg {
        let of_team = |team: &Team| Leg { iterations: team.completed, is_due: true };
        self.team.as_ref().filter(|team| !team.is_alone).map_or(Leg::default(), of_team)
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

// A team on one island, whose members take turns: a search that has not found a schedule for long is
// stuck around a few transfers, and several searches that start there need fewer moves in total.

impl Teamed {
    /// Makes the search a team of this number of members.
    pub(super) fn take_turns(&mut self, members: usize) {
        self.team =
            Some(Team { is_alone: true, ..Team::new((0, members), self.seed, self.island) });
        self.search.waiting.sort_unstable();
        self.begin_leg();
    }

    /// Makes the team one search again, that of the member with the fewest waiting transfers.
    fn end_turns(&mut self) {
        if self.team.take_if(|team| team.is_alone).is_some() {
            self.search = self.shown_search().clone();
            self.search.log = None;
            self.search.relocations = RELOCATIONS;
            self.copies.clear();
        }
    }

    /// The search of the member with the fewest waiting transfers.
    fn shown_search(&self) -> &ScatterSearch {
        self.copies.iter().min_by_key(|copy| copy.cost()).unwrap_or(&self.search)
    }

    /// An iteration: as many ejections as one search makes, by all members together.
    fn iterate_by_turns(&mut self, rng: &mut Rng) -> u64 {
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

// The saved state of a search of a team.

/// The search, the iterations without a team, the team and the changes that the next exchange undoes,
/// and the searches of members that take turns.
type Saved = (Vec<u8>, u64, Option<(Team, Changes)>, Vec<Vec<u8>>);

impl Resume for Teamed {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let before = || self.search.log.as_ref().map(|log| log.before.clone()).unwrap_or_default();
        let team = self.team.as_ref().map(|team| (team.clone(), before()));
        let copies = self.copies.iter().map(Resume::save).collect::<Result<_, _>>()?;
        let saved: Saved = (self.search.save()?, self.alone, team, copies);
        codec::encode(&saved)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (search, alone, saved, copies): Saved = codec::decode(state)?;
        self.search.load(&search)?;
        self.alone = alone.min(u64::MAX / 2);
        match (&mut self.team, saved) {
            (Some(team), Some((saved, before)))
                if (team.index, team.of, team.is_alone)
                    == (saved.index, saved.of, saved.is_alone) =>
            {
                self.load_team(saved, before)?;
            }
            (None, Some((saved, before))) if saved.is_alone => {
                if !copies.is_empty() && copies.len() != saved.of {
                    return Err(CommError::Unfit("members"));
                }
                self.load_team(saved, before)?;
                self.copies = vec![self.search.clone(); copies.len()];
                let mut both = self.copies.iter_mut().zip(&copies);
                both.try_for_each(|(copy, saved)| copy.load(saved))?;
            }
            // The team is another one, and begins anew.
            (Some(team), _) => {
                self.search.log = None;
                self.search.set_style(team.style());
                self.search.seek_anew(&mut team.rng);
                self.begin_leg();
            }
            (None, Some(_)) => self.search.collect_all_waiting(),
            (None, None) => {}
        }
        Ok(())
    }
}

impl Teamed {
    fn load_team(&mut self, team: Team, before: Changes) -> Result<(), CommError> {
        let transfers = self.search.transfers();
        let is_few = !team.is_alone || team.of <= policy::MOST_MEMBERS;
        if !is_few || !team.is_sound(transfers) || !before.is_sound(&self.search) {
            return Err(CommError::Unfit("transfers"));
        }
        self.search.relocations = team.relocations();
        self.search.log = Some(Log::of(transfers, before));
        self.team = Some(team);
        Ok(())
    }
}

impl Team {
    /// Whether its numbers can be those of a team that searches for this number of transfers.
    fn is_sound(&self, transfers: usize) -> bool {
        self.waiting.iter().all(|&t| (t as usize) < transfers)
            && self.others <= self.waiting.len()
            && is_sound(&self.rng)
            && self.index < self.of
            && (1..=self.of).contains(&self.shares)
            && (1.0..=1e6).contains(&self.moves)
            && [self.leg, self.spent, self.iterations].iter().all(|&count| count < u64::MAX / 2)
    }
}

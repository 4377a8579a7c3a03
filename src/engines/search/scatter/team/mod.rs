//! A team: islands that search for one schedule together.
//!
//! All islands hold the same schedule. In a leg each of them makes a few moves on its own share of the
//! waiting transfers, and shows what it has changed. Then every island undoes its own changes and applies
//! those of all, in an order from a generator that the islands have in common (`merge`). So all hold the
//! same schedule again.
//!
//! When few transfers wait, shares are of no use. The islands go apart (`apart`): each searches for its
//! own, and now and then the worse half takes over the schedules of the better half.
//!
//! Of several teams, every other one is a step ahead (`ahead`).

mod walker;

use super::places::Changes;
use super::{ScatterSearch, Style};
use crate::{Seat, policy};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// The purpose of the random numbers that the islands of a team have in common.
const PURPOSE: usize = 6;
/// Waiting transfers below which the islands go apart.
const FEW: usize = 6;
/// Moves of an island between two exchanges after they have gone apart.
const MOVES_APART: u64 = 50;
/// Relocations after each ejection move: fewer than of an island alone, because the moves of others
/// also move free places around.
const RELOCATIONS: usize = 3;
/// Moves of the first leg.
const FIRST_MOVES: f64 = 4.0;

/// A guided ejection search that may be one of a team.
#[derive(Clone)]
pub struct Teamed {
    search: ScatterSearch,
    team: Option<Team>,
    /// Iterations at this step target without a team.
    alone: u64,
    /// The searches of the members that take turns, once they have gone apart.
    copies: Vec<ScatterSearch>,
    seed: u64,
    island: usize,
    /// Which steps the team seeks, if there are several.
    ahead: Option<Ahead>,
}

/// What an island knows of its team.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Team {
    /// Its number, and how many they are.
    index: usize,
    of: usize,
    /// Whether all members are on this island, and take turns.
    is_alone: bool,
    /// The random numbers that all have in common.
    rng: Rng,
    /// The number of the leg.
    leg: u64,
    /// Whether the islands have gone apart.
    is_apart: bool,
    /// Moves of a leg.
    moves: f64,
    /// Moves made since the last iteration was complete, iterations that the last leg has completed,
    /// and iterations in all.
    spent: u64,
    completed: u64,
    iterations: u64,
    /// Into how many shares the waiting transfers are dealt.
    shares: usize,
    /// All that wait, in the order in which they are dealt, and the number in the shares of others.
    waiting: Vec<u32>,
    others: usize,
}

/// What an island shows after a leg.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shown {
    /// Its number, and how many they are.
    index: usize,
    of: usize,
    leg: u64,
    /// Transfers that wait.
    waiting: usize,
    /// What it has changed: since the beginning of the leg, with the increments of the weights; if the
    /// islands have gone apart, since they did, with the weights.
    changes: Changes,
}

impl Team {
    /// Island number `index` of `of`; `seed` and `first`, the number of the first island, are those of the
    /// search.
    fn new((index, of): (usize, usize), seed: u64, first: usize) -> Self {
        Team {
            index,
            of,
            is_alone: false,
            rng: rng_of(seed, first, PURPOSE),
            leg: 0,
            is_apart: false,
            moves: FIRST_MOVES,
            spent: 0,
            completed: 0,
            iterations: 0,
            shares: 1,
            waiting: Vec::new(),
            others: 0,
        }
    }

    /// Moves of this leg.
    fn quota(&self) -> u64 {
        if self.is_apart { MOVES_APART } else { self.moves as u64 }
    }

    /// Relocations after each ejection move of this leg.
    fn relocations(&self) -> usize {
        if self.waiting.len() < policy::NEARLY { RELOCATIONS } else { 0 }
    }

    /// The style of this leg. Islands that search for their own have different ones.
    fn style(&self) -> Style {
        let first = if self.is_apart { self.index } else { 0 };
        Style::of(Style::first_iteration(first) + self.iterations)
    }

    /// Counts the moves of a leg.
    fn count(&mut self, per_iteration: u64) {
        self.spent += self.quota();
        self.completed = self.spent / per_iteration;
        self.spent %= per_iteration;
        self.iterations += self.completed;
    }
}

impl Teamed {
    /// A search without a team, until it is settled in one.
    pub fn new(search: ScatterSearch) -> Self {
        Teamed { search, team: None, alone: 0, copies: Vec::new(), seed: 0, island: 0, ahead: None }
    }

    /// Begins a leg on the common schedule: deals the waiting transfers, or goes apart if they are few.
    fn begin_leg(&mut self) {
        let Teamed { search, team: Some(team), .. } = self else { return };
        team.leg += 1;
        team.waiting.clone_from(&search.waiting);
        team.others = 0;
        search.begin_log();
        search.relocations = team.relocations();
        team.is_apart = team.waiting.len() < FEW;
        if team.is_apart {
            return;
        }
        team.shares = team.waiting.len().min(team.of);
        team.waiting.shuffle(&mut team.rng);
        let index = team.index;
        self.take_share(index);
    }

    /// Takes the share of a member of the team.
    fn take_share(&mut self, index: usize) {
        let Teamed { search, team: Some(team), .. } = self else { return };
        team.index = index;
        search.waiting.clear();
        search.waiting.extend(team.waiting.iter().skip(index % team.shares).step_by(team.shares));
        team.others = team.waiting.len() - search.waiting.len();
    }

    /// The moves of a leg.
    fn play(&mut self, rng: &mut Rng) -> u64 {
        let Teamed { search, team: Some(team), .. } = self else { return 0 };
        search.set_style(team.style());
        let moves = search.eject(team.quota(), rng);
        search.forget_newest();
        moves
    }

    /// What the island shows: transfers that are as before are left out.
    fn shown(&self) -> Option<Shown> {
        let Teamed { search, team: Some(team), .. } = self else { return None };
        let mut changes = Changes::default();
        let before = search.log.iter().flat_map(|log| log.before.iter());
        for (t, weight, place) in before {
            let (new, now) = (search.places.of(t), search.weight[t as usize]);
            if (new, now) != (place, weight) {
                changes.push(t, if team.is_apart { now } else { now - weight }, new);
            }
        }
        let waiting = search.waiting.len() + team.others;
        Some(Shown { index: team.index, of: team.of, leg: team.leg, waiting, changes })
    }
}

// Several teams: islands beyond one exchange group. Each team has a schedule of its own. Even teams seek
// even numbers of steps, odd teams odd ones: what the search asks for, or one step less. So half of the
// teams are a step ahead. When the others have found a schedule, they stay where they are, and the others
// go two steps down.

/// The steps that a team seeks.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    parity: u32,
    /// No schedule has fewer steps.
    least: u32,
}

impl Ahead {
    /// Those of the team of an island; none if there is one team, or a number of steps was asked for.
    fn of(seat: Seat, problem: &Problem) -> Option<Self> {
        let group = seat.group.max(1);
        let has_others = seat.islands > group && seat.is_open && seat.team.is_some();
        has_others.then(|| Ahead {
            parity: (seat.island / group % 2) as u32,
            least: bounds::quick(problem).first().map_or(1, |bound| bound.steps),
        })
    }

    /// The steps to seek where the search asks for these.
    fn steps(self, asked: u32) -> u32 {
        if asked > self.least && asked % 2 != self.parity { asked - 1 } else { asked }
    }
}

// Islands of a team that have gone apart: each changes its own copy of the schedule that they had in
// common, and takes over the schedule of another, as the changes since then.

impl Teamed {
    /// Takes over the schedule that another island has shown.
    fn take_over(&mut self, shown: &Shown) {
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

// The changes of all islands of a team, applied to the schedule that they have in common.

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
    fn merge(&mut self, parts: &[Shown]) {
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
    fn collect_waiting(&mut self) {
        self.waiting.retain(|&t| !self.places.is_placed(t));
        let changed = self.log.iter().flat_map(|log| log.before.iter());
        let ejected =
            changed.filter(|&(t, _, place)| !place.is_empty() && !self.places.is_placed(t));
        self.waiting.extend(ejected.map(|(t, ..)| t));
    }
}

#[cfg(test)]
mod tests;

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

mod ahead;
mod apart;
mod merge;
mod state;
#[cfg(test)]
mod tests;
mod turns;
mod walker;

use super::ScatterSearch;
use super::changes::Changes;
use super::style::Style;
use crate::policy;
use ahead::Ahead;
use ccsched_base::rng::{Rng, rng_of};
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

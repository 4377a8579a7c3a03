//! Several searches for a scatter, in turns: guided ejection on the whole network, and under groups
//! of automorphisms, each with a random action on the steps. Which search succeeds cannot be known
//! beforehand. So several run for a short turn, the better half of them for a longer one, and so on
//! until one is left (successive halving); the next race has longer turns.

mod begin;
mod state;
#[cfg(test)]
mod tests;

use crate::auto::Params;
use crate::policy::{self, FIRST_TURN};
use crate::search::packing::{Packing, Relay};
use crate::search::scatter::{Hops, ScatterSearch, Teamed};
use crate::{Genome, Method, Seat, Tally, Walker};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::{Group, Lookup, groups_of_demands};
use std::sync::Arc;

/// A race of searches that take turns.
#[derive(Clone)]
pub struct Race {
    pub(super) lookup: Arc<Lookup>,
    /// The groups of each order, the largest order first; those with chains apart.
    pub(super) groups: Arc<Vec<Vec<Arc<Group>>>>,
    /// The search on the whole network: step packing of large scatters, else guided ejection.
    pub(super) whole: Box<dyn Walker>,
    /// Whether the search on the whole network is guided ejection though there are many messages.
    ejects: bool,
    /// The walks that all searches by guided ejection share.
    pub(super) hops: Arc<Hops>,
    /// The searches under groups that are still in the race.
    pub(super) parts: Vec<ScatterSearch>,
    /// Index in `parts` of the search whose turn it is; after the last, the whole network's turn.
    pub(super) turn: usize,
    pub(super) steps: u32,
    /// Whether the search on the whole network has begun for this number of steps.
    pub(super) is_whole_ready: bool,
    pub(super) island: usize,
    /// Iterations left of this turn.
    pub(super) left: u64,
    /// Iterations of a turn at the start of this race, and now.
    pub(super) lengths: (u64, u64),
    tally: Tally,
}

impl Race {
    /// The race for a problem; [`Walker::seek`] must follow. The search for groups uses `seed`.
    pub fn new(problem: Arc<Problem>, params: Params, seed: u64) -> Self {
        let lookup = Arc::new(Lookup::new(problem.clone()));
        let mut groups = match params.symmetry {
            true => groups_of_demands(&lookup, &mut rng_of(seed, 0, 2)),
            false => Vec::new(),
        };
        groups.retain(|group| problem.demands().len() / group.order() <= policy::MOST_ORBITS);
        log::debug!(
            "orders of the groups of automorphisms: {:?}",
            groups.iter().map(|g| g.order()).collect::<Vec<_>>()
        );
        let kind = |group: &Arc<Group>| (group.order(), group.has_chains());
        let ejects = policy::ejects_many(&problem, !groups.is_empty());
        let of_order = groups.chunk_by(|a, b| kind(a) == kind(b)).map(<[_]>::to_vec);
        let hops = Arc::new(Hops::new(problem.clone(), problem.routing().listed_slack()));
        Race {
            whole: whole(&problem, (0, ejects), &hops),
            ejects,
            hops,
            groups: Arc::new(of_order.collect()),
            parts: Vec::new(),
            turn: 0,
            steps: 0,
            is_whole_ready: false,
            island: 0,
            left: 0,
            lengths: (FIRST_TURN, FIRST_TURN),
            tally: Tally::default(),
            lookup,
        }
    }

    /// Begins the next turn; returns the number of moves made.
    fn next_turn(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        self.turn += 1;
        if self.turn > self.parts.len() {
            self.turn = 0;
            moves += self.halve(rng);
        }
        self.left = self.lengths.1;
        if self.turn == self.parts.len() {
            // Groups with chains are for steps that the others do not reach.
            let has_chains =
                |part: &ScatterSearch| part.images().is_some_and(|i| i.group().has_chains());
            if self.are_stuck() {
                self.left = self.lengths.0;
            } else if !self.parts.iter().any(has_chains) {
                self.left *= policy::WHOLE_TURN;
            }
            if !std::mem::replace(&mut self.is_whole_ready, true) {
                moves += self.whole.seek(self.steps, rng);
            }
        }
        moves
    }

    /// Keeps the better half of the searches under groups; when none is left, begins a new race.
    /// Returns the number of moves made.
    fn halve(&mut self, rng: &mut Rng) -> u64 {
        let kept = if self.are_stuck() { 0 } else { self.parts.len() / 2 };
        self.parts.sort_by_key(|part| (part.is_stuck(), part.fewest_waiting()));
        self.parts.truncate(kept);
        self.lengths.1 *= 2;
        if !self.parts.is_empty() {
            return 0;
        }
        self.lengths.0 += self.lengths.0.div_ceil(2);
        self.lengths.1 = self.lengths.0;
        self.begin(rng)
    }

    /// Whether there are searches under groups, and none will find a schedule.
    fn are_stuck(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(ScatterSearch::is_stuck)
    }

    fn now(&self) -> &dyn Walker {
        match self.parts.get(self.turn) {
            Some(part) => part,
            None => &*self.whole,
        }
    }

    fn now_mut(&mut self) -> &mut dyn Walker {
        match self.parts.get_mut(self.turn) {
            Some(part) => part,
            None => &mut *self.whole,
        }
    }
}

/// The search of an island on the whole network.
fn whole(
    problem: &Arc<Problem>,
    (island, ejects): (usize, bool),
    hops: &Arc<Hops>,
) -> Box<dyn Walker> {
    let kind = if ejects { policy::Whole::Ejection } else { policy::whole(problem, island) };
    match kind {
        policy::Whole::Ejection => {
            let search = ScatterSearch::new(problem.clone(), hops.clone());
            Box::new(Teamed::new(search))
        }
        policy::Whole::Packing => Box::new(Packing::new(problem.clone())),
        policy::Whole::Relay => Box::new(Relay::new(problem.clone())),
    }
}

impl Walker for Race {
    fn inner(&self) -> Option<&dyn Walker> {
        Some(self.now())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        Some(self.now_mut())
    }

    fn settle(&mut self, seat: Seat) {
        self.island = seat.island;
        let problem = self.lookup.problem();
        if policy::whole(problem, seat.island) != policy::whole(problem, 0) {
            let island = (seat.island, self.ejects);
            self.whole = whole(problem, island, &self.hops);
        }
        let has_groups = !self.groups.is_empty();
        let ejects = self.ejects;
        let is_member =
            |island| ejects || policy::searches_with_others(problem, island, has_groups);
        let seat = seat.with_team(is_member);
        self.whole.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        if steps == self.steps {
            // A longer schedule was shown; the race goes on.
            let is_whole = self.turn == self.parts.len();
            return if is_whole { self.whole.seek(steps, rng) } else { 0 };
        }
        self.steps = steps;
        self.is_whole_ready = false;
        self.lengths = (FIRST_TURN, FIRST_TURN);
        let moves = self.begin(rng);
        // Islands begin with different searches.
        let ways = self.parts.len() + 1;
        self.turn = (2 * self.island + ways - 1) % ways;
        moves + self.next_turn(rng)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let moves = if self.left == 0 { self.next_turn(rng) } else { 0 };
        let now = self.now_mut();
        let moves = moves + now.iterate(rng);
        let tally = now.tally();
        self.tally += tally;
        self.left = self.left.saturating_sub(self.now().pause().iterations);
        if self.parts.get(self.turn).is_some_and(ScatterSearch::is_stuck) {
            self.left = 0;
        }
        moves
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        if self.turn == self.parts.len() { self.whole.cross_over(partner, rng) } else { 0 }
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        self.whole.can_meet(partner)
    }

    fn cost(&self) -> u64 {
        self.now().cost()
    }

    fn genome(&self) -> Genome {
        self.whole.genome()
    }

    fn shows(&self) -> bool {
        self.whole.shows()
    }

    fn patience(&self) -> u64 {
        match self.ejects {
            true => policy::patience_of_many(self.lookup.problem()),
            false => self.share() * policy::patience(self.lookup.problem()),
        }
    }

    fn tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    fn method(&self) -> Method {
        self.now().method()
    }

    fn plan(&self) -> Plan {
        self.now().plan()
    }
}

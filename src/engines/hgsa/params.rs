//! The parameters of an island: what the paper leaves open, and how far to depart from it.

use super::Cooling;
use ccsched_model::problem::Problem;
use serde::{Deserialize, Serialize};

/// The temperatures between which random moves cool.
const PAPER: (f64, f64) = (0.8, 0.12);

/// The moves of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbourhood {
    /// A transfer in conflict takes its cheapest other path and step.
    Focused,
    /// A random transfer takes a random path or step, as in the paper.
    Paper,
}

impl Neighbourhood {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Focused, Self::Paper];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 2] = ["focused", "paper"];
}

/// What a round of cooling begins with, after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restart {
    /// The solution of the round before.
    Kept,
    /// A new start solution.
    Fresh,
}

impl Restart {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Kept, Self::Fresh];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 2] = ["kept", "fresh"];
}

/// Where a store-and-forward broadcast applies the first heuristic (hgsa-store-and-forward, section
/// 3.3): a path is cut short at a vertex that has the message earlier by another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shortening {
    /// Everywhere and at all times: only the first arrival at each vertex counts.
    Always,
    /// After initialisation and after each selection, as in the paper; in between every gene
    /// occupies all hops of its path.
    Paper,
    /// Never: every gene occupies all hops of its path.
    Off,
}

impl Shortening {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 3] = [Self::Always, Self::Paper, Self::Off];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 3] = ["always", "paper", "off"];
}

/// The parameters of an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The moves.
    pub neighbourhood: Neighbourhood,
    /// Temperature at the beginning of a round, in conflicts or transfers that wait; if `None`, as
    /// [`Params::cooling`] says.
    pub hot: Option<f64>,
    /// Temperature at the end of a round; if `None`, as [`Params::cooling`] says.
    pub cold: Option<f64>,
    /// Whether a focused move in a scatter ejects the transfers in its way, which then wait for
    /// another place; if not, they stay, in conflict. If `None`, unless some moves are swaps, which
    /// do not eject.
    pub eject: Option<bool>,
    /// Iterations of the first round; if `None`, as [`Params::cooling`] says.
    pub round: Option<u64>,
    /// Whether islands share the range of temperatures out ([`Cooling::rung`]); if not, each cools
    /// through the whole range.
    pub ladder: bool,
    /// What a round begins with; if `None`, a new solution in a wormhole broadcast
    /// ([`Params::restart`]).
    pub restart: Option<Restart>,
    /// The first heuristic, of store-and-forward broadcasts.
    pub shortening: Shortening,
    /// Share of the moves that swap the places of two transfers.
    pub swap_share: f64,
    /// Whether islands adopt parts of each other's solutions.
    pub exchange: bool,
    /// Probability that the better child of a crossover is mutated. Parents always are.
    pub child_mutation: f64,
    /// Share of the genes that a mutation changes; at least one gene.
    pub mutated_share: f64,
    /// Iterations in which an island makes as many moves as there are genes; 1, unless it anneals
    /// beside another search.
    pub stride: u64,
    /// The second heuristic applies if at most this number of transfers end last.
    pub most_longest: usize,
    /// Largest distance from sender to receiver in a wormhole all-to-all broadcast
    /// (umda-diameter-degree-networks, section 4.4). Raised where it would cut off a terminal.
    pub radius: u32,
}

impl Params {
    /// The default parameters with these moves.
    pub fn new(neighbourhood: Neighbourhood) -> Self {
        let (hot, cold) = match neighbourhood {
            Neighbourhood::Focused => (None, None),
            Neighbourhood::Paper => (Some(PAPER.0), Some(PAPER.1)),
        };
        Params { neighbourhood, hot, cold, ..Params::from(&super::ROW.defaults) }
    }

    /// The start of the rounds for a problem. The trees of a wormhole broadcast are right early, or
    /// in a dead end that no temperature leaves; other solutions improve in each round.
    pub fn restart(&self, problem: &Problem) -> Restart {
        self.restart.unwrap_or(if is_forest(problem) { Restart::Fresh } else { Restart::Kept })
    }

    /// Whether transfers of this problem eject others.
    pub fn ejects(&self, problem: &Problem) -> bool {
        self.neighbourhood == Neighbourhood::Focused
            && problem.collective().content().is_personal()
            && self.eject.unwrap_or(self.swap_share == 0.0)
    }

    /// The temperatures at the beginning and at the end of a round for a problem. Focused moves
    /// freeze at lower temperatures than random ones, ejections at still lower ones; the trees of
    /// several messages freeze earlier than one, because a delivery hardly moves without others.
    fn temperatures(&self, problem: &Problem) -> (f64, f64) {
        let (hot, cold) = match self.neighbourhood {
            Neighbourhood::Focused if self.ejects(problem) => (0.2, 0.1),
            Neighbourhood::Focused if is_forest(problem) && problem.messages() > 1 => (0.8, 0.3),
            Neighbourhood::Focused => (0.4, 0.15),
            Neighbourhood::Paper => PAPER,
        };
        // The one that is given may be beyond the other one's default.
        match (self.hot, self.cold) {
            (Some(hot), None) => (hot, cold.min(hot)),
            (hot_given, Some(cold)) => (hot_given.unwrap_or(hot.max(cold)), cold),
            (None, None) => (hot, cold),
        }
    }

    /// The cooling for a problem. Where focused moves start anew, short rounds are best.
    pub fn cooling(&self, problem: &Problem) -> Cooling {
        let (hot, cold) = self.temperatures(problem);
        let (round, growth) = match (self.neighbourhood, self.restart(problem)) {
            (Neighbourhood::Focused, Restart::Fresh) => (20, 1.2),
            (Neighbourhood::Focused, Restart::Kept) => (100, 1.5),
            (Neighbourhood::Paper, _) => (500, 1.5),
        };
        Cooling { hot, cold, first_round: self.round.unwrap_or(round), growth }
    }

    /// The same with other moves, and their temperatures.
    pub(super) fn with_moves(self, neighbourhood: Neighbourhood) -> Self {
        let Params { hot, cold, .. } = Params::new(neighbourhood);
        Params { neighbourhood, hot, cold, ..self }
    }

    /// Checks that the parameters do not contradict each other.
    ///
    /// # Errors
    /// The name of the parameter that contradicts another, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if let (Some(hot), Some(cold)) = (self.hot, self.cold)
            && cold > hot
        {
            let why = "is above the temperature at the beginning";
            return Err(("cold", format!("{cold} {why}, {hot}: cooling goes down")));
        }
        if self.eject == Some(true) && self.swap_share > 0.0 {
            let share = self.swap_share;
            let why = format!("{share} of the moves cannot be swaps with eject true; leave one");
            return Err(("swaps", why));
        }
        Ok(())
    }
}

impl Default for Params {
    fn default() -> Self {
        Params::new(Neighbourhood::Focused)
    }
}

/// Whether solutions are trees of transfers: those of a wormhole broadcast.
fn is_forest(problem: &Problem) -> bool {
    problem.collective().content().is_common() && problem.switching().holds_paths()
}

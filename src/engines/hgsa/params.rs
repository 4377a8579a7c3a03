//! The parameters of an island: what the paper leaves open, and how far to depart from it.

use super::Cooling;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The moves of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbourhood {
    /// A transfer in conflict takes its cheapest other path and step.
    Focused,
    /// A random transfer takes a random path or step, as in the paper.
    Paper,
    /// The moves of [`crate::engines::search`]: guided ejection for scatters, ejection chains and
    /// flood and repair for broadcasts. They do not anneal.
    Search,
}

impl Neighbourhood {
    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Neighbourhood::Focused => "focused",
            Neighbourhood::Paper => "paper",
            Neighbourhood::Search => "search",
        }
    }

    /// The default cooling. Focused moves freeze at lower temperatures, and need fewer of them.
    pub fn cooling(self) -> Cooling {
        let (hot, cold, first_round) = match self {
            Neighbourhood::Focused => (0.4, 0.15, 100),
            Neighbourhood::Paper | Neighbourhood::Search => (0.8, 0.12, 500),
        };
        Cooling { hot, cold, first_round, growth: 1.5 }
    }
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
    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Restart::Kept => "kept",
            Restart::Fresh => "fresh",
        }
    }
}

/// Where a store-and-forward broadcast applies the first heuristic (hgsa-store-and-forward, section
/// 3.3): a path is cut short at a vertex that has the message earlier by another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shortening {
    /// Everywhere and at all times: only the first arrival at each vertex counts.
    Always,
    /// After initialisation and after each selection, as in the paper; in between every gene occupies
    /// all hops of its path.
    Paper,
    /// Never: every gene occupies all hops of its path.
    Off,
}

impl Shortening {
    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Shortening::Always => "always",
            Shortening::Paper => "paper",
            Shortening::Off => "off",
        }
    }
}

/// The parameters of an island.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// The moves.
    pub neighbourhood: Neighbourhood,
    /// The cooling schedule.
    pub cooling: Cooling,
    /// Whether islands share the range of temperatures out ([`Cooling::rung`]); if not, each cools
    /// through the whole range.
    pub ladder: bool,
    /// What a round begins with.
    pub restart: Restart,
    /// The first heuristic, of store-and-forward broadcasts.
    pub shortening: Shortening,
    /// Share of the moves that swap the places of two transfers.
    pub swap_share: f64,
    /// With [`Neighbourhood::Search`], whether to search for scatters also under groups of
    /// automorphisms.
    pub symmetry: bool,
    /// Whether islands adopt others' solutions; if `None`, only if they anneal.
    pub exchange: Option<bool>,
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
        Params {
            neighbourhood,
            cooling: neighbourhood.cooling(),
            ladder: true,
            restart: Restart::Kept,
            shortening: Shortening::Always,
            swap_share: 0.0,
            symmetry: true,
            exchange: None,
            child_mutation: 0.5,
            mutated_share: 0.01,
            stride: 1,
            most_longest: 16,
            radius: 1,
        }
    }

    /// The parameters that users may set, by option name.
    pub fn named(&self) -> Vec<(&'static str, Value)> {
        let moves: Vec<(&'static str, Value)> = match self.neighbourhood {
            Neighbourhood::Focused | Neighbourhood::Paper => vec![
                ("hot", self.cooling.hot.into()),
                ("cold", self.cooling.cold.into()),
                ("round", self.cooling.first_round.into()),
                ("ladder", self.ladder.into()),
                ("restart", self.restart.name().into()),
                ("shortening", self.shortening.name().into()),
                ("swaps", self.swap_share.into()),
                ("child-mutation", self.child_mutation.into()),
                ("mutated-share", self.mutated_share.into()),
                ("longest", self.most_longest.into()),
                ("radius", self.radius.into()),
            ],
            Neighbourhood::Search => vec![("symmetry", self.symmetry.into())],
        };
        let both = [
            ("neighbourhood", self.neighbourhood.name().into()),
            ("exchange", self.exchanges().into()),
        ];
        both.into_iter().chain(moves).collect()
    }

    /// Whether islands adopt others' solutions.
    pub fn exchanges(&self) -> bool {
        self.exchange.unwrap_or(self.neighbourhood != Neighbourhood::Search)
    }
}

impl Default for Params {
    fn default() -> Self {
        Params::new(Neighbourhood::Focused)
    }
}

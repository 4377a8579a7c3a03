//! Migration between islands: the graph of the islands of an exchange group, how many solutions an
//! island receives at an exchange, and how they are chosen. The star with one solution by the roulette
//! wheel is the exchange of hgsa-store-and-forward, section 3.2.

use ccsched_base::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which islands of a group an island receives solutions from: its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Graph {
    /// All others; the master, which has the solutions of all, gives it one of them.
    #[default]
    Star,
    /// The islands before and after it.
    Ring,
    /// The four neighbours on a grid with wrap-around.
    Torus,
    /// All others; it receives the solutions of all of them.
    Full,
}

/// How solutions are chosen among those of the neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// By the roulette wheel: the fewer conflicts, the likelier.
    #[default]
    Roulette,
    /// Those of least cost.
    Best,
    /// All neighbours are equally likely.
    Random,
}

/// What islands exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migration {
    /// The graph of the islands.
    pub graph: Graph,
    /// Solutions that an island receives at an exchange; if none, one in a star, and those of all
    /// neighbours in another graph.
    pub migrants: Option<u32>,
    /// How they are chosen; if none, by the roulette wheel.
    pub choice: Option<Choice>,
}

/// A value, its name, and what it means.
pub type Word<T> = (T, &'static str, &'static str);

impl Graph {
    /// All graphs.
    pub const ALL: [Word<Graph>; 4] = [
        (Graph::Star, "star", "Each island receives from any other one, through the master"),
        (Graph::Ring, "ring", "From the islands before and after it"),
        (Graph::Torus, "torus", "From four neighbours on a grid as square as the number allows"),
        (Graph::Full, "full", "From all others"),
    ];

    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        name(self, &Self::ALL)
    }

    /// The neighbours of an island among some, in ascending order.
    pub fn neighbours(self, island: usize, islands: usize) -> Vec<usize> {
        let mut all: Vec<usize> = match self {
            Graph::Star | Graph::Full => (0..islands).collect(),
            Graph::Ring => vec![(island + 1) % islands, (island + islands - 1) % islands],
            Graph::Torus => {
                let columns = columns(islands);
                let (row, rows) = (island / columns, islands / columns);
                let (first, column) = (row * columns, island % columns);
                vec![
                    (island + columns) % islands,
                    (island + (rows - 1) * columns) % islands,
                    first + (column + 1) % columns,
                    first + (column + columns - 1) % columns,
                ]
            }
        };
        all.sort_unstable();
        all.dedup();
        all.retain(|&other| other != island);
        all
    }
}

/// The columns of the grid of a torus: the least divisor of the islands that is no less than its
/// number of rows.
fn columns(islands: usize) -> usize {
    let is_wide = |&columns: &usize| columns * columns >= islands;
    (1..=islands).filter(is_wide).find(|columns| islands.is_multiple_of(*columns)).unwrap_or(1)
}

impl Choice {
    /// All choices.
    pub const ALL: [Word<Choice>; 3] = [
        (Choice::Roulette, "roulette", "Solutions with fewer conflicts are likelier"),
        (Choice::Best, "best", "Those with the fewest conflicts"),
        (Choice::Random, "random", "All are equally likely"),
    ];

    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        name(self, &Self::ALL)
    }
}

fn name<T: PartialEq>(value: T, all: &'static [Word<T>]) -> &'static str {
    all.iter().find(|row| row.0 == value).map_or("", |row| row.1)
}

impl Migration {
    /// Refuses a choice among solutions that all arrive.
    ///
    /// # Errors
    /// The field without effect.
    pub fn check(&self) -> Result<()> {
        match (self.graph, self.migrants, self.choice) {
            (_, Some(0), _) => Err(Error::field("migrants", "0 solutions would never migrate")),
            (Graph::Star, _, _) | (_, Some(_), _) | (_, _, None) => Ok(()),
            (graph, None, Some(_)) => {
                let why = format!(
                    "without a number of migrants, an island of a {} receives the solutions of all \
                     its neighbours, and none is chosen; `migrants` 1 chooses one of them",
                    graph.name()
                );
                Err(Error::field("migration", why))
            }
        }
    }

    /// The solutions that an island with some neighbours receives.
    pub fn most(&self, neighbours: usize) -> usize {
        let default = if self.graph == Graph::Star { 1 } else { neighbours };
        self.migrants.map_or(default, |migrants| migrants as usize).min(neighbours)
    }

    /// What differs from the exchange of the paper, by the names of settings.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, serde_json::Value)> + use<> {
        let Migration { graph, migrants, choice } = *self;
        let graph = (graph != Graph::Star).then(|| ("islands-graph", graph.name().into()));
        let migrants = migrants.map(|migrants| ("migrants", migrants.into()));
        let choice = choice.map(|choice| ("migration", choice.name().into()));
        graph.into_iter().chain(migrants).chain(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_by_hand() {
        let of = |graph: Graph, island, islands| graph.neighbours(island, islands);
        assert_eq!(of(Graph::Ring, 0, 5), [1, 4]);
        assert_eq!(of(Graph::Ring, 1, 2), [0]);
        assert_eq!(of(Graph::Full, 1, 4), [0, 2, 3]);
        // Three columns, two rows: the rows above and below are the same.
        assert_eq!(of(Graph::Torus, 0, 6), [1, 2, 3]);
        assert_eq!(of(Graph::Torus, 5, 12), [1, 4, 6, 9]);
        // A prime number of islands is a ring.
        assert_eq!(of(Graph::Torus, 3, 7), [2, 4]);
        for (graph, _, _) in Graph::ALL {
            assert!(of(graph, 0, 1).is_empty());
            for (islands, island) in (2..40).flat_map(|n| (0..n).map(move |i| (n, i))) {
                for other in of(graph, island, islands) {
                    assert!(of(graph, other, islands).contains(&island), "{graph:?} {islands}");
                }
            }
        }
    }

    #[test]
    fn a_choice_among_all_is_refused() {
        let ring = Migration { graph: Graph::Ring, migrants: None, choice: Some(Choice::Best) };
        let why = ring.check().unwrap_err().to_string();
        assert!(why.contains("of a ring receives the solutions of all its neighbours"), "{why}");
        assert!(Migration { migrants: Some(1), ..ring }.check().is_ok());
        assert!(Migration { graph: Graph::Star, ..ring }.check().is_ok());
        assert!(Migration { migrants: Some(0), ..ring }.check().is_err());
    }
}

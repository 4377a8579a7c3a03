//! The partners of the islands of a group at an exchange: by the graph of the islands, the costs of
//! their solutions, and random numbers.

use super::roulette::spin;
use crate::islands::migration::{Choice, Migration};
use ccsched_base::rng::Rng;
use rand::RngExt;

/// The islands whose solutions an island receives, in the order in which it crosses over with them.
pub fn partners(migration: Migration, costs: &[u64], island: usize, rng: &mut Rng) -> Vec<usize> {
    let mut left = migration.graph.neighbours(island, costs.len());
    let most = migration.most(left.len());
    if most == left.len() && migration.migrants.is_none() && most > 1 {
        return left;
    }
    let choice = migration.choice.unwrap_or_default();
    (0..most).map_while(|_| Some(left.remove(chosen(choice, &left, costs, rng)?))).collect()
}

/// The place of one of some islands; none if there are none.
pub fn chosen(choice: Choice, among: &[usize], costs: &[u64], rng: &mut Rng) -> Option<usize> {
    match choice {
        Choice::Roulette => {
            let costs: Vec<u64> = among.iter().map(|&other| costs[other]).collect();
            spin(&costs, rng)
        }
        Choice::Best => (0..among.len()).min_by_key(|&place| costs[among[place]]),
        Choice::Random if among.is_empty() => None,
        Choice::Random => Some(rng.random_range(0..among.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::islands::migration::Graph;
    use ccsched_base::rng::rng_of;

    const COSTS: [u64; 6] = [3, 1, 4, 1, 5, 9];

    fn drawn(graph: Graph, migrants: Option<u32>, choice: Option<Choice>) -> Vec<Vec<usize>> {
        let mut rng = rng_of(1, 0, 0);
        let migration = Migration { graph, migrants, choice };
        (0..COSTS.len()).map(|island| partners(migration, &COSTS, island, &mut rng)).collect()
    }

    #[test]
    fn graphs_and_choices_by_hand() {
        let best = Some(Choice::Best);
        assert_eq!(drawn(Graph::Star, None, best), [[1], [3], [1], [1], [1], [1]]);
        let two = drawn(Graph::Star, Some(2), best);
        assert_eq!(two, [[1, 3], [3, 0], [1, 3], [1, 0], [1, 3], [1, 3]]);
        assert_eq!(drawn(Graph::Ring, Some(1), best), [[1], [0], [1], [2], [3], [0]]);
        let ring = drawn(Graph::Ring, None, None);
        assert_eq!(ring, [[1, 5], [0, 2], [1, 3], [2, 4], [3, 5], [0, 4]]);
        let full = drawn(Graph::Full, None, None);
        assert!(full.iter().enumerate().all(|(i, all)| all.len() == 5 && !all.contains(&i)));
        let none = partners(Migration::default(), &[4], 0, &mut rng_of(1, 0, 0));
        assert!(none.is_empty());
    }

    #[test]
    fn random_partners_are_other_neighbours_without_repetition() {
        for choice in [Choice::Random, Choice::Roulette] {
            for graph in [Graph::Star, Graph::Ring, Graph::Torus, Graph::Full] {
                for (island, mut found) in
                    drawn(graph, Some(2), Some(choice)).into_iter().enumerate()
                {
                    let neighbours = graph.neighbours(island, COSTS.len());
                    assert!(found.len() == 2 && found.iter().all(|p| neighbours.contains(p)));
                    found.dedup();
                    assert_eq!(found.len(), 2);
                }
            }
        }
    }
}

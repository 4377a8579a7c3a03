//! What groups tell the master of the search: a summary of a leg, which does not grow with the
//! number of islands. Genomes are part of it at exchanges between groups only, statistics of islands
//! only if they are wanted.

use super::GroupState;
use crate::islands::IslandStats;
use ccsched_engines::{Genome, Method};
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// From a master of groups to the one above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromGroups {
    /// What does not wait for the end of the leg.
    Early(Early),
    /// The answer to a decision.
    Answer(Answer),
}

/// News that are passed on at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Early {
    /// A better schedule than before, and its method.
    Found(Arc<Plan>, Method),
    /// An interrupt reached the process of an island.
    Interrupted,
}

/// The answer of groups to a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The end of a leg.
    Summary(Box<Summary>),
    /// The states of the groups; none if an island was interrupted before it had a state.
    Saved(Option<Vec<GroupState>>),
}

/// The reports of some consecutive groups after a leg, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The least cost; 0 if there is a complete schedule.
    pub cost: u64,
    /// The best schedule and its method, if it is better than the one of the terms; of equal ones
    /// that of the island with the lowest number.
    pub plan: Option<(Arc<Plan>, Method)>,
    /// The patience of the first island that has not failed; 0 if there is none.
    pub patience: u64,
    /// The temperature of the first island.
    pub temperature: f64,
    /// The most iterations that an island has made.
    pub iterations: u64,
    /// The most iterations that the leg of an island counts.
    pub passed: u64,
    /// The moves that all islands have made.
    pub evaluations: u64,
    /// Islands that have panicked.
    pub failed: usize,
    /// Whether an island was interrupted before the end of the leg.
    pub is_broken: bool,
    /// Before an exchange between groups: what each group shows.
    pub migrants: Vec<Migrant>,
    /// The statistics of all islands, if wanted.
    pub stats: Vec<IslandStats>,
}

/// The solution that a group shows to the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Migrant {
    /// Its island.
    pub island: usize,
    /// Its cost.
    pub cost: u64,
    /// Its genome.
    pub genome: Genome,
}

impl Summary {
    /// The summary of these groups and of those that follow.
    pub fn join(mut self, next: Summary) -> Summary {
        self.cost = self.cost.min(next.cost);
        self.plan = better(self.plan, next.plan);
        if self.patience == 0 {
            (self.patience, self.temperature) = (next.patience, next.temperature);
        }
        self.failed += next.failed;
        self.iterations = self.iterations.max(next.iterations);
        self.passed = self.passed.max(next.passed);
        self.evaluations += next.evaluations;
        self.is_broken |= next.is_broken;
        self.migrants.extend(next.migrants);
        self.stats.extend(next.stats);
        self
    }
}

impl Answer {
    /// The answer of these groups and of those that follow; none if the two differ in kind.
    pub fn join(self, next: Answer) -> Option<Answer> {
        Some(match (self, next) {
            (Answer::Summary(a), Answer::Summary(b)) => Answer::Summary(Box::new(a.join(*b))),
            (Answer::Saved(a), Answer::Saved(b)) => {
                Answer::Saved(a.zip(b).map(|(a, b)| [a, b].concat()))
            }
            _ => return None,
        })
    }
}

/// The better of two schedules; the first if they are equal.
pub fn better<M>(a: Option<(Arc<Plan>, M)>, b: Option<(Arc<Plan>, M)>) -> Option<(Arc<Plan>, M)> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0.rank() < a.0.rank() { b } else { a }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A summary with a schedule of some steps.
    fn summary(cost: u64, steps: u32, method: Method) -> Summary {
        Summary {
            cost,
            plan: Some((Arc::new(Plan::new(steps)), method)),
            patience: cost,
            temperature: cost as f64,
            iterations: cost,
            passed: cost,
            evaluations: cost,
            failed: 0,
            is_broken: cost == 9,
            migrants: vec![Migrant { island: 0, cost, genome: Genome::Nothing }],
            stats: vec![],
        }
    }

    #[test]
    fn the_shape_of_the_tree_does_not_change_a_summary() {
        use Method::{Annealing, MarginalDistribution};
        let parts = [(3, 5, Annealing), (9, 4, Annealing), (1, 4, MarginalDistribution)];
        let [a, b, c] = parts.map(|(cost, steps, method)| summary(cost, steps, method));
        let left = a.clone().join(b.clone()).join(c.clone());
        assert_eq!(left, a.join(b.join(c)));
        assert_eq!((left.cost, left.iterations, left.evaluations), (1, 9, 13));
        assert_eq!((left.patience, left.temperature, left.is_broken), (3, 3.0, true));
        // The first of the two shortest.
        assert_eq!(left.plan.unwrap().1, Annealing);
        let costs: Vec<u64> = left.migrants.iter().map(|m| m.cost).collect();
        assert_eq!(costs, [3, 9, 1]);
    }
}

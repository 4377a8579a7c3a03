//! What the master of a search decides at an exchange. Masters of groups pass a decision down; each
//! part has what its groups need.

use super::GroupState;
use ccsched_engines::Genome;
use ccsched_model::schedule::PlanRank;
use serde::{Deserialize, Serialize};

/// What the islands of all groups do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Decision {
    /// Exchange inside each group, unless it was time for one between groups, and search for a
    /// schedule of this cost.
    Seek(u64),
    /// Exchange inside each group.
    CrossOver,
    /// Exchange between groups: the genome that each group receives.
    Migrate(Vec<Option<Genome>>),
    /// Resume from the state of each group; islands without a state search for a schedule of this
    /// cost.
    Load(u64, Vec<GroupState>),
    /// Send the states, at an exchange with the decision that follows, or within a leg.
    Save(Option<Box<Decision>>),
    /// Do what was decided before the states were sent.
    Proceed,
    /// Break off and report.
    Break,
    /// The search is over.
    End,
}

/// What masters of groups must know of the leg that begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The rank of the best schedule: others are news only if theirs is lower.
    pub best: Option<PlanRank>,
    /// The leg ends with an exchange between groups: each group shows a genome.
    pub is_between: bool,
}

impl Decision {
    /// The parts of a decision for parts of the groups, by their numbers of groups, in order.
    pub fn split(self, groups: &[usize]) -> Vec<Decision> {
        match self {
            Decision::Migrate(genomes) => {
                chunks(genomes, groups).into_iter().map(Decision::Migrate).collect()
            }
            Decision::Load(steps, states) => {
                let part = |states| Decision::Load(steps, states);
                chunks(states, groups).into_iter().map(part).collect()
            }
            Decision::Save(Some(next)) => {
                let part = |next| Decision::Save(Some(Box::new(next)));
                next.split(groups).into_iter().map(part).collect()
            }
            other => vec![other; groups.len()],
        }
    }
}

/// A list cut into pieces of these lengths.
fn chunks<T>(list: Vec<T>, lengths: &[usize]) -> Vec<Vec<T>> {
    let mut rest = list.into_iter();
    lengths.iter().map(|&length| rest.by_ref().take(length).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_cut_in_the_order_of_the_groups() {
        let genomes = vec![None, Some(Genome::Nothing), None, Some(Genome::Genes(vec![]))];
        let whole = Decision::Save(Some(Box::new(Decision::Migrate(genomes.clone()))));
        let part = |genomes: &[Option<Genome>]| {
            Decision::Save(Some(Box::new(Decision::Migrate(genomes.to_vec()))))
        };
        let parts = [part(&genomes[..1]), part(&genomes[1..1]), part(&genomes[1..])];
        assert_eq!(whole.split(&[1, 0, 3]), parts);
        assert_eq!(Decision::Seek(7).split(&[2, 1]), [Decision::Seek(7), Decision::Seek(7)]);
    }
}

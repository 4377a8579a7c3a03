//! The exchange as the master of the search sees it: inside groups, also when all islands get a new
//! step target, or between groups.

use super::Master;
use super::target::Target;
use crate::islands::StopCondition;
use crate::islands::groups::{Decision, Summary, Terms, chosen, is_between, ranges};
use crate::islands::state::MasterState;
use ccsched_engines::Genome;

impl Master<'_> {
    /// What groups must know of the leg that begins.
    pub(in crate::islands) fn terms(&self) -> Terms {
        let MasterState { best, progress, .. } = &self.state;
        let is_between = is_between(progress.exchanges + 1, self.groups());
        Terms { best: best.as_ref().map(|plan| plan.rank()), is_between }
    }

    /// The cost to seek now: without one asked for, no lower than ends the search.
    pub(super) fn seeking(&self) -> u64 {
        nearest(&self.state.target, self.stop)
    }

    fn groups(&self) -> usize {
        ranges(self.islands, self.search.exchange_group).count()
    }

    /// The decision until the next exchange. The statistics of the summary then count what it sends.
    pub(super) fn next(&mut self, summary: &mut Summary) -> Decision {
        let MasterState { target, rng, .. } = &mut self.state;
        let seeks = summary.cost == 0 || target.passed(summary.passed, summary.patience);
        let is_inside = summary.migrants.is_empty();
        if !is_inside {
            summary.stats.iter_mut().for_each(|stats| stats.sent = 0);
        }
        match (seeks, is_inside) {
            (true, _) => return Decision::Seek(nearest(target, self.stop)),
            (false, true) => return Decision::CrossOver,
            (false, false) => {}
        }
        let migrants = &summary.migrants;
        let costs: Vec<u64> = migrants.iter().map(|migrant| migrant.cost).collect();
        let choice = self.search.migration.choice.unwrap_or_default();
        let mut genomes = Vec::with_capacity(costs.len());
        for (group, islands) in ranges(self.islands, self.search.exchange_group).enumerate() {
            let others: Vec<usize> = (0..costs.len()).filter(|&other| other != group).collect();
            let from = chosen(choice, &others, &costs, rng).map(|place| &migrants[others[place]]);
            genomes.push(from.map(|migrant| migrant.genome.clone()));
            if let Some(from) = from.filter(|migrant| migrant.genome != Genome::Nothing)
                && let Some(stats) = summary.stats.get_mut(from.island)
            {
                stats.sent += islands.len() as u64;
            }
        }
        Decision::Migrate(genomes)
    }
}

/// The cost of a target, or that within the gap asked for.
fn nearest(target: &Target, stop: StopCondition<'_>) -> u64 {
    if target.has_goal() {
        target.seeking()
    } else {
        target.seeking().max(stop.near(target.bound()))
    }
}

//! The paths of a problem, and the resources that each occupies.

use super::WAITS;
use crate::engines::Gene;
use crate::network::VertexId;
use crate::problem::{Problem, ResourceId, Switching};
use crate::routing::{PathId, PathTable, Slack};
use crate::schedule::Plan;

/// One use of a resource by a path, in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The resource.
    pub resource: ResourceId,
    /// Steps after the first: 0 in wormhole networks; the hop in store-and-forward networks.
    pub delay: u32,
}

/// The paths for some pairs, with the resources they occupy, stored flat.
#[derive(Clone, Debug)]
pub struct Routes {
    table: PathTable,
    /// `starts[p]..starts[p + 1]` is the range of path `p` in `uses`.
    starts: Vec<u32>,
    uses: Vec<Use>,
    durations: Vec<u32>,
}

impl Routes {
    /// Finds the paths of `pairs` with at most `slack` channels more than a shortest one, or the
    /// fixed route. Where a pair has too many, `seed` draws a sample.
    pub fn find(
        problem: &Problem,
        pairs: &[(VertexId, VertexId)],
        slack: Slack,
        seed: u64,
    ) -> Self {
        let table = match problem.has_fixed_routes() {
            true => PathTable::fixed(pairs.iter().map(|&(a, b)| problem.fixed_route(a, b))),
            false => PathTable::find(&problem.network, pairs, slack, seed),
        };
        let paths = table.len();
        let mut routes = Routes { table, starts: vec![0], uses: Vec::new(), durations: Vec::new() };
        for path in 0..paths as PathId {
            let channels = routes.table.channels(path);
            let push = |resource, delay| routes.uses.push(Use { resource, delay });
            problem.resources.uses(&problem.network, problem.switching, channels, push);
            routes.starts.push(routes.uses.len() as u32);
            routes.durations.push(match problem.switching {
                Switching::Wormhole => 1,
                Switching::StoreAndForward => channels.len() as u32,
            });
        }
        routes
    }

    /// Finds the paths of all demands, from source to destination: pair `g` is demand `g`.
    pub fn of_demands(problem: &Problem, slack: Slack, seed: u64) -> Self {
        let pairs: Vec<_> = problem.demands.iter().map(|d| (d.source, d.destination)).collect();
        Self::find(problem, &pairs, slack, seed)
    }

    /// The table of paths, by pair.
    pub fn table(&self) -> &PathTable {
        &self.table
    }

    /// The uses of a path.
    pub fn uses(&self, path: PathId) -> &[Use] {
        let p = path as usize;
        &self.uses[self.starts[p] as usize..self.starts[p + 1] as usize]
    }

    /// Steps that a transfer along the path takes.
    pub fn duration(&self, path: PathId) -> u32 {
        self.durations[path as usize]
    }

    /// Number of a pair's paths that take at most `steps`; these come first in the table.
    pub fn fitting(&self, pair: usize, steps: u32) -> u32 {
        let paths = self.table.of_pair(pair);
        let fitting = paths.take_while(|&p| self.duration(p) <= steps).count();
        fitting as u32
    }

    /// The schedule in which gene `g` gives the path and the step of demand `g`, without the transfers
    /// that wait.
    pub fn plan(&self, problem: &Problem, steps: u32, genes: &[Gene]) -> Plan {
        let mut plan = Plan::new(steps);
        let placed = |(gene, _): &(&Gene, _)| gene.step != WAITS;
        for (gene, demand) in genes.iter().zip(&problem.demands).filter(placed) {
            let channels = self.table.channels(gene.path);
            match problem.switching {
                Switching::Wormhole => plan.push(gene.step as usize, demand.message, channels),
                Switching::StoreAndForward => {
                    for (hop, &c) in channels.iter().enumerate() {
                        plan.push(gene.step as usize + hop, demand.message, [c]);
                    }
                }
            }
        }
        plan.tidy();
        plan
    }
}

//! The paths of a problem, and what each path occupies.

use crate::engines::Gene;
use crate::network::VertexId;
use crate::problem::{Problem, ResourceId, Switching};
use crate::routing::{PathId, PathTable, Slack};
use crate::schedule::{Plan, Transfer};

/// A path occupies a resource so many steps after its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// What is occupied.
    pub resource: ResourceId,
    /// 0 in wormhole networks; the hop in store-and-forward networks.
    pub delay: u32,
}

/// The paths for some pairs, with what they occupy, stored flat.
#[derive(Clone, Debug)]
pub struct Routes {
    table: PathTable,
    /// `starts[p]..starts[p + 1]` is the range of path `p` in `uses`.
    starts: Vec<u32>,
    uses: Vec<Use>,
    durations: Vec<u32>,
}

impl Routes {
    /// Finds the paths of `pairs` with at most `slack` channels more than a shortest one, or the one
    /// that routing lays down. Where a pair has too many, a sample is drawn from `seed`.
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

    /// The table of paths, by the pairs given.
    pub fn table(&self) -> &PathTable {
        &self.table
    }

    /// What a path occupies.
    pub fn uses(&self, path: PathId) -> &[Use] {
        let p = path as usize;
        &self.uses[self.starts[p] as usize..self.starts[p + 1] as usize]
    }

    /// Steps that a transfer along the path takes.
    pub fn duration(&self, path: PathId) -> u32 {
        self.durations[path as usize]
    }

    /// How many of a pair's paths, which are the shortest, take at most `steps`.
    pub fn fitting(&self, pair: usize, steps: u32) -> u32 {
        let paths = self.table.of_pair(pair);
        let fitting = paths.take_while(|&p| self.duration(p) <= steps).count();
        fitting as u32
    }

    /// The schedule in which demand `g` goes as gene `g` says.
    pub fn plan(&self, problem: &Problem, steps: u32, genes: &[Gene]) -> Plan {
        let mut plan = Plan::new(steps);
        for (gene, demand) in genes.iter().zip(&problem.demands) {
            let channels = self.table.channels(gene.path);
            match problem.switching {
                Switching::Wormhole => plan.steps[gene.step as usize]
                    .push(Transfer { message: demand.message, channels: channels.to_vec() }),
                Switching::StoreAndForward => {
                    for (hop, &c) in channels.iter().enumerate() {
                        plan.steps[gene.step as usize + hop]
                            .push(Transfer { message: demand.message, channels: vec![c] });
                    }
                }
            }
        }
        plan.tidy();
        plan
    }
}

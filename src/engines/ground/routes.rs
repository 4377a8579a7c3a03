//! The paths of a problem, and the resources that each occupies.

use super::Gene;
use ccsched_model::problem::{Problem, ResourceId, Switching};
use ccsched_model::routing::{PathId, PathTable, Slack};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;

/// One use of a resource by a path, in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The resource.
    pub resource: ResourceId,
    /// Steps after the first: 0 in wormhole networks; the hop in store-and-forward networks.
    pub delay: u32,
}

/// The step of a transfer that waits for a place.
pub const WAITS: u32 = u32::MAX;
/// Paths with waits: of a pair, of all pairs, and the steps that one waits, at most.
const MOST_WAITING_OF_A_PAIR: usize = 32;
const MOST_WAITING: usize = 1_000_000;
const LONGEST_WAIT: u32 = 8;
/// On a path with more places to wait at, a message waits at one.
const MOST_PLACES: usize = 16;

/// The paths for some pairs, with the resources they occupy, stored flat.
#[derive(Clone, Debug)]
pub struct Routes {
    table: PathTable,
    /// `starts[p]..starts[p + 1]` is the range of path `p` in `uses`.
    starts: Vec<u32>,
    uses: Vec<Use>,
    durations: Vec<u32>,
    /// By pair, the paths without a wait, which come first; empty if there are no others.
    straight: Vec<u32>,
    /// By path, the steps that it waits after each hop; none for those without a wait.
    waits: Vec<Option<Box<[u32]>>>,
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
            false => PathTable::find(problem.network(), pairs, slack, seed),
        };
        let paths = table.len();
        Routes::of_table(problem, table, Vec::new(), vec![None; paths])
    }

    fn of_table(
        problem: &Problem,
        table: PathTable,
        straight: Vec<u32>,
        waits: Vec<Option<Box<[u32]>>>,
    ) -> Self {
        let (starts, uses, durations) = (vec![0], Vec::new(), Vec::new());
        let mut routes = Routes { table, starts, uses, durations, straight, waits };
        for (path, waits) in (0..).zip(&routes.waits) {
            let channels = routes.table.channels(path);
            let waited = |hops: u32| match waits {
                Some(waits) => waits[..hops as usize].iter().sum(),
                None => 0,
            };
            let push = |resource, hop| {
                routes.uses.push(Use { resource, delay: hop + waited(hop) });
            };
            problem.resources().uses(problem.network(), problem.switching(), channels, push);
            routes.starts.push(routes.uses.len() as u32);
            routes.durations.push(match problem.switching() {
                Switching::Wormhole | Switching::Hosts => 1,
                Switching::StoreAndForward => {
                    channels.len() as u32 + waited(channels.len() as u32 - 1)
                }
            });
        }
        routes
    }

    /// The same paths, and after those of each pair some of them with waits on the way: with
    /// store-and-forward switching a message may stay at a vertex until its next channel is free. Short
    /// waits come first.
    pub fn with_waits(self, problem: &Problem, pairs: usize) -> Self {
        let most = (MOST_WAITING / pairs.max(1)).min(MOST_WAITING_OF_A_PAIR);
        let (mut more, mut waits) = (Vec::with_capacity(pairs), Vec::new());
        for pair in 0..pairs {
            let paths = self.table.of_pair(pair);
            waits.extend(paths.clone().map(|_| None));
            let mut found: Vec<(PathId, Box<[u32]>)> = Vec::new();
            for steps in 1..=LONGEST_WAIT {
                for path in paths.clone() {
                    let places = self.table.channels(path).len() - 1;
                    let left = most - found.len();
                    let of_path = divisions(steps, places).take(left);
                    found.extend(of_path.map(|waits| (path, waits)));
                }
            }
            found.sort_by_key(|(path, waits)| self.duration(*path) + waits.iter().sum::<u32>());
            more.push(found.iter().map(|&(path, _)| path).collect());
            waits.extend(found.into_iter().map(|(_, waits)| Some(waits)));
        }
        let straight = (0..pairs).map(|pair| self.table.of_pair(pair).len() as u32).collect();
        Routes::of_table(problem, self.table.repeating(&more), straight, waits)
    }

    /// Finds the paths of all demands, from source to destination: pair `g` is demand `g`.
    pub fn of_demands(problem: &Problem, slack: Slack, seed: u64) -> Self {
        let pairs: Vec<_> = problem.demands().iter().map(|d| (d.source, d.destination)).collect();
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

    /// The first path of a pair without a wait, and the number of those that take at most `steps`; they come first in
    /// the table.
    pub fn fitting(&self, pair: usize, steps: u32) -> (PathId, u32) {
        let paths = self.table.of_pair(pair);
        let straight = self.straight.get(pair).copied().unwrap_or(u32::MAX);
        self.fitting_of(paths.start, paths.take(straight as usize), steps)
    }

    /// The same of its paths with waits.
    pub fn waiting(&self, pair: usize, steps: u32) -> (PathId, u32) {
        let Some(&straight) = self.straight.get(pair) else { return (0, 0) };
        let paths = self.table.of_pair(pair);
        let first = paths.start + straight;
        self.fitting_of(first, first..paths.end, steps)
    }

    fn fitting_of(
        &self,
        first: PathId,
        paths: impl Iterator<Item = PathId>,
        steps: u32,
    ) -> (PathId, u32) {
        (first, paths.take_while(|&p| self.duration(p) <= steps).count() as u32)
    }

    /// The schedule in which gene `g` gives the path and the step of demand `g`, without the transfers
    /// that wait.
    pub fn plan(&self, problem: &Problem, steps: u32, genes: &[Gene]) -> Plan {
        let mut plan = Plan::new(steps);
        let placed = |(gene, _): &(&Gene, _)| gene.step != WAITS;
        for (gene, demand) in genes.iter().zip(problem.demands()).filter(placed) {
            let channels = self.table.channels(gene.path);
            match problem.switching() {
                Switching::Wormhole | Switching::Hosts => {
                    plan.push(gene.step as usize, demand.message, channels)
                }
                Switching::StoreAndForward => {
                    let mut waits = self.waits[gene.path as usize].iter().flatten();
                    let mut step = gene.step;
                    for &c in channels {
                        plan.push(step as usize, demand.message, [c]);
                        step += 1 + waits.next().unwrap_or(&0);
                    }
                }
            }
        }
        plan.tidy();
        plan
    }
}

/// The divisions of some steps among places; all at one of many places.
fn divisions(steps: u32, places: usize) -> Box<dyn Iterator<Item = Box<[u32]>>> {
    match places {
        0 => Box::new(std::iter::empty()),
        1 => Box::new(std::iter::once([steps].into())),
        _ if places > MOST_PLACES => {
            Box::new((0..places).map(move |at| {
                (0..places).map(|place| if place == at { steps } else { 0 }).collect()
            }))
        }
        _ => Box::new((0..=steps).rev().flat_map(move |first| {
            let rest = divisions(steps - first, places - 1);
            rest.map(move |rest| std::iter::once(first).chain(rest.iter().copied()).collect())
        })),
    }
}

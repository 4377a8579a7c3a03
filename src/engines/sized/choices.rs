//! The messages of a problem: their lengths, and their paths with the resources that each holds.

use ccsched_model::problem::{Problem, Routing};
use ccsched_model::routing::{PathId, PathTable};
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;

/// How much longer than a shortest path a path of any length is taken: longer ones hold more channels.
const ANY: u32 = 2;

/// About the most paths of all messages.
const MOST_PATHS: usize = 8_000_000;

/// The ends of the messages, pair by pair.
fn pairs(problem: &Problem) -> Vec<(VertexId, VertexId)> {
    problem.pairs().map(|same| (same[0].source, same[0].destination)).collect()
}

/// The table of fixed routes, if routing is by such.
fn fixed(problem: &Problem, pairs: &[(VertexId, VertexId)]) -> Option<PathTable> {
    let routes = pairs.iter().map(|&(s, d)| problem.fixed_route(s, d));
    problem.has_fixed_routes().then(|| PathTable::fixed(routes))
}

/// Messages by number, and their paths.
pub struct Choices {
    /// By message, its bytes.
    pub lengths: Vec<u64>,
    /// By resource, the transfers that hold it at once.
    pub capacity: Vec<u32>,
    /// By message, its paths.
    paths: Vec<Range<PathId>>,
    table: PathTable,
    /// By path, the end of its resources.
    ends: Vec<u32>,
    resources: Vec<u32>,
}

impl Choices {
    /// The messages of a problem of wormhole switching, one a demand. Samples of paths are drawn from
    /// `seed`. None if `is_over` returns true meanwhile.
    ///
    /// # Panics
    /// The problem has other switching, or no lengths.
    pub fn of(problem: &Problem, seed: u64, is_over: &dyn Fn() -> bool) -> Option<Self> {
        let pairs = pairs(problem);
        let slack = if problem.routing() == Routing::Any { ANY } else { problem.routing().slack() };
        let table = match fixed(problem, &pairs) {
            Some(table) => table,
            None => {
                let how = (slack, seed);
                PathTable::find_shared(problem.network(), &pairs, how, MOST_PATHS, is_over)?
            }
        };
        Some(Self::from(problem, table))
    }

    /// The same with one shortest path of each message, where there is no time for more.
    ///
    /// # Panics
    /// As [`Choices::of`].
    pub fn narrow(problem: &Problem, seed: u64) -> Self {
        let pairs = pairs(problem);
        let one = || PathTable::one_each(problem.network(), &pairs, seed);
        Self::from(problem, fixed(problem, &pairs).unwrap_or_else(one))
    }

    /// All paths, or one of each message where `is_over` returns true before they are found.
    ///
    /// # Panics
    /// As [`Choices::of`].
    pub fn in_time(problem: &Problem, seed: u64, is_over: &dyn Fn() -> bool) -> Self {
        Self::of(problem, seed, is_over).unwrap_or_else(|| Self::narrow(problem, seed))
    }

    fn from(problem: &Problem, table: PathTable) -> Self {
        assert!(problem.holds_whole_paths(), "with wormhole switching alone");
        let lengths = problem.lengths().expect("the messages have lengths").to_vec();
        let mut paths = Vec::with_capacity(lengths.len());
        for (pair, same) in problem.pairs().enumerate() {
            paths.extend(same.iter().map(|_| table.of_pair(pair)));
        }
        let capacity = problem.resources().capacities().to_vec();
        let (ends, resources) = (Vec::with_capacity(table.len()), Vec::new());
        let mut choices = Choices { lengths, capacity, paths, table, ends, resources };
        (0..choices.table.len() as PathId).for_each(|path| choices.hold(problem, path));
        choices
    }

    /// Lists what the next path holds.
    fn hold(&mut self, problem: &Problem, path: PathId) {
        let add = |resource, _| self.resources.push(resource);
        let channels = self.table.channels(path);
        problem.resources().uses(problem.network(), problem.switching(), channels, add);
        self.ends.push(self.resources.len() as u32);
    }

    /// The same with messages that take one unit of time each, a step.
    pub fn in_steps(self) -> Self {
        Choices { lengths: vec![1; self.lengths.len()], ..self }
    }

    /// Adds a path beside those of the messages, such as one of an earlier schedule.
    pub fn add(&mut self, problem: &Problem, channels: &[ChannelId]) -> PathId {
        let path = self.table.len() as PathId;
        self.table.push_path(channels);
        self.hold(problem, path);
        path
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The paths of a message, shortest first.
    #[inline]
    pub fn paths(&self, message: u32) -> Range<PathId> {
        self.paths[message as usize].clone()
    }

    /// The path of a message over these channels.
    pub fn along(&self, message: u32, channels: &[ChannelId]) -> Option<PathId> {
        self.paths(message).find(|&path| self.channels(path) == channels)
    }

    /// What a path holds.
    #[inline]
    pub fn held(&self, path: PathId) -> &[u32] {
        let p = path as usize;
        let first = p.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.resources[first as usize..self.ends[p] as usize]
    }

    /// The channels of a path.
    pub fn channels(&self, path: PathId) -> &[ChannelId] {
        self.table.channels(path)
    }
}

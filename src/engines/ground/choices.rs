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
    /// By channel, its delay in bytes; empty if there is none.
    delays: Vec<u64>,
    /// By held resource, the delay of what the path has before it; empty without delays.
    before: Vec<u64>,
    /// By path, the delay of all of it; empty without delays.
    across: Vec<u64>,
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
        let delays = problem.network().delays_in_bytes();
        let (before, across) = (Vec::new(), Vec::new());
        let mut choices =
            Choices { lengths, capacity, paths, table, ends, resources, delays, before, across };
        (0..choices.table.len() as PathId).for_each(|path| choices.hold(problem, path));
        choices
    }

    /// Lists what the next path holds.
    fn hold(&mut self, problem: &Problem, path: PathId) {
        let first = self.resources.len();
        let add = |resource, _| self.resources.push(resource);
        let channels = self.table.channels(path);
        problem.resources().uses(problem.network(), problem.switching(), channels, add);
        self.ends.push(self.resources.len() as u32);
        if self.delays.is_empty() {
            return;
        }
        let resources = problem.resources();
        let across = channels.iter().map(|&c| self.delays[c as usize]).sum();
        let before = |&resource: &u32| {
            let is_it = |&&c: &&ChannelId| resources.of_channel(c) != resource;
            match channels.iter().any(|&c| resources.of_channel(c) == resource) {
                true => channels.iter().take_while(is_it).map(|&c| self.delays[c as usize]).sum(),
                // The port of the receiver waits for the head; that of the sender does not.
                false => {
                    let end = channels.last().map(|&c| problem.network().channel(c).to);
                    let is_last = end.and_then(|v| resources.receive_port(v)) == Some(resource);
                    if is_last { across } else { 0 }
                }
            }
        };
        self.before.extend(self.resources[first..].iter().map(before));
        self.across.push(across);
    }

    /// The same with messages that take one unit of time each, a step, in which delays order nothing.
    pub fn in_steps(self) -> Self {
        let (delays, before, across) = (Vec::new(), Vec::new(), Vec::new());
        Choices { lengths: vec![1; self.lengths.len()], delays, before, across, ..self }
    }

    /// Whether channels have delays.
    pub fn has_delays(&self) -> bool {
        !self.across.is_empty()
    }

    /// The delay of a path in bytes: its last byte has come through as much later as it has left.
    #[inline]
    pub fn across(&self, path: PathId) -> u64 {
        self.across.get(path as usize).copied().unwrap_or(0)
    }

    /// What a path takes for a message in all: its bytes and the delay of the path.
    #[inline]
    pub fn span(&self, message: u32, path: PathId) -> u64 {
        self.lengths[message as usize] + self.across(path)
    }

    /// The last start of a message on a path that ends by `end`, if there is one.
    pub fn last_start(&self, message: u32, path: PathId, end: u64) -> Option<u64> {
        end.checked_sub(self.span(message, path))
    }

    /// The delay of what a path has before a resource that it holds.
    #[inline]
    pub fn before(&self, path: PathId, resource: usize) -> u64 {
        if self.before.is_empty() {
            return 0;
        }
        let of = |&(r, _): &(usize, u64)| r == resource;
        self.held_after(path).find(of).map_or(0, |(_, before)| before)
    }

    /// What a path holds, each with the delay of what is before it on the path.
    #[inline]
    pub fn held_after(&self, path: PathId) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (first, end) = self.range(path);
        let before = move |i: usize| self.before.get(i).copied().unwrap_or(0);
        (first..end).map(move |i| (self.resources[i] as usize, before(i)))
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
        let (first, end) = self.range(path);
        &self.resources[first..end]
    }

    #[inline]
    fn range(&self, path: PathId) -> (usize, usize) {
        let p = path as usize;
        let first = p.checked_sub(1).map_or(0, |before| self.ends[before]);
        (first as usize, self.ends[p] as usize)
    }

    /// The channels of a path.
    pub fn channels(&self, path: PathId) -> &[ChannelId] {
        self.table.channels(path)
    }
}

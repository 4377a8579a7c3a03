//! Random tiny traffics with lengths, and what their transfers hold.

use super::tiny;
use ccsched::Options;
use ccsched::Problem;
use ccsched::islands::{Form, Limits};
use ccsched::problem::{Collective, Pair, Request, Switching};
use ccsched::rng::Rng;
use ccsched::routing::PathTable;
use rand::RngExt;
use std::sync::Arc;

const MOST_MESSAGES: usize = 6;
const MOST_PATHS: usize = 4;

/// A message: its length, and by path what it holds.
pub struct Job {
    pub bytes: u64,
    pub paths: Vec<Vec<u32>>,
    /// By path, its channels.
    pub channels: Vec<Vec<u32>>,
}

/// A problem with random lengths; some messages are as long as others.
pub fn draw(rng: &mut Rng) -> Option<Arc<Problem>> {
    let whole = tiny::problem(rng, Collective::Traffic);
    let with_length = |pair: &Pair| Pair { bytes: Some(rng.random_range(0..9)), ..pair.clone() };
    let pairs = whole.request().pairs.as_ref()?.iter().map(with_length).collect();
    let switching = Switching::Wormhole;
    let request = Request { pairs: Some(pairs), switching, ..whole.request().clone() };
    request.pose(whole.network().clone(), vec![]).ok().map(Arc::new)
}

pub fn jobs(problem: &Problem) -> Option<Vec<Job>> {
    let slack = problem.routing().slack();
    let demands = problem.demands();
    let pairs: Vec<_> = demands.iter().map(|d| (d.source, d.destination)).collect();
    let table = PathTable::find(problem.network(), &pairs, slack, 1);
    let job = |(i, d): (usize, &ccsched::problem::Demand)| {
        let held = |path| {
            let mut held = Vec::new();
            let channels = table.channels(path);
            problem
                .resources()
                .uses(problem.network(), problem.switching(), channels, |r, _| held.push(r));
            held
        };
        let bytes = problem.lengths().unwrap()[d.message as usize];
        let channels = table.of_pair(i).map(|path| table.channels(path).to_vec()).collect();
        Job { bytes, paths: table.of_pair(i).map(held).collect(), channels }
    };
    let jobs: Vec<Job> = demands.iter().enumerate().map(job).collect();
    let is_small =
        jobs.len() <= MOST_MESSAGES && jobs.iter().all(|job| job.paths.len() <= MOST_PATHS);
    is_small.then_some(jobs)
}

/// Transfers that are under way: start, end, what they hold.
pub type Held<'j> = Vec<(u64, u64, &'j [u32])>;

/// Whether a transfer fits beside others: at no start of any of them a resource holds too many.
pub fn fits(capacity: &[u32], held: &Held<'_>, (start, end, path): (u64, u64, &[u32])) -> bool {
    let instants = held.iter().map(|h| h.0).chain([start]).filter(|&t| start <= t && t < end);
    instants.into_iter().all(|t| {
        path.iter().all(|r| {
            let users = held.iter().filter(|h| h.0 <= t && t < h.1 && h.2.contains(r)).count();
            users < capacity[*r as usize] as usize
        })
    })
}

/// The first start at which a transfer of some bytes fits beside others.
pub fn earliest(capacity: &[u32], held: &Held<'_>, (bytes, path): (u64, &[u32])) -> u64 {
    let instants = held.iter().map(|h| h.1).chain([0]);
    let is_free = |&t: &u64| fits(capacity, held, (t, t + bytes, path));
    instants.filter(is_free).min().expect("all others are over at some time")
}

/// A search for the least time on one island.
pub fn for_time(form: Form, iterations: u64) -> Options {
    let limits = Limits { iterations, ..Limits::default() };
    Options { form: Some(form), limits, islands: Some(1), ..Options::default() }
}

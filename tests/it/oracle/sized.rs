//! Messages of different lengths on random tiny problems: bound <= exact <= found, in both forms. The exact
//! searches are written from the model alone.

use crate::support::tiny;
use ccsched::Problem;
use ccsched::islands::{Form, Search, StopCondition, Threads, solve_sized};
use ccsched::problem::{Collective, Pair, Request, Switching};
use ccsched::rng::{Rng, rng_of};
use ccsched::routing::PathTable;
use rand::RngExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const PROBLEMS: usize = 300;
const MOST_MESSAGES: usize = 6;
const MOST_PATHS: usize = 4;
const STARTUP: u64 = 3;

/// A message: its length, and by path what it holds.
struct Job {
    bytes: u64,
    paths: Vec<Vec<u32>>,
}

/// A problem with random lengths; some messages are as long as others.
fn draw(rng: &mut Rng) -> Option<Arc<Problem>> {
    let whole = tiny::problem(rng, Collective::Traffic);
    let with_length = |pair: &Pair| Pair { bytes: Some(rng.random_range(0..9)), ..pair.clone() };
    let pairs = whole.request().pairs.as_ref()?.iter().map(with_length).collect();
    let switching = Switching::Wormhole;
    let request = Request { pairs: Some(pairs), switching, ..whole.request().clone() };
    request.pose(whole.network().clone(), vec![]).ok().map(Arc::new)
}

fn jobs(problem: &Problem) -> Option<Vec<Job>> {
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
        Job { bytes, paths: table.of_pair(i).map(held).collect() }
    };
    let jobs: Vec<Job> = demands.iter().enumerate().map(job).collect();
    let is_small =
        jobs.len() <= MOST_MESSAGES && jobs.iter().all(|job| job.paths.len() <= MOST_PATHS);
    is_small.then_some(jobs)
}

/// Transfers that are under way: start, end, what they hold.
type Held<'j> = Vec<(u64, u64, &'j [u32])>;

/// Whether a transfer fits beside others: at no start of any of them a resource holds too many.
fn fits(capacity: &[u32], held: &Held<'_>, (start, end, path): (u64, u64, &[u32])) -> bool {
    let instants = held.iter().map(|h| h.0).chain([start]).filter(|&t| start <= t && t < end);
    instants.into_iter().all(|t| {
        path.iter().all(|r| {
            let users = held.iter().filter(|h| h.0 <= t && t < h.1 && h.2.contains(r)).count();
            users < capacity[*r as usize] as usize
        })
    })
}

/// The least end: some order of the messages, each as early as it fits beside those before it, is best.
fn timed<'j>(
    capacity: &[u32],
    jobs: &'j [Job],
    left: &mut Vec<usize>,
    held: &mut Held<'j>,
    best: &mut u64,
) {
    let end = held.iter().map(|h| h.1).max().unwrap_or(0);
    if end >= *best {
        return;
    }
    if left.is_empty() {
        *best = end;
        return;
    }
    for place in 0..left.len() {
        let job = left.remove(place);
        for path in &jobs[job].paths {
            let bytes = jobs[job].bytes;
            let instants = held.iter().map(|h| h.1).chain([0]);
            let is_free = |&t: &u64| fits(capacity, held, (t, t + bytes, path));
            let start = instants.filter(is_free).min().expect("all others are over at some time");
            held.push((start, start + bytes, path));
            timed(capacity, jobs, left, held, best);
            held.pop();
        }
        left.insert(place, job);
    }
}

/// The least cost of steps: each message joins a step or opens one.
fn steps<'j>(capacity: &[u32], jobs: &'j [Job], rows: &mut Vec<(u64, Held<'j>)>, best: &mut u64) {
    let cost: u64 = rows.iter().map(|row| row.0 + STARTUP).sum();
    if cost >= *best {
        return;
    }
    let Some((job, rest)) = jobs.split_first() else {
        *best = cost;
        return;
    };
    for step in 0..=rows.len() {
        for path in &job.paths {
            if step == rows.len() {
                rows.push((0, Vec::new()));
            }
            let (longest, held) = &mut rows[step];
            let before = *longest;
            if fits(capacity, held, (0, 1, path)) {
                *longest = before.max(job.bytes);
                held.push((0, 1, path));
                steps(capacity, rest, rows, best);
                rows[step].0 = before;
                rows[step].1.pop();
            }
            if rows[step].1.is_empty() {
                rows.pop();
            }
        }
    }
}

#[test]
fn bound_exact_found() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut rng = rng_of(31, 0, 0);
    let (mut decided, mut at_bound) = ([0; 2], [0; 2]);
    let mut equal = [0; 2];
    while decided[0] < PROBLEMS {
        let Some((problem, jobs)) = draw(&mut rng).and_then(|p| Some((p.clone(), jobs(&p)?)))
        else {
            continue;
        };
        let capacity = problem.resources().capacities();
        for (i, form) in [Form::Timed, Form::Steps { startup: STARTUP }].into_iter().enumerate() {
            let mut exact = u64::MAX;
            match form {
                Form::Timed => {
                    let mut left = (0..jobs.len()).collect();
                    timed(capacity, &jobs, &mut left, &mut Vec::new(), &mut exact);
                }
                Form::Steps { .. } => steps(capacity, &jobs, &mut Vec::new(), &mut exact),
            }
            let stop = StopCondition::new(40, None, &NEVER);
            let solution = solve_sized(
                &problem,
                form,
                Search::default(),
                (None, None),
                &mut Threads(1),
                stop,
                &mut |_, _, _| {},
            )
            .unwrap();
            let found = solution.found.as_ref().expect("a schedule is found").0.cost;
            let bound = solution.least_cost();
            let about = || format!("{form:?} {:?} {:?}", problem.request(), problem.network());
            assert!(bound <= exact && exact <= found, "{bound} {exact} {found}: {}", about());
            decided[i] += 1;
            equal[i] += usize::from(found == exact);
            at_bound[i] += usize::from(bound == exact);
        }
    }
    println!("{decided:?} decided, {equal:?} equal, {at_bound:?} at the bound");
    assert!(equal.iter().all(|&equal| equal * 100 >= PROBLEMS * 97), "{equal:?} of {PROBLEMS}");
    assert!(at_bound.iter().all(|&n| n * 100 >= PROBLEMS * 60), "{at_bound:?} of {PROBLEMS}");
}

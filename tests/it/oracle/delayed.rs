//! Messages of different lengths on random tiny networks whose channels have delays: bound <= exact <= found, in both
//! forms. The exact searches are written from the model alone: of timed schedules they try every start, since
//! delays undo the argument that some order of the messages, each as early as it fits, is best.

use crate::support::sized::{draw, for_time, jobs};
use ccsched::islands::Form;
use ccsched::network::{Delay, Delays};
use ccsched::problem::Problem;
use ccsched::rng::{Rng, rng_of};
use ccsched::solve;
use ccsched::verify::verify;
use rand::RngExt;
use std::sync::Arc;

const PROBLEMS: usize = 120;
const STARTUP: u64 = 3;
/// Messages of a problem, at most: every start of each is tried.
const MOST: usize = 4;

/// What a message holds on a path, each from when after its start, and the delay of the path.
struct Way {
    held: Vec<(u32, u64)>,
    across: u64,
}

struct Message {
    bytes: u64,
    ways: Vec<Way>,
}

/// The problem with delays of 0 to 4 bytes on some of its channels.
fn delayed(problem: &Problem, rng: &mut Rng) -> Option<Arc<Problem>> {
    let net = problem.network();
    let mut delay = |c: u32| {
        let ns = rng.random_range(0..5);
        rng.random_bool(0.7).then(|| (c, Delay::of_ns(ns).unwrap()))
    };
    let delays: Delays = (0..net.channels().len() as u32).filter_map(&mut delay).collect();
    let net = delays.applied(net).with_rate(1e9);
    problem.request().pose(net, vec![]).ok().map(Arc::new)
}

fn messages(problem: &Problem) -> Option<Vec<Message>> {
    let jobs = jobs(problem)?;
    if jobs.len() > MOST {
        return None;
    }
    let net = problem.network();
    let ns = |c: u32| net.channel(c).delay.map_or(0, Delay::ns);
    let resources = problem.resources();
    let way = |channels: &Vec<u32>, held: &Vec<u32>| {
        let across = channels.iter().map(|&c| ns(c)).sum();
        let sender = resources.send_port(net.channel(channels[0]).from);
        let after = |&resource: &u32| {
            let mut before = 0;
            for &c in channels {
                if resources.of_channel(c) == resource {
                    return (resource, before);
                }
                before += ns(c);
            }
            (resource, if Some(resource) == sender { 0 } else { across })
        };
        Way { held: held.iter().map(after).collect(), across }
    };
    let of_job = |job: &crate::support::sized::Job| Message {
        bytes: job.bytes,
        ways: job.channels.iter().zip(&job.paths).map(|(c, held)| way(c, held)).collect(),
    };
    Some(jobs.iter().map(of_job).collect())
}

/// By resource and instant, the transfers that hold it.
struct Lines(Vec<Vec<u32>>);

impl Lines {
    fn put(&mut self, way: &Way, (start, bytes): (u64, u64), by: i32) {
        for &(r, after) in &way.held {
            for t in start + after..start + after + bytes {
                let cell = &mut self.0[r as usize][t as usize];
                *cell = cell.checked_add_signed(by).expect("what is taken away was there");
            }
        }
    }

    fn is_free(&self, capacity: &[u32], way: &Way, (start, bytes): (u64, u64)) -> bool {
        let is_free = |&(r, after): &(u32, u64)| {
            let mut all = start + after..start + after + bytes;
            all.all(|t| self.0[r as usize][t as usize] < capacity[r as usize])
        };
        way.held.iter().all(is_free)
    }
}

/// The least end below `best`, of all starts of all messages.
fn timed(capacity: &[u32], messages: &[Message], lines: &mut Lines, end: u64, best: &mut u64) {
    let Some((message, rest)) = messages.split_first() else {
        *best = end;
        return;
    };
    for way in &message.ways {
        let span = message.bytes + way.across;
        let mut start = 0;
        while end.max(start + span) < *best {
            let at = (start, message.bytes);
            if lines.is_free(capacity, way, at) {
                lines.put(way, at, 1);
                timed(capacity, rest, lines, end.max(start + span), best);
                lines.put(way, at, -1);
            }
            start += 1;
        }
    }
}

/// A step: its longest message, its largest delay, and by resource the transfers.
type Row = (u64, u64, Vec<u32>);

/// The least cost of steps: each message joins a step or opens one.
fn steps(capacity: &[u32], messages: &[Message], rows: &[Row], best: &mut u64) {
    if rows.iter().map(|row| row.0 + row.1 + STARTUP).sum::<u64>() >= *best {
        return;
    }
    let Some((message, rest)) = messages.split_first() else {
        *best = rows.iter().map(|row| row.0 + row.1 + STARTUP).sum();
        return;
    };
    for step in 0..=rows.len() {
        for way in &message.ways {
            let mut after = rows.to_vec();
            after.resize(rows.len().max(step + 1), (0, 0, vec![0; capacity.len()]));
            let row = &mut after[step];
            row.0 = row.0.max(message.bytes);
            row.1 = row.1.max(way.across);
            way.held.iter().for_each(|&(r, _)| row.2[r as usize] += 1);
            if row.2.iter().zip(capacity).all(|(held, capacity)| held <= capacity) {
                steps(capacity, rest, &after, best);
            }
        }
    }
}

#[test]
fn bound_exact_found_with_delays() {
    let mut rng = rng_of(57, 0, 0);
    let (mut decided, mut equal, mut at_bound) = (0, [0; 2], [0; 2]);
    while decided < PROBLEMS {
        let Some(problem) = draw(&mut rng).and_then(|p| delayed(&p, &mut rng)) else { continue };
        let Some(messages) = messages(&problem) else { continue };
        let capacity = problem.resources().capacities();
        for (i, form) in [Form::Timed, Form::Steps { startup: STARTUP }].into_iter().enumerate() {
            let solution = solve(&problem, &for_time(form, 40)).unwrap();
            let file = solution.schedule().expect("a schedule is found");
            assert!(verify(&file).is_empty());
            let found = solution.plan.as_ref().map_or(u64::MAX, |plan| plan.cost());
            if form.is_timed() {
                assert_eq!(file.span(), Some(found));
            }
            // One more: the exact search must find a schedule as short as that of the search.
            let mut exact = found + 1;
            match form {
                Form::Timed => {
                    let lines = vec![vec![0; 2 * found as usize + 64]; capacity.len()];
                    timed(capacity, &messages, &mut Lines(lines), 0, &mut exact);
                }
                Form::Steps { .. } => steps(capacity, &messages, &[], &mut exact),
            }
            let bound = solution.least_cost();
            let about = || format!("{form:?} {:?} {:?}", problem.request(), problem.network());
            assert!(bound <= exact && exact <= found, "{bound} {exact} {found}: {}", about());
            equal[i] += usize::from(found == exact);
            at_bound[i] += usize::from(bound == exact);
        }
        decided += 1;
    }
    println!("{decided} decided, {equal:?} equal, {at_bound:?} at the bound");
    assert!(equal[0] * 100 >= PROBLEMS * 97 && equal[1] * 100 >= PROBLEMS * 80, "{equal:?}");
    assert!(at_bound.iter().all(|&n| n * 100 >= PROBLEMS * 25), "{at_bound:?} of {PROBLEMS}");
}

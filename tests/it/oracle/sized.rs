//! Messages of different lengths on random tiny problems: bound <= exact <= found, in both forms. The exact
//! searches are written from the model alone.

use crate::support::sized::for_time;
use crate::support::sized::{Held, Job, draw, earliest, fits, jobs};
use ccsched::bounds::bytes::startups;
use ccsched::islands::Form;
use ccsched::rng::rng_of;
use ccsched::solve;

const PROBLEMS: usize = 300;
const STARTUP: u64 = 3;

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
            let start = earliest(capacity, held, (bytes, path));
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
            let solution = solve(&problem, &for_time(form, 40)).unwrap();
            let file = solution.schedule().expect("a schedule is found");
            let found = solution.plan.as_ref().map_or(u64::MAX, |plan| plan.cost());
            if form.is_timed() {
                assert_eq!(file.startups(), startups(&problem), "{:?}", problem.request());
            }
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

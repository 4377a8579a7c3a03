//! Repairs of timed schedules: against an exact search, and on networks with a broken link.

use super::{options, without};
use crate::support::sized::{Held, Job, draw, earliest, fits, jobs};
use ccsched::islands::{Form, Limits};
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Pair, Problem, Request};
use ccsched::repair::{Row, Target, repair, repair_towards};
use ccsched::rng::rng_of;
use ccsched::schedule::changes::Changes;
use ccsched::schedule::{ScheduleFile, places_onto};
use ccsched::verify::verify;
use ccsched::{Options, solve};
use rand::RngExt;
use std::time::Duration;

fn limited(iterations: u64) -> Options {
    let limits = Limits { iterations, ..Limits::default() };
    Options { limits, form: Some(Form::Timed), ..options() }
}

fn solved(problem: &Problem) -> ScheduleFile {
    solve(problem, &limited(20)).unwrap().schedule().unwrap()
}

fn checked(old: &ScheduleFile, problem: &Problem, target: Target) -> Vec<Row> {
    let rows = repair(old, problem, target, &limited(20)).unwrap();
    for row in &rows {
        assert!(verify(&row.schedule).is_empty());
        assert_eq!(row.changes, Changes::between(old, &row.schedule));
        assert!(row.changes.changed.len() + row.changes.added.len() >= row.least);
        assert_eq!(Some(row.length()), row.schedule.span());
    }
    rows
}

/// An all-to-all of random lengths.
fn lengths(network: &Network, seed: u64) -> Request {
    let mut rng = rng_of(seed, 0, 0);
    let names: Vec<String> =
        network.terminals().map(|v| network.vertex_name(v).to_string()).collect();
    let pair = |(source, destination): (&String, &String)| Pair {
        source: source.clone(),
        destination: destination.clone(),
        bytes: Some(rng.random_range(1..200)),
        count: 1,
    };
    let all = names.iter().flat_map(|s| names.iter().map(move |d| (s, d)));
    let pairs = Some(all.filter(|(s, d)| s != d).map(pair).collect());
    Request { pairs, ..Request::new(Collective::Traffic) }
}

/// Whether some order of the messages, each as early as it fits beside those before it, ends in time.
fn is_feasible<'j>(
    capacity: &[u32],
    jobs: &'j [Job],
    left: &mut Vec<usize>,
    held: &mut Held<'j>,
    end: u64,
) -> bool {
    if left.is_empty() {
        return true;
    }
    for place in 0..left.len() {
        let job = left.remove(place);
        for path in &jobs[job].paths {
            let bytes = jobs[job].bytes;
            let start = earliest(capacity, held, (bytes, path));
            if start + bytes <= end {
                held.push((start, start + bytes, path));
                let is_found = is_feasible(capacity, jobs, left, held, end);
                held.pop();
                if is_found {
                    left.insert(place, job);
                    return true;
                }
            }
        }
        left.insert(place, job);
    }
    false
}

/// The fewest messages that have another place than in the old schedule, before an end.
fn exact(problem: &Problem, jobs: &[Job], old: &ScheduleFile, end: u64) -> usize {
    let capacity = problem.resources().capacities();
    let mut home = vec![None; jobs.len()];
    for (message, start, channels) in places_onto(old, problem).unwrap() {
        let job = &jobs[message as usize];
        let path = job.channels.iter().position(|own| *own == channels);
        home[message as usize] = path
            .map(|path| (start, start + job.bytes, &job.paths[path][..]))
            .filter(|home| home.1 <= end);
    }
    let kept = |set: u32| {
        let mut held: Held<'_> = Vec::new();
        for (_, home) in home.iter().enumerate().filter(|(m, _)| (set >> m) & 1 == 1) {
            let home = (*home)?;
            if !fits(capacity, &held, home) {
                return None;
            }
            held.push(home);
        }
        // What starts later may hold what earlier ones need as well.
        let is_valid = (0..held.len()).all(|i| {
            let others: Held<'_> =
                held.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, h)| *h).collect();
            fits(capacity, &others, held[i])
        });
        is_valid.then_some(held)
    };
    let changed = |set: &u32| jobs.len() - set.count_ones() as usize;
    let is_possible = |set: &u32| {
        let Some(mut held) = kept(*set) else { return false };
        let mut left: Vec<usize> = (0..jobs.len()).filter(|m| (set >> m) & 1 == 0).collect();
        is_feasible(capacity, jobs, &mut left, &mut held, end)
    };
    let all = (0..1 << jobs.len()).filter(is_possible);
    all.map(|set| changed(&set)).min().expect("the repair is a schedule")
}

#[test]
fn repairs_of_tiny_traffics_are_exact_nearly_always() {
    let rng = &mut rng_of(17, 0, 0);
    let (mut all, mut equal, mut moved) = (0, 0, 0);
    while all < 150 {
        let Some(healthy) = draw(rng) else { continue };
        if jobs(&healthy).is_none_or(|jobs| jobs.len() < 3) {
            continue;
        }
        let network = healthy.network();
        let channel = rng.random_range(0..network.channels().len() as u32);
        let Some(problem) = without(network, channel, healthy.request()) else { continue };
        let Some(jobs) = jobs(&problem) else { continue };
        let old = solved(&healthy);
        for target in [Target::Fewest(0), Target::Old, Target::Frontier(0)] {
            for row in checked(&old, &problem, target) {
                let exact = exact(&problem, &jobs, &old, row.length());
                let found = row.changes.changed.len() + row.changes.added.len();
                assert!(row.least <= exact && exact <= found, "{} {exact} {found}", row.least);
                all += 1;
                equal += usize::from(found == exact);
                moved += found;
            }
        }
    }
    assert!(moved > 50 && equal * 100 >= all * 95, "{equal} of {all}, {moved} moved");
}

#[test]
fn a_broken_link_leaves_most_messages_where_they_were() {
    for name in ["fat-tree:8", "torus:3x3"] {
        let network = spec::parse(name).unwrap();
        let request = lengths(&network, 3);
        let old = solved(&request.pose(network.clone(), vec![]).unwrap());
        let between_switches = |c: &u32| {
            let of = network.channel(*c);
            name != "fat-tree:8" || ![of.from, of.to].iter().any(|&v| network.is_terminal(v))
        };
        let all = 0..network.channels().len() as u32;
        let channel = all.filter(between_switches).nth(2).unwrap();
        let problem = without(&network, channel, &request).unwrap();
        let rows = checked(&old, &problem, Target::Old);
        let (row, messages) = (&rows[0], problem.messages());
        let changed = row.changes.changed.len();
        assert!(row.least > 0 && changed * 2 <= messages, "{name}: {changed} of {messages}");
        assert_eq!(changed + row.changes.kept, messages);
        // The same seed gives the same schedule.
        assert_eq!(rows[0].schedule, checked(&old, &problem, Target::Old)[0].schedule);
        // Later ends need fewer changes, down to those of the messages that must change.
        let rows = checked(&old, &problem, Target::Frontier(0));
        let changes: Vec<usize> = rows.iter().map(|row| row.changes.changed.len()).collect();
        assert!(changes.windows(2).all(|two| two[0] > two[1]), "{changes:?}");
        assert!(rows.windows(2).all(|two| two[0].length() < two[1].length()));
        let last = rows.last().unwrap();
        assert_eq!(last.changes.changed.len(), last.least, "{name}");
    }
}

#[test]
fn nothing_broken_changes_nothing_at_the_old_end() {
    let network = spec::parse("ring:5").unwrap();
    let request = lengths(&network, 5);
    let problem = request.pose(network, vec![]).unwrap();
    let old = solved(&problem);
    let rows = checked(&old, &problem, Target::Old);
    assert_eq!((rows.len(), rows[0].changes.changed.len()), (1, 0));
    assert_eq!(Some(rows[0].length()), old.span());
    let error = repair(&old, &problem, Target::Given(3), &limited(5)).unwrap_err().to_string();
    assert!(error.starts_with("steps: "), "{error}");
}

#[test]
fn a_mended_link_brings_the_old_schedule_back() {
    let network = spec::parse("ring:5").unwrap();
    let request = lengths(&network, 7);
    let healthy = request.pose(network.clone(), vec![]).unwrap();
    let old = solved(&healthy);
    let broken = without(&network, 2, &request).unwrap();
    let broken = checked(&old, &broken, Target::Fewest(0)).pop().unwrap().schedule;
    assert!(broken.span() > old.span());
    let towards = |prefer| {
        let rows = repair_towards((&broken, prefer), &healthy, Target::Fewest(0), &limited(20));
        rows.unwrap().pop().unwrap().schedule
    };
    let back = towards(Some(&old));
    assert!(back.span() <= old.span());
    let unlike = |file: &ScheduleFile| Changes::between(&old, file).changed.len();
    assert!(unlike(&back) <= unlike(&towards(None)));
    // With the end of the schedule without the link, only detours change.
    let rows = repair_towards((&broken, Some(&old)), &healthy, Target::Old, &limited(20)).unwrap();
    assert_eq!(rows[0].changes.changed.len(), rows[0].least);
}

#[test]
fn the_time_limit_is_kept() {
    let network = spec::parse("torus:3x3").unwrap();
    let request = lengths(&network, 9);
    let old = solved(&request.pose(network.clone(), vec![]).unwrap());
    let problem = without(&network, 0, &request).unwrap();
    let limits = Limits { time: Some(Duration::from_millis(1)), ..Limits::default() };
    let options = Options { limits, ..limited(20) };
    let rows = repair(&old, &problem, Target::Fewest(0), &options).unwrap();
    // What keeps all that is possible is found whatever the time.
    let row = rows.last().expect("a repair");
    assert!(row.changes.changed.len() >= row.least && verify(&row.schedule).is_empty());
}

/// Steps that last as long as their longest messages take no more time after a repair, if they are as many.
#[test]
fn steps_keep_their_lengths() {
    let network = spec::parse("fat-tree:8").unwrap();
    let request = lengths(&network, 11);
    let options = Options { form: Some(Form::Steps { startup: 50 }), ..limited(20) };
    let old = solve(&request.pose(network.clone(), vec![]).unwrap(), &options);
    let old = old.unwrap().schedule().unwrap();
    let channels = 0..network.channels().len() as u32;
    let is_between = |c: &u32| {
        let of = network.channel(*c);
        ![of.from, of.to].iter().any(|&v| network.is_terminal(v))
    };
    let mut kept = 0;
    for channel in channels.filter(is_between).step_by(20) {
        let problem = without(&network, channel, &request).unwrap();
        for target in [Target::Old, Target::Fewest(0)] {
            let rows = repair(&old, &problem, target, &options).unwrap();
            let row = &rows[0];
            assert_eq!(verify(&row.schedule), []);
            assert!(row.changes.changed.len() >= row.least && row.least > 0);
            if target == Target::Old && row.schedule.steps.len() <= old.steps.len() {
                assert!(row.schedule.span() <= old.span());
                let changed = row.changes.changed.len();
                assert!(changed * 2 <= problem.messages(), "{changed}");
                kept += 1;
            }
        }
    }
    assert!(kept > 0);
}

//! Repairs against an exact search, and on networks with a broken link.

use crate::support::tiny::network;
use ccsched::network::{Network, VertexId, faults, spec};
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::repair::{Row, Target, repair};
use ccsched::rng::rng_of;
use ccsched::schedule::changes::Changes;
use ccsched::schedule::{Plan, ScheduleFile, resolve_survivors};
use ccsched::verify::verify;
use ccsched::{Options, solve};
use rand::RngExt;

fn options() -> Options {
    Options { islands: Some(2), ..Options::default() }
}

fn solved(problem: &Problem) -> ScheduleFile {
    solve(problem, &options()).unwrap().schedule().unwrap()
}

/// The problem without a link of the network.
fn without(network: &Network, channel: u32, request: &Request) -> Option<Problem> {
    let reverse = network.channel(channel).reverse;
    let gone: Vec<u32> = std::iter::once(channel).chain(reverse).collect();
    let record = faults::record(network, channel, &gone);
    request.pose(faults::apply(network, &gone, &[]).ok()?, vec![record]).ok()
}

fn checked(old: &ScheduleFile, problem: &Problem, target: Target) -> Vec<Row> {
    let rows = repair(old, problem, target, &options()).unwrap();
    for row in &rows {
        assert!(verify(&row.schedule).is_empty());
        assert_eq!(row.changes, Changes::between(old, &row.schedule));
        assert!(row.changes.changed.len() >= row.least);
    }
    rows
}

#[test]
fn small_networks_change_only_what_used_the_link() {
    for (name, switching) in
        [("petersen", Switching::Wormhole), ("kautz:3,2", Switching::StoreAndForward)]
    {
        let network = spec::parse(name).unwrap();
        let request = Request { switching, ..Request::new(Collective::Aas) };
        let old = solved(&request.pose(network.clone(), vec![]).unwrap());
        let (mut all, mut least) = (0, 0);
        for channel in (0..network.channels().len() as u32).step_by(5) {
            let Some(problem) = without(&network, channel, &request) else { continue };
            let rows = checked(&old, &problem, Target::Fewest(1));
            let row = rows.last().expect("a repair");
            all += row.changes.changed.len();
            least += row.least;
        }
        assert!(least > 0 && all * 10 <= least * 12, "{name}: {all} changed, at least {least}");
    }
}

#[test]
fn nothing_broken_changes_nothing() {
    let problem = Request::new(Collective::Aas).pose(spec::parse("mesh:3x3").unwrap(), vec![]);
    let problem = problem.unwrap();
    let old = solved(&problem);
    let rows = checked(&old, &problem, Target::Old);
    assert_eq!((rows.len(), rows[0].changes.changed.len()), (1, 0));
}

#[test]
fn broadcasts_are_solved_anew_and_their_changes_counted() {
    let network = spec::parse("hypercube:3").unwrap();
    let request = Request::new(Collective::Aab);
    let old = solved(&request.pose(network.clone(), vec![]).unwrap());
    let problem = without(&network, 0, &request).unwrap();
    let rows = checked(&old, &problem, Target::Fewest(0));
    assert_eq!(rows.len(), 1);
}

/// All shortest paths between two vertices.
fn paths(network: &Network, from: VertexId, to: VertexId) -> Vec<Vec<u32>> {
    let mut layer = vec![(from, Vec::new())];
    loop {
        let found: Vec<Vec<u32>> =
            layer.iter().filter(|(v, _)| *v == to).map(|(_, path)| path.clone()).collect();
        if !found.is_empty() {
            return found;
        }
        let mut next = Vec::new();
        for (v, path) in &layer {
            for &c in network.outgoing(*v) {
                let longer: Vec<u32> = path.iter().copied().chain([c]).collect();
                next.push((network.channel(c).to, longer));
            }
        }
        layer = next;
        assert!(!layer.is_empty() && layer.len() < 10_000);
    }
}

/// The fewest messages of a wormhole scatter that have another place than in a plan, in a number of
/// steps; none if there is no schedule.
fn exact(problem: &Problem, old: &Plan, steps: usize) -> Option<usize> {
    let network = problem.network();
    let mut home = vec![None; problem.demands().len()];
    for (step, transfers) in old.steps().enumerate() {
        for t in transfers.iter() {
            let d = problem.demands().iter().position(|d| d.message == t.message).unwrap();
            home[d] = Some((step, t.channels.to_vec()));
        }
    }
    let places: Vec<Vec<(usize, Vec<u32>)>> = (problem.demands().iter())
        .map(|d| {
            let paths = paths(network, d.source, d.destination);
            (0..steps).flat_map(|s| paths.iter().map(move |p| (s, p.clone()))).collect()
        })
        .collect();
    let mut busy = vec![vec![0; network.channels().len()]; steps];
    let mut best = None;
    place(problem, &places, &home, (0, 0), &mut busy, &mut best);
    best
}

type Place = (usize, Vec<u32>);

fn place(
    problem: &Problem,
    places: &[Vec<Place>],
    home: &[Option<Place>],
    (d, changed): (usize, usize),
    busy: &mut [Vec<u32>],
    best: &mut Option<usize>,
) {
    if best.is_some_and(|best| changed >= best) {
        return;
    }
    if d == places.len() {
        *best = Some(changed);
        return;
    }
    let is_home = |place: &Place| home[d].as_ref() == Some(place);
    let mut order: Vec<&Place> = places[d].iter().collect();
    order.sort_by_key(|place| !is_home(place));
    for at in order {
        let (step, path) = at;
        let of = |c: u32| problem.network().channel(c);
        let is_free = path.iter().all(|&c| {
            let other = of(c).reverse.filter(|_| of(c).exclusive);
            let both = busy[*step][c as usize] + other.map_or(0, |o| busy[*step][o as usize]);
            both < of(c).capacity
        });
        if !is_free {
            continue;
        }
        path.iter().for_each(|&c| busy[*step][c as usize] += 1);
        place(problem, places, home, (d + 1, changed + usize::from(!is_home(at))), busy, best);
        path.iter().for_each(|&c| busy[*step][c as usize] -= 1);
    }
}

/// On tiny random networks the repair is never below the exact search, and nearly always at it.
#[test]
fn repairs_of_tiny_networks_are_exact_nearly_always() {
    let rng = &mut rng_of(7, 0, 0);
    let (mut all, mut equal) = (0, 0);
    while all < 120 {
        let network = network(rng);
        let request = Request::new(Collective::Aas);
        let Ok(healthy) = request.pose(network.clone(), vec![]) else { continue };
        if healthy.demands().len() > 12 || healthy.demands().len() < 4 {
            continue;
        }
        let old = solved(&healthy);
        let channel = rng.random_range(0..network.channels().len() as u32);
        let Some(problem) = without(&network, channel, &request) else { continue };
        let survivors = resolve_survivors(&old, &problem).unwrap();
        let row = &checked(&old, &problem, Target::Fewest(0))[0];
        let steps = row.schedule.steps.len();
        if steps > 6 {
            continue;
        }
        let exact = exact(&problem, &survivors, steps).expect("the repair is a schedule");
        let found = row.changes.changed.len() + row.changes.added.len();
        assert!(found >= exact, "{found} below {exact}");
        all += 1;
        equal += usize::from(found == exact);
    }
    assert!(equal * 100 >= all * 95, "{equal} of {all}");
}

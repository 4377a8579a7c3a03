//! Repairs against an exact search, and on networks with a broken link.

mod timed;

use crate::support::tiny::network;
use ccsched::islands::{Limits, StopCondition};
use ccsched::network::{Network, VertexId, faults, spec};
use ccsched::problem::{Collective, Demand, Group, Pair, Problem, Request, Switching};
use ccsched::repair::spare::{check, spare};
use ccsched::repair::{Row, Target, repair};
use ccsched::rng::rng_of;
use ccsched::schedule::changes::Changes;
use ccsched::schedule::file::Provenance;
use ccsched::schedule::{Plan, ScheduleFile, resolve_survivors};
use ccsched::verify::verify;
use ccsched::{Options, solve};
use rand::RngExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// Broadcasts keep most of their transfers, and take no more steps than new ones.
#[test]
fn broadcasts_are_hung_up_again() {
    let of = |collective, members: [&str; 4]| {
        let members = members.map(String::from).to_vec();
        Group { collective, members, root: None, bytes: None }
    };
    let groups = vec![
        of(Collective::Aab, ["00", "01", "10", "11"]),
        of(Collective::Aas, ["02", "12", "20", "21"]),
    ];
    for (name, collective, switching) in [
        ("hypercube:3", Collective::Aab, Switching::Wormhole),
        ("mesh:4x4", Collective::Oab, Switching::Wormhole),
        ("kautz:3,2", Collective::Oab, Switching::StoreAndForward),
        ("torus:3x3", Collective::Aab, Switching::StoreAndForward),
        ("mesh:3x3", Collective::Reduce, Switching::Wormhole),
        ("mesh:3x3", Collective::ReduceScatter, Switching::Wormhole),
        ("mesh:3x3", Collective::Groups, Switching::Wormhole),
    ] {
        let network = spec::parse(name).unwrap();
        let groups = (collective == Collective::Groups).then(|| groups.clone());
        let request = Request { switching, groups, ..Request::new(collective) };
        let old = solved(&request.pose(network.clone(), vec![]).unwrap());
        let whole: usize = old.steps.iter().map(|step| step.len()).sum();
        let (mut come, mut all) = (0, 0);
        for channel in (0..network.channels().len() as u32).step_by(7) {
            let Some(problem) = without(&network, channel, &request) else { continue };
            let anew = solved(&problem).steps.len();
            let row = &checked(&old, &problem, Target::Fewest(0))[0];
            assert!(row.schedule.steps.len() <= anew, "{name}, {collective}");
            let row = &checked(&old, &problem, Target::Fewest(1)).pop().unwrap();
            (come, all) = (come + row.changes.transfers(), all + whole);
        }
        assert!(come * 2 < all, "{name}, {collective}: {come} of {all} transfers are new");
    }
}

/// All-reduces, barriers, and messages that hosts pass on keep transfers as well, with steps to spare.
#[test]
fn sums_signals_and_journeys_keep_what_is_possible() {
    for (name, collective, switching) in [
        ("hypercube:3", Collective::AllReduce, Switching::StoreAndForward),
        ("torus:3x3", Collective::AllReduce, Switching::Wormhole),
        ("torus:3x3", Collective::Barrier, Switching::StoreAndForward),
        ("mesh:2x3", Collective::Barrier, Switching::Wormhole),
        ("dgx1:2", Collective::Oab, Switching::Hosts),
        ("dgx1:2", Collective::Oas, Switching::Hosts),
    ] {
        let network = spec::parse(name).unwrap();
        let request = Request { switching, ..Request::new(collective) };
        let limits = Limits { iterations: 50, ..Limits::default() };
        let options = Options { limits, ..options() };
        let healthy = request.pose(network.clone(), vec![]).unwrap();
        let old = solve(&healthy, &options).unwrap().schedule().unwrap();
        let whole: usize = old.steps.iter().map(|step| step.len()).sum();
        let (mut come, mut all) = (0, 0);
        for channel in (0..network.channels().len() as u32).step_by(25) {
            let Some(problem) = without(&network, channel, &request) else { continue };
            let steps = Target::Given(2 * old.steps.len() as u32 + 2);
            let row = repair(&old, &problem, steps, &options).unwrap().pop().unwrap();
            assert_eq!(verify(&row.schedule), [], "{name}, {collective}");
            (come, all) = (come + row.changes.transfers(), all + whole);
        }
        assert!(come > 0 && come < all, "{name}, {collective}: {come} of {all} are new");
        println!("{name}, {collective}: {come} of {all} are new");
    }
}

/// The schedule that expects a fault is as short as it may be, and its worst repair is no worse.
#[test]
fn a_schedule_that_expects_a_fault_is_no_worse() {
    for (name, switching) in
        [("mesh:3x3", Switching::Wormhole), ("ring:5", Switching::StoreAndForward)]
    {
        let request = Request { switching, ..Request::new(Collective::Aas) };
        let problem = Arc::new(request.pose(spec::parse(name).unwrap(), vec![]).unwrap());
        let plan = solve(&problem, &options()).unwrap().plan.unwrap();
        let never = AtomicBool::new(false);
        let stop = || StopCondition::of(Limits::default(), &never);
        let of = |more| spare(&problem, &plan, more, &options(), stop()).unwrap();
        let (best, told) = of(1);
        let file = best.record(&problem, &[], Provenance::default());
        assert_eq!(verify(&file), [], "{name}");
        assert!(best.len() <= plan.len() + 1 && told.after <= told.before, "{told:?}");
        assert!(told.links > 0 && told.cut == 0 && told.least <= told.after);
        assert!(told.tried > 1 || told.after == told.least);
        assert_eq!(of(1), (best, told), "the same seed");
        // Nothing that took the worst link stays: the score is at least what used it.
        assert!(told.after.changed > 0);
    }
    let broadcast = Request::new(Collective::Aab).pose(spec::parse("ring:5").unwrap(), vec![]);
    assert!(check(&broadcast.unwrap()).unwrap_err().to_string().starts_with("spare: "));
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

/// On a square whose cut is full in both steps: what used the broken arc has to cross on the other side,
/// and takes the place of a message that could have stayed.
#[test]
fn a_full_cut_forces_a_message_to_move() {
    let square = spec::parse("mesh:2x2").unwrap();
    let pair = |from: &str, to: &str| Pair {
        source: from.into(),
        destination: to.into(),
        bytes: None,
        count: 1,
    };
    let sent = [["00", "11"], ["10", "01"], ["10", "11"], ["00", "01"]];
    let pairs = Some(sent.map(|[from, to]| pair(from, to)).to_vec());
    let request = Request { pairs, ..Request::new(Collective::Traffic) };
    let healthy = request.pose(square.clone(), vec![]).unwrap();
    let id = |name: &str| square.find(name).unwrap();
    let channel = |from: &str, to: &str| {
        let ends = |c: &u32| square.channel(*c).to == id(to);
        *square.outgoing(id(from)).iter().find(|c| ends(c)).unwrap()
    };
    let mut plan = Plan::new(2);
    for (step, path) in [
        (0, &["00", "01", "11"][..]),
        (0, &["10", "11", "01"]),
        (1, &["10", "11"]),
        (1, &["00", "01"]),
    ] {
        let ends = [path[0], path[path.len() - 1]].map(id);
        let of = |d: &&Demand| [d.source, d.destination] == ends;
        let message = healthy.demands().iter().find(of).unwrap().message;
        plan.push(step, message, path.windows(2).map(|w| channel(w[0], w[1])));
    }
    let old = plan.record(&healthy, &[], Provenance::default());
    assert_eq!(verify(&old), []);
    let gone = [channel("01", "11")];
    let record = faults::record(&square, gone[0], &gone);
    let rest = faults::apply(&square, &gone, &[]).unwrap();
    let problem = request.pose(rest, vec![record]).unwrap();
    let rows = checked(&old, &problem, Target::Given(2));
    assert_eq!((rows[0].least, rows[0].changes.changed.len()), (2, 2));
    // With a step more there is room.
    let rows = checked(&old, &problem, Target::Given(3));
    assert_eq!((rows[0].least, rows[0].changes.changed.len()), (1, 1));
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
        assert!(row.least <= exact, "bound {} above {exact}", row.least);
        all += 1;
        equal += usize::from(found == exact);
    }
    assert!(equal * 100 >= all * 95, "{equal} of {all}");
}

//! Liquid schedules: the exact engine against brute force, the figures of the paper, and static
//! routes and traffics from files and from the command line.

use crate::support::checked::{Checker, NEVER, change_routes, complaints, file_of};
use crate::support::program::Desk;
use ccsched::engines::exact::conflict_graph::Conflicts;
use ccsched::engines::exact::liquid::{Found, LiquidSearch, duration};
use ccsched::engines::exact::{dsatur, round_robin};
use ccsched::engines::{Engine, Method, hgsa};
use ccsched::experiments::swiss_t1;
use ccsched::experiments::swiss_t1::{ALLOCATIONS, RunLimits};
use ccsched::islands::{Limits, StopCondition, StopReason, run_on_threads};
use ccsched::network::files::toml::{read, write};
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Pair, Problem, Request, Routing, Switching};
use ccsched::refute::{Verdict, refute};
use ccsched::rng::{Rng, rng_of};
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps};
use ccsched::verify::{Rule, verify};
use ccsched::{Options, islands};
use rand::RngExt;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn exchange(topology: &str) -> Problem {
    let request = Request { routing: Routing::Static, ..Request::new(Collective::Aas) };
    request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
}

/// The frames that the exact search finds, or none; the search must be exhaustive.
fn exact(conflicts: &Conflicts, steps: u32) -> Option<Vec<Vec<u32>>> {
    match LiquidSearch::new(conflicts, steps).advance(10_000_000, &mut rng_of(1, 0, 0)) {
        Found::Schedule(frames) => Some(frames),
        Found::Nothing => None,
        Found::Open => panic!("ten million nodes were not enough"),
    }
}

/// All that a run with this exit status prints and says.
fn said(desk: &Desk, args: &str, status: i32) -> String {
    desk.run(args).with(status).told()
}

#[test]
fn figures_1_to_3() {
    let problem = exchange("two-switch:3,2");
    let conflicts = Conflicts::new(&problem, "liquid").unwrap();
    assert_eq!((conflicts.transfers(), duration(&conflicts)), (25, 6));
    assert_eq!(ccsched::bounds::all(&problem)[0].steps, 6);
    let plans =
        [exact(&conflicts, 6).unwrap(), dsatur(&conflicts), round_robin(&problem, &conflicts)]
            .map(|frames| conflicts.plan(&problem, &frames));
    assert_eq!([&plans[0], &plans[2]].map(|plan| plan.len()), [6, 7]);
    for plan in plans {
        assert_eq!(complaints(&problem, &plan), "");
    }
}

#[test]
fn colouring_takes_more_transfers_than_a_matrix_holds() {
    let desk = Desk::new();
    let args = "solve -t torus:12x12 --routing xy --json --engine";
    for engine in ["dsatur", "round-robin"] {
        let value = desk.json(&format!("{args} {engine}"));
        let [steps, bound] = ["steps", "lower_bound"].map(|key| value[key].as_u64().unwrap());
        assert!(bound >= 216 && bound <= steps && steps < 5 * bound, "{engine}: {steps}, {bound}");
    }
    desk.refuse(&format!("{args} liquid"), &["20592 transfers are too many"]);
}

#[test]
fn the_conflict_graph_of_the_whole_swiss_t1() {
    let conflicts = Conflicts::new(&exchange("swiss-t1"), "liquid").unwrap();
    assert_eq!((conflicts.transfers(), conflicts.pairs()), (1024, 48704));
}

/// A traffic of a few messages on a small network where every pair has one shortest path. On one-way
/// rings, messages go about half the way around, so that often no liquid schedule exists.
fn small_traffic(rng: &mut Rng) -> Problem {
    let rings = ["ring:7,simplex", "ring:9,simplex", "ring:9,simplex"];
    let others = ["ring:5,half", "binary-tree:4"];
    let chosen = rng.random_range(0..rings.len() + others.len());
    let name = rings.get(chosen).unwrap_or_else(|| &others[chosen - rings.len()]);
    let network = spec::parse(name).unwrap();
    let terminals: Vec<String> =
        network.terminals().map(|v| network.vertex_name(v).to_string()).collect();
    let n = terminals.len();
    let mut pairs = Vec::new();
    for _ in 0..rng.random_range(3..=10) {
        let on = match chosen < rings.len() {
            true => rng.random_range((3 * n).div_ceil(10)..=7 * n / 10),
            false => rng.random_range(0..n),
        };
        let from = rng.random_range(0..n);
        let (source, destination) = (terminals[from].clone(), terminals[(from + on) % n].clone());
        if source != destination {
            pairs.push(Pair { source, destination, bytes: None, count: rng.random_range(1..=2) });
        }
    }
    if pairs.is_empty() {
        return small_traffic(rng);
    }
    let request = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
    request.pose(network, vec![]).unwrap()
}

/// Whether this number of colours is enough, by trying all colourings; `links` holds the links of
/// each transfer.
fn brute_force(links: &[HashSet<u32>], colours: usize, taken: &mut Vec<usize>) -> bool {
    let i = taken.len();
    if i == links.len() {
        return true;
    }
    let used = taken.iter().max().map_or(0, |most| most + 1);
    (0..colours.min(used + 1)).any(|colour| {
        let free = (0..i).all(|j| taken[j] != colour || links[j].is_disjoint(&links[i]));
        if !free {
            return false;
        }
        taken.push(colour);
        let works = brute_force(links, colours, taken);
        taken.pop();
        works
    })
}

#[test]
fn small_traffics_agree_with_brute_force() {
    let mut rng = rng_of(7, 0, 0);
    let (mut none, mut one_more) = (0, 0);
    for _ in 0..500 {
        let problem = small_traffic(&mut rng);
        let conflicts = Conflicts::new(&problem, "liquid").unwrap();
        let alone: Vec<Vec<u32>> = (0..conflicts.transfers() as u32).map(|i| vec![i]).collect();
        let resource = |c: &u32| problem.resources().of_channel(*c);
        let links: Vec<HashSet<u32>> = conflicts
            .plan(&problem, &alone)
            .transfers()
            .map(|t| t.channels.iter().map(resource).collect())
            .collect();
        let load = |r: u32| links.iter().filter(|links| links.contains(&r)).count() as u32;
        let largest = links.iter().flatten().map(|&r| load(r)).max().unwrap();
        assert_eq!(duration(&conflicts), largest);
        for steps in [largest, largest + 1] {
            let right = brute_force(&links, steps as usize, &mut Vec::new());
            let verdict = if right { Verdict::Possible } else { Verdict::Impossible };
            assert_eq!(
                refute(&problem, steps, 10_000, &|| false),
                verdict,
                "{:?}",
                problem.demands()
            );
            let found = exact(&conflicts, steps);
            assert_eq!(found.is_some(), right, "{:?} in {steps}", problem.demands());
            let counted = if steps == largest { &mut none } else { &mut one_more };
            *counted += u32::from(!right);
            if let Some(frames) = found {
                let plan = conflicts.plan(&problem, &frames);
                assert_eq!(complaints(&problem, &plan), "");
                assert!(plan.len() <= steps as usize);
            }
        }
        assert_eq!(complaints(&problem, &conflicts.plan(&problem, &dsatur(&conflicts))), "");
    }
    assert!(none >= 50, "{none} without a liquid schedule");
    assert!(none < 450 && one_more < none, "{none}, {one_more}");
}

#[test]
fn the_swiss_t1_has_363_classes() {
    let classes = swiss_t1::classes();
    assert_eq!(classes.len(), 363);
    assert_eq!(classes.iter().map(|c| c.allocations).sum::<u64>(), ALLOCATIONS);
    assert_eq!((classes[0].nodes, classes[0].duration), (0, 0));
    for class in classes.iter().skip(1).step_by(40) {
        let limits = RunLimits { seed: 1, time: Duration::from_secs(60), interrupted: &NEVER };
        let row = swiss_t1::schedule(class, limits).unwrap().unwrap();
        assert_eq!(row.bound, class.duration, "{}", row.network);
        assert_eq!(row.auto_steps, Some(class.duration), "{}", row.network);
        assert_eq!(row.exact_liquid, Some(true), "{}", row.network);
        assert!(row.dsatur_steps >= class.duration && row.round_robin_steps >= class.duration);
    }
}

#[test]
fn beyond_its_limit_the_exact_search_is_replaced_by_dsatur() {
    let problem = exchange("swiss-t1");
    let conflicts = Conflicts::new(&problem, "liquid").unwrap();
    let run = |iterations| {
        let limits = Limits { iterations, ..Limits::default() };
        let options = Options {
            engine: Engine::of(&ccsched::engines::exact::LIQUID),
            limits,
            ..Options::default()
        };
        ccsched::solve(&problem, &options).unwrap()
    };
    let short = run(1);
    assert_eq!((short.reason, &short.method), (StopReason::Iterations, &Some(Method::Colouring)));
    assert_eq!(short.steps(), Some(dsatur(&conflicts).len()));
    let long = run(1000);
    assert_eq!((long.reason, long.method.clone()), (StopReason::Bound, Some(Method::LiquidSearch)));
    assert_eq!(long.steps(), Some(48));
}

/// A square of a, b, c, d with routes from a to c over b, and from c to a over d.
const SQUARE: &str = "name = \"square\"\n[neighbours]\na = [\"b\", \"d\"]\nb = [\"a\", \"c\"]\n\
                      c = [\"b\", \"d\"]\nd = [\"c\", \"a\"]\n[routes]\n\
                      a = { c = [\"b\", \"c\"], b = [\"b\"] }\nc = { a = [\"d\", \"a\"] }\n";

fn square(text: &str) -> ccsched::Result<Network> {
    read::parse(Path::new("square.toml"), text)
}

#[test]
fn files_hold_routes() {
    for topology in ["swiss-t1:1,0,4,0,0,2,0,0", "two-switch:3,2"] {
        let network = spec::parse(topology).unwrap();
        let again = read::parse(Path::new("x"), &write::to_toml(&network).unwrap());
        assert_eq!(again.unwrap(), network);
    }
    let network = square(SQUARE).unwrap();
    assert_eq!(square(&write::to_toml(&network).unwrap()).unwrap(), network);
    let mistakes = [
        ("[\"b\", \"c\"]", "[\"c\"]", 8, "0 channels reach it"),
        ("[\"b\", \"c\"]", "[\"b\"]", 8, "does not end at its destination"),
        ("[\"b\", \"c\"]", "[\"b\", \"a\", \"d\", \"c\"]", 8, "visits 'a' twice"),
        ("[\"b\", \"c\"]", "[\"b#2\", \"c\"]", 8, "1 channels reach it"),
        ("[\"b\", \"c\"]", "[]", 8, "a route is a list"),
        ("[\"b\", \"c\"]", "\"b\"", 8, "a route is a list"),
        ("c = { a", "e = { a", 9, "'e' has routes but no list"),
    ];
    for (right, wrong, line, why) in mistakes {
        assert_eq!(SQUARE.matches(right).count(), 1);
        let error = square(&SQUARE.replace(right, wrong)).unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
        assert!(error.starts_with(&format!("square.toml:{line}: ")), "{wrong}: {error}");
    }
}

fn square_traffic(pairs: &[(&str, &str, u32)]) -> ccsched::Result<Problem> {
    let pair = |&(source, destination, count): &(&str, &str, u32)| Pair {
        source: source.into(),
        destination: destination.into(),
        bytes: None,
        count,
    };
    let pairs = Some(pairs.iter().map(pair).collect());
    let request = Request { routing: Routing::Static, pairs, ..Request::new(Collective::Traffic) };
    request.pose(square(SQUARE)?, vec![])
}

#[test]
fn transfers_are_held_to_their_routes() {
    let problem = square_traffic(&[("a", "c", 2), ("c", "a", 1)]).unwrap();
    let conflicts = Conflicts::new(&problem, "liquid").unwrap();
    let plan = conflicts.plan(&problem, &exact(&conflicts, 2).unwrap());
    let file = file_of(&problem, &plan);
    assert_eq!(verify(&file), vec![]);
    let rules = |change: &dyn Fn(&mut ScheduleFile)| {
        let mut file = file.clone();
        change(&mut file);
        verify(&file).iter().map(|violation| violation.rule).collect::<HashSet<Rule>>()
    };
    let channel = |from: &str, to: &str| {
        file.network.channels.iter().position(|c| c.from == from && c.to == to).unwrap()
    };
    let other_way = [channel("a", "d"), channel("d", "c")].map(|c| c as u32);
    // All transfers to c are changed by `change`, or the first one only.
    let to_c = |all: bool, change: &dyn Fn(&mut TransferRecord)| {
        rules(&|file| {
            let mut steps = file.steps.records();
            let transfers = steps.iter_mut().flatten().filter(|t| t.to == "c");
            transfers.take(if all { usize::MAX } else { 1 }).for_each(change);
            file.steps = Steps::of(&steps);
        })
    };
    let detour = to_c(false, &|t| t.channels = other_way.to_vec());
    assert_eq!(detour, HashSet::from([Rule::Routing]));
    let no_routes = rules(&|file| file.model.routes = None);
    assert_eq!(no_routes, HashSet::from([Rule::Structure]));
    let broken = rules(&|file| change_routes(file, |routes| routes[0].channels.clear()));
    assert_eq!(broken, HashSet::from([Rule::Structure]));
    let same_copy = to_c(true, &|t| t.message.copy = Some(1));
    assert_eq!(same_copy, HashSet::from([Rule::Completeness]));
    let third_copy = to_c(false, &|t| t.message.copy = Some(3));
    assert_eq!(third_copy, HashSet::from([Rule::Completeness]));
    let no_pairs = rules(&|file| file.model.pairs = None);
    assert_eq!(no_pairs, HashSet::from([Rule::Structure]));
    let one_pair_less = rules(&|file| {
        file.model.pairs.as_mut().unwrap().remove(0);
    });
    assert!(one_pair_less.contains(&Rule::Completeness), "{one_pair_less:?}");
}

#[test]
fn the_routes_of_a_dragonfly_are_fixed_too() {
    let topology = spec::parse("dragonfly:4,2,2").unwrap();
    let aas = Request::new(Collective::Aas);
    // Between some routers, a path over two global links is as short as local, global, local.
    let choice = aas.clone().pose(topology.clone(), vec![]).unwrap();
    assert!(Conflicts::new(&choice, "liquid").is_err());
    let problem = Request { routing: Routing::Lgl, ..aas }.pose(topology, vec![]).unwrap();
    let conflicts = Conflicts::new(&problem, "liquid").unwrap();
    assert_eq!(duration(&conflicts), problem.static_duration());
    let plan = conflicts.plan(&problem, &dsatur(&conflicts));
    assert_eq!(complaints(&problem, &plan), "");
}

#[test]
fn all_engines_keep_to_the_routes() {
    // The observer refuses schedules that leave the routes.
    for (switching, steps) in [(Switching::Wormhole, 3), (Switching::StoreAndForward, 4)] {
        let mut request = Request { switching, ..Request::new(Collective::Traffic) };
        request.routing = Routing::Static;
        let pair = |source: &str, destination: &str| Pair {
            source: source.into(),
            destination: destination.into(),
            bytes: None,
            count: 1,
        };
        // Three messages take the channel from a to b, the last of them in step 3.
        request.pairs =
            Some(vec![Pair { count: 2, ..pair("a", "c") }, pair("a", "b"), pair("c", "a")]);
        let problem = Arc::new(request.pose(square(SQUARE).unwrap(), vec![]).unwrap());
        for engine in [Engine::default(), Engine::from(hgsa::Params::default())] {
            let walker = engine.searcher(&problem).unwrap().walker(1);
            let search = islands::Search {
                seed: 1,
                exchange_every: 10,
                goal: Some(steps),
                ..islands::Search::default()
            };
            let stop = StopCondition::new(5000, None, &NEVER);
            let outcome =
                run_on_threads(walker, &search, 1, 1, stop, &mut Checker(&problem), None).unwrap();
            assert_eq!(outcome.best.map(|plan| plan.len() <= steps as usize), Some(true));
        }
    }
}

#[test]
fn pairs_without_a_route_are_refused() {
    let why = |pairs: &[(&str, &str, u32)]| square_traffic(pairs).unwrap_err().to_string();
    assert!(why(&[("a", "d", 1)]).contains("no static route for this pair"));
    assert!(why(&[("a", "a", 1)]).contains("'a' to itself"));
    assert!(why(&[("a", "x", 1)]).contains("'x'"));
    let desk = Desk::new();
    for (args, why) in [
        (
            "-t two-switch:1,1 --fail-link sw0-sw1",
            "from 't0' to 'r1': the route is broken by a fault",
        ),
        ("-t ring:5 --routing static", "ring:5 has no static routes"),
        ("-t two-switch:1,1 -c aab", "aab is a broadcast"),
    ] {
        desk.refuse(&format!("bound {args}"), &[why]);
    }
    let gone = desk.out("bound -t two-switch:2,1 --fail-node t0");
    assert!(gone.contains("aas of two-switch:2,1"), "{gone}");
}

#[test]
fn the_absence_of_a_liquid_schedule_is_reported() {
    let desk = Desk::with(&[("pairs.csv", "0,2\n1,0\n2,1\n")]);
    let solve = "solve -t ring:3,simplex --pairs pairs.csv -q";
    let none = said(&desk, &format!("{solve} --engine liquid"), 1);
    assert!(none.contains("no liquid schedule exists"), "{none}");
    let one_more = said(&desk, &format!("{solve} --engine liquid --steps 3"), 0);
    assert!(one_more.contains("3 steps, optimal over shortest paths (by search)"), "{one_more}");
    let two_more = said(&desk, &format!("{solve} --engine liquid --steps 4"), 0);
    assert!(!two_more.contains("optimal"), "{two_more}");
    desk.refuse(&format!("{solve} --engine liquid --islands 2"), &["liquid is serial"]);
    desk.refuse("solve -t ring:4 --engine dsatur -q", &["2 paths"]);
    let auto = said(&desk, &format!("{solve} --iterations 50"), 0);
    assert!(auto.contains("3 steps"), "{auto}");
    let wrong = "solve -t ring:3 --pairs pairs.csv -c aas";
    desk.refuse(wrong, &["the collective is to be 'traffic'"]);
}

#[test]
fn lengths_count_in_the_time_and_the_file() {
    // Two steps, because both copies leave 0 for 1; each as long as its longest message.
    let pairs = "source,destination,bytes,count\n0,1,2000,2\n2,3,6000,1\n";
    let desk = Desk::with(&[("pairs.csv", pairs)]);
    let summary = desk.json("solve -t ring:5 --pairs pairs.csv --engine liquid --json -o s.json");
    assert_eq!((&summary["steps"], &summary["collective"]), (&2.into(), &"traffic".into()));
    assert_eq!(summary["time_us"], 2.0 + 0.5 * (2.0 + 6.0));
    let file = desk.schedule("s.json");
    let mut copies: Vec<_> =
        file.steps.iter().flatten().map(|t| (t.message.copy, t.message.bytes)).collect();
    copies.sort();
    assert_eq!(copies, [(None, Some(6000)), (Some(1), Some(2000)), (Some(2), Some(2000))]);
    assert_eq!(verify(&file), vec![]);
}

#[test]
fn permutations_and_throughput_on_the_command_line() {
    let desk = Desk::new();
    let solve = "solve -t two-switch:3,2 --engine liquid --link-rate 100";
    let shifted = said(&desk, &format!("{solve} --permutation shift:2 -q"), 0);
    assert!(shifted.contains("traffic of two-switch:3,2"), "{shifted}");
    // t1 and t2 send to r3 and r4 over one channel.
    assert!(shifted.contains("5 transfers in 2 steps, 2.500 links, 250 MB/s"), "{shifted}");
    let figure = said(&desk, solve, 0);
    assert!(figure.contains("25 transfers in 6 steps, 4.167 links, 416.666667 MB/s"), "{figure}");
    let first = figure.lines().skip_while(|line| !line.contains("new bottlenecks")).nth(1);
    assert_eq!(first.map(str::trim), Some("1  sw0-sw1 sw1-sw0"), "{figure}");
    desk.refuse("bound -t ring:5 --permutation transpose", &["square number"]);
}

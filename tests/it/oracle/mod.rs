//! The engine and the bounds against exact solutions of random tiny problems. The exact solver is
//! written from the model alone and shares no code with engines, routing or bounds.

mod capacity;
mod copied_sums;
mod copies;
mod delayed;
mod groups;
mod hosts;
mod joined;
mod model;
mod packing;
mod pieces;
mod refuting;
mod regrouped;
mod rounds;
mod sized;
mod spreading;
mod sums;
mod tiers;
mod truth;

use crate::support::checked::complaints_with;
use crate::support::search::search;
use crate::support::share::share;
use crate::support::shrink::{reproduction, shrinking};
use crate::support::tiny;
use ccsched::bounds;
use ccsched::engines::Engine;
use ccsched::engines::hgsa;
use ccsched::problem::{Collective, Content, Demand, Joining, Problem, Routing, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use model::Model;
use std::sync::Arc;

/// A transfer: step, source, destination (none in broadcasts), path.
type Moved = (usize, usize, Option<usize>, Vec<usize>);

/// A shortest schedule; of sums, and where messages join, its steps alone.
pub struct Exact {
    steps: usize,
    transfers: Vec<Moved>,
}

/// The problem exceeds the solver's limits.
#[derive(Debug)]
pub struct Undecided;

/// Options of the searches here, for the command line that reproduces a failure.
const OPTIONS: &str = "--islands 1 --iterations 5000";
const MOST_STEPS: usize = 12;
/// Jobs on some terminals, in each switching.
const JOBS: usize = 100;
/// Problems over paths of any length, of both switchings together.
const ANY: usize = 1000;
/// Search nodes until a problem counts as too large.
const NODES: u64 = 20_000;
/// The same where parts take few nodes each.
const NODES_OF_SUMS: u64 = 60_000;
/// The same where pieces join beside each other.
const NODES_OF_PIECES: u64 = 50_000;
const SCATTERS: [Collective; 3] = [Collective::Oas, Collective::Aas, Collective::Aog];
const BROADCASTS: [Collective; 2] = [Collective::Oab, Collective::Aab];

/// The steps of the schedule that the default engine finds for a problem, or for one of the same
/// schedules: it is valid, and neither it nor a bound is on the wrong side of the exact steps.
fn found(problem: &Problem, searched: &Arc<Problem>, exact: usize, iterations: u64) -> usize {
    let bounds = bounds::all(problem);
    for bound in &bounds {
        assert!(bound.steps as usize <= exact, "{bound:?}, but {exact} are enough");
    }
    let found = search(searched, Engine::default(), 1, 1, iterations);
    let best = found.unwrap_or_else(|e| panic!("{e}")).best.expect("a schedule is found");
    assert_eq!(complaints_with(problem, &best, &bounds), "");
    assert!(best.len() >= exact, "{} steps, but {exact} is best", best.len());
    best.len()
}

/// `strangers`: whether terminals may forward wormhole broadcasts that they need not receive.
fn solve(problem: &Problem, strangers: bool) -> Result<Exact, Undecided> {
    let model = Model::new(problem, strangers);
    if problem.collective().is_all_reduce() {
        return sums::solve(&model, MOST_STEPS, NODES_OF_SUMS);
    }
    if problem.collective().joins() {
        let adds = problem.collective().joining() == Joining::Sum;
        let pieces = problem.request().pieces as usize;
        let nodes = if pieces > 1 { NODES_OF_PIECES } else { NODES };
        return joined::solve(&model, (adds, pieces), MOST_STEPS, nodes);
    }
    if problem.collective().content() == Content::Common {
        spreading::solve(&model, MOST_STEPS, NODES)
    } else {
        packing::solve(&model, MOST_STEPS, NODES)
    }
}

fn plan(problem: &Problem, exact: &Exact) -> Plan {
    let mut plan = Plan::new(exact.steps as u32);
    for (step, source, destination, path) in useful(problem, exact) {
        let matches = |d: &&Demand| {
            d.source as usize == *source
                && destination.is_none_or(|to| d.destination as usize == to)
        };
        let message = problem.demands().iter().find(matches).expect("it is asked for").message;
        let channels = path.iter().map(|&c| c as u32);
        plan.push(*step, message, channels);
    }
    plan
}

/// The transfers without broadcast messages that reach a vertex to no end, which the solver may send.
fn useful<'e>(problem: &Problem, exact: &'e Exact) -> Vec<&'e Moved> {
    let ends = |path: &[usize]| {
        let [first, last] =
            [path[0], path[path.len() - 1]].map(|c| problem.network().channel(c as u32));
        (first.from, last.to)
    };
    let mut left: Vec<&Moved> = exact.transfers.iter().collect();
    loop {
        let of_use = |t: &&Moved| {
            let (_, source, destination, path) = t;
            let to = ends(path).1;
            destination.is_some()
                || problem.receivers().contains(&to)
                || left.iter().any(|other| other.1 == *source && ends(&other.3).0 == to)
        };
        let next: Vec<&Moved> = left.iter().copied().filter(of_use).collect();
        if next.len() == left.len() {
            return next;
        }
        left = next;
    }
}

/// How often the engine found the optimum.
#[derive(Default, Debug)]
struct Score {
    drawn: usize,
    decided: usize,
    /// Of the decided ones: optimal.
    equal: usize,
    /// The same if the engine may choose from all paths and senders.
    wide: usize,
    /// Optimal also if terminals may forward messages that they need not receive.
    open: usize,
    /// How often the best bound is the optimum.
    tight: usize,
}

/// The same problem and an engine with all paths and senders that the model allows for a broadcast:
/// in store-and-forward networks, no routing restricts a broadcast.
fn widened(problem: &Problem) -> (Arc<Problem>, Engine) {
    let is_widened = problem.collective().content() == Content::Common
        && problem.switching() == Switching::StoreAndForward;
    let problem =
        if is_widened { problem.with_free_paths(Routing::Slack(5)) } else { problem.clone() };
    (Arc::new(problem), Engine::default())
}

/// Steps of the engine's schedule, which is valid.
fn least(problem: &Arc<Problem>, engine: Engine) -> usize {
    let outcome = search(problem, engine, 1, 1, 5000).unwrap_or_else(|e| panic!("{e}"));
    outcome.best.expect("a schedule is found").len()
}

/// Steps of a problem: of exact solutions with and without strangers, and of the engine with its
/// defaults and with all paths and senders.
struct Steps {
    exact: usize,
    closed: usize,
    default: usize,
    wide: usize,
    bound: usize,
}

/// Solves a problem exactly and with the engine; nothing if it is too large.
fn measure(problem: &Arc<Problem>) -> Option<Steps> {
    let (Ok(exact), Ok(closed)) = (solve(problem, true), solve(problem, false)) else {
        return None;
    };
    let bounds = bounds::all(problem);
    for schedule in [&exact, &closed] {
        let wrong = complaints_with(problem, &plan(problem, schedule), &bounds);
        assert_eq!(wrong, "", "the oracle's schedule");
    }
    for bound in &bounds {
        assert!(bound.steps as usize <= exact.steps, "{bound:?}, but {} are enough", exact.steps);
    }
    let (wide_problem, engine) = widened(problem);
    let steps = Steps {
        exact: exact.steps,
        closed: closed.steps,
        default: least(problem, Engine::from(hgsa::Params::default())),
        wide: least(&wide_problem, engine),
        bound: bounds.first().map_or(0, |b| b.steps as usize),
    };
    // The papers' engine never sends through terminals that need not receive the message.
    for (found, least) in [(steps.default, steps.closed), (steps.wide, steps.exact)] {
        assert!(found >= least, "{found} steps, but {least} is best");
    }
    assert!(steps.closed >= steps.exact, "a restriction saved steps");
    Some(steps)
}

/// Solves random problems of some collectives exactly and with the engine.
fn compare(seed: u64, problems: usize, collectives: &[Collective], switching: Switching) -> Score {
    let mut rng = rng_of(seed, 0, 0);
    let mut score = Score::default();
    while score.drawn < problems {
        let problem = tiny::problem(&mut rng, collectives[score.drawn % collectives.len()]);
        if problem.switching() != switching {
            continue;
        }
        score.drawn += 1;
        let about = format!("problem {} of seed {seed}", score.drawn);
        let Some(steps) = shrinking(&about, OPTIONS, &problem, measure) else { continue };
        score.decided += 1;
        score.equal += usize::from(steps.default == steps.exact);
        score.wide += usize::from(steps.wide <= steps.closed);
        score.open += usize::from(steps.wide == steps.exact);
        score.tight += usize::from(steps.bound == steps.exact);
    }
    println!("{collectives:?} {switching}: {score:?}");
    score
}

/// Most problems are decided; at least these percentages of them are solved optimally.
fn expect(score: &Score, equal: usize, wide: usize, tight: usize) {
    assert!(score.decided >= 500 && score.decided * 10 >= score.drawn * 8, "{score:?}");
    assert!(score.equal * 100 >= score.decided * equal, "{score:?}");
    assert!(score.wide * 100 >= score.decided * wide, "{score:?}");
    assert!(score.tight * 100 >= score.decided * tight, "{score:?}");
}

/// Solves random broadcasts of many messages exactly and with the default engine; in both, every
/// terminal may forward every message.
fn flood(seed: u64, problems: usize) {
    let mut rng = rng_of(seed, 0, 0);
    let (mut decided, mut equal) = (0, 0);
    let problems = share(problems);
    for drawn in 1..=problems {
        let problem = tiny::problem(&mut rng, Collective::Aab);
        if problem.messages() == 1 {
            continue;
        }
        let about = format!("problem {drawn} of seed {seed}");
        let steps = shrinking(&about, OPTIONS, &problem, |problem| {
            let exact = solve(problem, true).ok()?.steps;
            let found = least(problem, Engine::default());
            assert!(found >= exact, "{found} steps, but {exact} is best");
            Some((found, exact))
        });
        let Some((found, exact)) = steps else { continue };
        decided += 1;
        equal += usize::from(found == exact);
        if found > exact {
            println!("{found} steps, but {exact} is best: {}", reproduction(&problem, OPTIONS));
        }
    }
    println!("all-gather: {decided} of {problems} decided, {equal} equal");
    assert!(decided * 10 >= problems * 7, "{decided} of {problems} decided");
    assert!(equal * 200 >= decided * 199, "{equal} of {decided}");
}

#[test]
fn broadcasts_of_many_messages() {
    flood(5, 600);
}

#[test]
fn wormhole_scatters() {
    expect(&compare(1, 800, &SCATTERS, Switching::Wormhole), 99, 99, 85);
}

/// The engine's messages do not wait on their way, although the model allows it, so the engine may
/// miss a few optima.
#[test]
fn store_and_forward_scatters() {
    expect(&compare(2, 800, &SCATTERS, Switching::StoreAndForward), 97, 97, 80);
}

/// Paths of any length: bounds hold, and the default engine needs no more steps than over shortest
/// paths. With store-and-forward switching it finds nearly every optimum.
#[test]
fn scatters_over_paths_of_any_length() {
    for (seed, switching, least_equal) in
        [(21, Switching::StoreAndForward, 99), (22, Switching::Wormhole, 97)]
    {
        let mut rng = rng_of(seed, 0, 0);
        let (mut decided, mut equal, mut longer) = (0, 0, 0);
        for drawn in 0..ANY {
            let problem = tiny::problem(&mut rng, SCATTERS[drawn % SCATTERS.len()]);
            if problem.switching() != switching || problem.has_fixed_routes() {
                continue;
            }
            let problem = Arc::new(problem.with_free_paths(Routing::Any));
            let about = format!("problem {drawn} of seed {seed}");
            let steps = shrinking(&about, OPTIONS, &problem, |problem| {
                let exact = solve(problem, true).ok()?;
                let bounds = bounds::all(problem);
                assert_eq!(complaints_with(problem, &plan(problem, &exact), &bounds), "");
                let bound = bounds[0].steps as usize;
                assert!(bound <= exact.steps, "bound {bound}, but {} are enough", exact.steps);
                let found = least(problem, Engine::default());
                let minimal = Arc::new(problem.with_free_paths(Routing::Minimal));
                let shortest = least(&minimal, Engine::default());
                assert!(found >= exact.steps, "{found} steps, but {} is best", exact.steps);
                assert!(found <= shortest, "{found} steps, {shortest} over shortest paths");
                Some((found, exact.steps, shortest))
            });
            let Some((found, exact, shortest)) = steps else { continue };
            decided += 1;
            equal += usize::from(found == exact);
            longer += usize::from(exact < shortest);
        }
        println!("any {switching}: {decided} decided, {equal} equal, {longer} by longer paths");
        assert!(decided >= 100 && longer > 0, "{decided}, {longer}");
        assert!(equal * 100 >= decided * least_equal, "{equal} of {decided}");
    }
}

/// Informing only neighbours, as the paper does, misses some optima; forbidding terminals that need
/// not receive to forward misses a few more. With all senders, only the latter are missed.
#[test]
fn wormhole_broadcasts() {
    expect(&compare(3, 800, &BROADCASTS, Switching::Wormhole), 90, 99, 85);
}

/// With shortest paths from the source some optima are missed; with longer ones, none.
#[test]
fn store_and_forward_broadcasts() {
    expect(&compare(4, 800, &BROADCASTS, Switching::StoreAndForward), 93, 99, 80);
}

/// search::broadcast finds almost every optimum, also where any terminal may forward.
#[test]
fn one_to_all_broadcasts() {
    for (seed, switching) in [(5, Switching::Wormhole), (6, Switching::StoreAndForward)] {
        let score = compare(seed, 800, &[Collective::Oab], switching);
        expect(&score, 90, 99, 85);
        assert!(score.open * 200 >= score.decided * 199, "{score:?}");
    }
}

/// Jobs on some terminals, in both switchings, with relays and without: other terminals never get a
/// message, bounds count only vertices that may forward, and engines find the optimum.
#[test]
fn jobs_on_some_terminals() {
    let all = [&SCATTERS[..], &BROADCASTS[..]].concat();
    for (seed, switching) in [(11, Switching::Wormhole), (12, Switching::StoreAndForward)] {
        let mut rng = rng_of(seed, 0, 0);
        let (mut decided, mut equal) = (0, 0);
        for drawn in 0..JOBS {
            let problem = tiny::of_some(&mut rng, all[drawn % all.len()], switching);
            let about = format!("job {drawn} of seed {seed}");
            let Some(steps) = shrinking(&about, OPTIONS, &problem, measure) else { continue };
            decided += 1;
            equal += usize::from(steps.wide == steps.exact);
        }
        println!("{switching}: {decided} of {JOBS} decided, {equal} equal");
        assert!(decided * 10 >= JOBS * 8, "{decided} of {JOBS} decided");
        assert!(equal * 100 >= decided * 97, "{equal} of {decided}");
    }
}

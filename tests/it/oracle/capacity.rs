//! Links that carry several transfers in a step: random tiny problems against exact solutions, and
//! against the same problems with parallel links.

use super::model::fits;
use super::{plan, solve};
use crate::support::checked::complaints;
use crate::support::tiny;
use crate::support::wide::{in_parallel, posed_on, schedule, widened};
use ccsched::bounds;
use ccsched::engines::{Engine, hgsa, umda};
use ccsched::problem::{Collective, Problem, Routing, Switching};
use ccsched::refute::{Verdict, refute};
use ccsched::rng::rng_of;
use std::sync::Arc;

/// The largest capacity of a link.
const MOST: u32 = 3;

/// How often each method found the optimum.
#[derive(Default, Debug)]
struct Score {
    decided: usize,
    /// Problems that need more steps with capacities of 1.
    wider: usize,
    tight: usize,
    auto: usize,
    hgsa: usize,
    umda: usize,
    several: usize,
    refuted: usize,
}

/// No routing restricts a broadcast in store-and-forward networks; engines get all paths.
fn with_all_paths(problem: &Arc<Problem>) -> Arc<Problem> {
    let is_broadcast = matches!(problem.collective(), Collective::Oab | Collective::Aab);
    if is_broadcast && problem.switching() == Switching::StoreAndForward {
        return Arc::new(problem.with_free_paths(Routing::Slack(5)));
    }
    problem.clone()
}

/// Whether the engine's schedule is optimal; it must be valid and never shorter.
fn is_best(problem: &Arc<Problem>, engine: Engine, exact: usize) -> bool {
    // The optima of a few broadcasts are far above their bounds and take many iterations.
    let found = schedule(&with_all_paths(problem), engine, 20_000);
    let found = found.unwrap_or_else(|why| panic!("{engine:?}: {why}\n{problem:#?}")).len();
    assert!(found >= exact, "{engine:?}: {found}, but {exact} is best\n{problem:#?}");
    found == exact
}

/// The bounds by name, except the congestion bound, which is approximated by a game that runs
/// differently on parallel links.
fn bounds_of(problem: &Problem) -> (Vec<(&'static str, u32)>, u32) {
    let all = bounds::all(problem);
    let mut named: Vec<_> = all.iter().map(|b| (b.name, b.steps)).collect();
    named.retain(|&(name, _)| name != "congestion");
    named.sort_unstable();
    (named, all.first().map_or(0, |b| b.steps))
}

/// Compares bounds, refutation and engines with the exact solution of one problem.
fn try_one(tiny: &Problem, problem: &Arc<Problem>, score: &mut Score) {
    let drawn = posed_on(problem, in_parallel(problem.network()));
    let (Ok(exact), Ok(parallel)) = (solve(problem, true), solve(&drawn, true)) else { return };
    let best = exact.steps;
    assert_eq!(best, parallel.steps, "parallel links have another optimum\n{problem:#?}");
    assert_eq!(bounds_of(problem), bounds_of(&drawn), "other bounds\n{problem:#?}");
    // The oracle does not distinguish messages with the same ends.
    if problem.collective() != Collective::Traffic {
        let wrong = complaints(problem, &plan(problem, &exact));
        assert!(wrong.is_empty(), "the oracle's schedule: {wrong}\n{problem:#?}");
    }
    for bound in bounds::all(problem) {
        assert!(bound.steps as usize <= best, "{bound:?}, but {best}\n{problem:#?}");
    }
    score.decided += 1;
    score.wider += usize::from(solve(tiny, true).is_ok_and(|narrow| narrow.steps > best));
    let bound = bounds_of(problem).1 as usize;
    score.tight += usize::from(bound == best);
    score.auto += usize::from(is_best(problem, Engine::default(), best));
    let params = hgsa::Params { radius: 64, ..hgsa::Params::default() };
    score.hgsa += usize::from(is_best(problem, Engine::from(params), best));
    if problem.switching() == Switching::Wormhole {
        let params = umda::Params { radius: Some(64), ..umda::Params::default() };
        score.umda += usize::from(is_best(problem, Engine::from(params), best));
    }
    let verdict = |steps: usize| refute(problem, steps as u32, 100_000, &|| false);
    assert_eq!(verdict(best), Verdict::Possible, "{best} steps: {problem:#?}");
    if best > 1 {
        score.several += 1;
        score.refuted += usize::from(verdict(best - 1) == Verdict::Impossible);
    }
}

/// Random problems of some collectives on networks of random widths; at least `wider` of them need
/// fewer steps than with capacities of 1.
fn compare(seed: u64, wider: usize, collectives: &[Collective], switching: Switching) {
    let problems = 200;
    let mut rng = rng_of(seed, 0, 0);
    let (mut score, mut drawn) = (Score::default(), 0);
    while drawn < problems {
        let tiny = tiny::problem(&mut rng, collectives[drawn % collectives.len()]);
        let network = widened(tiny.network(), MOST, &mut rng);
        if tiny.switching() == switching && fits(&in_parallel(&network)) {
            drawn += 1;
            try_one(&tiny, &posed_on(&tiny, network), &mut score);
        }
    }
    println!("{collectives:?} {switching}: {score:?}");
    assert!(score.decided * 10 >= drawn * 7, "{score:?}");
    assert!(score.wider >= wider, "widths hardly matter: {score:?}");
    assert!(score.tight * 10 >= score.decided * 9, "{score:?}");
    assert!(score.auto * 100 >= score.decided * 98, "{score:?}");
    assert!(score.hgsa * 100 >= score.decided * 95, "{score:?}");
    assert!(score.refuted * 100 >= score.several * 97, "{score:?}");
    if switching == Switching::Wormhole {
        assert!(score.umda * 100 >= score.decided * 95, "{score:?}");
    }
}

const SCATTERS: [Collective; 4] =
    [Collective::Oas, Collective::Aas, Collective::Aog, Collective::Traffic];
const BROADCASTS: [Collective; 2] = [Collective::Oab, Collective::Aab];

#[test]
fn wormhole_scatters() {
    compare(61, 40, &SCATTERS, Switching::Wormhole);
}

#[test]
fn store_and_forward_scatters() {
    compare(62, 15, &SCATTERS, Switching::StoreAndForward);
}

#[test]
fn wormhole_broadcasts() {
    compare(63, 20, &BROADCASTS, Switching::Wormhole);
}

/// One message never crosses a channel twice in a step, so only all-to-all broadcasts gain.
#[test]
fn store_and_forward_broadcasts() {
    compare(64, 4, &BROADCASTS, Switching::StoreAndForward);
}

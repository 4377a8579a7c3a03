//! All-reduces and barriers of random small problems: how many of them the default engine solves in
//! the fewest steps.

use super::case::Case;
use super::draw;
use crate::oracle::model::fits;
use crate::oracle::solve;
use crate::support::search::search;
use ccsched::bounds;
use ccsched::engines::Engine;
use ccsched::problem::Problem;
use ccsched::rng::rng_of;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const ITERATIONS: u64 = 300;

/// The problem of a case, and its fewest steps; none if it is not posed, or too large.
fn decided(case: &Case, folder: &Path) -> Option<(Arc<Problem>, usize)> {
    let problem = case.pose(folder).ok().filter(|problem| fits(problem.network()))?;
    let exact = solve(&problem, true).ok()?.steps;
    Some((problem, exact))
}

/// The steps that are found; no bound and no schedule is on the wrong side of the exact ones.
fn found(problem: &Arc<Problem>, exact: usize) -> usize {
    for bound in bounds::all(problem) {
        assert!(bound.steps as usize <= exact, "{bound:?}, but {exact} are enough");
    }
    let outcome = search(problem, Engine::default(), 1, 1, ITERATIONS);
    let best = outcome.unwrap_or_else(|why| panic!("{why}")).best.expect("a schedule is found");
    assert!(best.len() >= exact, "{} steps, but {exact} is best", best.len());
    best.len()
}

/// Of a number of problems, most are solved in the fewest steps.
fn share(seed: u64, count: usize) {
    let folder = tempfile::tempdir().expect("a folder for files");
    let mut rng = rng_of(seed, 0, 0);
    // By collective and switching, those decided, and those solved in the fewest steps.
    let mut scores: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut decided_ones, mut best, mut drawn) = (0, 0, 0);
    while decided_ones < count {
        let case = draw::of_kind(&mut rng, drawn % draw::SUMS);
        drawn += 1;
        let Some((problem, exact)) = decided(&case, folder.path()) else { continue };
        let steps = found(&problem, exact);
        let of = format!("{} {}", problem.collective(), problem.asked_switching());
        let score = scores.entry(of).or_default();
        *score = (score.0 + 1, score.1 + usize::from(steps == exact));
        (decided_ones, best) = (decided_ones + 1, best + usize::from(steps == exact));
        if steps > exact {
            println!("{steps} steps, but {exact} is best:\n{}", case.shown("-q"));
        }
    }
    println!("{best} of {decided_ones} ({drawn} drawn): {scores:?}");
    assert!(best * 100 >= decided_ones * 98, "{best} of {decided_ones}");
}

#[test]
fn all_reduces_and_barriers_have_the_fewest_steps() {
    share(3, 60);
}

#[test]
#[ignore = "it takes minutes"]
fn three_hundred_all_reduces_and_barriers() {
    share(4, 300);
}

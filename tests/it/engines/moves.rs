//! Every search makes moves as long as it seeks fewer steps: iterations in which nothing is tried would
//! end a run without a search.

use crate::support::tiny;
use ccsched::bounds;
use ccsched::engines::{Engine, Seat, hgsa};
use ccsched::problem::{Collective, Problem};
use ccsched::rng::{Rng, rng_of};
use std::sync::Arc;

/// Problems of each collective.
const PROBLEMS: usize = 6;
/// Iterations between two exchanges, in which there is a move at least, and how often.
const LEG: usize = 10;
const LEGS: usize = 4;

/// Seeks fewer and fewer steps; returns how often.
fn descends(problem: &Arc<Problem>, engine: Engine, rng: &mut Rng) -> usize {
    let Ok(searcher) = engine.searcher(problem) else { return 0 };
    let mut walker = searcher.walker(1);
    walker.settle(Seat::among(0, 1));
    let bound = bounds::all(problem).first().map_or(1, |bound| bound.steps);
    let (mut steps, mut sought) = (2 * bound, 0);
    while steps >= bound {
        sought += 1;
        walker.seek(steps, rng);
        for leg in 0..LEGS {
            let mut moves = 0;
            for _ in 0..LEG {
                moves += if walker.cost() > 0 { walker.iterate(rng) } else { 1 };
            }
            assert!(moves > 0, "{steps} steps, leg {leg}: no move of {}", walker.method());
            assert!(walker.patience() > 0, "{steps} steps: nothing to try");
        }
        if walker.cost() > 0 {
            break;
        }
        walker.polish(rng);
        steps = steps.min(walker.plan().len() as u32) - 1;
    }
    sought
}

#[test]
fn iterations_try_something() {
    let mut rng = rng_of(17, 0, 0);
    let mut sought = 0;
    for collective in Collective::all() {
        for _ in 0..PROBLEMS {
            let problem = tiny::problem(&mut rng, collective);
            for engine in [Engine::default(), Engine::from(hgsa::Params::default())] {
                sought += descends(&problem, engine, &mut rng);
            }
        }
    }
    assert!(sought > 20 * PROBLEMS, "{sought}");
}

//! The second heuristic (hgsa-store-and-forward, section 3.3): if a conflict-free solution has few
//! transfers that end last, mutate them until they end earlier; each success makes the schedule
//! shorter by a step. The same for long paths: every channel saved is free for others.

use super::genes::Genes;
use crate::engines::Gene;
use crate::rng::Rng;

/// Mutations tried on one gene.
const TRIES: usize = 100;

/// Makes a solution without conflicts shorter, as long as at most `most_longest` transfers end
/// last. Returns the number of steps it needs.
pub fn shorten<A: Genes>(solution: &mut A, most_longest: usize, rng: &mut Rng) -> u32 {
    loop {
        let genes = solution.genes().len();
        let last = (0..genes).map(|g| solution.end(g)).max().unwrap_or(0);
        let longest: Vec<usize> = (0..genes).filter(|&g| solution.end(g) == last).collect();
        if longest.len() > most_longest || !longest.iter().all(|&g| earlier(solution, g, last, rng))
        {
            return last;
        }
    }
}

/// Tries to end gene `g` before step `last` without a conflict.
fn earlier<A: Genes>(solution: &mut A, g: usize, last: u32, rng: &mut Rng) -> bool {
    for _ in 0..TRIES {
        // Another gene's move may have ended this one earlier as well.
        if solution.end(g) < last {
            return true;
        }
        let gene = solution.random(g, rng);
        if gene.step < solution.genes()[g].step {
            replace_if(solution, g, gene, |solution| solution.end(g) < last);
        }
    }
    solution.end(g) < last
}

/// Replaces paths by shorter ones wherever that makes no conflict.
pub fn straighten<A: Genes>(solution: &mut A, rng: &mut Rng) {
    for g in 0..solution.genes().len() {
        for _ in 0..TRIES / 4 {
            let length = solution.length(g);
            if length == 1 {
                break;
            }
            let gene = solution.random(g, rng);
            replace_if(solution, g, gene, |solution| solution.length(g) < length);
        }
    }
}

/// Gives gene `g` a new value if the solution stays free of conflicts and is better by `is_better`.
fn replace_if<A: Genes>(solution: &mut A, g: usize, gene: Gene, is_better: impl Fn(&A) -> bool) {
    let old = solution.genes()[g];
    solution.attempt(g, gene, i64::MAX);
    if solution.cost() > 0 || !is_better(solution) {
        solution.attempt(g, old, i64::MAX);
    }
}

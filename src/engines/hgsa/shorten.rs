//! The second heuristic (hgsa-store-and-forward, section 3.3): if few transfers of a conflict-free
//! solution end last, mutate them until they end earlier; each success saves at least one step.
//! Long paths are shortened likewise, which frees channels for other transfers.

use super::genes::Genes;
use crate::Gene;
use ccsched_base::rng::Rng;

/// Mutations tried per gene.
const TRIES: usize = 100;

/// Shortens a conflict-free solution while at most `most_longest` transfers end last. Returns the
/// number of steps it needs.
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

/// Replaces paths by shorter ones where that causes no conflict.
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

/// Gives gene `g` a new value if the solution stays conflict-free and `is_better` holds.
fn replace_if<A: Genes>(solution: &mut A, g: usize, gene: Gene, is_better: impl Fn(&A) -> bool) {
    let old = solution.genes()[g];
    // The solution has no conflict, so that a rise by 0 causes none.
    if solution.attempt(g, gene, 0) && !is_better(solution) {
        solution.attempt(g, old, i64::MAX);
    }
}

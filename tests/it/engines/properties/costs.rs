//! The incremental cost equals a count from scratch, a move is accepted exactly if its rise in cost
//! is within the budget, and a solution of cost 0 is valid.

use super::recount;
use crate::support::checked::complaints;
use crate::support::share::share;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::engines::Gene;
use ccsched::engines::Routes;
use ccsched::engines::hgsa::genes::{Flood, Forest, Genes, Scatter};
use ccsched::problem::{Collective, Problem, Switching};
use ccsched::rng::{Rng, rng_of};
use rand::RngExt;
use std::sync::Arc;

const PROBLEMS: usize = 400;
const MOVES: usize = 120;

type Recount = fn(&Problem, &Routes, &[Gene]) -> u64;

/// The numbers of visited solutions with and without conflicts.
#[derive(Default, Debug)]
struct Seen {
    free: usize,
    in_conflict: usize,
}

/// A walk through the solutions of one problem.
struct Walk<'a, A> {
    problem: &'a Problem,
    assignment: A,
    /// The cost of these genes, counted from scratch.
    recount: &'a dyn Fn(&A, &[Gene]) -> u64,
    rng: Rng,
}

impl<A: Genes> Walk<'_, A> {
    fn naive(&self, genes: &[Gene]) -> u64 {
        (self.recount)(&self.assignment, genes)
    }

    /// One gene moves, if its rise in cost is within a random budget.
    fn single(&mut self) {
        let g = self.rng.random_range(0..self.assignment.gene_count());
        let gene = match self.rng.random_range(0..3) {
            0 => self.assignment.random(g, &mut self.rng),
            _ => self.assignment.propose(g, &mut self.rng),
        };
        assert!(self.assignment.fits(gene), "{gene:?} does not fit");
        let budget = [-1, 0, 0, 0, 0, 1, 4, i64::MAX][self.rng.random_range(0..8)];
        let mut genes = self.assignment.genes().to_vec();
        let before = self.assignment.cost();
        let old = std::mem::replace(&mut genes[g], gene);
        let rise = self.naive(&genes) as i64 - before as i64;
        let accepted = self.assignment.attempt(g, gene, budget);
        assert_eq!(accepted, rise <= budget, "rise {rise}, budget {budget}");
        if !accepted {
            genes[g] = old;
        }
        assert_eq!(self.assignment.genes(), genes);
    }

    /// Several genes move together, and perhaps back.
    fn compound(&mut self) {
        let mut changes = Vec::new();
        self.assignment.propose_swap(&mut self.rng, &mut changes);
        let (before, cost) = (self.assignment.genes().to_vec(), self.assignment.cost());
        let mut undo = Vec::new();
        for (g, gene) in changes {
            assert!(self.assignment.fits(gene), "{gene:?} does not fit");
            undo.push((g, self.assignment.genes()[g]));
            assert!(self.assignment.attempt(g, gene, i64::MAX));
        }
        if self.rng.random_range(0..2) == 0 {
            for (g, gene) in undo.into_iter().rev() {
                assert!(self.assignment.attempt(g, gene, i64::MAX));
            }
            assert_eq!((self.assignment.genes(), self.assignment.cost()), (&before[..], cost));
        }
    }

    /// The cheapest other value of a gene, which is no worse than random ones if all are priced.
    fn cheapest(&mut self, prices_all: impl Fn(&A) -> bool) {
        let g = self.rng.random_range(0..self.assignment.gene_count());
        let (before, cost) = (self.assignment.genes().to_vec(), self.assignment.cost());
        let (gene, priced) = self.assignment.cheapest(g, &mut self.rng);
        assert_eq!((self.assignment.genes(), self.assignment.cost()), (&before[..], cost));
        assert!(self.assignment.fits(gene), "{gene:?} does not fit");
        let mut genes = before.clone();
        genes[g] = gene;
        let least = self.naive(&genes);
        for _ in 0..10 {
            genes[g] = self.assignment.random(g, &mut self.rng);
            if genes[g] != before[g] {
                assert!(priced > 0);
                let other = self.naive(&genes);
                let is_least = !prices_all(&self.assignment) || least <= other;
                assert!(is_least, "{gene:?} costs {least}, {:?} costs {other}", genes[g]);
            }
        }
        assert!(self.assignment.attempt(g, gene, i64::MAX));
        let has_conflict = |g| self.assignment.is_in_conflict(g);
        let any = (0..before.len()).any(has_conflict);
        assert_eq!(any, self.assignment.cost() > 0, "some transfer is in conflict");
    }

    fn check(&self) {
        let (genes, cost) = (self.assignment.genes(), self.assignment.cost());
        assert_eq!(cost, self.naive(genes), "the naive count differs");
        let mut fresh = self.assignment.clone();
        fresh.resize(self.assignment.steps());
        fresh.load(genes);
        assert_eq!(cost, fresh.cost(), "the count from scratch differs");
        for g in 0..genes.len() {
            assert_eq!(fresh.end(g), self.assignment.end(g), "end of gene {g}");
        }
    }

    /// Checks that the plan of the current solution is valid if its cost is 0, and only then if
    /// `exact`.
    fn check_plan(&self, exact: bool, seen: &mut Seen) {
        let is_free = self.assignment.cost() == 0;
        *(if is_free { &mut seen.free } else { &mut seen.in_conflict }) += 1;
        let wrong = complaints(self.problem, &self.assignment.plan(self.assignment.genes()));
        assert!(!is_free || wrong.is_empty(), "no conflicts, but {wrong}");
        assert!(is_free || !exact || !wrong.is_empty(), "a plan with conflicts is valid");
    }
}

/// Walks through random problems that `is_wanted` picks.
fn walk<A: Genes>(
    seed: u64,
    collectives: &[Collective],
    switchings: &[Switching],
    new: impl Fn(Arc<Problem>) -> A,
    routes: fn(&A) -> &Routes,
    recount: Recount,
    exact: bool,
) {
    let mut rng = rng_of(seed, 0, 0);
    let mut seen = Seen::default();
    for i in 0..share(PROBLEMS) {
        let problem = loop {
            let problem = tiny::problem(&mut rng, collectives[i % collectives.len()]);
            if switchings.contains(&problem.switching()) {
                break problem;
            }
        };
        let steps = bounds::all(&problem)[0].steps + rng.random_range(0..6);
        let mut assignment = new(problem.clone());
        assignment.resize(steps);
        let genes = assignment.start(&mut rng);
        assignment.load(&genes);
        let mut walk = Walk {
            problem: &problem,
            assignment,
            recount: &|a, genes| recount(&problem, routes(a), genes),
            rng: rng_of(seed, 0, i + 1),
        };
        for step in 0..MOVES {
            match step % 4 {
                // Of a few paths all are priced.
                2 => walk.cheapest(|genes| exact && routes(genes).table().len() <= 32),
                3 => walk.compound(),
                _ => walk.single(),
            }
            walk.check();
            if step % 10 == 0 {
                walk.check_plan(exact, &mut seen);
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.free > 100 && seen.in_conflict > 100, "{seen:?}");
}

#[test]
fn scatters() {
    walk(
        1,
        &[Collective::Oas, Collective::Aas, Collective::Aog],
        &[Switching::Wormhole, Switching::StoreAndForward],
        |problem| Scatter::new(problem, 1),
        Scatter::routes,
        recount::scatter,
        true,
    );
}

#[test]
fn wormhole_broadcasts() {
    for (seed, radius) in [(2, None), (3, Some(1))] {
        walk(
            seed,
            &[Collective::Oab, Collective::Aab],
            &[Switching::Wormhole],
            |problem| Forest::new(problem, radius, 1),
            Forest::routes,
            recount::forest,
            true,
        );
    }
}

/// Without the first heuristic at all times, every hop of every gene counts.
#[test]
fn plain_store_and_forward_broadcasts() {
    walk(
        5,
        &[Collective::Oab, Collective::Aab],
        &[Switching::StoreAndForward],
        |problem| Flood::new(problem, false, 1),
        Flood::routes,
        recount::plain_flood,
        false,
    );
}

/// Plans omit branches that lead to no receiver, so a solution with conflicts may have a valid
/// plan.
#[test]
fn store_and_forward_broadcasts() {
    walk(
        4,
        &[Collective::Oab, Collective::Aab],
        &[Switching::StoreAndForward],
        |problem| Flood::new(problem, true, 1),
        Flood::routes,
        recount::flood,
        false,
    );
}

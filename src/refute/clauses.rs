//! Clauses for the solver, and the solver's end.

use super::Verdict;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// Up to this many literals every pair is excluded by a clause of its own.
const FEW: usize = 5;

/// Clauses told so far.
pub struct Clauses<'s> {
    solver: Solver<Budget<'s>>,
    yes: Lit,
}

impl<'s> Clauses<'s> {
    /// None yet.
    pub fn new(conflicts: u64, stop: &'s dyn Fn() -> bool) -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Budget { left: conflicts, stop });
        let yes = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![yes]);
        Clauses { solver, yes }
    }

    /// What is true.
    pub fn yes(&self) -> Lit {
        self.yes
    }

    /// What is false.
    pub fn no(&self) -> Lit {
        !self.yes
    }

    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// One of these at least.
    pub fn any(&mut self, literals: &[Lit]) {
        if !literals.contains(&self.yes) {
            self.solver.add_clause_reuse(&mut literals.to_vec());
        }
    }

    /// If the first, then one of these at least.
    pub fn implies(&mut self, first: Lit, then: &[Lit]) {
        let mut literals = vec![!first];
        literals.extend_from_slice(then);
        self.any(&literals);
    }

    /// What is true if both are.
    pub fn both(&mut self, a: Lit, b: Lit) -> Lit {
        if a == self.yes || b == self.no() {
            return b;
        }
        if b == self.yes || a == self.no() {
            return a;
        }
        let both = self.variable();
        self.any(&[!a, !b, both]);
        self.implies(both, &[a]);
        self.implies(both, &[b]);
        both
    }

    /// What is true if one at least is.
    pub fn either(&mut self, literals: &[Lit]) -> Lit {
        if let &[literal] = literals {
            return literal;
        }
        let either = self.variable();
        self.implies(either, literals);
        literals.iter().for_each(|&literal| self.implies(literal, &[either]));
        either
    }

    /// So many of these at least.
    pub fn at_least(&mut self, least: usize, literals: &[Lit]) {
        let others: Vec<Lit> = literals.iter().map(|&literal| !literal).collect();
        match literals.len().checked_sub(least) {
            Some(most) if least == 1 && most > 0 => self.any(literals),
            Some(0) => literals.iter().for_each(|&literal| self.any(&[literal])),
            Some(most) => self.at_most(most, &others),
            None => self.any(&[]),
        }
    }

    /// So many of these at most: pair by pair, or by counting along (Sinz, Towards an optimal CNF
    /// encoding of boolean cardinality constraints).
    pub fn at_most(&mut self, most: usize, literals: &[Lit]) {
        if literals.len() <= most {
            return;
        }
        if most == 1 && literals.len() <= FEW {
            for (i, &a) in literals.iter().enumerate() {
                literals[..i].iter().for_each(|&b| self.any(&[!a, !b]));
            }
            return;
        }
        // Whether i + 1 at least have been true so far.
        let mut count = vec![self.no(); most];
        for &literal in literals {
            self.implies(literal, &[!count[most - 1]]);
            let next: Vec<Lit> = count.iter().map(|_| self.variable()).collect();
            for i in 0..most {
                self.implies(count[i], &[next[i]]);
                let below = if i == 0 { self.yes } else { count[i - 1] };
                self.any(&[!literal, !below, next[i]]);
            }
            count = next;
        }
    }

    /// What follows.
    pub fn solve(mut self) -> Verdict {
        let answer = self.solver.solve_limited(&[]);
        if answer == lbool::FALSE {
            Verdict::Impossible
        } else if answer == lbool::TRUE {
            Verdict::Possible
        } else {
            Verdict::Open
        }
    }
}

/// Ends a solver's work.
struct Budget<'s> {
    /// Conflicts that are left.
    left: u64,
    stop: &'s dyn Fn() -> bool,
}

impl Callbacks for Budget<'_> {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        // A clause is learnt from every conflict.
        if kind == ClauseKind::Learnt {
            self.left = self.left.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.left == 0 || (self.stop)()
    }
}

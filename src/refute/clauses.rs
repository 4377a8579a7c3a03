//! Clauses for the solver, and the limit of its work.

use super::Verdict;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// Up to this many literals, every pair is excluded by a clause of its own.
const FEW: usize = 5;

/// The clauses so far.
pub struct Clauses<'s> {
    solver: Solver<Budget<'s>>,
    yes: Lit,
}

impl<'s> Clauses<'s> {
    /// No clauses yet.
    pub fn new(stop: &'s dyn Fn() -> bool) -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Budget { left: 0, stop });
        let yes = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![yes]);
        Clauses { solver, yes }
    }

    /// The literal that is always true.
    pub fn yes(&self) -> Lit {
        self.yes
    }

    /// The literal that is always false.
    pub fn no(&self) -> Lit {
        !self.yes
    }

    /// Number of variables.
    pub fn variables(&self) -> u64 {
        self.solver.num_vars().into()
    }

    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// At least one of these holds.
    pub fn any(&mut self, literals: &[Lit]) {
        if !literals.contains(&self.yes) {
            self.solver.add_clause_reuse(&mut literals.to_vec());
        }
    }

    /// If `first` holds, then at least one of `then` does.
    pub fn implies(&mut self, first: Lit, then: &[Lit]) {
        let mut literals = vec![!first];
        literals.extend_from_slice(then);
        self.any(&literals);
    }

    /// A literal that holds if and only if both do.
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

    /// A literal that holds if and only if at least one of these does.
    pub fn either(&mut self, literals: &[Lit]) -> Lit {
        if let &[literal] = literals {
            return literal;
        }
        let either = self.variable();
        self.implies(either, literals);
        literals.iter().for_each(|&literal| self.implies(literal, &[either]));
        either
    }

    /// At least `least` of these hold, by a running count.
    pub fn at_least(&mut self, least: usize, literals: &[Lit]) {
        if least == 1 {
            return self.any(literals);
        }
        // By i, whether at least i + 1 literals so far are true.
        let mut count = vec![self.no(); least];
        for &literal in literals {
            let next: Vec<Lit> = count.iter().map(|_| self.variable()).collect();
            for i in 0..least {
                self.implies(next[i], &[count[i], literal]);
                let below = if i == 0 { self.yes } else { count[i - 1] };
                self.implies(next[i], &[count[i], below]);
            }
            count = next;
        }
        self.any(&count[least - 1..]);
    }

    /// At most `most` of these hold: pair by pair, or by a running count (Sinz, Towards an optimal
    /// CNF encoding of boolean cardinality constraints).
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
        // By i, whether at least i + 1 literals so far are true.
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

    /// The verdict on the clauses; open if `conflicts` conflicts do not decide it.
    pub fn solve(mut self, conflicts: u64) -> Verdict {
        self.solver.cb_mut().left = conflicts;
        let answer = self.solver.solve_limited(&[]);
        log::debug!("{} of {conflicts} conflicts", self.solver.num_conflicts());
        if answer == lbool::FALSE {
            Verdict::Impossible
        } else if answer == lbool::TRUE {
            Verdict::Possible
        } else {
            Verdict::Open
        }
    }
}

/// Limits the work of a solver.
struct Budget<'s> {
    /// Remaining conflicts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_is_as_counting_by_hand() {
        for (n, number) in (1..=6).flat_map(|n| (1..=n).map(move |number| (n, number))) {
            for chosen in 0..1u32 << n {
                let verdict = |is_most: bool| {
                    let mut clauses = Clauses::new(&|| false);
                    let literals: Vec<Lit> = (0..n).map(|_| clauses.variable()).collect();
                    match is_most {
                        true => clauses.at_most(number, &literals),
                        false => clauses.at_least(number, &literals),
                    }
                    for (i, &literal) in literals.iter().enumerate() {
                        clauses.any(&[if chosen >> i & 1 == 1 { literal } else { !literal }]);
                    }
                    clauses.solve(1000)
                };
                let right = |is| if is { Verdict::Possible } else { Verdict::Impossible };
                let count = chosen.count_ones() as usize;
                assert_eq!(verdict(true), right(count <= number), "{chosen:b} of {n}, {number}");
                assert_eq!(verdict(false), right(count >= number), "{chosen:b} of {n}, {number}");
            }
        }
    }
}

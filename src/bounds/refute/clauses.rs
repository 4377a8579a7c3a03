//! Clauses for the solver, the limit of its work, and the log of what it derives.

use super::log::Record;
use super::meaning::{Group, Meaning};
use super::{Unproved, Verdict};
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;

/// Up to this many literals, every pair is excluded by a clause of its own.
const FEW: usize = 5;

/// The clauses so far.
pub struct Clauses<'s> {
    solver: Solver<Budget<'s>>,
    yes: Lit,
    record: Option<Record>,
}

impl<'s> Clauses<'s> {
    /// No clauses yet.
    pub fn new(stop: &'s dyn Fn() -> bool) -> Self {
        Clauses::begin(stop, false)
    }

    /// The same; all clauses are recorded, and the clauses that the solver derives from them.
    pub fn recorded(stop: &'s dyn Fn() -> bool) -> Self {
        Clauses::begin(stop, true)
    }

    fn begin(stop: &'s dyn Fn() -> bool, is_recorded: bool) -> Self {
        let log = is_recorded.then(String::new);
        let budget =
            Budget { left: 0, stop, looks: Cell::new(PERIOD), is_over: Cell::new(false), log };
        let mut solver = Solver::new(SolverOpts::default(), budget);
        let yes = Lit::new(solver.new_var_default(), true);
        let mut record = is_recorded.then(Record::default);
        if let Some(record) = &mut record {
            record.meanings.push(Meaning::True);
        }
        let mut clauses = Clauses { solver, yes, record };
        clauses.add(&[yes]);
        clauses
    }

    fn add(&mut self, literals: &[Lit]) {
        if self.is_over() {
            return;
        }
        if let Some(record) = &mut self.record {
            record.add(literals.iter().map(|&literal| number(literal)));
        }
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }

    /// Whether the limits have ended the attempt. The clauses are then incomplete, and no more are
    /// added.
    pub fn are_given_up(&self) -> bool {
        self.solver.cb().is_over(MUCH)
    }

    /// The same, where little is done between two questions.
    fn is_over(&self) -> bool {
        self.solver.cb().is_over(1)
    }

    /// The record, to add what the clauses rest on.
    pub fn record(&mut self) -> Option<&mut Record> {
        self.record.as_mut()
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
    pub fn variable(&mut self, meaning: Meaning) -> Lit {
        if self.is_over() {
            return self.yes;
        }
        if let Some(record) = &mut self.record {
            record.meanings.push(meaning);
        }
        Lit::new(self.solver.new_var_default(), true)
    }

    /// At least one of these holds.
    pub fn any(&mut self, literals: &[Lit]) {
        if !literals.contains(&self.yes) {
            self.add(literals);
        }
    }

    /// If `first` holds, then at least one of `then` does.
    pub fn implies(&mut self, first: Lit, then: &[Lit]) {
        let mut literals = vec![!first];
        literals.extend_from_slice(then);
        self.any(&literals);
    }

    /// A literal that holds if and only if both do; `meaning` is that of a new variable.
    pub fn both(&mut self, a: Lit, b: Lit, meaning: Meaning) -> Lit {
        if a == self.yes || b == self.no() {
            return b;
        }
        if b == self.yes || a == self.no() {
            return a;
        }
        let both = self.variable(meaning);
        self.any(&[!a, !b, both]);
        self.implies(both, &[a]);
        self.implies(both, &[b]);
        both
    }

    /// A literal that holds if and only if at least one of these does; `meaning` is that of a new
    /// variable.
    pub fn either(&mut self, literals: &[Lit], meaning: Meaning) -> Lit {
        if let &[literal] = literals {
            return literal;
        }
        let either = self.variable(meaning);
        self.implies(either, literals);
        literals.iter().for_each(|&literal| self.implies(literal, &[either]));
        either
    }

    /// At least `least` of these hold, by a running count.
    pub fn at_least(&mut self, least: usize, literals: &[Lit], group: Group) {
        if least == 1 {
            return self.any(literals);
        }
        // By i, whether at least i + 1 literals so far are true.
        let mut count = vec![self.no(); least];
        for (place, &literal) in literals.iter().enumerate() {
            if self.is_over() {
                return;
            }
            let next = self.counts(least, group, place + 1);
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
    pub fn at_most(&mut self, most: usize, literals: &[Lit], group: Group) {
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
        for (place, &literal) in literals.iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.implies(literal, &[!count[most - 1]]);
            let next = self.counts(most, group, place + 1);
            for i in 0..most {
                self.implies(count[i], &[next[i]]);
                let below = if i == 0 { self.yes } else { count[i - 1] };
                self.any(&[!literal, !below, next[i]]);
            }
            count = next;
        }
    }

    /// Variables that count the first literals of a group.
    fn counts(&mut self, number: usize, group: Group, first: usize) -> Vec<Lit> {
        let count = |least| Meaning::Count { group, first, least };
        (1..=number).map(|least| self.variable(count(least))).collect()
    }

    /// The record of all clauses, with the log of those that the solver derives until they
    /// contradict each other.
    ///
    /// # Errors
    /// The limits end it, or the clauses do not contradict each other.
    pub fn refutation(mut self) -> Result<Record, Unproved> {
        match self.answer(u64::MAX) {
            Verdict::Impossible => {}
            Verdict::Possible => return Err(Unproved::Possible),
            Verdict::Open => return Err(Unproved::GivenUp),
        }
        let mut record = self.record.unwrap_or_default();
        record.log = self.solver.cb_mut().log.take().unwrap_or_default();
        // The empty clause.
        record.log.push_str("0\n");
        Ok(record)
    }

    /// The verdict on the clauses; open if `conflicts` conflicts do not decide it.
    pub fn solve(mut self, conflicts: u64) -> Verdict {
        let verdict = self.answer(conflicts);
        log::debug!("{} of {conflicts} conflicts", self.solver.num_conflicts());
        verdict
    }

    fn answer(&mut self, conflicts: u64) -> Verdict {
        if self.are_given_up() {
            return Verdict::Open;
        }
        self.solver.cb_mut().left = conflicts;
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

/// A literal as DIMACS files have it.
fn number(literal: Lit) -> i32 {
    let variable = literal.var().idx() as i32 + 1;
    if literal.sign() { variable } else { -variable }
}

/// Clauses between two checks of the stop condition, which may ask the system for the memory.
const PERIOD: u32 = 1024;
/// Clauses that a decision of the solver, or the clauses of a message, count as.
const MUCH: u32 = 64;

/// Limits the work of a solver, and keeps its log.
struct Budget<'s> {
    /// Remaining conflicts.
    left: u64,
    stop: &'s dyn Fn() -> bool,
    /// What was done since the stop condition was asked.
    looks: Cell<u32>,
    /// What it has said once.
    is_over: Cell<bool>,
    /// The clauses that the solver derives and drops, in the format DRAT.
    log: Option<String>,
}

impl Budget<'_> {
    /// Whether the attempt is stopped, after this additional work.
    fn is_over(&self, work: u32) -> bool {
        let looks = self.looks.get().saturating_add(work);
        self.looks.set(looks);
        if looks >= PERIOD && !self.is_over.get() {
            self.looks.set(0);
            self.is_over.set((self.stop)());
        }
        self.is_over.get()
    }

    fn log(&mut self, begin: &str, literals: &[Lit]) {
        if let Some(log) = &mut self.log {
            log.push_str(begin);
            literals.iter().for_each(|&literal| log.push_str(&format!("{} ", number(literal))));
            log.push_str("0\n");
        }
    }
}

impl Callbacks for Budget<'_> {
    fn on_new_clause(&mut self, literals: &[Lit], kind: ClauseKind) {
        // A clause is learnt from every conflict.
        if kind == ClauseKind::Learnt {
            self.left = self.left.saturating_sub(1);
            self.log("", literals);
        }
    }

    fn on_delete_clause(&mut self, literals: &[Lit]) {
        self.log("d ", literals);
    }

    fn stop(&self) -> bool {
        self.left == 0 || self.is_over(MUCH)
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
                    let literals: Vec<Lit> =
                        (0..n).map(|_| clauses.variable(Meaning::True)).collect();
                    match is_most {
                        true => clauses.at_most(number, &literals, Group::Steps(0)),
                        false => clauses.at_least(number, &literals, Group::Steps(0)),
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

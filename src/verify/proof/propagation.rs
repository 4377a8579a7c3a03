//! The checker of logs: every clause that a log adds must follow from the clauses before it by
//! reverse unit propagation (Goldberg and Novikov; the format DRUP, a part of DRAT). The empty
//! clause ends the proof.

use super::text::literals;
use std::collections::HashMap;

/// Clauses between two looks at the limits.
const LOOK: usize = 4096;
/// Lines of the log between two looks: each may propagate much.
const LINES: usize = 16;

/// Checks a log; returns the number of its lines up to the empty clause.
///
/// # Errors
/// The first line that does not follow, that there is no empty clause, or what `keeps_on` says.
pub(super) fn check(
    variables: usize,
    clauses: &[Vec<i32>],
    log: &str,
    keeps_on: &dyn Fn() -> Result<(), String>,
) -> Result<usize, String> {
    let mut checker = Checker::new(variables);
    for (place, clause) in clauses.iter().enumerate() {
        if place % LOOK == 0 {
            keeps_on()?;
        }
        checker.add(clause);
    }
    for (line, words) in (1..).zip(log.lines()) {
        if line % LINES == 0 {
            keeps_on()?;
        }
        let wrong = |why: String| format!("line {line}: {why}");
        if let Some(words) = words.strip_prefix("d ") {
            checker.drop(&literals(words, variables).map_err(wrong)?);
            continue;
        }
        let clause = literals(words, variables).map_err(wrong)?;
        if !checker.follows(&clause) {
            return Err(wrong("the clause does not follow by unit propagation".into()));
        }
        if clause.is_empty() {
            return Ok(line);
        }
        checker.add(&clause);
    }
    Err("it does not end with the empty clause".into())
}

/// Clauses, and the literals that follow from them alone.
struct Checker {
    /// By clause, its literals, the first two watched; empty if it was dropped.
    clauses: Vec<Vec<i32>>,
    /// By sorted literals, the clauses.
    index: HashMap<Vec<i32>, Vec<usize>>,
    /// By literal, the clauses that watch it.
    watches: Vec<Vec<usize>>,
    /// By variable: 1 if true, -1 if false, 0 if open.
    values: Vec<i8>,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<i32>,
    /// The literals up to here have been propagated.
    done: usize,
    is_refuted: bool,
}

impl Checker {
    fn new(variables: usize) -> Self {
        Checker {
            clauses: Vec::new(),
            index: HashMap::new(),
            watches: vec![Vec::new(); 2 * variables + 2],
            values: vec![0; variables + 1],
            trail: Vec::new(),
            done: 0,
            is_refuted: false,
        }
    }

    /// Place of a literal in the lists of watches.
    fn place(literal: i32) -> usize {
        2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal < 0 { -value } else { value }
    }

    fn set(&mut self, literal: i32) {
        self.values[literal.unsigned_abs() as usize] = if literal < 0 { -1 } else { 1 };
        self.trail.push(literal);
    }

    /// Adds a clause that holds.
    fn add(&mut self, literals: &[i32]) {
        let mut clause = literals.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let id = self.clauses.len();
        self.index.entry(clause.clone()).or_default().push(id);
        // Literals that are not false first, so that they are watched.
        clause.sort_by_key(|&literal| self.value(literal) < 0);
        let open = clause.iter().filter(|&&literal| self.value(literal) >= 0).count();
        match open {
            0 => self.is_refuted = true,
            1 if self.value(clause[0]) == 0 => self.set(clause[0]),
            _ => {}
        }
        if clause.len() > 1 {
            clause[..2].iter().for_each(|&l| self.watches[Self::place(l)].push(id));
        }
        self.clauses.push(clause);
        if !self.propagates() {
            self.is_refuted = true;
        }
    }

    /// Drops a clause, if there is one with these literals. What followed from it stays: it holds.
    fn drop(&mut self, literals: &[i32]) {
        let mut key = literals.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(id) = self.index.get_mut(&key).and_then(Vec::pop) {
            self.clauses[id].clear();
        }
    }

    /// Whether a clause follows: its negation leads to a contradiction.
    fn follows(&mut self, clause: &[i32]) -> bool {
        if self.is_refuted || clause.iter().any(|&literal| self.value(literal) > 0) {
            return true;
        }
        let kept = self.trail.len();
        for &literal in clause {
            if self.value(literal) > 0 {
                // The clause holds a literal and its negation.
                self.undo(kept);
                return true;
            }
            if self.value(literal) == 0 {
                self.set(-literal);
            }
        }
        let is_contradiction = !self.propagates();
        self.undo(kept);
        is_contradiction
    }

    fn undo(&mut self, kept: usize) {
        for literal in self.trail.drain(kept..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        self.done = kept;
    }

    /// Sets all literals that follow; false if a clause has only false literals.
    fn propagates(&mut self) -> bool {
        while self.done < self.trail.len() {
            let falsified = -self.trail[self.done];
            self.done += 1;
            let place = Self::place(falsified);
            let mut watching = std::mem::take(&mut self.watches[place]);
            let mut kept = 0;
            let mut is_sound = true;
            let mut at = 0;
            while at < watching.len() {
                let id = watching[at];
                at += 1;
                let Some(other) = self.rewatch(id, falsified) else { continue };
                watching[kept] = id;
                kept += 1;
                match self.value(other) {
                    0 => self.set(other),
                    -1 => {
                        is_sound = false;
                        break;
                    }
                    _ => {}
                }
            }
            watching.copy_within(at.., kept);
            watching.truncate(kept + watching.len() - at);
            self.watches[place] = watching;
            if !is_sound {
                return false;
            }
        }
        true
    }

    /// Lets a clause watch another literal than a false one. If there is none, returns the other
    /// watched literal.
    fn rewatch(&mut self, id: usize, falsified: i32) -> Option<i32> {
        let clause = &self.clauses[id];
        if clause.is_empty() {
            return None;
        }
        let other = if clause[0] == falsified { clause[1] } else { clause[0] };
        if self.value(other) > 0 {
            return Some(other);
        }
        let open = (2..clause.len()).find(|&i| self.value(clause[i]) >= 0);
        let clause = &mut self.clauses[id];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let Some(i) = open else { return Some(other) };
        clause.swap(1, i);
        let next = clause[1];
        self.watches[Self::place(next)].push(id);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: usize, clauses: &[Vec<i32>], log: &str) -> Result<usize, String> {
        super::check(variables, clauses, log, &|| Ok(()))
    }

    /// All clauses over three variables contradict each other.
    fn contradiction() -> Vec<Vec<i32>> {
        let sign = |i: i32, bit: i32| if i >> bit & 1 == 1 { bit + 1 } else { -bit - 1 };
        (0..8).map(|i| (0..3).map(|bit| sign(i, bit)).collect()).collect()
    }

    #[test]
    fn logs_that_follow_are_accepted() {
        let log = "1 2 0\nd 1 2 3 0\n1 0\n2 0\n0\n";
        assert_eq!(check(3, &contradiction(), log), Ok(5));
    }

    #[test]
    fn a_check_is_given_up_when_it_is_told_to() {
        let mut log = "1 2 0\n".repeat(2 * LINES);
        log += "1 0\n2 0\n0\n";
        assert!(check(3, &contradiction(), &log).is_ok());
        let asked = std::cell::Cell::new(0);
        let keeps_on = || {
            asked.set(asked.get() + 1);
            if asked.get() < 2 { Ok(()) } else { Err("late".to_string()) }
        };
        let given_up = super::check(3, &contradiction(), &log, &keeps_on);
        assert_eq!(given_up, Err("late".into()));
    }

    #[test]
    fn logs_that_do_not_follow_are_refused() {
        let all = contradiction();
        assert!(check(3, &all, "1 0\n0\n").is_err());
        assert!(check(3, &all, "0\n").is_err());
        assert!(check(3, &all, "1 2 0\n1 0\n").unwrap_err().contains("empty"));
        assert!(check(3, &all, "1 2 0\n1 4 0\n").unwrap_err().contains("variable 4"));
        assert!(check(3, &all, "1 2\n").is_err());
        // Without one of the clauses there is no contradiction.
        assert!(check(3, &all[1..], "1 2 0\n1 0\n2 0\n0\n").is_err());
        // A clause that was dropped is not used.
        assert!(check(3, &all, "d 1 2 3 0\n1 2 0\n").is_err());
    }
}

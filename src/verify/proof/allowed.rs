//! The clauses that hold for a problem, under the meanings of a proof's variables.

use super::text::Meanings;
use std::collections::{HashMap, HashSet};

/// A literal of the proof; literals without a variable there have numbers beyond its last.
pub(super) type Literal = i32;

/// Up to this many literals, at most one of them is said pair by pair.
const PAIRWISE: usize = 5;

/// All clauses that hold.
pub(super) struct Allowed<'m> {
    meanings: &'m HashMap<String, Literal>,
    next: Literal,
    clauses: HashSet<Vec<Literal>>,
    /// The literal that is always true.
    pub yes: Literal,
}

impl<'m> Allowed<'m> {
    /// No clauses yet.
    pub fn new(meanings: &'m Meanings) -> Self {
        let next = meanings.variables as Literal + 1;
        let mut allowed = Allowed { meanings: &meanings.of, next, clauses: HashSet::new(), yes: 0 };
        allowed.yes = allowed.literal("true");
        allowed
    }

    /// The literal that is always false.
    pub fn no(&self) -> Literal {
        -self.yes
    }

    /// The literal with a meaning.
    pub fn literal(&mut self, meaning: &str) -> Literal {
        self.meanings.get(meaning).copied().unwrap_or_else(|| {
            self.next += 1;
            self.next
        })
    }

    /// Whether a clause of the proof holds.
    pub fn contains(&self, clause: &[Literal]) -> bool {
        let clause = self.normal(clause.to_vec());
        clause.is_none_or(|clause| self.clauses.contains(&clause))
    }

    /// Literals in ascending order, each once, without those that are always false; none if the
    /// clause is always true.
    fn normal(&self, mut clause: Vec<Literal>) -> Option<Vec<Literal>> {
        if clause.contains(&self.yes) {
            return None;
        }
        clause.retain(|&literal| literal != self.no());
        clause.sort_unstable();
        clause.dedup();
        Some(clause)
    }

    /// At least one of these holds.
    pub fn any(&mut self, literals: &[Literal]) {
        if let Some(clause) = self.normal(literals.to_vec()) {
            self.clauses.insert(clause);
        }
    }

    /// If the first holds, so does one of the others.
    pub fn implies(&mut self, first: Literal, then: &[Literal]) {
        let mut clause = vec![-first];
        clause.extend_from_slice(then);
        self.any(&clause);
    }

    /// At most `most` of these hold.
    pub fn at_most(&mut self, most: usize, literals: &[Literal], group: &str) {
        if literals.len() <= most {
            return;
        }
        if most == 1 && literals.len() <= PAIRWISE {
            for (i, &a) in literals.iter().enumerate() {
                literals[i + 1..].iter().for_each(|&b| self.any(&[-a, -b]));
            }
            return;
        }
        // A count is not below the true one, and no literal holds where the count is full already.
        let mut before = vec![self.no(); most];
        for (place, &literal) in literals.iter().enumerate() {
            self.any(&[-literal, -before[most - 1]]);
            let after = self.counts(place + 1, most, group);
            for i in 0..most {
                self.any(&[-before[i], after[i]]);
                let below = if i > 0 { before[i - 1] } else { self.yes };
                self.any(&[-literal, -below, after[i]]);
            }
            before = after;
        }
    }

    /// At least `least` of these hold.
    pub fn at_least(&mut self, least: usize, literals: &[Literal], group: &str) {
        if least == 1 {
            return self.any(literals);
        }
        // A count is not above the true one.
        let mut before = vec![self.no(); least];
        for (place, &literal) in literals.iter().enumerate() {
            let after = self.counts(place + 1, least, group);
            for i in 0..least {
                self.any(&[-after[i], before[i], literal]);
                let below = if i > 0 { before[i - 1] } else { self.yes };
                self.any(&[-after[i], before[i], below]);
            }
            before = after;
        }
        self.any(&[before[least - 1]]);
    }

    fn counts(&mut self, first: usize, most: usize, group: &str) -> Vec<Literal> {
        (1..=most).map(|least| self.literal(&format!("count {first} {least} {group}"))).collect()
    }
}

//! A refutation that others can check: the clauses, what their variables mean, what they rest on,
//! and the log of the solver.

use super::meaning::{Meaning, resource_names};
use crate::Result;
use crate::atomic;
use crate::problem::Problem;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// All that a refutation rests on.
#[derive(Debug, Default)]
pub struct Record {
    /// By variable, from 1, its meaning.
    pub meanings: Vec<Meaning>,
    /// The literals of all clauses, as DIMACS files have them: 0 ends each.
    literals: Vec<i32>,
    /// The number of clauses.
    clauses: usize,
    /// The order in which demands take their steps (wormhole scatters).
    pub order: Vec<usize>,
    /// Weights of all resources that leave little spare capacity, in the order in which they were
    /// applied (scatters).
    pub weights: Vec<Vec<u64>>,
    /// The clauses that the solver has derived and dropped, in the format DRAT.
    pub log: String,
}

impl Record {
    /// Adds a clause.
    pub fn add(&mut self, literals: impl Iterator<Item = i32>) {
        self.literals.extend(literals.chain([0]));
        self.clauses += 1;
    }
}

/// A proof that no schedule of a problem has a number of steps.
#[derive(Debug)]
pub struct Refutation {
    /// The number of steps.
    pub steps: u32,
    record: Record,
    names: Vec<String>,
    collective: String,
}

impl Refutation {
    /// The proof with this record.
    pub(super) fn new(problem: &Problem, steps: u32, record: Record) -> Self {
        let collective = problem.collective.to_string();
        Refutation { steps, record, names: resource_names(problem), collective }
    }

    /// Number of clauses of the problem, and of lines of the log.
    pub fn size(&self) -> (usize, usize) {
        (self.record.clauses, self.record.log.lines().count())
    }

    /// Writes `COLLECTIVE-STEPS.cnf` (DIMACS), `.drat` and `.map` to a folder, which is made if it
    /// is missing. Returns the path of the first.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        let stem = format!("{}-{}", self.collective, self.steps);
        std::fs::create_dir_all(folder).map_err(|e| crate::Error::io(folder, e))?;
        let file = |kind: &str| folder.join(format!("{stem}.{kind}"));
        atomic::write_with(&file("map"), |out| self.write_map(out))?;
        atomic::write(&file("drat"), &self.record.log)?;
        atomic::write_with(&file("cnf"), |out| self.write_clauses(out))?;
        Ok(file("cnf"))
    }

    fn write_clauses(&self, out: &mut dyn Write) -> io::Result<()> {
        let Record { meanings, literals, clauses, .. } = &self.record;
        writeln!(out, "p cnf {} {clauses}", meanings.len())?;
        literals.iter().try_for_each(|&literal| {
            write!(out, "{literal}{}", if literal == 0 { '\n' } else { ' ' })
        })
    }

    fn write_map(&self, out: &mut dyn Write) -> io::Result<()> {
        let Record { meanings, order, weights, .. } = &self.record;
        writeln!(out, "steps {}", self.steps)?;
        for weights in weights {
            write!(out, "weights")?;
            for (name, weight) in self.names.iter().zip(weights).filter(|&(_, &w)| w > 0) {
                write!(out, " {name}={weight}")?;
            }
            writeln!(out)?;
        }
        if !order.is_empty() {
            write!(out, "order")?;
            order.iter().try_for_each(|demand| write!(out, " {demand}"))?;
            writeln!(out)?;
        }
        for (variable, meaning) in (1..).zip(meanings) {
            writeln!(out, "{variable} {}", meaning.words(&self.names))?;
        }
        Ok(())
    }
}

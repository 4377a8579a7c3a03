//! A refutation that others can check: the clauses, what their variables mean, what they rest on,
//! and the log of the solver.

use super::meaning::{Meaning, resource_names};
use ccsched_base::atomic;
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Demand, Problem};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The extensions of the files of a proof.
pub const PROOF_FILES: [&str; 3] = ["cnf", "drat", "map"];

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
    /// The first line of the clauses.
    about: String,
}

/// The comment that begins the clauses of a problem: which it is, in words and as the checksum of all
/// that a proof depends on.
fn about(problem: &Problem) -> String {
    let (network, collective, switching, ports, routing) = (
        problem.network(),
        problem.collective(),
        problem.switching(),
        problem.ports(),
        problem.routing(),
    );
    let (vertices, channels, demands) = (network.vertices(), network.channels(), problem.demands());
    let route = |d: &Demand| problem.fixed_route(d.source, d.destination);
    let routes: Vec<_> = demands.iter().map(route).collect();
    let all = format!("{:?}", (vertices, channels, demands, switching, ports, routing, routes));
    let sum = crc32fast::hash(all.as_bytes());
    let name = network.name();
    format!(
        "c {collective} of {name:?}, {switching}, ports {ports}, {routing} routing; problem {sum:08x}"
    )
}

/// Checks that a folder has no proof of another problem that a proof of this one could replace.
///
/// # Errors
/// It has one, or cannot be read.
pub fn check_folder(problem: &Problem, folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let unreadable = |e| Error::io(folder, e);
    let (start, own) = (format!("{}-", problem.collective()), about(problem));
    for entry in folder.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let steps = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".cnf"));
        if steps.is_some_and(|steps| steps.parse::<u32>().is_ok()) {
            check_file(&path, &own)?;
        }
    }
    Ok(())
}

/// Checks that a file of clauses begins with this line.
fn check_file(path: &Path, own: &str) -> Result<()> {
    let mut first = String::new();
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    // Longer than any first line of ours.
    let read = BufReader::new(file.take(1 << 16)).read_line(&mut first);
    read.map_err(|e| Error::io(path, e))?;
    let first = first.trim_end();
    if first == own {
        return Ok(());
    }
    let of = first.strip_prefix("c ").map_or(String::new(), |other| format!(", {other}"));
    Err(Error::problem(format!(
        "{} is the proof of another problem{of}; name another folder",
        path.display()
    )))
}

impl Refutation {
    /// The proof with this record.
    pub(super) fn new(problem: &Problem, steps: u32, record: Record) -> Self {
        let (collective, about) = (problem.collective().to_string(), about(problem));
        Refutation { steps, record, names: resource_names(problem), collective, about }
    }

    /// Number of clauses of the problem, and of lines of the log.
    pub fn size(&self) -> (usize, usize) {
        (self.record.clauses, self.record.log.lines().count())
    }

    /// Writes `COLLECTIVE-STEPS.cnf` (DIMACS), `.drat` and `.map` to a folder, which is made if it
    /// is missing. Returns the path of the first.
    ///
    /// # Errors
    /// A file cannot be written, or is the proof of another problem.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        let stem = format!("{}-{}", self.collective, self.steps);
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let [cnf, drat, map] = PROOF_FILES.map(|kind| folder.join(format!("{stem}.{kind}")));
        if cnf.exists() {
            check_file(&cnf, &self.about)?;
        }
        // The clauses come first: they say to which problem the others belong.
        atomic::write_with(&cnf, |out| self.write_clauses(out))?;
        atomic::write_with(&map, |out| self.write_map(out))?;
        atomic::write(&drat, &self.record.log)?;
        Ok(cnf)
    }

    fn write_clauses(&self, out: &mut dyn Write) -> io::Result<()> {
        let Record { meanings, literals, clauses, .. } = &self.record;
        writeln!(out, "{}", self.about)?;
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

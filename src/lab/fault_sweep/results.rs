//! The results of a sweep: a row for every fault set under every collective, in a file of JSON lines
//! to which a sweep that is continued adds.

use super::Header;
use super::faults::NO_FAULT;
use super::header::difference;
use ccsched_base::{Error, Result, atomic, input};
use ccsched_model::problem::Collective;
use ccsched_run::islands::Solved;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One fault set under one collective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The collective.
    pub collective: String,
    /// The label of the fault set.
    pub fault: String,
    /// The label of the equal fault set that was solved instead.
    pub like: Option<String>,
    /// Steps of the best schedule.
    pub steps: Option<usize>,
    /// The largest lower bound on the number of steps.
    pub lower_bound: Option<u32>,
    /// The name of that bound.
    pub bound: Option<String>,
    /// Whether the schedule meets the bound.
    pub optimal: bool,
    /// Why the problem cannot be posed.
    pub impossible: Option<String>,
}

/// All rows so far, and the file that keeps them.
pub struct Results {
    file: Option<(PathBuf, File)>,
    rows: BTreeMap<(String, String), Row>,
}

impl Row {
    /// The row of a task.
    pub fn new(collective: Collective, fault: &str, like: Option<String>, solved: &Solved) -> Self {
        let mut row = Row {
            collective: collective.to_string(),
            fault: fault.into(),
            like,
            steps: None,
            lower_bound: None,
            bound: None,
            optimal: false,
            impossible: None,
        };
        match solved {
            Solved::Impossible(why) => row.impossible = Some(why.clone()),
            Solved::Searched { plan, lower_bound, bound, .. } => {
                row.steps = plan.as_ref().map(|(plan, _)| plan.len());
                row.lower_bound = Some(*lower_bound);
                row.optimal = row.steps == Some(*lower_bound as usize);
                row.bound = Some(bound.clone());
            }
        }
        row
    }

    /// Whether the search ended without a schedule for a problem that can be posed.
    pub fn is_unsolved(&self) -> bool {
        self.steps.is_none() && self.impossible.is_none()
    }

    /// Whether this is the row of the empty set.
    pub fn is_healthy(&self) -> bool {
        self.fault == NO_FAULT
    }

    fn key(&self) -> (String, String) {
        (self.collective.clone(), self.fault.clone())
    }
}

impl Results {
    /// The results in a file, which is created if it does not exist; without a path, results in
    /// memory alone.
    ///
    /// # Errors
    /// A file of another sweep, or one that cannot be read or written.
    pub fn open(path: Option<&Path>, header: &Header) -> Result<Self> {
        let mut rows = BTreeMap::new();
        let Some(path) = path else { return Ok(Results { file: None, rows }) };
        // A pipe or a device can only be written to.
        if path.is_file() {
            let text = input::text(path)?;
            let read = read(&text, header);
            let read = read.map_err(|why| Error::problem(format!("{}: {why}", path.display())))?;
            rows.extend(read.into_iter().map(|row| (row.key(), row)));
        }
        // Rewriting the file drops a last line that was cut short.
        let mut text = line(path, header)?;
        for row in rows.values() {
            text += &line(path, row)?;
        }
        atomic::write(path, &text)?;
        let file = OpenOptions::new().append(true).open(path).map_err(|e| Error::io(path, e))?;
        Ok(Results { file: Some((path.to_path_buf(), file)), rows })
    }

    /// The row of a fault set, if it is done.
    pub fn of(&self, collective: Collective, fault: &str) -> Option<&Row> {
        self.rows.get(&(collective.to_string(), fault.to_string()))
    }

    /// Adds a row, and writes it to the file at once.
    ///
    /// # Errors
    /// The file can no longer be written to.
    pub fn add(&mut self, row: Row) -> Result<()> {
        let key = row.key();
        if let Some((path, file)) = self.file.as_mut().filter(|_| !self.rows.contains_key(&key)) {
            let line = line(path, &row)?;
            file.write_all(line.as_bytes()).map_err(|e| Error::unwritten(path.as_path(), e))?;
        }
        self.rows.insert(key, row);
        Ok(())
    }

    /// The rows of these collectives and faults that are done.
    pub fn in_order(&self, collectives: &[Collective], faults: &[String]) -> Vec<&Row> {
        let key = |c: &Collective, f: &String| (c.to_string(), f.clone());
        let rows = collectives.iter().flat_map(|c| faults.iter().map(move |f| key(c, f)));
        rows.filter_map(|key| self.rows.get(&key)).collect()
    }
}

/// A value as a line of JSON for the file at `path`.
fn line(path: &Path, value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(|e| Error::io(path, e.into()))?;
    Ok(text + "\n")
}

fn read(text: &str, header: &Header) -> Result<Vec<Row>, String> {
    let mut lines = (1..).zip(text.lines());
    let Some((_, first)) = lines.next() else { return Ok(vec![]) };
    let kept: Header = serde_json::from_str(first)
        .map_err(|e| format!("line 1: this is not a file of results of a sweep: {e}"))?;
    if let Some(what) = difference(&kept, header) {
        return Err(format!("this is of another sweep: {what}; name another file"));
    }
    let mut rows = Vec::new();
    for (number, line) in lines {
        match serde_json::from_str(line) {
            Ok(row) => rows.push(row),
            // The last line was cut short while it was written.
            Err(_) if number == text.lines().count() && !text.ends_with('\n') => {}
            Err(e) => return Err(format!("line {number}: {e}")),
        }
    }
    Ok(rows)
}

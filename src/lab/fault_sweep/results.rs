//! The results of a sweep: a row for every fault set under every collective, in a file of JSON lines to which a
//! sweep that is continued adds; its first line says what the file is about, and must match. The summary tells
//! what a collective costs under faults, against the network without them (umda-fault-tolerance, tables 3 to 5).

use super::FaultSweep;
use super::sets::NO_FAULT;
use ccsched_base::{Error, Result, atomic, input};
use ccsched_model::problem::{Collective, Pair, Relays, Request};
use ccsched_network::faults::Fault;
use ccsched_run::islands::Solved;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The format of files of results, and its version.
const FORMAT: &str = "ccsched-sweep/1";

/// The first line of a file of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    format: String,
    version: String,
    #[serde(flatten)]
    subject: Subject,
    engine: String,
    /// The engine's parameters, by option name.
    parameters: BTreeMap<String, Value>,
    seed: u64,
    iterations: u64,
    /// In seconds.
    time_limit: Option<f64>,
}

/// The network that is swept, and how messages are sent on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    topology: String,
    vertices: usize,
    channels: usize,
    /// Faults that are there before the sweep.
    #[serde(default)]
    faults: Vec<Fault>,
    switching: String,
    ports: String,
    #[serde(default)]
    relays: Relays,
    routing: String,
    source: Option<String>,
    senders: Option<Vec<String>>,
    receivers: Option<Vec<String>>,
    #[serde(default)]
    processes: Option<Vec<String>>,
    pairs: Option<Vec<Pair>>,
}

impl Header {
    /// The header of a sweep.
    pub fn new(sweep: &FaultSweep) -> Self {
        let parameters = sweep.engine.parameters().into_iter();
        Header {
            format: FORMAT.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            subject: Subject::new(sweep),
            engine: sweep.engine.name().into(),
            parameters: parameters.map(|(name, value)| (name.into(), value)).collect(),
            seed: sweep.seed,
            iterations: sweep.iterations,
            time_limit: sweep.time_limit.map(|limit| limit.as_secs_f64()),
        }
    }
}

impl Subject {
    /// The subject of a sweep.
    pub fn new(sweep: &FaultSweep) -> Self {
        let FaultSweep { network, faults, requests, .. } = sweep;
        let rule = |text: fn(&Request) -> String| requests.first().map(text).unwrap_or_default();
        Subject {
            topology: network.name().into(),
            vertices: network.vertices().len(),
            channels: network.channels().len(),
            faults: faults.clone(),
            switching: rule(|request| request.switching.to_string()),
            ports: rule(|request| request.ports.to_string()),
            relays: requests.first().map(|request| request.relays).unwrap_or_default(),
            routing: rule(|request| request.routing.to_string()),
            // A request leaves out what its collective has no use for; another may have it.
            source: requests.iter().find_map(|request| request.source.clone()),
            senders: requests.iter().find_map(|request| request.senders.clone()),
            receivers: requests.iter().find_map(|request| request.receivers.clone()),
            processes: requests.iter().find_map(|request| request.processes.clone()),
            pairs: requests.iter().find_map(|request| request.pairs.clone()),
        }
    }
}

/// The first field in which a kept header differs from the new one, in words.
pub(crate) fn difference<T: Serialize>(kept: &T, new: &T) -> Option<String> {
    let [kept, new] = [kept, new].map(|h| serde_json::to_value(h).unwrap_or_default());
    let (key, value) = kept.as_object()?.iter().find(|(key, value)| new[*key] != **value)?;
    Some(format!("its {key} is {value}, here it is {}", new[key]))
}

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

/// All fault sets under one collective. The empty set is the reference, and is not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Fault sets.
    pub sets: usize,
    /// Fault sets that were solved; the others are equal to one of these.
    pub solved: usize,
    /// Steps without faults.
    pub healthy: Option<usize>,
    /// Fewest steps under faults.
    pub fewest: Option<usize>,
    /// Mean of the steps under faults.
    pub mean: Option<f64>,
    /// Most steps under faults.
    pub most: Option<usize>,
    /// Mean degradation, in per cent.
    pub mean_degradation: Option<f64>,
    /// Greatest degradation, in per cent.
    pub greatest_degradation: Option<f64>,
    /// Fault sets with a schedule.
    pub scheduled: usize,
    /// Fault sets with a schedule that meets its lower bound.
    pub optimal: usize,
    /// Fault sets under which the problem cannot be posed.
    pub impossible: usize,
}

impl Summary {
    /// The summary of a collective's rows.
    pub fn new(rows: &[&Row]) -> Self {
        let healthy = rows.iter().find(|row| row.is_healthy()).and_then(|row| row.steps);
        let faulty: Vec<&&Row> = rows.iter().filter(|row| !row.is_healthy()).collect();
        let steps: Vec<usize> = faulty.iter().filter_map(|row| row.steps).collect();
        let worse: Vec<f64> =
            steps.iter().filter_map(|&steps| degradation(Some(steps), healthy)).collect();
        let count = |is: fn(&Row) -> bool| faulty.iter().filter(|row| is(row)).count();
        Summary {
            sets: faulty.len(),
            solved: count(|row| row.like.is_none()),
            healthy,
            fewest: steps.iter().copied().min(),
            mean: mean(&steps.iter().map(|&steps| steps as f64).collect::<Vec<_>>()),
            most: steps.iter().copied().max(),
            mean_degradation: mean(&worse),
            greatest_degradation: worse.iter().copied().reduce(f64::max),
            scheduled: steps.len(),
            optimal: count(|row| row.optimal),
            impossible: count(|row| row.impossible.is_some()),
        }
    }
}

/// By how many per cent a number of steps exceeds that without faults.
pub fn degradation(steps: Option<usize>, healthy: Option<usize>) -> Option<f64> {
    let healthy = healthy? as f64;
    Some((steps? as f64 - healthy) / healthy * 100.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

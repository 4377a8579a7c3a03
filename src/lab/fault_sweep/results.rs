//! The results of a sweep: a row for every fault set under every collective, in a file of JSON lines to which a
//! sweep that is continued adds; its first line says what the file is about, and must match.

use super::cells::FaultSweep;
use super::sets::NO_FAULT;
use crate::journal::{self, Journal};
use ccsched_base::{Error, Result, input};
use ccsched_model::problem::{Collective, Multicast, Pair, Relays, Request};
use ccsched_network::faults::Fault;
use ccsched_run::islands::Solved;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

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
    #[serde(default, skip_serializing_if = "Multicast::is_none")]
    multicast: Multicast,
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
            multicast: requests.first().map(|request| request.multicast).unwrap_or_default(),
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
    file: Option<Journal>,
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
        Ok(Results { file: Some(Journal::open(path, header, rows.values())?), rows })
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
        if let Some(file) = self.file.as_mut().filter(|_| !self.rows.contains_key(&key)) {
            file.add(&row)?;
        }
        self.rows.insert(key, row);
        Ok(())
    }
}

fn read(text: &str, header: &Header) -> Result<Vec<Row>, String> {
    if text.is_empty() {
        return Ok(vec![]);
    }
    let kept: Header = journal::head(text, "file of results of a sweep")?;
    match journal::difference(&kept, header) {
        Some(what) => Err(format!("this is of another sweep: {what}; name another file")),
        None => journal::entries(text),
    }
}

/// By how many per cent a number of steps exceeds that without faults.
pub fn degradation(steps: Option<usize>, healthy: Option<usize>) -> Option<f64> {
    let healthy = healthy? as f64;
    Some((steps? as f64 - healthy) / healthy * 100.0)
}

//! What a sweep has come to, set of faults by set of faults, in a file to which it can add later.

use super::Args;
use crate::atomic;
use crate::cli::problem_args::ProblemArgs;
use crate::engines::Engine;
use crate::islands::Solved;
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::{Collective, Pair, Request};
use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// The first line of the file: what all its lines are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    format: String,
    version: String,
    #[serde(flatten)]
    swept: Swept,
    engine: String,
    /// The engine's parameters, by option name.
    parameters: BTreeMap<String, serde_json::Value>,
    seed: u64,
    iterations: u64,
    time_limit: Option<f64>,
}

/// What is swept: a network, and how messages are sent on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swept {
    topology: String,
    vertices: usize,
    channels: usize,
    /// What is broken from the beginning.
    #[serde(default)]
    faults: Vec<Fault>,
    switching: String,
    ports: String,
    routing: String,
    source: Option<String>,
    senders: Option<Vec<String>>,
    receivers: Option<Vec<String>>,
    pairs: Option<Vec<Pair>>,
}

/// One set of faults under one collective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which collective.
    pub collective: String,
    /// What is broken.
    pub fault: String,
    /// The equal set of faults that was solved in its place.
    pub like: Option<String>,
    /// Steps of the best schedule.
    pub steps: Option<usize>,
    /// No schedule has fewer steps.
    pub lower_bound: Option<u32>,
    /// By this bound.
    pub bound: Option<String>,
    /// Whether the schedule has as few.
    pub optimal: bool,
    /// Why there is nothing to schedule.
    pub impossible: Option<String>,
}

/// All rows so far.
pub struct Results {
    file: Option<File>,
    rows: BTreeMap<(String, String), Row>,
}

impl Head {
    /// Of what the command line asks for.
    pub fn new(args: &Args, swept: Swept, engine: &Engine) -> Self {
        Head {
            format: "ccsched-sweep/1".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            swept,
            engine: engine.name().into(),
            parameters: engine.parameters().into_iter().map(|(k, v)| (k.into(), v)).collect(),
            seed: args.seed,
            iterations: args.iterations,
            time_limit: args.time_limit,
        }
    }
}

impl Swept {
    /// Of what the command line asks for.
    pub fn new(
        problem: &ProblemArgs,
        (network, faults): (&Network, &[Fault]),
        request: &Request,
    ) -> Self {
        Swept {
            topology: network.name().into(),
            vertices: network.vertices().len(),
            channels: network.channels().len(),
            faults: faults.to_vec(),
            switching: problem.switching.to_string(),
            ports: problem.ports.to_string(),
            routing: request.routing.to_string(),
            source: problem.source.clone(),
            senders: problem.senders.clone(),
            receivers: problem.receivers.clone(),
            pairs: request.pairs.clone(),
        }
    }
}

impl Row {
    /// Of what a task has come to; none if it was interrupted.
    pub fn new(
        collective: Collective,
        fault: &str,
        like: Option<String>,
        solved: &Solved,
    ) -> Option<Self> {
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
            Solved::Interrupted => return None,
            Solved::Impossible(why) => row.impossible = Some(why.clone()),
            Solved::Searched { plan, lower_bound, bound, .. } => {
                row.steps = plan.as_ref().map(|(plan, _)| plan.steps.len());
                row.lower_bound = Some(*lower_bound);
                row.optimal = row.steps == Some(*lower_bound as usize);
                row.bound = Some(bound.clone());
            }
        }
        Some(row)
    }
}

impl Results {
    /// Those in a file, which need not be there yet; nowhere without a file.
    ///
    /// # Errors
    /// A file of another sweep, or that cannot be read or written.
    pub fn open(path: Option<&Path>, head: &Head) -> anyhow::Result<Self> {
        let mut rows = BTreeMap::new();
        let Some(path) = path else { return Ok(Results { file: None, rows }) };
        // What is no file, but a pipe, can only be written to.
        if path.is_file() {
            let text = std::fs::read_to_string(path).map_err(|e| crate::Error::io(path, e))?;
            for row in read(&text, head).map_err(|e| anyhow!("{}: {e}", path.display()))? {
                rows.insert((row.collective.clone(), row.fault.clone()), row);
            }
        }
        // Anew, without a last line that was broken off.
        let mut text = serde_json::to_string(head)? + "\n";
        for row in rows.values() {
            text += &(serde_json::to_string(row)? + "\n");
        }
        atomic::write(path, &text)?;
        let file = OpenOptions::new().append(true).open(path);
        Ok(Results { file: Some(file.map_err(|e| crate::Error::io(path, e))?), rows })
    }

    /// What a set of faults has come to, if it is done.
    pub fn of(&self, collective: Collective, fault: &str) -> Option<&Row> {
        self.rows.get(&(collective.to_string(), fault.to_string()))
    }

    /// Adds a row, at once to the file.
    ///
    /// # Errors
    /// The file cannot be written any more.
    pub fn add(&mut self, row: Row) -> std::io::Result<()> {
        let key = (row.collective.clone(), row.fault.clone());
        if let Some(file) = self.file.as_mut().filter(|_| !self.rows.contains_key(&key)) {
            file.write_all((serde_json::to_string(&row)? + "\n").as_bytes())?;
        }
        self.rows.insert(key, row);
        Ok(())
    }

    /// The rows of this sweep, as far as they are done.
    pub fn in_order(&self, collectives: &[Collective], faults: &[String]) -> Vec<&Row> {
        let key = |c: &Collective, f: &String| (c.to_string(), f.clone());
        let rows = collectives.iter().flat_map(|c| faults.iter().map(move |f| key(c, f)));
        rows.filter_map(|key| self.rows.get(&key)).collect()
    }
}

/// In what two sweeps differ, in words.
pub fn difference<T: Serialize>(kept: &T, new: &T) -> Option<String> {
    let [kept, new] = [kept, new].map(|h| serde_json::to_value(h).unwrap_or_default());
    let (key, value) = kept.as_object()?.iter().find(|(key, value)| new[*key] != **value)?;
    Some(format!("its {key} is {value}, here it is {}", new[key]))
}

fn read(text: &str, head: &Head) -> Result<Vec<Row>, String> {
    let mut lines = (1..).zip(text.lines());
    let Some((_, first)) = lines.next() else { return Ok(vec![]) };
    let kept: Head = serde_json::from_str(first)
        .map_err(|e| format!("line 1: this is no file of results of a sweep: {e}"))?;
    if let Some(what) = difference(&kept, head) {
        return Err(format!("this is of another sweep: {what}; name another file"));
    }
    let mut rows = Vec::new();
    for (number, line) in lines {
        match serde_json::from_str(line) {
            Ok(row) => rows.push(row),
            // Broken off in the middle of a line.
            Err(_) if number == text.lines().count() && !text.ends_with('\n') => {}
            Err(e) => return Err(format!("line {number}: {e}")),
        }
    }
    Ok(rows)
}

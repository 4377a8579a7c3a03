//! What a file of results and a fault book are about. A sweep that is continued must match.

use super::FaultSweep;
use ccsched_model::problem::{Pair, Relays, Request};
use ccsched_network::faults::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

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

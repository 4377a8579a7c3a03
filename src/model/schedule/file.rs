//! The schedule file, `ccsched-schedule/1`: JSON, complete in itself. Its shape is fixed because
//! other programs read it. Vertices are named; channels are indices into `network.channels`.

pub use super::routes::RouteRecord;
use super::routes::RouteRecords;
use super::transfers::Steps;
pub use super::transfers::{MessageRecord, TransferRecord};
use crate::problem::Collective;
pub use crate::problem::Phase;
use ccsched_base::Result;
pub use ccsched_network::faults::Fault as FaultRecord;
use ccsched_network::{Delay, Rate, UNKNOWN_RATE};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The value of the key `format` that this module reads and writes.
pub const FORMAT: &str = "ccsched-schedule/1";

/// A whole schedule file.
///
/// ```
/// use ccsched::network::spec;
/// use ccsched::problem::{Collective, Request};
/// use ccsched::{Options, ScheduleFile, solve};
///
/// let problem = Request::new(Collective::Aas).pose(spec::parse("ring:4")?, vec![])?;
/// let schedule = solve(&problem, &Options::default())?.schedule().expect("a schedule was found");
/// let first = schedule.steps.iter().flatten().next().expect("a transfer");
/// assert!(!first.channels.is_empty());
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("ring.json");
/// schedule.write(&path)?;
/// assert_eq!(ScheduleFile::read(&path)?, schedule);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleFile {
    /// Always [`FORMAT`].
    pub format: String,
    /// The network that was scheduled, without its faulty parts.
    pub network: NetworkRecord,
    /// What was asked for.
    pub model: ModelRecord,
    /// The transfers of every step.
    pub steps: Steps,
    /// The faulty vertices and links; may be absent.
    #[serde(default)]
    pub faults: Vec<FaultRecord>,
    /// Lower bounds on the number of steps.
    #[serde(default)]
    pub bounds: Vec<BoundRecord>,
    /// How it was made.
    pub provenance: Provenance,
}

impl ScheduleFile {
    /// The transfers of a step, each with the number of others that are one with it: where messages join,
    /// those of its piece over its path.
    pub fn joined(&self, step: usize) -> Vec<(usize, u32)> {
        let all = self.steps.places(step);
        if !self.model.parsed_collective().is_ok_and(Collective::joins) {
            return all.map(|id| (id, 0)).collect();
        }
        let mut place = HashMap::new();
        let mut joined: Vec<(usize, u32)> = Vec::new();
        for id in all {
            let t = self.steps.record(id);
            let at =
                *place.entry((t.from, t.to, t.channels, t.message.piece)).or_insert(joined.len());
            match joined.get_mut(at) {
                Some(first) => first.1 += 1,
                None => joined.push((id, 0)),
            }
        }
        joined
    }

    /// By round, whether a step begins with it.
    pub fn beginnings(&self) -> Vec<bool> {
        let Some(rounds) = &self.model.rounds else { return vec![true; self.steps.len()] };
        let mut begins = vec![false; self.steps.len()];
        let mut first = 0;
        for &rounds in rounds {
            begins.get_mut(first).into_iter().for_each(|begins| *begins = true);
            first = first.saturating_add(rounds as usize);
        }
        begins
    }

    /// Whether transfers have starts in place of steps.
    pub fn is_timed(&self) -> bool {
        self.model.timing == Some(Timing::Timed)
    }

    /// The bytes that pass one channel while the schedule runs: of a timed one its end, of steps the longest
    /// messages of all of them together. None where messages have no lengths.
    pub fn span(&self) -> Option<u64> {
        let is_with_bytes = |group: &GroupRecord| group.bytes.is_some();
        let have_groups = || self.model.groups.iter().flatten().any(is_with_bytes);
        if self.model.lengths.is_none() && !have_groups() {
            return None;
        }
        let bytes = |t: usize| self.steps.entry(t).bytes.unwrap_or(0);
        let delays = self.network.delays_in_bytes();
        let end = |t: usize| {
            let start = self.steps.entry(t).at.unwrap_or(0).saturating_add(bytes(t));
            start.saturating_add(self.delay_of(t, &delays))
        };
        let longest = |step: usize| match self.is_timed() {
            true => self.steps.places(step).map(end).max(),
            false => self.steps.places(step).map(bytes).max(),
        };
        let steps = (0..self.steps.len()).map(|step| longest(step).unwrap_or(0));
        Some(steps.fold(0, u64::saturating_add))
    }

    /// The sum over all steps of the largest delay of a path, in bytes; 0 of a timed schedule, whose span has them.
    pub fn delays_of_steps(&self) -> u64 {
        let delays = self.network.delays_in_bytes();
        if delays.is_empty() || self.is_timed() {
            return 0;
        }
        let largest = |step| self.steps.places(step).map(|t| self.delay_of(t, &delays)).max();
        (0..self.steps.len()).filter_map(largest).fold(0, u64::saturating_add)
    }

    /// The delay of the path of a transfer, by the delays of channels in bytes.
    pub fn delay_of(&self, t: usize, delays: &[u64]) -> u64 {
        let delay = |&c: &u32| delays.get(c as usize).copied().unwrap_or(0);
        match delays.is_empty() {
            true => 0,
            false => self.steps.path(t).iter().map(delay).fold(0, u64::saturating_add),
        }
    }

    /// Number of steps, each of which may have several rounds.
    pub fn steps_of_rounds(&self) -> usize {
        self.model.rounds.as_ref().map_or(self.steps.len(), Vec::len)
    }

    /// The names of the processes, in the order of their ranks.
    pub fn processes(&self) -> Vec<&str> {
        let ModelRecord { collective, senders, receivers, processes, .. } = &self.model;
        if let Some(listed) = processes {
            return listed.iter().map(String::as_str).collect();
        }
        let ends: HashSet<&String> = senders.iter().chain(receivers).collect();
        let takes_part =
            |v: &&VertexRecord| v.terminal && (collective == "traffic" || ends.contains(&v.name));
        let vertices = self.network.vertices.iter().filter(takes_part);
        vertices.map(|v| v.name.as_str()).collect()
    }
}

/// The network of a schedule file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkRecord {
    /// Family spec or the name in the network's file.
    pub name: String,
    /// What capacity 1 stands for, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Every vertex.
    pub vertices: Vec<VertexRecord>,
    /// Every channel; transfers refer to these by index.
    pub channels: Vec<ChannelRecord>,
}

impl NetworkRecord {
    /// By channel its delay in bytes, of which timed schedules count: what a channel of capacity 1 carries
    /// meanwhile, rounded up. Empty if no channel has a delay.
    pub fn delays_in_bytes(&self) -> Vec<u64> {
        if self.channels.iter().all(|c| c.delay_ns.is_none()) {
            return Vec::new();
        }
        let rate = self.rate.as_ref().map_or(UNKNOWN_RATE, |rate| rate.bytes_per_second);
        let delay = |ns: u64| Delay::of_ns(ns).map_or(u64::MAX, |delay| delay.in_bytes(rate));
        self.channels.iter().map(|c| c.delay_ns.map_or(0, delay)).collect()
    }

    /// Whether both have the same vertices and channels. Rates make no difference to steps.
    pub fn is_like(&self, other: &NetworkRecord) -> bool {
        (&self.name, &self.vertices, &self.channels)
            == (&other.name, &other.vertices, &other.channels)
    }
}

/// A vertex of a schedule file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexRecord {
    /// Unique name.
    pub name: String,
    /// Terminal or switch.
    pub terminal: bool,
    /// Where it is drawn, x to the right and y upwards, if the network's file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(f64, f64)>,
}

/// A channel of a schedule file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelRecord {
    /// Name of the vertex it starts at.
    pub from: String,
    /// Name of the vertex it ends at.
    pub to: String,
    /// Half duplex: index of the opposite channel, which shares the capacity of this one in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excludes: Option<usize>,
    /// Transfers that it carries in one step; absent if 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub capacity: u32,
    /// The nanoseconds that the head of a message takes along it; absent if the cost model says them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ns: Option<u64>,
}

fn one() -> u32 {
    1
}

fn is_zero(steps: &u32) -> bool {
    *steps == 0
}

fn is_one(capacity: &u32) -> bool {
    *capacity == 1
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// `oab`, `aab`, `oas`, `aas`, `aog`, `traffic`, `reduce`, `reduce-scatter`,
    /// `all-reduce`, `barrier`, `groups`.
    pub collective: String,
    /// The one source (`oab`, `oas`) or the one destination (`aog`, `reduce`).
    pub source: Option<String>,
    /// The vertices that send a message of their own.
    pub senders: Vec<String>,
    /// The vertices that must receive.
    pub receivers: Vec<String>,
    /// The terminals that take part, in the order of their ranks; absent if they are the senders and
    /// receivers, of a traffic all terminals, in the order of `network.vertices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<Vec<String>>,
    /// `wormhole` or `store-and-forward`.
    pub switching: String,
    /// Store-and-forward: whether terminals that take no part forward messages, `all` or `none`;
    /// absent if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relays: Option<String>,
    /// `switch` if switches copy messages and add up sums on their way; absent if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multicast: Option<String>,
    /// `"all"` or a number.
    pub ports: Ports,
    /// `minimal`, `slack:S`, `any`, `lgl`, `static`, or the name of a table that was made, such as `updown`.
    pub routing: String,
    /// The parts of the vector of an all-reduce.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    /// The equal pieces that each message is cut into; absent if they are whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The rounds of each step; absent if a step is one round. The entries of `steps` are then rounds, and
    /// what is received in a round is sent on in later steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<u32>>,
    /// An arbitrary traffic; null for the collectives.
    #[serde(default)]
    pub pairs: Option<Vec<(String, String)>>,
    /// The groups that stand side by side; absent for other collectives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<GroupRecord>>,
    /// By pair, the bytes of its message; of messages in pieces, of a piece. Absent if no message has a
    /// length of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Vec<u64>>,
    /// Whether the transfers are in steps or have starts; absent if they are in steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Static routing, and tables: the route of every pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes: Option<RouteRecords>,
}

impl ModelRecord {
    /// The collective, which its parts tell too.
    ///
    /// # Errors
    /// [`ccsched_base::Error::Problem`] with all names if this one is unknown.
    pub fn parsed_collective(&self) -> Result<Collective> {
        Ok(self.collective.parse::<Collective>()?.of_parts(self.parts))
    }
}

/// A group: a collective among members of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupRecord {
    /// `oab`, `aab`, `oas`, `aas` or `aog`.
    pub collective: String,
    /// The members, in the order of their ranks.
    pub members: Vec<String>,
    /// The one source (`oab`, `oas`) or the one destination (`aog`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Bytes of each message; of all groups or of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What says when transfers are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Steps, one after the other.
    Steps,
    /// A start of each transfer, which then holds its channels for as many time units as its message
    /// has bytes. The transfers are one list, the only entry of `steps`.
    Timed,
}

/// How many messages a terminal can send, and receive, in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Ports {
    /// At most this number.
    Count(u32),
    /// As many as it has channels.
    All(AllPorts),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AllPorts {
    /// All channels at once.
    All,
}

/// A lower bound on the number of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundRecord {
    /// Name of the argument.
    pub name: String,
    /// No schedule has fewer steps; 0 where the bound is one of bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps: u32,
    /// No timed schedule ends before this number of bytes has passed a channel of capacity 1, and in no
    /// schedule the longest messages of all steps have fewer bytes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Whether the certificate can be re-checked without search.
    pub certified: bool,
    /// The data of the argument; see [`Certificate`].
    #[serde(default)]
    pub certificate: Certificate,
}

/// The data of a bound's argument; which fields are present depends on the bound.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// `ports`, `growth`, `eccentricity`, `journeys`: the terminal that is the bottleneck.
    /// `spread`: the source of the message that must reach the regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertex: Option<String>,
    /// `cut`: the vertices on the sending side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Vec<String>>,
    /// `spread`: disjoint regions; without a source one, which all messages from outside enter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<RegionRecord>>,
    /// `congestion`: an integer weight for every channel; both channels of a half-duplex link have
    /// that of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_weights: Option<Vec<u64>>,
    /// `congestion`: weights of the terminals' limits on sending, where ports are limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_port_weights: Option<BTreeMap<String, u64>>,
    /// `congestion`: the same for receiving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_port_weights: Option<BTreeMap<String, u64>>,
    /// `partition`: disjoint sets of vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<Vec<String>>>,
    /// `lengths`: weights as of `congestion`, each of which counts where it proves most; may be absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several: Option<Vec<Certificate>>,
    /// Groups side by side: the group, from 0, that the argument is about, as if it were alone; absent
    /// if it is about all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

/// Vertices that messages from outside must enter and spread in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRecord {
    /// The vertices.
    pub vertices: Vec<String>,
    /// Disjoint subsets, each a region that a message must enter and spread in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<RegionRecord>,
}

/// How a schedule was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// `ccsched` or `ccsched-mpi`.
    pub program: String,
    /// Its version.
    pub version: String,
    /// The engine that was asked for.
    pub engine: String,
    /// What found the schedule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Seed of the run.
    pub seed: u64,
    /// Islands: threads or MPI ranks.
    pub ranks: usize,
    /// The parameters of what ran, by option name.
    #[serde(default)]
    pub parameters: BTreeMap<String, serde_json::Value>,
}

impl Provenance {
    /// The provenance of a schedule by this program. Threads and MPI ranks give the same schedule
    /// and the same file.
    pub fn new<'a>(
        engine: &str,
        method: &str,
        seed: u64,
        ranks: usize,
        parameters: impl IntoIterator<Item = (&'a str, serde_json::Value)>,
    ) -> Self {
        Provenance {
            program: "ccsched".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            engine: engine.into(),
            method: method.into(),
            seed,
            ranks,
            parameters: parameters.into_iter().map(|(k, v)| (k.to_string(), v)).collect(),
        }
    }
}

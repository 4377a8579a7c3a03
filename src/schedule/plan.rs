//! A schedule by ids, as engines make it, and its way into a schedule file.

use super::file::*;
use crate::bounds::Bound;
use crate::network::{ChannelId, VertexId};
use crate::problem::{MessageId, Ports, Problem};

/// One message goes along channels within one step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// What is carried.
    pub message: MessageId,
    /// The path.
    pub channels: Vec<ChannelId>,
}

/// The transfers of every step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// By step, from 0.
    pub steps: Vec<Vec<Transfer>>,
}

impl Plan {
    /// An empty plan of so many steps.
    pub fn new(steps: u32) -> Self {
        Plan { steps: vec![Vec::new(); steps as usize] }
    }

    /// Channels used, summed over the steps.
    pub fn channel_steps(&self) -> usize {
        self.steps.iter().flatten().map(|t| t.channels.len()).sum()
    }

    /// Channels of the longest path.
    pub fn longest_path(&self) -> usize {
        self.steps.iter().flatten().map(|t| t.channels.len()).max().unwrap_or(0)
    }

    /// Smaller is better: fewer steps, then fewer channels used, then a shorter longest path
    /// (design: the goal).
    pub fn rank(&self) -> (usize, usize, usize) {
        (self.steps.len(), self.channel_steps(), self.longest_path())
    }

    /// Drops steps in which nothing happens and puts transfers in order.
    pub fn tidy(&mut self) {
        self.steps.retain(|step| !step.is_empty());
        self.steps.iter_mut().for_each(|step| step.sort());
    }

    /// Modelled time of the whole schedule in microseconds; see [`TimeModel`].
    pub fn time_us(&self, model: &TimeModel) -> f64 {
        let step = |transfers: &Vec<Transfer>| {
            let longest = transfers.iter().map(|t| t.channels.len()).max().unwrap_or(0);
            model.startup_us
                + model.hop_us * longest as f64
                + model.byte_ns * 1e-3 * model.message_bytes as f64
        };
        self.steps.iter().map(step).sum()
    }

    /// The schedule file of this plan.
    pub fn record(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        provenance: Provenance,
    ) -> ScheduleFile {
        let network = &problem.network;
        let name = |v: VertexId| network.vertex_name(v).to_string();
        let names = |list: &[VertexId]| list.iter().map(|&v| name(v)).collect();
        let mut messages = vec![None; problem.messages()];
        for d in &problem.demands {
            messages[d.message as usize].get_or_insert(MessageRecord {
                source: name(d.source),
                destination: (!problem.collective.is_broadcast()).then(|| name(d.destination)),
            });
        }
        let transfer = |t: &Transfer| TransferRecord {
            message: messages[t.message as usize].clone().expect("every message has a demand"),
            from: name(network.channel(t.channels[0]).from),
            to: name(network.channel(t.channels[t.channels.len() - 1]).to),
            channels: t.channels.iter().map(|&c| c as usize).collect(),
        };
        ScheduleFile {
            format: FORMAT.into(),
            network: NetworkRecord {
                name: network.name().into(),
                vertices: network
                    .vertices()
                    .iter()
                    .map(|v| VertexRecord { name: v.name.clone(), terminal: v.terminal })
                    .collect(),
                channels: network
                    .channels()
                    .iter()
                    .map(|c| ChannelRecord {
                        from: name(c.from),
                        to: name(c.to),
                        excludes: c.excludes().map(|e| e as usize),
                    })
                    .collect(),
            },
            model: ModelRecord {
                collective: problem.collective.to_string(),
                source: problem.root.map(name),
                senders: names(&problem.senders),
                receivers: names(&problem.receivers),
                switching: problem.switching.to_string(),
                ports: match problem.ports {
                    Ports(Some(k)) => super::file::Ports::Count(k),
                    Ports(None) => super::file::Ports::All(AllPorts::All),
                },
                routing: problem.routing.to_string(),
                pairs: None,
            },
            steps: self.steps.iter().map(|step| step.iter().map(transfer).collect()).collect(),
            faults: problem.faults.clone(),
            bounds: bounds.iter().map(Bound::record).collect(),
            provenance,
        }
    }
}

/// What a step costs: t0 + tr x longest path + t1 x message length (umda-diameter-degree-networks,
/// section 5, equation 4, with the routing delay of section 2 of hgsa-store-and-forward).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeModel {
    /// t0, microseconds a step.
    pub startup_us: f64,
    /// tr, microseconds a channel.
    pub hop_us: f64,
    /// t1, nanoseconds a byte.
    pub byte_ns: f64,
    /// Length of every message.
    pub message_bytes: u64,
}

impl Default for TimeModel {
    fn default() -> Self {
        TimeModel { startup_us: 1.0, hop_us: 0.0, byte_ns: 0.5, message_bytes: 1024 }
    }
}

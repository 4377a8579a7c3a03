//! From ids to names: the schedule file of a plan.

use super::file::*;
use super::{Plan, TransferRef};
use crate::bounds::{Bound, Evidence, Region};
use crate::network::{ChannelId, Network, VertexId};
use crate::problem;
use crate::problem::{Content, Problem, Roots};
use std::collections::BTreeMap;

impl Plan {
    /// The schedule file of this plan, whose messages and channels must be those of the problem. A
    /// transfer without channels, which `verify` refuses, is written as it is.
    pub fn record(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        provenance: Provenance,
    ) -> ScheduleFile {
        let network = &problem.network;
        let messages = messages(problem);
        let transfer = |t: TransferRef<'_>| TransferRecord {
            message: messages[t.message as usize].clone(),
            from: t.channels.first().map_or_else(String::new, |&c| start(network, c)),
            to: t.channels.last().map_or_else(String::new, |&c| end(network, c)),
            channels: t.channels.iter().map(|&c| c as usize).collect(),
        };
        ScheduleFile {
            format: FORMAT.into(),
            network: network_record(network),
            model: model_record(problem),
            steps: self.steps().map(|step| step.iter().map(transfer).collect()).collect(),
            faults: problem.faults.clone(),
            bounds: bounds.iter().map(|bound| bound_record(problem, bound)).collect(),
            provenance,
        }
    }
}

fn name(network: &Network, v: VertexId) -> String {
    network.vertex_name(v).to_string()
}

/// Where a channel starts.
fn start(network: &Network, c: ChannelId) -> String {
    name(network, network.channel(c).from)
}

/// Where a channel ends.
fn end(network: &Network, c: ChannelId) -> String {
    name(network, network.channel(c).to)
}

fn names(network: &Network, list: &[VertexId]) -> Vec<String> {
    list.iter().map(|&v| name(network, v)).collect()
}

/// All messages by id; demands are in the order of the ids.
fn messages(problem: &Problem) -> Vec<MessageRecord> {
    let broadcast = problem.collective.content() == Content::Common;
    let of_message = problem.demands.chunk_by(|a, b| a.message == b.message);
    let record = |demands: &[problem::Demand]| MessageRecord {
        source: name(&problem.network, demands[0].source),
        destination: (!broadcast).then(|| name(&problem.network, demands[0].destination)),
        copy: None,
        bytes: problem.lengths.as_ref().map(|lengths| lengths[demands[0].message as usize]),
    };
    let mut records: Vec<MessageRecord> = of_message.map(record).collect();
    if !broadcast {
        // Every demand is a message. The second one of a pair shows that copies are to be numbered.
        let mut before: Option<usize> = None;
        for (d, copy) in problem.demands.iter().zip(problem::copies(problem)) {
            let message = d.message as usize;
            if let Some(first) = before.filter(|_| copy == 2) {
                records[first].copy = Some(1);
            }
            records[message].copy = (copy > 1).then_some(copy);
            before = Some(message);
        }
    }
    records
}

/// The route of every pair, where routing is static.
fn routes(problem: &Problem) -> Option<Vec<RouteRecord>> {
    let record = |d: &problem::Demand| {
        let route = problem.fixed_route(d.source, d.destination)?;
        Some(RouteRecord {
            from: name(&problem.network, d.source),
            to: name(&problem.network, d.destination),
            channels: route.iter().map(|&c| c as usize).collect(),
        })
    };
    let mut records: Vec<RouteRecord> = problem.demands.iter().filter_map(record).collect();
    records.dedup();
    (problem.routing == problem::Routing::Static).then_some(records)
}

/// The pairs of a traffic, with repetitions.
fn pairs(problem: &Problem) -> Option<Vec<(String, String)>> {
    let network = &problem.network;
    let pair = |d: &problem::Demand| (name(network, d.source), name(network, d.destination));
    let is_traffic = problem.collective.roots() == Roots::Listed;
    is_traffic.then(|| problem.demands.iter().map(pair).collect())
}

fn network_record(network: &Network) -> NetworkRecord {
    let vertices = network.vertices().iter();
    let channels = network.channels().iter();
    NetworkRecord {
        name: network.name().into(),
        vertices: vertices
            .map(|v| VertexRecord { name: v.name.clone(), terminal: v.terminal })
            .collect(),
        channels: channels
            .map(|c| ChannelRecord {
                from: name(network, c.from),
                to: name(network, c.to),
                excludes: c.excludes().map(|e| e as usize),
                capacity: c.capacity,
            })
            .collect(),
    }
}

fn model_record(problem: &Problem) -> ModelRecord {
    let network = &problem.network;
    ModelRecord {
        collective: problem.collective.to_string(),
        source: problem.root.map(|v| name(network, v)),
        senders: names(network, &problem.senders),
        receivers: names(network, &problem.receivers),
        switching: problem.switching.to_string(),
        ports: problem.ports.0.map_or(Ports::All(AllPorts::All), Ports::Count),
        routing: problem.routing.to_string(),
        pairs: pairs(problem),
        routes: routes(problem),
    }
}

fn bound_record(problem: &Problem, bound: &Bound) -> BoundRecord {
    let network = &problem.network;
    let mut certificate = Certificate::default();
    match &bound.evidence {
        Evidence::Nothing | Evidence::Search => {}
        Evidence::Vertex(v) => certificate.vertex = Some(name(network, *v)),
        Evidence::Side(side) => certificate.side = Some(names(network, side)),
        Evidence::Spread { source, regions } => {
            certificate.vertex = source.map(|v| name(network, v));
            certificate.regions = Some(regions.iter().map(|r| region_record(network, r)).collect());
        }
        Evidence::Weights(weights) => weigh(problem, weights, &mut certificate),
    }
    BoundRecord {
        name: bound.name.into(),
        steps: bound.steps,
        certified: bound.is_certified(),
        certificate,
    }
}

fn region_record(network: &Network, region: &Region) -> RegionRecord {
    RegionRecord {
        vertices: names(network, &region.vertices),
        parts: region.parts.iter().map(|part| region_record(network, part)).collect(),
    }
}

/// Weights by channel, and by terminal for its ports; both channels of a half-duplex link have the
/// weight of the link.
fn weigh(problem: &Problem, weights: &[u64], certificate: &mut Certificate) {
    let resources = &problem.resources;
    let weight = |resource: u32| weights[resource as usize];
    let channels = 0..problem.network.channels().len() as u32;
    certificate.channel_weights = Some(channels.map(|c| weight(resources.of_channel(c))).collect());
    let of_ports = |port: &dyn Fn(VertexId) -> Option<u32>| {
        let named = |v| port(v).map(|port| (name(&problem.network, v), weight(port)));
        let ports: BTreeMap<String, u64> = problem.network.terminals().filter_map(named).collect();
        Some(ports).filter(|ports| !ports.is_empty())
    };
    certificate.send_port_weights = of_ports(&|v| resources.send_port(v));
    certificate.receive_port_weights = of_ports(&|v| resources.receive_port(v));
}

//! From ids to names: the schedule file of a plan.

use super::file::*;
use super::filling::{Room, Sizes, filled};
use super::names::{NameId, Names};
use super::routes::RouteRecords;
use super::stops::Stops;
use super::transfers::Steps;
use super::{Plan, Step, TransferRef};
use crate::bound::{Bound, ByteBound, Evidence, Region};
use crate::problem;
use crate::problem::{Collective, Group, Joining, Message, Multicast, Problem, Relays};
use ccsched_network::{Channel, Delay, Network, Parts, VertexId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

impl Plan {
    /// The plan as time runs, where that of a reduction runs backwards.
    pub fn as_asked(&self, problem: &Problem) -> Cow<'_, Plan> {
        match problem.collective().is_reduction() {
            true => Cow::Owned(self.reversed()),
            false => Cow::Borrowed(self),
        }
    }

    /// The schedule file of this plan, whose messages and channels must be those of the problem; that of
    /// a reduction runs backwards. A transfer without channels, which `verify` refuses, is written as it is.
    pub fn record(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        provenance: Provenance,
    ) -> ScheduleFile {
        let network = problem.asked_network();
        let mut steps = steps(&self.as_asked(problem), problem, &network);
        let mut model = model_record(problem);
        if let Some(starts) = self.time().and_then(|time| time.starts.as_deref()) {
            steps.set_starts(starts);
            model.timing = Some(Timing::Timed);
        }
        ScheduleFile {
            format: FORMAT.into(),
            network: network_record(&network),
            model,
            steps,
            faults: problem.faults().to_vec(),
            bounds: bounds.iter().map(|bound| bound_record(problem, bound)).collect(),
            provenance,
        }
    }
}

impl ScheduleFile {
    /// The same schedule of a problem with lengths, with its bounds in bytes.
    pub fn with_byte_bounds(mut self, problem: &Problem, bounds: &[ByteBound]) -> Self {
        self.bounds.extend(bounds.iter().map(|bound| record_of_bytes(problem, bound)));
        self
    }

    /// Replaces the bounds by those on steps and in bytes of a problem with lengths. Whether they differ.
    pub fn set_bounds(
        &mut self,
        problem: &Problem,
        (of_steps, of_bytes): (&[Bound], &[ByteBound]),
    ) -> bool {
        let of_bytes = of_bytes.iter().map(|bound| record_of_bytes(problem, bound));
        let of_steps = of_steps.iter().map(|bound| bound_record(problem, bound));
        let bounds: Vec<BoundRecord> = of_steps.chain(of_bytes).collect();
        let differ = self.bounds != bounds;
        self.bounds = bounds;
        differ
    }
}

fn name(network: &Network, v: VertexId) -> String {
    network.vertex_name(v).to_string()
}

fn names(network: &Network, list: &[VertexId]) -> Vec<String> {
    list.iter().map(|&v| name(network, v)).collect()
}

/// All transfers with the numbers of names in place of ids.
fn steps(plan: &Plan, problem: &Problem, network: &Network) -> Steps {
    let (mut names, numbers) = numbered(network);
    let number = |v: VertexId| numbers[v as usize];
    let sizes = sizes(plan);
    let has_gaps =
        !matches!(sizes.paths, Room::Single) && plan.transfers().any(|t| t.channels.is_empty());
    let nowhere = if has_gaps { names.number("") } else { 0 };
    let ends_of = |c: &Channel| [number(c.from), number(c.to)];
    let stops = Stops::OfChannels(network.channels().iter().map(ends_of).collect(), nowhere);
    let of_plan: Vec<&Step> = plan.steps().collect();
    let are_known = matches!(sizes.paths, Room::Known(_));
    let mut steps = filled((names, stops), sizes, |steps, mut part| {
        for TransferRef { message, channels } in of_plan[steps].iter().copied().flatten() {
            let Message { origin, destination, .. } = problem.message(message);
            let path = if are_known { &[] } else { channels };
            part.put((number(origin), destination.map(number)), path);
        }
    });
    steps.are_sums = problem.collective().has_sums();
    if steps.are_sums || problem.pieces() > 1 {
        steps.pieces = plan.transfers().map(|t| Some(problem.message(t.message).piece)).collect();
    }
    if problem.collective().is_all_reduce() {
        steps.phases = plan.transfers().map(|t| problem.message(t.message).phase).collect();
    }
    if problem.has_copies() {
        steps.copies = plan.transfers().map(|t| problem.message(t.message).copy).collect();
    }
    if let Some(lengths) = problem.lengths() {
        steps.bytes = plan.transfers().map(|t| Some(lengths[t.message as usize])).collect();
    }
    steps
}

/// The sizes of all steps.
fn sizes(plan: &Plan) -> Sizes {
    let paths = match Parts::together(plan.steps().map(Step::parts)) {
        Some(parts) => Room::Known(parts),
        None if plan.steps().all(Step::has_single_hops) => Room::Single,
        None => Room::Channels(plan.ends(Step::channel_steps)),
    };
    Sizes { transfers: plan.ends(Step::len), paths }
}

/// The route of every pair, where routing is static or by a table.
fn routes(problem: &Problem) -> Option<RouteRecords> {
    let routes = problem.routes()?;
    let (names, numbers) = numbered(problem.network());
    let number = |v: VertexId| numbers[v as usize];
    let (mut ends, mut of_pairs) = (Vec::new(), Vec::new());
    for same in problem.pairs() {
        let (from, to) = (same[0].source, same[0].destination);
        if let Some(route) = routes.number(from, to) {
            ends.push((number(from), number(to)));
            of_pairs.push(route);
        }
    }
    Some(RouteRecords::shared(names, ends, routes.paths().in_order(of_pairs.into_iter())))
}

/// The names of all vertices, and by vertex their numbers.
fn numbered(network: &Network) -> (Names, Vec<NameId>) {
    let mut names = Names::default();
    let numbers = network.vertices().iter().map(|v| names.number(&v.name)).collect();
    (names, numbers)
}

/// The pairs of a traffic, with repetitions.
fn pairs(problem: &Problem) -> Option<Vec<(String, String)>> {
    let network = problem.network();
    let pair = |d: &problem::Demand| (name(network, d.source), name(network, d.destination));
    let is_traffic = problem.collective() == Collective::Traffic;
    let whole = || problem.demands().iter().step_by(problem.pieces() as usize);
    is_traffic.then(|| whole().map(pair).collect())
}

/// The groups that stand side by side.
fn groups(problem: &Problem) -> Option<Vec<GroupRecord>> {
    let record = |Group { collective, members, root, bytes }: &Group| GroupRecord {
        collective: collective.to_string(),
        members: members.clone(),
        source: root.clone(),
        bytes: problem.lengths().map(|_| bytes.unwrap_or(problem::DEFAULT_BYTES)),
    };
    Some(problem.request().groups.as_ref()?.iter().map(record).collect())
}

/// By pair, the length of its message, or of a piece of it.
fn lengths(problem: &Problem) -> Option<Vec<u64>> {
    if problem.groups().is_some() {
        return None;
    }
    Some(problem.lengths()?.iter().step_by(problem.pieces() as usize).copied().collect())
}

/// The terminals that take part, unless they follow from the rest of the model.
fn processes(problem: &Problem) -> Option<Vec<String>> {
    let network = problem.network();
    let follow: Vec<VertexId> = match problem.collective() {
        Collective::Traffic => network.whole().terminals().collect(),
        _ => {
            let ends: BTreeSet<VertexId> =
                problem.senders().iter().chain(problem.receivers()).copied().collect();
            ends.into_iter().collect()
        }
    };
    (problem.processes() != follow).then(|| names(network, problem.processes()))
}

fn network_record(network: &Network) -> NetworkRecord {
    let vertices = (0..).zip(network.vertices());
    let channels = network.channels().iter();
    NetworkRecord {
        name: network.name().into(),
        rate: network.rate().cloned(),
        vertices: vertices
            .map(|(id, v)| VertexRecord {
                name: v.name.to_string(),
                terminal: v.terminal,
                at: network.coordinates(id),
            })
            .collect(),
        channels: channels
            .map(|c| ChannelRecord {
                from: name(network, c.from),
                to: name(network, c.to),
                excludes: c.excludes().map(|e| e as usize),
                capacity: c.capacity,
                delay_ns: c.delay.map(Delay::ns),
            })
            .collect(),
    }
}

fn model_record(problem: &Problem) -> ModelRecord {
    let (network, [senders, receivers]) = (problem.network(), problem.asked_ends());
    ModelRecord {
        collective: match problem.collective().joining() {
            Joining::Sum => Collective::AllReduce,
            Joining::Apart | Joining::Signal => problem.collective(),
        }
        .to_string(),
        source: problem.root().map(|v| name(network, v)),
        senders: names(network, senders),
        receivers: names(network, receivers),
        processes: processes(problem),
        switching: problem.asked_switching().to_string(),
        relays: (problem.request().relays == Relays::All).then(|| Relays::All.to_string()),
        multicast: problem.is_multicast().then(|| Multicast::Switch.to_string()),
        ports: problem.ports().0.map_or(Ports::All(AllPorts::All), Ports::Count),
        routing: problem.routing().to_string(),
        parts: match problem.collective().joining() {
            Joining::Apart => (problem.collective().is_all_reduce())
                .then(|| problem.messages() as u32 / 2 / problem.pieces()),
            Joining::Sum => Some(1),
            Joining::Signal => None,
        },
        pieces: Some(problem.pieces()).filter(|&pieces| pieces > 1),
        rounds: None,
        pairs: pairs(problem),
        groups: groups(problem),
        lengths: lengths(problem),
        timing: None,
        routes: routes(problem),
    }
}

fn bound_record(problem: &Problem, bound: &Bound) -> BoundRecord {
    record_of(problem, bound.name, bound.steps, &bound.evidence)
}

fn record_of_bytes(problem: &Problem, bound: &ByteBound) -> BoundRecord {
    let record = record_of(problem, bound.name, 0, &bound.evidence);
    BoundRecord { bytes: Some(bound.bytes), ..record }
}

fn record_of(problem: &Problem, name_of: &str, steps: u32, evidence: &Evidence) -> BoundRecord {
    let network = problem.network();
    let mut certificate = Certificate::default();
    let mut evidence = evidence;
    while let Evidence::Group(group, alone) = evidence {
        (certificate.group, evidence) = (Some(*group), alone);
    }
    match evidence {
        Evidence::Nothing | Evidence::Search | Evidence::Group(..) => {}
        Evidence::Vertex(v) => certificate.vertex = Some(name(network, *v)),
        Evidence::Side(side) => certificate.side = Some(names(network, side)),
        Evidence::Spread { source, regions } => {
            certificate.vertex = source.map(|v| name(network, v));
            certificate.regions = Some(regions.iter().map(|r| region_record(network, r)).collect());
        }
        Evidence::Partition(sets) => {
            certificate.sets = Some(sets.iter().map(|set| names(network, set)).collect());
        }
        Evidence::Weights(weights) => weigh(problem, weights, &mut certificate),
        Evidence::Several(several) => {
            let of = |weights: &Vec<u64>| {
                let mut certificate = Certificate::default();
                weigh(problem, weights, &mut certificate);
                certificate
            };
            certificate.several = Some(several.iter().map(of).collect());
        }
    }
    BoundRecord {
        name: name_of.into(),
        steps,
        bytes: None,
        certified: *evidence != Evidence::Search,
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
    let resources = problem.resources();
    let weight = |resource: u32| weights[resource as usize];
    let channels = 0..problem.network().channels().len() as u32;
    certificate.channel_weights = Some(channels.map(|c| weight(resources.of_channel(c))).collect());
    let of_ports = |port: &dyn Fn(VertexId) -> Option<u32>| {
        let named = |v| port(v).map(|port| (name(problem.network(), v), weight(port)));
        let ports: BTreeMap<String, u64> =
            problem.network().terminals().filter_map(named).collect();
        Some(ports).filter(|ports| !ports.is_empty())
    };
    certificate.send_port_weights = of_ports(&|v| resources.send_port(v));
    certificate.receive_port_weights = of_ports(&|v| resources.receive_port(v));
}

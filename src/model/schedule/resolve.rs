//! From names back to ids: the problem and the plan of a schedule file, so that a program can load
//! a file and continue from it. The file must be consistent in itself; whether the schedule is
//! valid is decided by `verify`.
//!
//! A file does not say which channels are the two directions of a full-duplex link. Adjacent
//! opposite channels are assumed to be one link, as this program writes them.

use super::Plan;
use super::file::{ChannelRecord, FORMAT, GroupRecord, ModelRecord, Ports, ScheduleFile};
use super::onto::{self, known};
use crate::problem::{
    self, Collective, Direction, Group, Multicast, Pair, Problem, Relays, Request, Roots,
};
use ccsched_base::{Error, Result};
use ccsched_network::{
    Channel, ChannelId, Delay, Lookup, Network, NetworkBuilder, Vertex, VertexId,
};
use std::collections::HashMap;
use std::fmt::Display;

/// The problem and the plan of a schedule file.
///
/// # Errors
/// [`Error::Problem`] with the place in the file, such as `steps[2][0]`, counted from 0: another
/// format, unknown words, vertices or channels, messages that the model does not ask for.
pub fn resolve(file: &ScheduleFile) -> Result<(Problem, Plan)> {
    if file.format != FORMAT {
        return Err(at("format", format!("it is '{}'; this program reads {FORMAT}", file.format)));
    }
    let network = network(file)?;
    // A table is that of the file, whatever table this program would make.
    let made = file.model.routes.is_some().then(|| network.routes().clone());
    let problem = request(file)?
        .pose_again(network, file.faults.clone(), made)
        .map_err(|error| at("model", error))?;
    check_ends(&problem, &file.model)?;
    let plan = onto::plan(file, &problem)?;
    Ok((problem, plan))
}

/// The network of a file, and what was asked for on it, so that a changed problem can be posed.
///
/// # Errors
/// As [`resolve`].
pub fn asked(file: &ScheduleFile) -> Result<(Network, Request)> {
    Ok((network(file)?, request(file)?))
}

/// What is wrong at a place of the file.
fn at(place: impl Display, why: impl Display) -> Error {
    Error::problem(format!("{place}: {why}"))
}

/// The vertex of a name.
fn find(vertices: &Lookup<'_>, name: &str) -> Result<VertexId, String> {
    vertices.find(name).ok_or_else(|| format!("'{name}' is no vertex of the network"))
}

fn network(file: &ScheduleFile) -> Result<Network> {
    let record = &file.network;
    let ids = Lookup::of(record.vertices.iter().map(|v| v.name.as_str()));
    let vertices = record.vertices.iter();
    let vertices = vertices.map(|v| Vertex { name: v.name.as_str().into(), terminal: v.terminal });
    let mut channels = Vec::with_capacity(record.channels.len());
    for (id, c) in record.channels.iter().enumerate() {
        let channel = channel(&ids, &record.channels, id, c);
        channels.push(channel.map_err(|why| at(format!("network.channels[{id}]"), why))?);
    }
    pair_up(&mut channels);
    let mut network = NetworkBuilder::given(&record.name, vertices.collect(), channels);
    network.rate(record.rate.clone());
    for (id, v) in (0..).zip(&record.vertices) {
        v.at.iter().for_each(|&(x, y)| network.place(id, x, y));
    }
    for (place, route) in file.model.routes.iter().flatten().enumerate() {
        let wrong = |why: String| at(format!("model.routes[{place}]"), why);
        let (from, to) =
            (find(&ids, route.from).map_err(wrong)?, find(&ids, route.to).map_err(wrong)?);
        let channels = known(route.channels, record.channels.len()).map_err(wrong)?;
        network.route(from, to, channels);
    }
    network.build()
}

/// One channel; `excludes` is mutual and names a channel of the same capacity between the same two
/// vertices in the opposite direction.
fn channel(
    ids: &Lookup<'_>,
    all: &[ChannelRecord],
    id: usize,
    c: &ChannelRecord,
) -> Result<Channel, String> {
    let (from, to) = (find(ids, &c.from)?, find(ids, &c.to)?);
    if let Some(other) = c.excludes {
        let is_opposite = |d: &&ChannelRecord| {
            d.excludes == Some(id) && (&d.from, &d.to, d.capacity) == (&c.to, &c.from, c.capacity)
        };
        if all.get(other).filter(is_opposite).is_none() {
            return Err(format!(
                "it excludes channel {other}, which is not an opposite channel of equal capacity \
                 that excludes it in turn"
            ));
        }
    }
    if let Some(d) =
        c.excludes.and_then(|other| all.get(other)).filter(|d| d.capacity != c.capacity)
    {
        return Err(format!(
            "its capacity is {}, but that of the opposite channel of its link is {}",
            c.capacity, d.capacity
        ));
    }
    let reverse = c.excludes.map(|other| other as ChannelId);
    let delay = match c.delay_ns {
        None => None,
        Some(ns) => Some(
            Delay::of_ns(ns)
                .ok_or_else(|| format!("its delay_ns is {ns}; at most {} ns", Delay::MOST))?,
        ),
    };
    Ok(Channel { from, to, reverse, exclusive: reverse.is_some(), capacity: c.capacity, delay })
}

/// Joins adjacent opposite channels of equal capacity into full-duplex links.
fn pair_up(channels: &mut [Channel]) {
    for c in 1..channels.len() {
        let (a, b) = (channels[c - 1], channels[c]);
        let are_single = a.reverse.is_none() && b.reverse.is_none();
        if are_single && (a.from, a.to, a.capacity) == (b.to, b.from, b.capacity) {
            channels[c - 1].reverse = Some(c as ChannelId);
            channels[c].reverse = Some(c as ChannelId - 1);
        }
    }
}

/// What was asked for.
fn request(file: &ScheduleFile) -> Result<Request> {
    let model = &file.model;
    let collective = model.parsed_collective().map_err(|error| at("model.collective", error))?;
    let is_rooted = collective.roots() == Roots::One;
    let is_listed = collective.roots() == Roots::Listed;
    // The side of the root, and both sides of a traffic, follow from the rest.
    let list = |names: &Vec<String>, roots_side: Direction| {
        let follows = is_listed || (is_rooted && collective.direction() == roots_side);
        (!follows).then(|| names.clone())
    };
    if is_rooted && model.source.is_none() {
        return Err(at("model.source", format!("{collective} has one root and must name it")));
    }
    if collective == Collective::Traffic && model.pairs.is_none() {
        return Err(at("model.pairs", format!("{collective} needs its pairs")));
    }
    Ok(Request {
        collective,
        source: model.source.clone(),
        senders: list(&model.senders, Direction::FromRoots),
        receivers: list(&model.receivers, Direction::ToRoots),
        processes: model.processes.clone(),
        pairs: model.pairs.as_ref().map(|pairs| self::pairs(file, pairs)).transpose()?,
        groups: model.groups.as_ref().map(|groups| self::groups(groups)).transpose()?,
        switching: model.switching.parse().map_err(|error| at("model.switching", error))?,
        relays: match &model.relays {
            Some(relays) => relays.parse().map_err(|error| at("model.relays", error))?,
            None => Relays::None,
        },
        ports: match model.ports {
            Ports::All(_) => problem::Ports(None),
            Ports::Count(k) => problem::Ports(Some(k)),
        },
        routing: model.routing.parse().map_err(|error| at("model.routing", error))?,
        pieces: model.pieces.unwrap_or(1),
        multicast: match &model.multicast {
            Some(multicast) => multicast.parse().map_err(|error| at("model.multicast", error))?,
            None => Multicast::None,
        },
    })
}

/// The groups that stand side by side.
fn groups(listed: &[GroupRecord]) -> Result<Vec<Group>> {
    let group = |(place, record): (usize, &GroupRecord)| {
        let wrong = |error| at(format!("model.groups[{place}].collective"), error);
        Ok(Group {
            collective: record.collective.parse().map_err(wrong)?,
            members: record.members.clone(),
            root: record.source.clone(),
            bytes: record.bytes,
        })
    };
    listed.iter().enumerate().map(group).collect()
}

/// The pairs of a traffic, with the lengths that its transfers give.
fn pairs(file: &ScheduleFile, listed: &[(String, String)]) -> Result<Vec<Pair>> {
    let (lengths, pieces) = (lengths(file)?, file.model.pieces.unwrap_or(1).into());
    let mut copies: HashMap<(&str, &str), u32> = HashMap::new();
    let mut pairs = Vec::with_capacity(listed.len());
    for (source, destination) in listed {
        let copy = copies.entry((source.as_str(), destination.as_str())).or_default();
        *copy += 1;
        let bytes = lengths.get(&(source.as_str(), destination.as_str(), *copy)).copied();
        let bytes = bytes.map(|of_piece| of_piece.saturating_mul(pieces));
        let (source, destination) = (source.clone(), destination.clone());
        pairs.push(Pair { source, destination, bytes, count: 1 });
    }
    Ok(pairs)
}

/// Bytes by source, destination and copy, of a piece if messages are cut, where transfers give them.
fn lengths(file: &ScheduleFile) -> Result<HashMap<(&str, &str, u32), u64>> {
    let mut lengths = HashMap::new();
    for (step, transfers) in file.steps.iter().enumerate() {
        for (place, t) in transfers.enumerate() {
            let m = t.message;
            let (Some(destination), Some(bytes)) = (m.destination, m.bytes) else { continue };
            let message = (m.source, destination, m.copy.unwrap_or(1));
            let said = *lengths.entry(message).or_insert(bytes);
            if said != bytes {
                let why =
                    format!("{bytes} bytes, but {said} in an earlier transfer of the message");
                return Err(at(format!("steps[{step}][{place}].message.bytes"), why));
            }
        }
    }
    Ok(lengths)
}

/// Checks that the senders and receivers of the file are those that follow from the rest of the
/// model.
fn check_ends(problem: &Problem, model: &ModelRecord) -> Result<()> {
    let name = |v: VertexId| problem.network().vertex_name(v);
    let check = |place: &str, given: &[String], ids: &[VertexId]| {
        let mut given: Vec<&str> = given.iter().map(String::as_str).collect();
        let mut right: Vec<&str> = ids.iter().map(|&v| name(v)).collect();
        given.sort_unstable();
        right.sort_unstable();
        if given == right {
            return Ok(());
        }
        let right = problem.network().names(ids);
        Err(at(
            place,
            format!("by the rest of the model of {} it is {right}", problem.collective()),
        ))
    };
    let [senders, receivers] = problem.asked_ends();
    check("model.senders", &model.senders, senders)?;
    check("model.receivers", &model.receivers, receivers)
}

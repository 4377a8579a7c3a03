//! A schedule file onto a problem: the plan of the file in the ids of the problem, by the names of
//! vertices. Whether the schedule is valid for the problem is decided by `verify`.

use super::changes::Name;
use super::{Plan, RecordRef, ScheduleFile, Step};
use crate::problem::{Message, MessageId, Problem};
use ccsched_base::{Error, Result};
use ccsched_network::{ChannelId, Lookup, Network, VertexId};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The plan of a file for a problem. Parallel channels correspond in their order.
///
/// # Errors
/// [`Error::Problem`] with the place in the file, such as `steps[2][0]`, counted from 0: another
/// collective, vertices or channels that the network does not have, messages that the problem does not
/// ask for.
pub fn resolve_onto(file: &ScheduleFile, problem: &Problem) -> Result<Plan> {
    check_collective(file, problem)?;
    plan(file, problem)
}

/// The transfers of a file that are still possible in a changed problem. A message of which one is not
/// is left out as a whole.
///
/// # Errors
/// [`Error::Problem`]: another collective, other pieces.
pub fn resolve_survivors(file: &ScheduleFile, problem: &Problem) -> Result<Plan> {
    check_collective(file, problem)?;
    let onto = Onto::of(file, problem);
    let (mut path, mut step) = (Vec::new(), Step::default());
    let mut lost: HashSet<Name> = HashSet::new();
    for record in file.steps.iter().flatten() {
        if onto.transfer(record, &mut path, &mut step).is_err() {
            lost.insert(Name::of(&record));
        }
    }
    let mut plan = Plan::default();
    for records in file.steps.iter() {
        let mut step = Step::default();
        for record in records.filter(|record| !lost.contains(&Name::of(record))) {
            onto.transfer(record, &mut path, &mut step).map_err(Error::problem)?;
        }
        plan.append(step);
    }
    Ok(if problem.collective().is_reduction() { plan.reversed() } else { plan })
}

/// The same, but each transfer for itself: a message may have lost some of its transfers.
///
/// # Errors
/// As [`resolve_survivors`].
pub fn resolve_possible(file: &ScheduleFile, problem: &Problem) -> Result<Plan> {
    check_collective(file, problem)?;
    let onto = Onto::of(file, problem);
    let (mut plan, mut path) = (Plan::default(), Vec::new());
    for records in file.steps.iter() {
        let mut step = Step::default();
        for record in records {
            // What is not possible is left out.
            let _ = onto.transfer(record, &mut path, &mut step);
        }
        plan.append(step);
    }
    Ok(if problem.collective().is_reduction() { plan.reversed() } else { plan })
}

/// Refuses a schedule of another collective, or in other pieces.
fn check_collective(file: &ScheduleFile, problem: &Problem) -> Result<()> {
    let (given, wanted) = (&file.model.collective, problem.collective());
    if file.model.parsed_collective().ok() != Some(wanted) {
        let why = format!("model.collective: it is a schedule of {given}, the problem is {wanted}");
        return Err(Error::problem(why));
    }
    let (given, wanted) = (file.model.pieces.unwrap_or(1), problem.pieces());
    if given != wanted {
        let why = format!(
            "model.pieces: the messages of the schedule are in {given} pieces, those of the problem in \
             {wanted}"
        );
        return Err(Error::problem(why));
    }
    Ok(())
}

/// The messages of a problem in the order in which a file sends them, each with the channels that it takes
/// there. Transfers that are not of the problem are left out: lengths and pairs may be others.
///
/// # Errors
/// [`Error::Problem`]: no transfer of the file is of the problem; the first reason.
pub fn order_onto(
    file: &ScheduleFile,
    problem: &Problem,
) -> Result<Vec<(MessageId, Vec<ChannelId>)>> {
    let (mut order, why) = possible(file, problem);
    if order.is_empty() {
        return Err(Error::problem(format!("no transfer of it is one of the problem: {why}")));
    }
    order.sort_by_key(|&(number, at, message, _)| (number, at, message));
    Ok(order.into_iter().map(|(.., message, path)| (message, path)).collect())
}

/// The transfers of a file that are still possible in a changed problem, each with its start, or else its
/// step, from 0.
///
/// # Errors
/// As [`resolve_survivors`].
pub fn places_onto(
    file: &ScheduleFile,
    problem: &Problem,
) -> Result<Vec<(MessageId, u64, Vec<ChannelId>)>> {
    check_collective(file, problem)?;
    let all = possible(file, problem).0.into_iter();
    Ok(all.map(|(step, at, message, path)| (message, at.unwrap_or(step as u64), path)).collect())
}

/// A transfer that is possible: its step, its start, its message, and its channels.
type Possible = (usize, Option<u64>, MessageId, Vec<ChannelId>);

/// The transfers that are possible, and why the first of the others is not.
fn possible(file: &ScheduleFile, problem: &Problem) -> (Vec<Possible>, String) {
    let onto = Onto::of(file, problem);
    let (mut all, mut path, mut why) = (Vec::new(), Vec::new(), String::new());
    for (number, records) in file.steps.iter().enumerate() {
        for record in records {
            let (at, mut step) = (record.at, Step::default());
            match onto.transfer(record, &mut path, &mut step) {
                Ok(()) => all.push((number, at, step.messages()[0], path.clone())),
                Err(reason) if why.is_empty() => why = reason,
                Err(_) => {}
            }
        }
    }
    (all, why)
}

/// The same for a problem of the collective of the file.
pub(super) fn plan(file: &ScheduleFile, problem: &Problem) -> Result<Plan> {
    let onto = Onto::of(file, problem);
    let (mut plan, mut path) = (Plan::default(), Vec::new());
    for (number, records) in file.steps.iter().enumerate() {
        let mut step = Step::default();
        for (place, record) in records.enumerate() {
            let wrong = |why| Error::problem(format!("steps[{number}][{place}]: {why}"));
            onto.transfer(record, &mut path, &mut step).map_err(wrong)?;
        }
        plan.append(step);
    }
    Ok(if problem.collective().is_reduction() { plan.reversed() } else { plan })
}

/// The channels, if the network has them all.
pub(super) fn known(given: &[ChannelId], channels: usize) -> Result<&[ChannelId], String> {
    match given.iter().find(|&&c| c as usize >= channels) {
        Some(c) => Err(format!("there is no channel {c}; the network has {channels}")),
        None => Ok(given),
    }
}

/// A file and a problem.
struct Onto<'f> {
    file: &'f ScheduleFile,
    problem: &'f Problem,
    /// The network as it was asked for, with the ids of the problem.
    network: Cow<'f, Network>,
    /// The vertices of the problem by name.
    vertices: Lookup<'f>,
    /// The channels of the problem by those of the file; none where the network has none.
    channels: Vec<Option<ChannelId>>,
}

impl<'f> Onto<'f> {
    fn of(file: &'f ScheduleFile, problem: &'f Problem) -> Self {
        let network = problem.asked_network();
        let vertices = problem.network().lookup();
        let mut between: HashMap<(VertexId, VertexId), Vec<ChannelId>> = HashMap::new();
        for (id, c) in (0..).zip(network.channels()) {
            between.entry((c.from, c.to)).or_default().push(id);
        }
        // The channels before one of the file that have the same ends.
        let mut before: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        let mut channel = |from: &str, to: &str| {
            let ends = (vertices.find(from)?, vertices.find(to)?);
            let place = before.entry(ends).or_default();
            *place += 1;
            between.get(&ends)?.get(*place - 1).copied()
        };
        let given = file.network.channels.iter();
        let channels = given.map(|c| channel(&c.from, &c.to)).collect();
        Onto { file, problem, network, vertices, channels }
    }

    fn find(&self, name: &str) -> Result<VertexId, String> {
        let unknown = || format!("'{name}' is no vertex of {}", self.problem.network().name());
        self.vertices.find(name).ok_or_else(unknown)
    }

    /// Adds one transfer to a step; `path` is reused.
    fn transfer(
        &self,
        record: RecordRef<'_>,
        path: &mut Vec<ChannelId>,
        step: &mut Step,
    ) -> Result<(), String> {
        let (network, m) = (&self.network, record.message);
        if m.is_sum != self.problem.collective().has_sums() {
            return Err(format!("{} has no such message", self.problem.collective()));
        }
        let source = self.find(m.source)?;
        let destination = m.destination.map(|name| self.find(name)).transpose()?;
        let row = Message {
            copy: m.copy,
            phase: record.phase,
            piece: m.piece.unwrap_or(0),
            ..Message::new(source, destination)
        };
        let message = self.problem.find_message(&row).ok_or_else(|| {
            let (collective, to) = (self.problem.collective(), m.destination.unwrap_or("all"));
            format!("{collective} asks for no such message from '{}' to '{to}'", m.source)
        })?;
        path.clear();
        for &c in known(record.channels, self.channels.len())? {
            path.push(self.channels[c as usize].ok_or_else(|| {
                let given = &self.file.network.channels[c as usize];
                let (name, from, to) = (network.name(), &given.from, &given.to);
                format!("{name} has no such channel from '{from}' to '{to}'")
            })?);
        }
        let ([first, ..], [.., last]) = (&path[..], &path[..]) else {
            return Err("it has no channels; a transfer takes at least one".into());
        };
        let (from, to) = (network.channel(*first).from, network.channel(*last).to);
        if (self.find(record.from)?, self.find(record.to)?) != (from, to) {
            let [from, to] = [from, to].map(|v| network.vertex_name(v));
            return Err(format!(
                "it is from '{}' to '{}', but its channels lead from '{from}' to '{to}'",
                record.from, record.to
            ));
        }
        step.push(message, path);
        Ok(())
    }
}

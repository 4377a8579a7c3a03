//! The path of every transfer, step by step; of one vertex, what it sends, receives and passes on.

use super::text::{pad, width, wrap};
use super::unit;
use ccsched_base::counted::counted;
use ccsched_model::schedule::{RecordRef, ScheduleFile};
use std::collections::HashMap;
use std::fmt::Write;

/// The part of a vertex in a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Sends,
    Receives,
    Passes,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Sends => "sends",
            Role::Receives => "receives",
            Role::Passes => "passes",
        }
    }
}

/// The paths in these steps, from 0; with a vertex only those that start, end, or pass there.
pub fn paths(file: &ScheduleFile, steps: &[usize], node: Option<&str>, columns: usize) -> String {
    let (numbers, delays) = (parallel(file), file.network.delays_in_bytes());
    let mut out = String::new();
    for &step in steps {
        let mut transfers: Vec<(Option<Role>, RecordRef<'_>)> = file
            .steps
            .places(step)
            .map(|transfer| file.steps.record(transfer))
            .map(|t| (node.and_then(|node| role(file, &t, node)), t))
            .filter(|(role, _)| node.is_none() || role.is_some())
            .collect();
        transfers.sort_by_key(|(_, t)| t.at);
        if !out.is_empty() {
            out.push('\n');
        }
        // Of a tree each channel counts once.
        let hops = match file.is_multicast() {
            true => file.held(step).iter().map(|(_, channels)| channels.len()).sum(),
            false => transfers.iter().map(|(_, t)| t.channels.len()).sum(),
        };
        out += &head(&format!("{} {}", unit(file), step + 1), (&transfers, hops), node);
        let messages: Vec<String> = transfers.iter().map(|(_, t)| message(t, &delays)).collect();
        let widest = messages.iter().map(|m| width(m)).max().unwrap_or(0);
        // Long names have lines of their own.
        let is_apart = widest > columns / 2;
        let first = if is_apart { 4 } else { widest };
        for ((role, t), message) in transfers.iter().zip(&messages) {
            let role = role.map_or(String::new(), |role| format!("{:9}", role.word()));
            let indent = 2 + width(&role) + first + 2;
            let path = wrap(&words(file, t, &numbers), indent, columns);
            let _ = match is_apart {
                true => writeln!(out, "  {role}{message}\n{}{path}", " ".repeat(indent)),
                false => writeln!(out, "  {role}{}  {path}", pad(message, first)),
            };
        }
    }
    out
}

/// The line above the transfers of a step, which has a name.
fn head(
    step: &str,
    (transfers, hops): (&[(Option<Role>, RecordRef<'_>)], usize),
    node: Option<&str>,
) -> String {
    let count = |role| transfers.iter().filter(|(r, _)| *r == Some(role)).count();
    match node {
        None => format!(
            "{step}: {}, {}\n",
            counted(transfers.len(), "transfer"),
            counted(hops, "channel")
        ),
        Some(node) => format!(
            "{step}: {node} sends {}, receives {}, passes {}\n",
            count(Role::Sends),
            count(Role::Receives),
            count(Role::Passes)
        ),
    }
}

/// What a vertex does for a transfer, if anything.
fn role(file: &ScheduleFile, t: &RecordRef<'_>, node: &str) -> Option<Role> {
    let passes = || {
        let inner = t.channels.iter().skip(1);
        inner.filter_map(|&c| file.network.channels.get(c as usize)).any(|c| c.from == node)
    };
    match node {
        _ if t.from == node => Some(Role::Sends),
        _ if t.to == node => Some(Role::Receives),
        _ => passes().then_some(Role::Passes),
    }
}

/// `source>destination`, of a broadcast the source; pieces but the first have their number. Transfers of a
/// timed schedule begin with their start and end.
fn message(t: &RecordRef<'_>, delays: &[u64]) -> String {
    let copy = t.message.copy.map_or(String::new(), |copy| format!("#{copy}"));
    let piece = super::piece(&t.message);
    let [start, end] = super::timed::interval(t, delays);
    let time = t.at.map_or(String::new(), |_| format!("{start}-{end} "));
    match t.message.destination {
        Some(destination) => format!("{time}{}>{destination}{copy}{piece}", t.message.source),
        None => format!("{}{piece}", t.message.source),
    }
}

/// The vertices of a path; a channel with parallel ones has its number.
fn words(file: &ScheduleFile, t: &RecordRef<'_>, numbers: &HashMap<u32, u32>) -> Vec<String> {
    let mut words = vec![t.from.to_string()];
    for c in t.channels {
        let to = file.network.channels.get(*c as usize).map_or("?", |c| c.to.as_str());
        words.push(match numbers.get(c) {
            Some(number) => format!("-> {to} (#{number})"),
            None => format!("-> {to}"),
        });
    }
    words
}

/// By channel, its number among parallel ones, if there are some.
fn parallel(file: &ScheduleFile) -> HashMap<u32, u32> {
    let mut by_ends: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
    for (id, c) in (0..).zip(&file.network.channels) {
        by_ends.entry((&c.from, &c.to)).or_default().push(id);
    }
    let several = by_ends.into_values().filter(|ids| ids.len() > 1);
    several.flat_map(|ids| ids.into_iter().zip(1..)).collect()
}

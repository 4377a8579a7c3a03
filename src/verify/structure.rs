//! Rule "structure", the model: its words are known, senders and receivers are terminals, and they
//! fit the collective. The result is the demand that the other rules check against.

use super::communicators::Groups;
use super::graph::Graph;
use super::traffic;
use super::traffic::{Fixed, Pairs};
use super::violation::{Report, Rule, Violation};
use ccsched_model::schedule::file::{
    FORMAT, FaultRecord, ModelRecord, Ports, ScheduleFile, Timing,
};

/// The most pieces of a message.
const MOST_PIECES: u64 = 1024;

/// What was asked for, as indices.
pub(super) struct Demand<'a> {
    /// Broadcasts deliver a sender's one message to all receivers; the others one message a pair. A
    /// reduction is a broadcast run backwards.
    pub broadcast: bool,
    /// Every receiver is the root of one sum, to which all senders contribute.
    pub sums: bool,
    /// The complete sums are spread to all receivers.
    pub gathers: bool,
    /// The transfers of a step that share a path are one.
    pub joins: bool,
    /// They carry a sum, which stays together.
    pub adds: bool,
    /// A transfer holds a path from terminal to terminal for its step (wormhole and hosts switching);
    /// else it is one channel (store-and-forward).
    pub wormhole: bool,
    /// Hosts switching: no path passes a terminal, and terminals forward messages.
    pub hosts: bool,
    /// Switches copy messages and add up sums, so that a transfer is a tree.
    pub multicast: bool,
    /// Store-and-forward and hosts: terminals that take no part forward messages.
    pub relays: bool,
    /// The terminals that take no part.
    pub idle: Vec<usize>,
    /// The most messages that a terminal sends, or receives, in a step.
    pub ports: Option<u64>,
    /// Channels by which a path may be longer than the shortest.
    pub slack: u64,
    /// The routes, if the routing fixes one for every pair.
    pub fixed: Option<Fixed<'a>>,
    /// The vertices that send.
    pub senders: Vec<usize>,
    /// The vertices that must receive.
    pub receivers: Vec<usize>,
    /// By vertex: whether it sends.
    pub sends: Vec<bool>,
    /// By vertex: whether it must receive.
    pub receives: Vec<bool>,
    /// The pieces of each message; each of them counts as a message.
    pub pieces: u64,
    /// By round, the step that it is in; none if each step is one round.
    pub step_of: Option<Vec<u32>>,
    /// A traffic: the number of whole messages of every pair.
    pub pairs: Option<Pairs>,
    /// Groups side by side.
    pub groups: Option<Groups>,
    /// Transfers have starts in place of steps.
    pub timed: bool,
}

impl<'a> Demand<'a> {
    /// Reads the model; none if anything is wrong with it.
    pub fn build(file: &'a ScheduleFile, graph: &Graph<'_>, report: &mut Report) -> Option<Self> {
        let mut wrong = |why: String| report.add(Violation::new(Rule::Structure, why));
        let m = &file.model;
        if file.format != FORMAT {
            wrong(format!("the format is '{}'; this program reads {FORMAT}", file.format));
        }
        let kind = collective(m).unwrap_or_else(|why| (wrong(why), Kind::Scatter).1);
        let broadcast = kind != Kind::Scatter;
        let (wormhole, hosts) = match m.switching.as_str() {
            "wormhole" => (true, false),
            "store-and-forward" => (false, false),
            "hosts" => (true, true),
            other => {
                wrong(format!("unknown switching '{other}': wormhole, store-and-forward or hosts"));
                (true, false)
            }
        };
        let ports = match m.ports {
            Ports::All(_) => None,
            Ports::Count(k) => Some(u64::from(k)),
        };
        if ports == Some(0) {
            wrong("with 0 ports no terminal sends or receives: \"all\" or a number from 1".into());
        }
        let slack = slack(m).unwrap_or_else(|why| (wrong(why), 0).1);
        let pieces = u64::from(m.pieces.unwrap_or(1));
        if !(1..=MOST_PIECES).contains(&pieces) {
            wrong(format!("`pieces` is {pieces}: each message has 1 to {MOST_PIECES} pieces"));
        }
        let is_signal = kind == Kind::Barrier || m.collective == "notify";
        if is_signal && pieces > 1 {
            wrong(format!("`pieces` are not for a {}, which has no content", m.collective));
        }
        let step_of = steps(m, file.steps.len()).unwrap_or_else(|why| (wrong(why), None).1);
        traffic::timing(m, file.steps.len()).unwrap_or_else(&mut wrong);
        let pairs = traffic::pairs(m, graph).unwrap_or_else(|why| (wrong(why), None).1);
        let groups = Groups::build(m, graph).unwrap_or_else(|why| (wrong(why), None).1);
        if groups.is_some() && hosts {
            wrong("groups have wormhole or store-and-forward switching".into());
        }
        let fixed = traffic::fixed(m, graph, broadcast).unwrap_or_else(|why| (wrong(why), None).1);
        let senders = terminals(graph, &m.senders, "sender", &mut wrong);
        let receivers = terminals(graph, &m.receivers, "receiver", &mut wrong);
        let idle = idle(m, graph, [&senders, &receivers], &mut wrong);
        let relays = match (m.relays.as_deref(), wormhole && !hosts) {
            (None | Some("none"), _) => false,
            (Some("all"), false) => true,
            (Some("all"), true) => {
                wrong("`relays` is all, but with wormhole switching nothing is relayed".into());
                false
            }
            (Some(other), _) => {
                wrong(format!("unknown relays '{other}': all or none"));
                false
            }
        };
        let multicast = multicast(m, kind).unwrap_or_else(|why| (wrong(why), false).1);
        faults(file, graph, &mut wrong);
        let mark = |list: &[usize]| {
            let mut marks = vec![false; graph.len()];
            list.iter().for_each(|&v| marks[v] = true);
            marks
        };
        let (sends, receives) = (mark(&senders), mark(&receivers));
        report.is_empty().then_some(Demand {
            broadcast,
            sums: matches!(kind, Kind::Reduction | Kind::AllReduce),
            gathers: kind == Kind::AllReduce,
            joins: kind.joins(),
            adds: kind == Kind::Whole,
            wormhole,
            hosts,
            multicast,
            relays,
            idle,
            ports,
            slack,
            fixed,
            senders,
            receivers,
            sends,
            receives,
            pieces,
            step_of,
            pairs,
            groups,
            timed: m.timing == Some(Timing::Timed),
        })
    }

    /// Whether a message of `from` must reach `to`.
    pub fn asks(&self, from: usize, to: usize) -> bool {
        self.messages(from, to) > 0
    }

    /// The number of messages of `from` that must reach `to`.
    pub fn messages(&self, from: usize, to: usize) -> u64 {
        if let Some(groups) = &self.groups {
            return self.pieces * groups.count(from, to);
        }
        match &self.pairs {
            Some(pairs) => self.pieces * pairs.count(from, to),
            None if from != to && self.sends[from] && self.receives[to] => self.pieces,
            None => 0,
        }
    }

    /// Deliveries of the messages of `v` to other vertices.
    pub fn destinations(&self, v: usize) -> u64 {
        if let Some(pairs) = &self.pairs {
            return self.pieces * pairs.sent(v);
        }
        if let Some(groups) = &self.groups {
            return self.pieces * groups.delivered(v);
        }
        if !self.sends[v] {
            return 0;
        }
        self.pieces * (self.receivers.len() as u64 - u64::from(self.receives[v]))
    }

    /// Deliveries to `v` of messages of other vertices.
    pub fn sources(&self, v: usize) -> u64 {
        if let Some(pairs) = &self.pairs {
            return self.pieces * pairs.received(v);
        }
        if let Some(groups) = &self.groups {
            return self.pieces * groups.received(v);
        }
        if !self.receives[v] {
            return 0;
        }
        self.pieces * (self.senders.len() as u64 - u64::from(self.sends[v]))
    }
}

/// What a collective makes of the messages of its senders.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Broadcast,
    Scatter,
    Reduction,
    AllReduce,
    /// An all-reduce of one part.
    Whole,
    Barrier,
}

impl Kind {
    /// Whether transfers over one path in one step are one.
    fn joins(self) -> bool {
        matches!(self, Kind::Whole | Kind::Barrier)
    }
}

/// The kind of the collective; its source must fit its senders and receivers.
fn collective(m: &ModelRecord) -> Result<Kind, String> {
    let only = |who: &[String], what: &str| {
        let Some(source) = &m.source else {
            return Err(format!("{} has one {what}: `source` must name it", m.collective));
        };
        if who.len() == 1 && who[0] == *source {
            return Ok(());
        }
        let who = who.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ");
        Err(format!("{} has one {what}, the source '{source}', not: {who}", m.collective))
    };
    let none = || match &m.source {
        None => Ok(()),
        Some(s) => Err(format!("{} has no single source, but `source` is '{s}'", m.collective)),
    };
    match m.collective.as_str() {
        "oab" => only(&m.senders, "sender").map(|()| Kind::Broadcast),
        "oas" => only(&m.senders, "sender").map(|()| Kind::Scatter),
        "aog" => only(&m.receivers, "receiver").map(|()| Kind::Scatter),
        "aab" | "groups" => none().map(|()| Kind::Broadcast),
        "aas" | "traffic" => none().map(|()| Kind::Scatter),
        "reduce" | "notify" => only(&m.receivers, "receiver").map(|()| Kind::Reduction),
        "reduce-scatter" | "reduce-groups" => none().map(|()| Kind::Reduction),
        "sum-groups" => none().map(|()| Kind::AllReduce),
        "all-reduce" => all_reduce(m).and_then(|kind| none().map(|()| kind)),
        "barrier" => same_ends(m).and_then(|()| none()).map(|()| Kind::Barrier),
        other => Err(format!(
            "unknown collective '{other}': oab, aab, oas, aas, aog, traffic, reduce, \
             reduce-scatter, all-reduce, notify, barrier, groups, reduce-groups or sum-groups"
        )),
    }
}

/// The kind of an all-reduce: all processes contribute and get the sums, of one part for each or of
/// one part in all.
fn all_reduce(m: &ModelRecord) -> Result<Kind, String> {
    same_ends(m)?;
    let (parts, processes) = (m.parts.unwrap_or(0) as usize, m.receivers.len());
    match parts {
        1 => Ok(Kind::Whole),
        _ if parts == processes => Ok(Kind::AllReduce),
        _ => Err(format!(
            "{processes} processes reduce 1 or {processes} parts, but `parts` is {parts}"
        )),
    }
}

/// Checks that those that send also receive.
fn same_ends(m: &ModelRecord) -> Result<(), String> {
    if m.senders == m.receivers {
        return Ok(());
    }
    Err(format!("the senders and the receivers of {} are the same", m.collective))
}

/// By round, the step that it is in, if steps have several rounds.
fn steps(m: &ModelRecord, all: usize) -> Result<Option<Vec<u32>>, String> {
    let Some(rounds) = &m.rounds else { return Ok(None) };
    let sum = rounds.iter().fold(0usize, |sum, &r| sum.saturating_add(r as usize));
    if sum != all || rounds.contains(&0) {
        return Err(format!(
            "`rounds` are those of each step, at least 1, and {all} in all, not {sum}"
        ));
    }
    let steps = (0..).zip(rounds);
    let of_step = |(step, &rounds): (u32, &u32)| std::iter::repeat_n(step, rounds as usize);
    Ok(Some(steps.flat_map(of_step).collect()))
}

/// Channels by which a path may be longer than the shortest.
fn slack(m: &ModelRecord) -> Result<u64, String> {
    let routing = m.routing.as_str();
    let hint =
        "minimal, slack:S with a number S, any, static, lgl, or the name of a table with `routes`";
    match routing {
        // Fixed routes may have any length.
        "minimal" | "static" | "lgl" => Ok(0),
        "any" => Ok(u64::MAX),
        _ => match routing.strip_prefix("slack:") {
            Some(s) if s.bytes().all(|b| b.is_ascii_digit()) => {
                s.parse().map_err(|_| format!("routing '{routing}': {hint}"))
            }
            None if m.routes.is_some() => Ok(0),
            _ => Err(format!("unknown routing '{routing}': {hint}")),
        },
    }
}

/// Whether switches copy and add up: messages for several receivers, and sums, on paths that pass switches.
fn multicast(m: &ModelRecord, kind: Kind) -> Result<bool, String> {
    let of = |what: &str| format!("`multicast` is switch, but {what}");
    match m.multicast.as_deref() {
        None | Some("none") => Ok(false),
        Some("switch") if m.switching == "store-and-forward" => {
            Err(of("with store-and-forward switching switches store messages"))
        }
        Some("switch") if kind == Kind::Scatter => Err(of("each message has one destination")),
        Some("switch") if kind.joins() || m.collective == "notify" => {
            Err(of(&format!("the messages of {} join", m.collective)))
        }
        Some("switch") if m.groups.is_some() => Err(of("groups stand side by side")),
        Some("switch") => Ok(true),
        Some(other) => Err(format!("unknown multicast '{other}': switch or none")),
    }
}

/// The terminals that take no part: all senders and receivers do. Without a list of processes these
/// alone do, and of a traffic all terminals.
fn idle(
    m: &ModelRecord,
    graph: &Graph<'_>,
    ends: [&[usize]; 2],
    wrong: &mut impl FnMut(String),
) -> Vec<usize> {
    let mut takes_part = vec![false; graph.len()];
    let all = 0..graph.len();
    match &m.processes {
        Some(names) => {
            let processes = terminals(graph, names, "process", wrong);
            processes.into_iter().for_each(|v| takes_part[v] = true);
            if let Some(&v) = ends.into_iter().flatten().find(|&&v| !takes_part[v]) {
                let name = graph.names[v];
                wrong(format!("'{name}' is a sender or a receiver, but none of the processes"));
            }
        }
        None if m.collective == "traffic" => return Vec::new(),
        None => ends.into_iter().flatten().for_each(|&v| takes_part[v] = true),
    }
    all.filter(|&v| graph.terminal[v] && !takes_part[v]).collect()
}

/// The vertices of a list of senders, receivers or processes: terminals, each once, at least one.
fn terminals(
    graph: &Graph<'_>,
    names: &[String],
    what: &str,
    wrong: &mut impl FnMut(String),
) -> Vec<usize> {
    let mut seen = vec![false; graph.len()];
    let mut found = Vec::new();
    if names.is_empty() {
        wrong(format!("there is no {what}"));
    }
    for name in names {
        match graph.find(name) {
            None => wrong(format!("the {what} '{name}' is no vertex of the network")),
            Some(v) if !graph.terminal[v] => wrong(format!("the {what} '{name}' is a switch")),
            Some(v) if seen[v] => wrong(format!("the {what} '{name}' is listed twice")),
            Some(v) => {
                seen[v] = true;
                found.push(v);
            }
        }
    }
    found
}

/// A faulty vertex has no channels and no part in the collective; a faulty link has no channel. One
/// of parallel links that is faulty is told apart, since the others are still there.
fn faults(file: &ScheduleFile, graph: &Graph<'_>, wrong: &mut impl FnMut(String)) {
    let m = &file.model;
    for fault in &file.faults {
        let name = match fault {
            FaultRecord::Vertex(name) => name,
            FaultRecord::Link(from, to) => {
                if let Some(c) = channel_between(graph, from, to) {
                    wrong(format!(
                        "channel {c} ({from}->{to}) is broken by `faults`, but is still there; if \
                         it is another one of parallel links, the fault is called \"parallel\""
                    ));
                }
                continue;
            }
            FaultRecord::Parallel(from, to, _) => {
                // Another fault may have broken the rest.
                let is_broken = |f: &FaultRecord| match f {
                    FaultRecord::Vertex(name) => name == from || name == to,
                    FaultRecord::Link(a, b) => (a, b) == (from, to),
                    FaultRecord::Parallel(..) => false,
                };
                // Nor has a terminal that takes no part a channel, if nothing may pass it.
                let is_closed = |name: &String| {
                    let beside = |v: usize| graph.outgoing[v].len() + graph.incoming[v].len();
                    graph.find(name).is_some_and(|v| graph.terminal[v] && beside(v) == 0)
                };
                if channel_between(graph, from, to).is_none()
                    && !file.faults.iter().any(is_broken)
                    && ![from, to].into_iter().any(is_closed)
                {
                    wrong(format!(
                        "`faults` breaks one of parallel links from '{from}' to '{to}', but no \
                         channel is left there; if it was the only one, the fault is called \"link\""
                    ));
                }
                continue;
            }
        };
        if let Some(v) = graph.find(name)
            && let Some(c) = graph.outgoing[v].iter().chain(&graph.incoming[v]).next()
        {
            wrong(format!("the faulty vertex '{name}' still has channel {c}"));
        }
        if m.senders.contains(name) || m.receivers.contains(name) {
            wrong(format!("the faulty vertex '{name}' is still a sender or a receiver"));
        }
    }
}

/// The first channel from one vertex to another.
fn channel_between(graph: &Graph<'_>, from: &str, to: &str) -> Option<usize> {
    let (from, to) = (graph.find(from)?, graph.find(to)?);
    graph.outgoing[from].iter().copied().find(|&c| graph.ends[c].1 == to)
}

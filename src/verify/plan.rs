//! The transfers of the file with names turned into indices; rule "structure", the transfers.

use super::graph::Graph;
use super::structure::Demand;
use super::violation::{Involved, Report, Rule, Violation};
use crate::schedule::file::{ScheduleFile, TransferRecord};

/// A transfer.
pub(super) struct Move<'a> {
    /// Its step, from 0.
    pub step: usize,
    /// Its place in the step, from 0.
    pub index: usize,
    /// The source of its message.
    pub source: usize,
    /// The destination of its message; none in broadcasts.
    pub destination: Option<usize>,
    /// Which of several messages of this pair, from 1.
    pub copy: u32,
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The record in the file.
    pub record: &'a TransferRecord,
}

impl Move<'_> {
    /// The transfer as a violation shows it.
    pub fn involved(&self) -> Involved {
        Involved { step: self.step, index: self.index, transfer: self.record.clone() }
    }
}

impl Violation {
    /// Adds transfers; a violation without a step takes that of the first transfer.
    pub(super) fn by(mut self, moves: &[&Move<'_>]) -> Self {
        self.step = self.step.or(moves.first().map(|m| m.step));
        self.transfers.extend(moves.iter().map(|m| m.involved()));
        self
    }
}

/// The content of a file, resolved for the checks.
pub(super) struct Plan<'a> {
    /// The network.
    pub graph: Graph<'a>,
    /// What was asked for.
    pub demand: Demand,
    /// All transfers, step by step.
    pub moves: Vec<Move<'a>>,
    /// Number of steps.
    pub steps: usize,
}

impl<'a> Plan<'a> {
    /// Resolves all names of a file; none if its structure has any violation.
    pub fn build(file: &'a ScheduleFile, report: &mut Report) -> Option<Self> {
        let graph = Graph::build(&file.network, report)?;
        let demand = Demand::build(file, &graph, report)?;
        let mut moves = Vec::new();
        for (step, transfers) in file.steps.iter().enumerate() {
            for (index, record) in transfers.iter().enumerate() {
                match resolve(&graph, &demand, record) {
                    Ok([source, from, to, destination]) => moves.push(Move {
                        step,
                        index,
                        source,
                        destination: (!demand.broadcast).then_some(destination),
                        copy: record.message.copy.unwrap_or(1),
                        from,
                        to,
                        record,
                    }),
                    Err(why) => {
                        let mut violation = Violation::new(Rule::Structure, why).step(step);
                        let transfer = record.clone();
                        violation.transfers.push(Involved { step, index, transfer });
                        report.add(violation);
                    }
                }
            }
        }
        report.is_empty().then_some(Plan { graph, demand, moves, steps: file.steps.len() })
    }

    /// The transfers, step by step.
    pub fn by_step(&self) -> impl Iterator<Item = &[Move<'a>]> {
        self.moves.chunk_by(|a, b| a.step == b.step)
    }

    /// Name of a vertex.
    pub fn name(&self, v: usize) -> &'a str {
        self.graph.names[v]
    }

    /// The message of a transfer, in words.
    pub fn message(&self, m: &Move<'_>) -> String {
        let source = self.name(m.source);
        match m.destination {
            Some(d) => {
                let copy = m.record.message.copy.map_or(String::new(), |c| format!(" (copy {c})"));
                format!("the message of '{source}' for '{}'{copy}", self.name(d))
            }
            None => format!("the message of '{source}'"),
        }
    }
}

/// Source, start, end and destination (the source again in broadcasts) of a transfer.
fn resolve(graph: &Graph<'_>, demand: &Demand, t: &TransferRecord) -> Result<[usize; 4], String> {
    let find = |name: &str| {
        graph.find(name).ok_or_else(|| format!("'{name}' is no vertex of the network"))
    };
    let source = find(&t.message.source)?;
    let destination = match (&t.message.destination, demand.broadcast) {
        (Some(name), false) => find(name)?,
        (None, true) => source,
        (Some(_), true) => return Err("a broadcast message has no destination".into()),
        (None, false) => return Err("the message lacks its destination".into()),
    };
    if demand.pairs.is_none() && (t.message.copy.is_some() || t.message.bytes.is_some()) {
        return Err("only the messages of a traffic have a `copy` and `bytes`".into());
    }
    Ok([source, find(&t.from)?, find(&t.to)?, destination])
}

//! The transfers of the file with names turned into indices; rule "structure", the transfers. Moves
//! are made when a check looks at them, so that millions of them take no memory of their own.

use super::graph::Graph;
use super::lengths;
use super::structure::Demand;
use super::violation::{Involved, Report, Rule, Violation};
use ccsched_base::cores;
use ccsched_model::schedule::file::{Phase, ScheduleFile};
use ccsched_model::schedule::{Entry, NameId, Steps};
use std::ops::Range;

/// The vertex of a transfer by which transfers are grouped.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// The source of its message.
    Source,
    /// Where it starts.
    Start,
}

/// A transfer.
#[derive(Clone, Copy)]
pub(super) struct Move<'a> {
    /// Its number, from 0, step by step.
    pub id: usize,
    /// The source of its message; of a sum, its root.
    pub source: usize,
    /// The destination of its message; none in broadcasts and sums.
    pub destination: Option<usize>,
    /// Which of the pieces of all messages of this pair, from 1.
    pub copy: u32,
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Its path.
    pub channels: &'a [u32],
}

/// The content of a file, resolved for the checks.
pub(super) struct Plan<'a> {
    /// The network.
    pub graph: Graph<'a>,
    /// What was asked for.
    pub demand: Demand<'a>,
    /// Number of steps.
    pub steps: usize,
    transfers: &'a Steps,
    /// By number of a name, the vertex of this name.
    vertices: Vec<Option<u32>>,
}

impl<'a> Plan<'a> {
    /// Resolves all names of a file; none if its structure has any violation.
    pub fn build(file: &'a ScheduleFile, report: &mut Report) -> Option<Self> {
        let mut graph = Graph::build(&file.network, report)?;
        let mut demand = Demand::build(file, &graph, report)?;
        if !demand.relays {
            graph.leave_out(&demand.idle, !demand.wormhole || demand.hosts);
        }
        if demand.hosts && !graph.has_switches(&demand.idle) {
            // Every path is one channel.
            (demand.wormhole, demand.hosts) = (false, false);
            if demand.multicast {
                let why = "`multicast` is switch, but no switch takes part";
                report.add(Violation::new(Rule::Structure, why));
                return None;
            }
        }
        let transfers = &file.steps;
        let vertex = |name: &str| graph.find(name).map(|v| v as u32);
        let vertices = transfers.names().iter().map(|name| vertex(name)).collect();
        let plan = Plan { graph, demand, steps: transfers.len(), transfers, vertices };
        if plan.has_sound_names() {
            return report.is_empty().then_some(plan);
        }
        report.in_parts(plan.parts(), |ids, report| {
            for id in ids {
                let flaw = plan.flaw(&transfers.entry(id)).err();
                if let Some(why) = flaw.or_else(|| plan.flaw_of_length(id)) {
                    report.add(Violation::new(Rule::Structure, why).by_ids(&plan, [id]));
                }
            }
        });
        report.is_empty().then_some(plan)
    }

    /// A reduction as the broadcast that it is when time runs backwards, for what is said of the
    /// network and the demand alone; others stay as they are.
    pub fn into_broadcast(mut self) -> Self {
        if self.demand.sums && !self.demand.gathers {
            let (graph, demand) = (&mut self.graph, &mut self.demand);
            graph.ends.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
            std::mem::swap(&mut graph.outgoing, &mut graph.incoming);
            std::mem::swap(&mut demand.senders, &mut demand.receivers);
            std::mem::swap(&mut demand.sends, &mut demand.receives);
        }
        self
    }

    /// The same with the bytes of messages in place of their number, for the bounds in bytes; none without
    /// lengths.
    pub fn into_bytes(mut self) -> Option<Self> {
        self.demand.pairs = Some(self.demand.pairs?.into_bytes()?);
        Some(self)
    }

    /// The numbers of all transfers.
    pub fn all(&self) -> Range<usize> {
        0..self.steps.checked_sub(1).map_or(0, |last| self.transfers.places(last).end)
    }

    /// The same in parts for all cores.
    pub fn parts(&self) -> Vec<Range<usize>> {
        cores::parts(self.all().len(), |id| id + 1)
    }

    /// The steps in such parts.
    pub fn parts_by_step(&self) -> Vec<Range<usize>> {
        cores::parts(self.steps, |step| self.transfers.places(step).end)
    }

    /// The numbers of the transfers of a step.
    pub fn step(&self, step: usize) -> Range<usize> {
        self.transfers.places(step)
    }

    /// The numbers of the transfers, step by step.
    pub fn by_step(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.steps).map(|step| self.step(step))
    }

    /// The step of a transfer, from 0.
    pub fn step_of(&self, id: usize) -> usize {
        self.transfers.step_of(id)
    }

    /// The transfer of this number.
    pub fn at(&self, id: usize) -> Move<'a> {
        let Entry { source, destination, copy, piece, from, to, .. } = self.transfers.entry(id);
        let before = copy.unwrap_or(1).saturating_sub(1).saturating_mul(self.demand.pieces as u32);
        Move {
            id,
            source: self.vertex(source),
            destination: destination.map(|name| self.vertex(name)),
            copy: before.saturating_add(piece.unwrap_or(0)).saturating_add(1),
            from: self.vertex(from),
            to: self.vertex(to),
            channels: self.path(id),
        }
    }

    /// When this transfer starts, and the bytes of its message, if the file tells.
    pub fn interval(&self, id: usize) -> (Option<u64>, Option<u64>) {
        let Entry { at, bytes, .. } = self.transfers.entry(id);
        (at, bytes)
    }

    /// When this transfer of a timed schedule starts and ends.
    pub fn held_from_to(&self, id: usize) -> (u64, u64) {
        let (at, bytes) = self.interval(id);
        let start = at.unwrap_or(0);
        (start, start.saturating_add(bytes.unwrap_or(0)))
    }

    /// Where this transfer starts and ends.
    pub fn stops(&self, id: usize) -> [usize; 2] {
        self.transfers.stops(id).map(|name| self.vertex(name))
    }

    /// The path of this transfer.
    pub fn path(&self, id: usize) -> &'a [u32] {
        self.transfers.path(id)
    }

    /// Whether this transfer copies a complete sum.
    pub fn gathers(&self, id: usize) -> bool {
        self.transfers.entry(id).phase == Some(Phase::Gather)
    }

    /// The vertex of a transfer by which it is grouped.
    pub fn key(&self, by: By, id: usize) -> usize {
        self.vertex(match by {
            By::Source => self.transfers.source(id),
            By::Start => self.transfers.stops(id)[0],
        })
    }

    /// Without a violation of the structure, every name is that of a vertex.
    fn vertex(&self, name: NameId) -> usize {
        self.vertices[name as usize].map_or(0, |v| v as usize)
    }

    /// The transfers of these numbers.
    pub fn moves(
        &self,
        ids: impl Iterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = Move<'a>> + Clone {
        ids.map(|id| self.at(id))
    }

    /// Name of a vertex.
    pub fn name(&self, v: usize) -> &'a str {
        self.graph.names[v]
    }

    /// The message of a transfer, in words.
    pub fn message(&self, m: &Move<'_>) -> String {
        let source = self.name(m.source);
        let Entry { copy, piece, .. } = self.transfers.entry(m.id);
        let piece = piece.filter(|_| self.demand.pieces > 1);
        let piece = piece.map_or(String::new(), |p| format!(" (piece {p})"));
        match m.destination {
            Some(d) => {
                let copy = copy.map_or(String::new(), |c| format!(" (copy {c})"));
                format!("the message of '{source}' for '{}'{copy}{piece}", self.name(d))
            }
            None if self.demand.sums => {
                let copy = copy.map_or(String::new(), |c| format!(" (copy {c})"));
                format!("the sum for '{source}'{copy}{piece}")
            }
            None => {
                let copy = copy.map_or(String::new(), |c| format!(" (copy {c})"));
                format!("the message of '{source}'{copy}{piece}")
            }
        }
    }

    /// Whether nothing is wrong with the names and the message of any transfer, told by all of them together; it may be
    /// false where nothing is.
    fn has_sound_names(&self) -> bool {
        self.vertices.iter().all(Option::is_some)
            && self.demand.groups.is_none()
            && !self.demand.sums
            && self.demand.pieces == 1
            && self.demand.pairs.as_ref().is_none_or(|pairs| !pairs.have_lengths())
            && !self.transfers.are_sums()
            && self.transfers.have_only_ends(!self.demand.broadcast)
    }

    /// Whether every transfer is one channel from its start to its end, as far as the channels show
    /// it; may be false where this is so.
    pub fn has_sound_hops(&self) -> bool {
        let ends = &self.graph.ends;
        let Some(stops) = self.transfers.ends_of_hops(ends.len()) else { return false };
        let is_sound = |(&stops, &(from, to)): (&[NameId; 2], &(usize, usize))| {
            stops.map(|name| self.vertex(name)) == [from, to] && from != to
        };
        stops.len() == ends.len() && stops.iter().zip(ends).all(is_sound)
    }

    /// What is wrong with the length and the start of a transfer whose names are those of vertices.
    fn flaw_of_length(&self, id: usize) -> Option<String> {
        let Move { source, destination, copy, .. } = self.at(id);
        let whole = (u64::from(copy) - 1) / self.demand.pieces;
        lengths::flaw(&self.demand, (source, destination, whole), &self.transfers.entry(id))
    }

    /// What is wrong with the names and the message of a transfer.
    fn flaw(&self, t: &Entry) -> Result<(), String> {
        let find = |name: NameId| {
            let unknown = || {
                let name = &self.transfers.names()[name as usize];
                format!("'{name}' is no vertex of the network")
            };
            self.vertices[name as usize].map(drop).ok_or_else(unknown)
        };
        find(t.source)?;
        match (self.demand.sums, self.transfers.are_sums()) {
            (true, false) => return Err("the message of a reduction has a `root`".into()),
            (false, true) => return Err("a `root` is for the messages of reductions".into()),
            _ => {}
        }
        let pieces = self.demand.pieces;
        match t.piece {
            Some(piece) if u64::from(piece) >= pieces => {
                return Err(format!(
                    "there is no piece {piece}: `pieces` of the model is {pieces}"
                ));
            }
            Some(_) if pieces == 1 && !self.demand.sums => {
                return Err("a `piece` is for sums, and for messages in pieces".into());
            }
            None if pieces > 1 || self.demand.sums => return Err("it lacks its `piece`".into()),
            _ => {}
        }
        match (self.demand.gathers, t.phase) {
            (true, None) => return Err("it lacks its `phase`: reduce or gather".into()),
            (false, Some(_)) => return Err("a `phase` is for all-reduce".into()),
            (true, Some(_)) | (false, None) => {}
        }
        let is_grouped = self.demand.groups.is_some();
        match (t.destination, self.demand.broadcast) {
            (Some(name), true) if is_grouped => find(name)?,
            (Some(name), false) => find(name)?,
            (None, true) => {}
            (Some(_), true) => return Err("a broadcast message has no destination".into()),
            (None, false) => return Err("the message lacks its destination".into()),
        }
        let is_traffic = self.demand.pairs.is_some();
        let have_lengths = self.demand.groups.as_ref().is_some_and(|groups| groups.have_lengths());
        if !is_traffic && (t.copy.is_some() && !is_grouped || t.bytes.is_some() && !have_lengths) {
            return Err("only the messages of a traffic have a `copy` and `bytes`".into());
        }
        find(t.from)?;
        find(t.to)
    }
}

impl Violation {
    /// Adds transfers; a violation without a step takes that of the first transfer.
    pub(super) fn by(self, plan: &Plan<'_>, moves: &[Move<'_>]) -> Self {
        self.by_ids(plan, moves.iter().map(|m| m.id))
    }

    fn by_ids(mut self, plan: &Plan<'_>, ids: impl IntoIterator<Item = usize>) -> Self {
        for id in ids {
            let step = plan.step_of(id);
            let index = id - plan.transfers.places(step).start;
            let transfer = plan.transfers.record(id).to_record();
            self.step = self.step.or(Some(step));
            self.transfers.push(Involved { step, index, transfer });
        }
        self
    }
}

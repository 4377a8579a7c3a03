//! The vertices that send and receive, numbered as ranks: the processes in the order of the schedule,
//! then the other vertices that store messages (store-and-forward switching).

use super::{Subject, Transfer};
use ccsched_base::{Error, Result};
use ccsched_model::schedule::vectors::{Acts, Sum, in_one_order, of_ranks};
use ccsched_network::VertexId;

/// Ranks of vertices.
pub(super) struct Ranks {
    /// By rank.
    pub vertices: Vec<VertexId>,
    /// By vertex.
    numbers: Vec<Option<usize>>,
}

impl Ranks {
    /// The ranks of a schedule.
    pub fn of(subject: &Subject) -> Self {
        let processes = subject.problem.processes();
        let mut stores = vec![false; subject.network().vertices().len()];
        for step in 0..subject.steps() {
            subject.step(step).for_each(|t: Transfer| stores[t.to as usize] = true);
        }
        let mut numbers = vec![None; stores.len()];
        processes.iter().for_each(|&v| stores[v as usize] = false);
        let others = (0..stores.len() as VertexId).filter(|&v| stores[v as usize]);
        let vertices: Vec<VertexId> = processes.iter().copied().chain(others).collect();
        vertices.iter().enumerate().for_each(|(rank, &v)| numbers[v as usize] = Some(rank));
        Ranks { vertices, numbers }
    }

    /// The ranks of a schedule in which only processes store messages.
    pub fn of_processes(subject: &Subject, format: &str) -> Result<Self> {
        let ranks = Ranks::of(subject);
        let Some(&other) = ranks.vertices.get(subject.problem.processes().len()) else {
            return Ok(ranks);
        };
        let what = match subject.network().is_terminal(other) {
            true => "terminal",
            false => "switch",
        };
        Err(Error::problem(format!(
            "{format}: {what} '{}' stores messages, and no rank can forward them there; use a \
             schedule with hosts or wormhole switching",
            subject.name(other)
        )))
    }

    /// What each rank does in an all-reduce of one part with one of its pieces.
    pub fn vectors(&self, subject: &Subject, piece: u32) -> Vec<Acts> {
        of_ranks(self.len(), self.sums(subject, piece))
    }

    /// The same, with one order of additions for all ranks where one is found.
    pub fn vectors_in_one_order(&self, subject: &Subject, piece: u32) -> Vec<Acts> {
        in_one_order(self.len(), self.sums(subject, piece))
    }

    /// The transfers of a piece in an all-reduce of one part, by step.
    fn sums(&self, subject: &Subject, piece: u32) -> impl Iterator<Item = Vec<Sum>> {
        let sum = move |(t, of): (Transfer<'_>, Vec<VertexId>)| {
            let [from, to] = [t.from, t.to].map(|v| self.of_vertex(v));
            Sum { from, to, of: of.into_iter().map(|v| self.of_vertex(v)).collect() }
        };
        let is_of = move |(t, _): &(Transfer<'_>, Vec<VertexId>)| t.message.piece == piece;
        (0..subject.steps())
            .map(move |step| subject.joined(step).into_iter().filter(is_of).map(sum).collect())
    }

    /// Number of ranks.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The rank of a vertex that sends or receives.
    pub fn of_vertex(&self, v: VertexId) -> usize {
        self.numbers[v as usize].expect("processes and vertices that store messages are ranks")
    }
}

//! The vertices that send and receive, numbered as ranks: the processes in the order of the schedule,
//! then the other vertices that store messages (store-and-forward switching).

use super::{Subject, Transfer};
use crate::network::VertexId;
use crate::{Error, Result};

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
             wormhole schedule of this network",
            subject.name(other)
        )))
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

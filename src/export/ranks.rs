//! The vertices that send and receive, numbered as ranks: all terminals in their order, then the
//! switches that store messages (store-and-forward switching).

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
        let network = subject.network();
        let mut stores = vec![false; network.vertices().len()];
        for step in 0..subject.steps() {
            subject.step(step).for_each(|t: Transfer| stores[t.to as usize] = true);
        }
        let is_store = |&v: &VertexId| !network.is_terminal(v) && stores[v as usize];
        let switches = (0..network.vertices().len() as VertexId).filter(is_store);
        let vertices: Vec<VertexId> = network.terminals().chain(switches).collect();
        let mut numbers = vec![None; stores.len()];
        vertices.iter().enumerate().for_each(|(rank, &v)| numbers[v as usize] = Some(rank));
        Ranks { vertices, numbers }
    }

    /// The ranks of a schedule in which no switch stores messages.
    pub fn of_terminals(subject: &Subject, format: &str) -> Result<Self> {
        let ranks = Ranks::of(subject);
        match ranks.vertices.iter().find(|&&v| !subject.network().is_terminal(v)) {
            None => Ok(ranks),
            Some(&switch) => Err(Error::problem(format!(
                "{format}: switch '{}' stores messages, and no rank can forward them there; use a \
                 wormhole schedule of this network",
                subject.name(switch)
            ))),
        }
    }

    /// Number of ranks.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The rank of a vertex that sends or receives.
    pub fn of_vertex(&self, v: VertexId) -> usize {
        self.numbers[v as usize].expect("terminals and switches that store messages are ranks")
    }
}

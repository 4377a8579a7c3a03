//! The schedule that is exported: a file that `verify` accepts, with vertices by number.

use crate::network::{ChannelId, Network, VertexId};
use crate::problem::Problem;
use crate::schedule::{Entry, NameId, ScheduleFile, resolve};
use crate::verify::verify;
use crate::{Error, Result};
use std::collections::HashMap;

/// A valid schedule and its problem.
pub struct Subject<'f> {
    /// The file.
    pub file: &'f ScheduleFile,
    /// The problem of the file.
    pub problem: Problem,
    /// Vertices by the numbers of their names in the transfers.
    vertices: Vec<VertexId>,
}

/// A transfer, with vertices by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<'f> {
    /// The source of the message.
    pub source: VertexId,
    /// The destination of the message; none in broadcasts.
    pub destination: Option<VertexId>,
    /// Which of several messages of this pair, from 1.
    pub copy: Option<u32>,
    /// The length of the message, where the traffic gives lengths.
    pub bytes: Option<u64>,
    /// Where the transfer starts.
    pub from: VertexId,
    /// Where it ends.
    pub to: VertexId,
    /// Its path.
    pub channels: &'f [ChannelId],
}

impl<'f> Subject<'f> {
    /// Checks a schedule and numbers its vertices.
    ///
    /// # Errors
    /// [`Error::Problem`] with the first violation of a schedule that is not valid.
    pub fn of(file: &'f ScheduleFile) -> Result<Self> {
        if let Some(violation) = verify(file).first() {
            let why = format!("the schedule is not valid, and is not exported: {violation}");
            return Err(Error::problem(why));
        }
        let (problem, _) = resolve(file)?;
        let named = problem.network().vertices().iter().map(|v| &*v.name);
        let numbers: HashMap<&str, VertexId> = named.zip(0..).collect();
        let names = file.steps.names().iter();
        let vertices: Option<Vec<VertexId>> =
            names.map(|name| numbers.get(name.as_ref()).copied()).collect();
        let vertices = vertices.ok_or_else(|| Error::problem("a transfer names no vertex"))?;
        Ok(Subject { file, problem, vertices })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        self.problem.network()
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.file.steps.len()
    }

    /// The transfers of a step, from 0, in their order.
    pub fn step(&self, step: usize) -> impl ExactSizeIterator<Item = Transfer<'f>> + '_ {
        let vertex = |name: NameId| self.vertices[name as usize];
        self.file.steps.places(step).map(move |place| {
            let Entry { source, destination, copy, bytes, from, to } = self.file.steps.entry(place);
            Transfer {
                source: vertex(source),
                destination: destination.map(vertex),
                copy,
                bytes,
                from: vertex(from),
                to: vertex(to),
                channels: self.file.steps.path(place),
            }
        })
    }

    /// The vertices of a path, the first and the last included.
    pub fn path(&self, channels: &[ChannelId]) -> Vec<VertexId> {
        let first = channels.first().map(|&c| self.network().channel(c).from);
        let others = channels.iter().map(|&c| self.network().channel(c).to);
        first.into_iter().chain(others).collect()
    }

    /// The name of a vertex.
    pub fn name(&self, v: VertexId) -> &str {
        self.network().vertex_name(v)
    }

    /// The message of a transfer for people: `01>23`, in broadcasts `01`.
    pub fn message(&self, transfer: &Transfer<'_>) -> String {
        let source = self.name(transfer.source);
        let to = transfer.destination.map_or(String::new(), |d| format!(">{}", self.name(d)));
        let copy = transfer.copy.map_or(String::new(), |copy| format!("#{copy}"));
        format!("{source}{to}{copy}")
    }

    /// What the schedule is, for the first line of an export: `aas of kautz:3,2 in 7 steps`.
    pub fn title(&self) -> String {
        let plural = if self.steps() == 1 { "" } else { "s" };
        let (collective, name) = (&self.file.model.collective, &self.file.network.name);
        format!("{collective} of {name} in {} step{plural}", self.steps())
    }
}

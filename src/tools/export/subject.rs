//! The schedule that is exported: a file that `verify` accepts, with vertices by number.

use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Message, Problem};
use ccsched_model::schedule::{Plan, ScheduleFile, resolve};
use ccsched_network::{ChannelId, Network, VertexId};
use ccsched_verify::verify;

/// A valid schedule and its problem.
pub struct Subject {
    /// The problem of the file.
    pub problem: Problem,
    /// The network and the steps as the file has them.
    network: Network,
    plan: Plan,
    /// By channel, its delay in bytes; empty without delays.
    delays: Vec<u64>,
    /// By transfer of a timed schedule, its start.
    starts: Option<Vec<u64>>,
    /// Where messages join, each transfer once.
    joined: Option<Plan>,
}

/// A transfer, with vertices by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<'s> {
    /// What it carries.
    pub message: Message,
    /// The length of the message, where the traffic gives lengths.
    pub bytes: Option<u64>,
    /// When it starts, in a timed schedule.
    pub at: Option<u64>,
    /// Where the transfer starts.
    pub from: VertexId,
    /// Where it ends.
    pub to: VertexId,
    /// Its path.
    pub channels: &'s [ChannelId],
}

impl Subject {
    /// Checks a schedule and numbers its vertices.
    ///
    /// # Errors
    /// [`Error::Problem`] with the first violation of a schedule that is not valid.
    pub fn of(file: &ScheduleFile) -> Result<Self> {
        if let Some(violation) = verify(file).first() {
            let why = format!("the schedule is not valid, and is not exported: {violation}");
            return Err(Error::problem(why));
        }
        let (problem, plan) = resolve(file)?;
        let network = problem.asked_network().into_owned();
        let plan = plan.as_asked(&problem).into_owned();
        let all = 0..plan.transfers().count();
        let starts =
            file.is_timed().then(|| all.map(|t| file.steps.entry(t).at.unwrap_or(0)).collect());
        let joined = problem.collective().joins().then(|| plan.of_joined(problem.pieces()));
        let delays = network.delays_in_bytes();
        Ok(Subject { problem, network, plan, delays, starts, joined })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.plan.len()
    }

    /// The transfers of a step, from 0, in their order.
    pub fn step(&self, step: usize) -> impl ExactSizeIterator<Item = Transfer<'_>> {
        self.of_plan(&self.plan, step)
    }

    /// The same, those that carry several messages with one of them.
    pub fn sent(&self, step: usize) -> impl ExactSizeIterator<Item = Transfer<'_>> {
        self.of_plan(self.joined.as_ref().unwrap_or(&self.plan), step)
    }

    /// The transfers of a step, each with the origins of all messages that join in it.
    pub fn joined(&self, step: usize) -> Vec<(Transfer<'_>, Vec<VertexId>)> {
        let all = self.plan.steps().as_slice()[step].joined(self.problem.pieces());
        let all = all.into_iter().map(|(_, messages)| {
            messages.into_iter().map(|id| self.problem.message(id).origin).collect()
        });
        self.sent(step).zip(all).collect()
    }

    fn of_plan<'s>(
        &'s self,
        plan: &'s Plan,
        step: usize,
    ) -> impl ExactSizeIterator<Item = Transfer<'s>> {
        let (problem, network) = (&self.problem, self.network());
        let transfers = plan.steps().as_slice()[step].iter().enumerate();
        transfers.map(move |(place, t)| Transfer {
            at: self.starts.as_ref().map(|starts| starts[place]),
            message: problem.message(t.message),
            bytes: problem.lengths().map(|lengths| lengths[t.message as usize]),
            from: network.channel(t.channels[0]).from,
            to: network.channel(t.channels[t.channels.len() - 1]).to,
            channels: t.channels,
        })
    }

    /// The delay of a path in bytes, as timed schedules count it.
    pub fn delay_of(&self, channels: &[ChannelId]) -> u64 {
        channels.iter().map(|&c| self.delays.get(c as usize).copied().unwrap_or(0)).sum()
    }

    /// Whether transfers have starts in place of steps.
    pub fn is_timed(&self) -> bool {
        self.starts.is_some()
    }

    /// The length of a piece of a message of `bytes` bytes; that of the message if it is whole.
    pub fn piece_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.problem.pieces().into())
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

    /// What the schedule is, for the first line of an export: `aas of kautz:3,2 in 7 steps`.
    pub fn title(&self) -> String {
        if self.is_timed() {
            return format!("{} of {}, timed", self.problem.collective(), self.network().name());
        }
        let (collective, name) = (self.problem.collective(), self.network().name());
        format!("{collective} of {name} in {}", counted(self.steps(), "step"))
    }
}

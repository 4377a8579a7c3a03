//! Neighbouring problems: those that differ from a problem in one respect, as reductions need them.

use super::messages::Rows;
use super::{
    Collective, Counted, Demand, Direction, Group, MessageId, Phase, Ports, Problem, Request,
    Resources, Roots, Routing, Switching,
};
use ccsched_base::Result;
use ccsched_network::{Network, VertexId};
use std::borrow::Cow;
use std::collections::HashMap;

/// Who sends what to whom.
#[derive(Debug)]
pub struct Participants {
    /// The sender of a rooted collective.
    pub root: Option<VertexId>,
    /// Terminals that send.
    pub senders: Vec<VertexId>,
    /// Terminals that receive.
    pub receivers: Vec<VertexId>,
    /// The terminal of each process.
    pub processes: Vec<VertexId>,
    /// What each pair of them sends.
    pub demands: Vec<Demand>,
}

impl Problem {
    /// The problem with other switching.
    pub fn with_switching(&self, switching: Switching) -> Problem {
        Problem { switching, ..self.clone() }
    }

    /// The problem with as many ports as a terminal has channels.
    pub fn without_ports(&self) -> Problem {
        let ports = Ports(None);
        let request = Request { ports, ..self.request.clone() };
        let resources = Resources::new(&self.network, ports);
        Problem { request, ports, resources, ..self.clone() }
    }

    /// The problem in which channels and ports carry less by this factor, rounded down.
    pub fn narrowed(&self, factor: u32) -> Problem {
        let (network, ports) =
            (self.network.narrowed(factor), Ports(self.ports.0.map(|k| k / factor)));
        let request = Request { ports, ..self.request.clone() };
        let resources = Resources::new(&network, ports);
        Problem { network, request, ports, resources, ..self.clone() }
    }

    /// The problem with these paths allowed, and no fixed routes of its own.
    pub fn with_free_paths(&self, routing: Routing) -> Problem {
        let request = Request { routing, ..self.request.clone() };
        Problem { request, routing, table: None, lgl: None, ..self.clone() }
    }

    /// The problem with full-duplex links in place of half-duplex ones.
    pub fn at_full_duplex(&self) -> Problem {
        let network = self.network.full_duplex();
        let resources = Resources::new(&network, self.ports);
        Problem { network, resources, ..self.clone() }
    }

    /// The problem with other demands of equal lengths.
    pub fn with_demands(&self, demands: Vec<Demand>) -> Problem {
        let request = Request { pieces: 1, ..self.request.clone() };
        Problem { request, demands, lengths: None, ..self.clone() }.with_rows()
    }

    /// The problem with messages that are not cut, whose demands are the first pieces.
    pub fn of_whole_messages(&self) -> Problem {
        let pieces = self.pieces();
        let of_first = self.demands.iter().filter(|d| d.message.is_multiple_of(pieces));
        let whole = of_first.map(|d| Demand { message: d.message / pieces, ..*d });
        self.with_demands(whole.collect())
    }

    /// The traffic of some demands of equal lengths.
    pub fn traffic_of(&self, demands: Vec<Demand>) -> Problem {
        let collective = Collective::Traffic;
        let request = Request::new(collective);
        Problem { request, collective, demands, lengths: None, ..self.clone() }.with_rows()
    }

    /// The problem with the network of its schedule files: that of a reduction is not reversed there.
    pub fn forwards(&self) -> Cow<'_, Problem> {
        if !self.collective.is_reduction() {
            return Cow::Borrowed(self);
        }
        let network = self.asked_network().into_owned();
        let resources = Resources::new(&network, self.ports);
        Cow::Owned(Problem { network, resources, ..self.clone() })
    }

    /// The scatter on the reversed network whose schedules, run backwards, are those of a gather with
    /// free paths; none of another problem.
    pub fn reversed(&self) -> Option<Problem> {
        let shape = self.collective.shape();
        let is_gather = shape.roots == Roots::One
            && shape.content.is_personal()
            && shape.direction == Direction::ToRoots;
        if !is_gather || self.has_fixed_routes() {
            return None;
        }
        let network = self.network.reversed();
        let mut demands = self.demands.clone();
        demands.iter_mut().for_each(|d| std::mem::swap(&mut d.source, &mut d.destination));
        let inner = Problem {
            resources: Resources::new(&network, self.ports),
            network,
            request: Request { pieces: self.pieces(), ..Request::new(Collective::Oas) },
            collective: Collective::Oas,
            senders: self.receivers.clone(),
            receivers: self.senders.clone(),
            demands,
            ..self.clone()
        };
        Some(inner.with_rows())
    }

    /// The reduce-scatter and the all-gather whose schedules, one after the other, are one of an
    /// all-reduce. They have its messages of either phase, in its order.
    pub fn halves(&self) -> [Problem; 2] {
        let half = |collective: Collective| {
            let (source, senders, receivers) = (None, None, None);
            let request =
                Request { collective, source, senders, receivers, ..self.request.clone() };
            let demands = self.demands[..self.demands.len() / 2].to_vec();
            Problem { request, collective, demands, ..self.clone() }
        };
        let network = self.network.reversed();
        let resources = Resources::new(&network, self.ports);
        let scatter = Problem { network, resources, ..half(Collective::ReduceScatter) };
        [scatter.with_rows(), half(Collective::Aab).with_rows()]
    }

    /// The groups of one phase of sums of groups: reductions, or broadcasts. By message of them, that of the sums.
    ///
    /// # Errors
    /// No group has this phase.
    pub fn groups_of(&self, phase: Phase) -> Result<(Problem, Vec<MessageId>)> {
        let half = |collective: Collective| match (collective.direction(), phase) {
            (Direction::Both, Phase::Reduce) => Some(Collective::ReduceScatter),
            (Direction::Both, Phase::Gather) => Some(Collective::Aab),
            (Direction::ToRoots, Phase::Reduce) | (Direction::FromRoots, Phase::Gather) => {
                Some(collective)
            }
            (Direction::ToRoots | Direction::FromRoots, _) => None,
        };
        let asked = self.request.groups.iter().flatten().enumerate();
        let (places, groups): (Vec<usize>, Vec<Group>) = asked
            .filter_map(|(place, group)| {
                let collective = half(group.collective)?;
                Some((place, Group { collective, ..group.clone() }))
            })
            .unzip();
        let name = |&v: &VertexId| self.network.vertex_name(v).to_string();
        let request = Request {
            collective: match phase {
                Phase::Reduce => Collective::ReduceGroups,
                Phase::Gather => Collective::Groups,
            },
            groups: Some(groups),
            processes: Some(self.processes.iter().map(name).collect()),
            ..self.request.clone()
        };
        let posed = request.pose(self.network.whole(), self.faults.clone())?;
        let of_phase = (0..self.messages() as MessageId / self.pieces()).filter_map(|whole| {
            let ((root, ..), group) = self.grouped().row(whole);
            (self.grouped().phase(whole) == Some(phase)).then_some(((root, group), whole))
        });
        let numbers: HashMap<(VertexId, usize), MessageId> = of_phase.collect();
        let pieces = self.pieces();
        let messages = (0..posed.messages() as MessageId).map(|id| {
            let ((root, ..), group) = posed.grouped().row(id / pieces);
            numbers[&(root, places[group])] * pieces + id % pieces
        });
        let messages = messages.collect();
        Ok((posed, messages))
    }

    /// The problem with the table of its present demands.
    fn with_rows(self) -> Problem {
        let of = (self.collective, self.request.pieces);
        let rows = Rows::of(of, [&self.senders, &self.receivers], &self.demands);
        Problem { rows, ..self }
    }

    /// A problem with messages of equal lengths on a network without faults, which has the fixed
    /// routes, if routing is static.
    pub fn on(network: Network, request: Request, among: Participants) -> Problem {
        let Participants { root, senders, receivers, processes, demands } = among;
        Problem {
            resources: Resources::new(&network, request.ports),
            network,
            faults: Vec::new(),
            collective: request.collective,
            switching: request.switching,
            ports: request.ports,
            routing: request.routing,
            rows: Rows::of((request.collective, request.pieces), [&senders, &receivers], &demands),
            request,
            root,
            senders,
            receivers,
            processes,
            demands,
            lengths: None,
            counted: Counted::Messages,
            lgl: None,
            table: None,
            groups: None,
        }
    }
}

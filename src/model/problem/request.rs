//! A user's request, and the problem that is built from it after checks.

use super::demand::{cut, demands, ends_of, turned, twice};
use super::messages::Rows;
use super::traffic::traffic;
use super::{
    Collective, Counted, Demand, Direction, Group, Groups, Joining, Multicast, Pair, Ports,
    Problem, Relays, Resources, Roots, Routing, Shape, Switching,
};
use super::{fixed, host_switching};
use ccsched_base::counted::counted;
use ccsched_base::limits::DELIVERIES;
use ccsched_base::{Error, Result};
use ccsched_network::faults::Fault;
use ccsched_network::metrics::{UNREACHABLE, distances_from, distances_to};
use ccsched_network::tables::{Left, UNLIMITED};
use ccsched_network::{Lookup, Network, Routes, VertexId};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// The most pieces of a message.
pub const MOST_PIECES: u32 = 1024;

/// A user's request; vertices by name.
///
/// ```
/// use ccsched::network::spec;
/// use ccsched::problem::{Collective, Request, Switching};
///
/// let switching = Switching::StoreAndForward;
/// let request = Request { switching, ..Request::new(Collective::Aab) };
/// let problem = request.pose(spec::parse("ring:6")?, vec![])?;
/// assert_eq!(problem.messages(), 6);
/// # Ok::<(), ccsched::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The collective.
    pub collective: Collective,
    /// The one source, or the root of a gather; the first terminal by default.
    pub source: Option<String>,
    /// The senders of a collective with many; all terminals by default.
    pub senders: Option<Vec<String>>,
    /// The receivers of a collective with many; all terminals by default.
    pub receivers: Option<Vec<String>>,
    /// The terminals that take part, in the order of their ranks. By default the senders and the
    /// receivers, of a traffic whose senders and receivers are not named all terminals; in the order
    /// of the network.
    pub processes: Option<Vec<String>>,
    /// The pairs of a traffic; all senders to all receivers by default.
    pub pairs: Option<Vec<Pair>>,
    /// The groups that stand side by side, if the collective is that.
    pub groups: Option<Vec<Group>>,
    /// How messages travel.
    pub switching: Switching,
    /// Ports of a terminal.
    pub ports: Ports,
    /// Whether terminals that take no part forward messages (store-and-forward switching).
    pub relays: Relays,
    /// Allowed paths.
    pub routing: Routing,
    /// Equal pieces that each message is cut into; 1 leaves it whole.
    pub pieces: u32,
    /// What copies and adds up on the way.
    pub multicast: Multicast,
}

impl Request {
    /// A collective, everything else by default.
    pub fn new(collective: Collective) -> Self {
        Request {
            collective,
            source: None,
            senders: None,
            receivers: None,
            processes: None,
            pairs: None,
            groups: None,
            switching: Switching::Wormhole,
            ports: Ports(None),
            relays: Relays::None,
            routing: Routing::Minimal,
            pieces: 1,
            multicast: Multicast::None,
        }
    }

    /// Refuses numbers that the types allow but the model does not.
    fn check_numbers(&self) -> Result<()> {
        if self.ports == Ports(Some(0)) {
            let why = "with 0 ports no terminal sends or receives; give 'all' or at least 1";
            return Err(Error::field("ports", why));
        }
        if !self.switching.relays() && self.relays == Relays::All {
            let why = "all is for store-and-forward and hosts switching; with wormhole switching \
                       terminals that take no part pass transfers on as switches do";
            return Err(Error::field("relays", why));
        }
        if self.pieces == 0 || self.pieces > MOST_PIECES {
            let why =
                format!("a message is cut into 1 to {MOST_PIECES} pieces, not {}", self.pieces);
            return Err(Error::field("pieces", why));
        }
        if self.pieces > 1 && self.collective.joining() == Joining::Signal {
            let why = format!("the messages of {} have no content to cut", self.collective);
            return Err(Error::field("pieces", why));
        }
        match self.routing {
            Routing::Slack(s) if s > Routing::MOST_SLACK => {
                let most = Routing::MOST_SLACK;
                Err(Error::field("routing", format!("slack:{s}: the slack is from 0 to {most}")))
            }
            _ => Ok(()),
        }
    }

    /// The number of deliveries that the request asks for on a network, about: a sender sends nothing to
    /// itself, and unknown vertices count.
    pub fn deliveries(&self, network: &Network) -> usize {
        if let Some(pairs) = &self.pairs {
            return pairs.iter().map(|pair| pair.count as usize).sum::<usize>()
                * self.pieces as usize;
        }
        if let Some(groups) = &self.groups {
            return groups.iter().map(Group::deliveries).sum::<usize>() * self.pieces as usize;
        }
        let Shape { roots, direction, .. } = self.collective.shape();
        let one = |side| roots == Roots::One && direction == side;
        let number = |named: &Option<Vec<String>>, all: fn(&Network) -> Vec<VertexId>, side| match (
            named.as_ref().or(self.processes.as_ref()),
            one(side),
        ) {
            (_, true) => 1,
            (Some(names), false) => names.len(),
            (None, false) => all(network).len(),
        };
        let senders = number(&self.senders, all_senders, Direction::FromRoots);
        let receivers = number(&self.receivers, all_receivers, Direction::ToRoots);
        let all = senders.saturating_mul(receivers);
        let own = if senders == receivers { senders } else { 0 };
        all.saturating_sub(own).saturating_mul(self.pieces as usize)
    }

    /// Poses the problem on a network whose `faults` are already removed.
    ///
    /// # Errors
    /// Unknown vertices, switches as ends of messages, terminals that cannot be reached, nothing
    /// to send.
    pub fn pose(&self, network: Network, faults: Vec<Fault>) -> Result<Problem> {
        self.pose_within(network, faults, UNLIMITED)
    }

    /// The same; a table of routes is improved no longer than some time is left.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn pose_within(
        &self,
        network: Network,
        faults: Vec<Fault>,
        left: Left<'_>,
    ) -> Result<Problem> {
        self.pose_with(network, faults, Err(left), true)
    }

    /// The same, with a table of routes that was made for the problem before.
    ///
    /// # Errors
    /// As [`Request::pose`]; a table that lacks a pair.
    pub fn pose_along(
        &self,
        network: Network,
        faults: Vec<Fault>,
        table: Routes,
    ) -> Result<Problem> {
        self.pose_with(network, faults, Ok(table), true)
    }

    /// Poses the problem of a file, with the table that was made before, if routing is by a table. All
    /// channels stay, so that they are those of the file.
    ///
    /// # Errors
    /// As [`Request::pose`]; a table that lacks a pair.
    pub fn pose_again(
        &self,
        network: Network,
        faults: Vec<Fault>,
        made: Option<Routes>,
    ) -> Result<Problem> {
        self.pose_with(network, faults, made.ok_or(UNLIMITED), false)
    }

    /// Poses the problem; `closes` the channels of terminals that nothing may pass.
    ///
    /// # Errors
    /// As [`Request::pose`]; a table that lacks a pair.
    fn pose_with(
        &self,
        network: Network,
        faults: Vec<Fault>,
        made: std::result::Result<Routes, Left<'_>>,
        closes: bool,
    ) -> Result<Problem> {
        self.check_numbers()?;
        if self.collective.roots() == Roots::Ranked {
            return self.ranked(&network.whole())?.pose_with(network, faults, made, closes);
        }
        let collective = self.collective;
        // The network of an earlier problem knows the participants of that problem.
        let network = network.whole();
        let ends = Ends { network: &network, vertices: network.lookup(), faults: &faults };
        let Shape { roots, direction, .. } = collective.shape();
        let root = match (roots, &self.source) {
            (Roots::All | Roots::Listed | Roots::Ranked, None) => None,
            (Roots::All | Roots::Listed | Roots::Ranked, Some(_)) => {
                return Err(Error::field(
                    "source",
                    format!("every terminal is a source of {collective}; name senders instead"),
                ));
            }
            (Roots::One, Some(name)) => Some(ends.terminal("source", name)?),
            (Roots::One, None) => match direction {
                Direction::FromRoots | Direction::Both => all_senders(&network).first().copied(),
                Direction::ToRoots => all_receivers(&network).first().copied(),
            },
        };
        let (one_sender, one_receiver) = match direction {
            Direction::FromRoots => (root, None),
            Direction::ToRoots => (None, root),
            Direction::Both => (None, None),
        };
        let named =
            self.processes.as_ref().map(|names| ends.each("processes", names)).transpose()?;
        let among: Option<HashSet<VertexId>> =
            named.as_ref().map(|named| named.iter().copied().collect());
        let takes_part = |v: &VertexId| among.as_ref().is_none_or(|among| among.contains(v));
        let senders = match (one_sender, &self.senders) {
            (Some(_), Some(_)) => return Err(has_one("senders", collective, "sender")),
            (Some(root), None) => vec![root],
            (None, Some(names)) => ends.list("senders", names)?,
            (None, None) => all_senders(&network).into_iter().filter(takes_part).collect(),
        };
        let receivers = match (one_receiver, &self.receivers) {
            (Some(_), Some(_)) => return Err(has_one("receivers", collective, "receiver")),
            (Some(root), None) => vec![root],
            (None, Some(names)) => ends.list("receivers", names)?,
            (None, None) => all_receivers(&network).into_iter().filter(takes_part).collect(),
        };
        let is_open = self.senders.is_none() && self.receivers.is_none() && roots == Roots::Listed;
        let groups = self.groups(&ends)?;
        let (senders, receivers, demands, lengths) = match (&self.pairs, &groups) {
            (_, Some((groups, demands, lengths))) => {
                check_number(self, &network, demands.len())?;
                let [senders, receivers] = ends_of(&groups.as_sent(collective, demands));
                (senders, receivers, demands.clone(), lengths.clone())
            }
            (Some(pairs), None) => {
                let find = |_: &str, name: &str| ends.terminal("pairs", name);
                let whole = traffic(collective, pairs, find)?;
                check_number(self, &network, whole.2.len())?;
                (whole.0, whole.1, whole.2, whole.3)
            }
            (None, None) => {
                check_number(self, &network, senders.len().saturating_mul(receivers.len()))?;
                if (direction == Direction::Both || collective.joins()) && senders != receivers {
                    let why = "all processes contribute and get the result; name no others than \
                               those that take part";
                    return Err(Error::field("senders", format!("{collective}: {why}")));
                }
                let demands = match direction {
                    Direction::ToRoots if collective.is_reduction() => {
                        demands(collective.content(), &receivers, &senders)
                    }
                    Direction::FromRoots | Direction::ToRoots => {
                        demands(collective.content(), &senders, &receivers)
                    }
                    Direction::Both => twice(demands(collective.content(), &senders, &receivers)),
                };
                (senders, receivers, demands, None)
            }
        };
        if demands.is_empty() {
            return Err(Error::problem(format!(
                "{collective}: nothing to send: no sender has a receiver other than itself \
                 (senders {}; receivers {})",
                network.names(&senders),
                network.names(&receivers)
            )));
        }
        let processes = named.unwrap_or_else(|| match is_open && groups.is_none() {
            true => network.terminals().collect(),
            false => sorted_union(&senders, &receivers),
        });
        let network = self.seen_by(network, &processes, [&senders, &receivers], closes)?;
        match self.routing {
            Routing::Static => fixed::check_static(&network, collective, &demands)?,
            _ => {
                let sent = match &groups {
                    Some((groups, ..)) => &groups.as_sent(collective, &demands),
                    None if collective.is_reduction() => &turned(&demands),
                    None => &demands,
                };
                check_reachable(&network, sent, self.switching, !faults.is_empty())?;
            }
        }
        // The demands of a reduction are those of the broadcast that it is when time runs backwards.
        let (network, senders, receivers) = match collective.is_reduction() {
            true => (network.reversed(), receivers, senders),
            false => (network, senders, receivers),
        };
        let fixed = fixed::routes(self.routing, &network.whole(), (collective, &demands), made);
        let (lgl, table) = fixed.map_err(|why| fixed::around(why, &faults, &network))?;
        let (demands, lengths) = cut(self.pieces, demands, lengths);
        let mut problem = Problem {
            request: self.clone(),
            lgl,
            table,
            resources: Resources::new(&network, self.ports),
            rows: Rows::of((collective, self.pieces), [&senders, &receivers], &demands),
            collective,
            switching: self.switching,
            ports: self.ports,
            routing: self.routing,
            root,
            senders,
            receivers,
            processes,
            demands,
            lengths,
            counted: Counted::Messages,
            network,
            faults,
            groups: groups.map(|(groups, ..)| Arc::new(groups)),
        };
        problem.switching = match self.switching {
            Switching::Hosts => {
                let route = |d: &Demand| problem.fixed_route(d.source, d.destination);
                host_switching::equivalent(&problem.network, self.routing, &problem.demands, route)
            }
            Switching::Wormhole | Switching::StoreAndForward => self.switching,
        };
        problem.check_groups()?;
        problem.check_multicast()?;
        Ok(problem)
    }

    /// The groups, their demands and lengths, if the collective is that.
    fn groups(&self, ends: &Ends<'_>) -> Result<Option<Grouped>> {
        match (&self.groups, self.collective.is_of_groups()) {
            (None, false) => Ok(None),
            (Some(groups), true) if !groups.is_empty() && self.pairs.is_none() => {
                let find = |name: &str| ends.terminal("group", name);
                Groups::of(self.collective, groups, find).map(Some)
            }
            (None | Some(_), true) => {
                let why = format!(
                    "the collective is {}: name at least one group, and no pairs",
                    self.collective
                );
                Err(Error::field("group", why))
            }
            (Some(_), false) => {
                let why = format!(
                    "groups have collectives of their own: beside them the collective is traffic, not {}",
                    self.collective
                );
                Err(Error::field("group", why))
            }
        }
    }

    /// The network as the processes see it, among which all senders and receivers must be. It
    /// `closes` the channels of terminals that nothing may pass.
    fn seen_by(
        &self,
        network: Network,
        processes: &[VertexId],
        ends: [&[VertexId]; 2],
        closes: bool,
    ) -> Result<Network> {
        let seen = network.with_participants(processes);
        if let Some(&lost) = ends.into_iter().flatten().find(|&&v| !seen.is_terminal(v)) {
            let name = seen.vertex_name(lost);
            let why = format!("'{name}' sends or receives, and is none of those that take part");
            return Err(Error::field("processes", why));
        }
        match (self.switching, self.relays) {
            (Switching::Wormhole, _) => Ok(seen),
            (Switching::StoreAndForward | Switching::Hosts, Relays::All) => Ok(network),
            (Switching::StoreAndForward | Switching::Hosts, Relays::None) if closes => {
                seen.without_idle_channels()
            }
            (Switching::StoreAndForward | Switching::Hosts, Relays::None) => Ok(seen),
        }
    }
}

/// Groups, their demands, and the lengths of their messages.
type Grouped = (Groups, Vec<Demand>, Option<Vec<u64>>);

/// The vertices of two ascending lists, ascending.
fn sorted_union(a: &[VertexId], b: &[VertexId]) -> Vec<VertexId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Refuses more deliveries than are scheduled.
fn check_number(request: &Request, network: &Network, whole: usize) -> Result<()> {
    let number = whole.saturating_mul(request.pieces as usize);
    if number <= DELIVERIES {
        return Ok(());
    }
    let (in_pieces, fewer) = match request.pieces {
        1 => (String::new(), ""),
        pieces => (format!(" of {pieces} pieces each"), "fewer pieces, "),
    };
    Err(Error::problem(format!(
        "{} of {}: {whole}{in_pieces} make {number}; at most {DELIVERIES} are \
         scheduled: choose {fewer}fewer senders or receivers, or a smaller network",
        request.collective,
        network.name(),
        whole = counted(whole, "delivery")
    )))
}

/// The error about a list of senders, or receivers, for a collective with one.
fn has_one(field: &'static str, collective: Collective, what: &str) -> Error {
    Error::field(field, format!("{collective} has one {what}; name it as the source instead"))
}

/// Looks up sources and destinations by name.
struct Ends<'a> {
    network: &'a Network,
    vertices: Lookup<'a>,
    faults: &'a [Fault],
}

impl Ends<'_> {
    fn terminal(&self, field: &'static str, name: &str) -> Result<VertexId> {
        if self.faults.iter().any(|f| matches!(f, Fault::Vertex(v) if v == name)) {
            return Err(Error::field(field, format!("vertex '{name}' is faulty")));
        }
        let Some(v) = self.vertices.find(name) else {
            let known: Vec<VertexId> = self.network.terminals().collect();
            return Err(Error::field(
                field,
                format!(
                    "{} has no vertex '{name}'; its terminals are {}",
                    self.network.name(),
                    self.network.some_names(&known)
                ),
            ));
        };
        if !self.network.is_terminal(v) {
            let why = format!("'{name}' is a switch; only terminals send and receive");
            return Err(Error::field(field, why));
        }
        Ok(v)
    }

    /// Terminals in the order of their names, each once.
    fn each(&self, field: &'static str, names: &[String]) -> Result<Vec<VertexId>> {
        let list: Vec<VertexId> =
            names.iter().map(|name| self.terminal(field, name)).collect::<Result<_>>()?;
        let mut seen = HashSet::new();
        if let Some(&twice) = list.iter().find(|&&v| !seen.insert(v)) {
            let name = self.network.vertex_name(twice);
            return Err(Error::field(field, format!("'{name}' is listed twice")));
        }
        Ok(list)
    }

    /// The same in the order of the network.
    fn list(&self, field: &'static str, names: &[String]) -> Result<Vec<VertexId>> {
        let mut list = self.each(field, names)?;
        list.sort_unstable();
        Ok(list)
    }
}

/// All terminals; in a network with static routes, the terminals at which a route starts.
pub fn all_senders(network: &Network) -> Vec<VertexId> {
    let routes = network.routes();
    network.terminals().filter(|&v| routes.is_empty() || routes.starts_at(v)).collect()
}

/// All terminals; in a network with static routes, the terminals at which a route ends.
pub fn all_receivers(network: &Network) -> Vec<VertexId> {
    let ends = network.routes().ends();
    network.terminals().filter(|v| ends.is_empty() || ends.contains(v)).collect()
}

/// Whether each terminal is reached from every other one: one of them reaches all, and all reach it.
fn are_connected(network: &Network) -> bool {
    let is_reached =
        |distance: &[u32]| network.terminals().all(|v| distance[v as usize] != UNREACHABLE);
    network.terminals().next().is_none_or(|first| {
        is_reached(&distances_from(network, first)) && is_reached(&distances_to(network, first))
    })
}

/// Checks that every source reaches its destinations; the error names both sides.
fn check_reachable(
    network: &Network,
    demands: &[Demand],
    switching: Switching,
    faulty: bool,
) -> Result<()> {
    if are_connected(network) {
        return Ok(());
    }
    for of_source in demands.chunk_by(|a, b| a.source == b.source) {
        let source = of_source[0].source;
        let distance = distances_from(network, source);
        let is_lost = |d: &&Demand| distance[d.destination as usize] == UNREACHABLE;
        if let Some(lost) = of_source.iter().find(is_lost) {
            let (near, far): (Vec<VertexId>, Vec<VertexId>) =
                network.terminals().partition(|&v| distance[v as usize] != UNREACHABLE);
            let idle: Vec<VertexId> = network.idle().collect();
            let may_relay = !idle.is_empty() && switching.relays();
            let because = match faulty {
                true => "the faults cut the network apart: ",
                false if may_relay => "",
                false => "nothing joins all parts of the network; take hosts of one part: ",
            };
            let why = format!(
                "{because}terminal '{}' cannot be reached from '{}', which reaches {}, but not {}",
                network.vertex_name(lost.destination),
                network.vertex_name(source),
                network.some_names(&near),
                network.some_names(&far)
            );
            if !may_relay {
                return Err(Error::problem(why));
            }
            let way_out = format!(
                "{why}; nothing passes terminals that take no part ({}), unless this is all",
                network.some_names(&idle)
            );
            return Err(Error::field("relays", way_out));
        }
    }
    Ok(())
}

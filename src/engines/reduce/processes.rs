//! One process for all of its host, in all-to-all scatters: the processes of a host take turns.
//!
//! A host whose own link carries no more messages in a step than each of its processes sends is as good as one
//! process. Its messages to another host are those of n senders to n receivers, so every step of the hosts is
//! repeated n^2 times, each time for another pair of ranks within the host. Processes that have no turn exchange the
//! messages within the host meanwhile.

use super::Reduction;
use super::bare::Bare;
use super::switches::{Hub, hubs};
use crate::engines::Method;
use crate::network::{Channel, ChannelId, VertexId};
use crate::problem::{Demand, MessageId, Participants, Problem, Request, Roots};
use crate::schedule::{Plan, Step};
use std::sync::Arc;

/// The name of the reduction.
pub const NAME: &str = "processes in turns";
/// Most processes of a host: a bit each, and one for none.
const MOST: usize = 63;

/// The problem of the hosts.
#[derive(Debug)]
pub struct Processes {
    inner: Arc<Problem>,
    /// By channel of `inner`, that of the whole problem.
    channels: Vec<ChannelId>,
    hosts: Vec<Host>,
    /// By vertex of `inner`, the index of the host.
    index: Vec<usize>,
    /// By host, then host, then rank within the first, then within the second: the message.
    messages: Vec<MessageId>,
}

/// By rank within the host, the channels from a process and to it.
type Host = Vec<[ChannelId; 2]>;

impl Processes {
    /// None unless all terminals take part as processes of hosts, several on each and as many on all, and no host
    /// sends or receives more in a step than one of its processes.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let shape = problem.collective().shape();
        let is_total = shape.content.is_personal() && shape.roots == Roots::All;
        let is_plain = problem.request().pairs.is_none() && problem.pieces() == 1;
        if !is_total || !is_plain || problem.switching().stores() || problem.has_fixed_routes() {
            return None;
        }
        let (network, hubs) = (problem.network(), hubs(problem)?);
        let ranks = hubs[0].both();
        let is_alike = |hub: &Hub| hub.both() == ranks && is_narrow(problem, hub);
        if !(2..=MOST).contains(&ranks) || hubs.len() < 2 || !hubs.iter().all(is_alike) {
            return None;
        }
        let mut place = vec![None; network.vertices().len()];
        for (h, hub) in hubs.iter().enumerate() {
            hub.senders.iter().enumerate().for_each(|(r, &v)| place[v as usize] = Some((h, r)));
        }
        let mut messages = vec![MessageId::MAX; (hubs.len() * ranks).pow(2)];
        for d in problem.demands() {
            let [from, to] = [place[d.source as usize]?, place[d.destination as usize]?];
            messages[turn((hubs.len(), ranks), [from, to])] = d.message;
        }
        let is_hub = |v| hubs.binary_search_by_key(&v, |hub| hub.switch).is_ok();
        let bare = Bare::new(network, is_hub);
        let terminals: Vec<VertexId> = hubs.iter().map(|hub| bare.vertex(hub.switch)).collect();
        let mut index = vec![usize::MAX; bare.switches.len()];
        terminals.iter().enumerate().for_each(|(h, &v)| index[v as usize] = h);
        let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
        let demand = |(message, (source, destination))| Demand { message, source, destination };
        let demands = (0..).zip(pairs.filter(|(from, to)| from != to)).map(demand).collect();
        let (switching, routing) = (problem.switching(), problem.routing());
        let request = Request { switching, routing, ..Request::new(problem.collective()) };
        let [senders, receivers, processes] = [0; 3].map(|_| terminals.clone());
        let among = Participants { root: None, senders, receivers, processes, demands };
        let inner = Arc::new(Problem::on(bare.builder.build().ok()?, request, among));
        let link = |&v: &VertexId| [network.outgoing(v)[0], network.incoming(v)[0]];
        let hosts = hubs.iter().map(|hub| hub.senders.iter().map(link).collect()).collect();
        Some(Processes { inner, channels: bare.channels, hosts, index, messages })
    }

    /// Processes of a host.
    fn ranks(&self) -> usize {
        self.hosts[0].len()
    }

    /// The message from a host and rank to a host and rank.
    fn message(&self, ends: [(usize, usize); 2]) -> MessageId {
        self.messages[turn((self.hosts.len(), self.ranks()), ends)]
    }

    /// Adds messages within the hosts to a step in which ranks `sends` and `receives` have their turn, and removes
    /// them from those that wait.
    fn add_within(
        &self,
        step: &mut Step,
        [sends, receives]: [usize; 2],
        waiting: &mut Vec<[usize; 2]>,
    ) {
        let (mut is_sending, mut is_receiving) = (1u64 << sends, 1u64 << receives);
        waiting.retain(|&[from, to]| {
            let is_free = is_sending >> from & 1 == 0 && is_receiving >> to & 1 == 0;
            if is_free {
                (is_sending, is_receiving) = (is_sending | 1 << from, is_receiving | 1 << to);
                for (h, host) in self.hosts.iter().enumerate() {
                    let message = self.message([(h, from), (h, to)]);
                    step.push(message, [host[from][0], host[to][1]]);
                }
            }
            !is_free
        });
    }
}

impl Reduction for Processes {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let (network, ranks) = (self.inner.network(), self.ranks());
        let mut waiting: Vec<[usize; 2]> = (0..ranks * ranks)
            .map(|pair| [pair / ranks, pair % ranks])
            .filter(|[p, q]| p != q)
            .collect();
        let mut plan = Plan::default();
        let mut path = Vec::new();
        for inner in inner.steps() {
            for turn in 0..ranks * ranks {
                let (from, to) = (turn / ranks, turn % ranks);
                let mut step = Step::default();
                for t in inner.iter() {
                    let [first, last] = [t.channels[0], t.channels[t.channels.len() - 1]];
                    let [first, last] = [network.channel(first).from, network.channel(last).to];
                    let [first, last] = [first, last].map(|v| self.index[v as usize]);
                    path.clear();
                    path.push(self.hosts[first][from][0]);
                    path.extend(t.channels.iter().map(|&c| self.channels[c as usize]));
                    path.push(self.hosts[last][to][1]);
                    step.push(self.message([(first, from), (last, to)]), &path);
                }
                self.add_within(&mut step, [from, to], &mut waiting);
                plan.append(step);
            }
        }
        while !waiting.is_empty() {
            let mut step = Step::default();
            self.add_within(&mut step, [MOST; 2], &mut waiting);
            plan.append(step);
        }
        plan
    }

    fn steps(&self, whole: u32) -> u32 {
        (whole / (self.ranks() * self.ranks()) as u32).max(1)
    }

    fn method(&self, inner: Method) -> Method {
        Method::Processes(Box::new(inner))
    }
}

/// The place of a message among those of `hosts` with `ranks` each, by the host and rank of its ends.
fn turn((hosts, ranks): (usize, usize), [from, to]: [(usize, usize); 2]) -> usize {
    ((from.0 * hosts + to.0) * ranks + from.1) * ranks + to.1
}

/// Whether the links of a host to others carry no more than each of its processes sends and receives.
fn is_narrow(problem: &Problem, hub: &Hub) -> bool {
    let network = problem.network();
    let width = |channels: &[ChannelId], end: fn(&Channel) -> VertexId| -> usize {
        let channels = channels.iter().map(|&c| network.channel(c));
        channels.filter(|c| !network.is_terminal(end(c))).map(|c| c.capacity as usize).sum()
    };
    width(network.outgoing(hub.switch), |c| c.to) <= hub.sends
        && width(network.incoming(hub.switch), |c| c.from) <= hub.receives
}

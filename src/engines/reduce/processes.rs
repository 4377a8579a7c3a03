//! One process for all of its host, in all-to-all scatters: the processes of a host take turns.
//!
//! A host that sends and receives no more messages in a step than its n processes together is as good as one process.
//! Its messages to another host are those of n senders to n receivers, so every step of the hosts is repeated n^2
//! times, each time for another pair of ranks within the host. Of several messages that a host sends in a step, one
//! process sends as many as it can at once, the process of the next rank those that follow, and so on; so it is where
//! they arrive. Processes that have no turn exchange the messages within the host meanwhile. Hosts with wider links
//! than that have as many ports as keep them to it.

use super::Reduction;
use super::bare::Bare;
use super::switches::{Hub, hubs};
use crate::Method;
use ccsched_model::problem::{Demand, MessageId, Participants, Ports, Problem, Request, Roots};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::{Channel, ChannelId, VertexId};
use std::sync::Arc;

/// The name of the reduction.
pub const NAME: &str = "processes in turns";

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
    /// Messages that a process sends, and receives, in a step.
    at_once: [usize; 2],
}

/// By rank within the host, the channels from a process and to it.
type Host = Vec<[ChannelId; 2]>;

impl Processes {
    /// None unless all terminals take part as processes of hosts, several on each and as many on all, that are alike.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        Self::on(problem, &hubs_alike(problem)?)
    }

    /// The same if no host sends or receives more in a step than one of its processes: then a shortest schedule of the
    /// hosts leads to one of the processes that is about as short.
    pub fn of_narrow(problem: &Arc<Problem>) -> Option<Self> {
        let hubs = hubs_alike(problem)?;
        let is_narrow = width(problem, &hubs) <= hubs[0].sends.min(hubs[0].receives);
        is_narrow.then(|| Self::on(problem, &hubs))?
    }

    fn on(problem: &Arc<Problem>, hubs: &[Hub]) -> Option<Self> {
        let (network, ranks) = (problem.network(), hubs[0].both());
        let mut place = vec![None; network.vertices().len()];
        for (h, hub) in hubs.iter().enumerate() {
            hub.senders.iter().enumerate().for_each(|(r, &v)| place[v as usize] = Some((h, r)));
        }
        let mut messages = vec![MessageId::MAX; (hubs.len() * ranks).pow(2)];
        for d in problem.demands() {
            let [from, to] = [place[d.source as usize]?, place[d.destination as usize]?];
            messages[turn((hubs.len(), ranks), [from, to])] = d.message;
        }
        let (inner, channels) = among_hosts(problem, hubs)?;
        let link = |&v: &VertexId| [network.outgoing(v)[0], network.incoming(v)[0]];
        let hosts = hubs.iter().map(|hub| hub.senders.iter().map(link).collect()).collect();
        let mut index = vec![usize::MAX; inner.network().vertices().len()];
        inner.senders().iter().enumerate().for_each(|(h, &v)| index[v as usize] = h);
        let at_once = [hubs[0].sends, hubs[0].receives];
        Some(Processes { inner: Arc::new(inner), channels, hosts, index, messages, at_once })
    }

    /// Processes of a host.
    fn ranks(&self) -> usize {
        self.hosts[0].len()
    }

    /// The message from a host and rank to a host and rank.
    fn message(&self, ends: [(usize, usize); 2]) -> MessageId {
        self.messages[turn((self.hosts.len(), self.ranks()), ends)]
    }

    /// The hosts at the ends of a path of the inner problem.
    fn ends(&self, path: &[ChannelId]) -> [usize; 2] {
        let network = self.inner.network();
        let [first, last] = [path[0], path[path.len() - 1]];
        [network.channel(first).from, network.channel(last).to].map(|v| self.index[v as usize])
    }
}

impl Reduction for Processes {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let ranks = self.ranks();
        let mut within = Within::new(self);
        let mut plan = Plan::default();
        let (mut path, mut turns) = (Vec::new(), Vec::new());
        for inner in inner.steps() {
            turns.clear();
            turns.extend(inner.iter().map(|t| within.next(self.ends(t.channels))));
            within.forget();
            for turn in 0..ranks * ranks {
                let mut step = Step::default();
                for (t, turns) in inner.iter().zip(&turns) {
                    let [first, last] = self.ends(t.channels);
                    let from = (turn / ranks + turns[0]) % ranks;
                    let to = (turn % ranks + turns[1]) % ranks;
                    within.tell([(first, from), (last, to)]);
                    path.clear();
                    path.push(self.hosts[first][from][0]);
                    path.extend(t.channels.iter().map(|&c| self.channels[c as usize]));
                    path.push(self.hosts[last][to][1]);
                    step.push(self.message([(first, from), (last, to)]), &path);
                }
                within.add(&mut step);
                plan.append(step);
            }
        }
        while within.waits() {
            let mut step = Step::default();
            within.add(&mut step);
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

/// The messages within the hosts that wait, and how busy processes are in a step.
struct Within<'p> {
    processes: &'p Processes,
    /// By host, pairs of ranks.
    waiting: Vec<Vec<[usize; 2]>>,
    /// By host and rank, the messages that the process sends and receives in the step.
    busy: Vec<[usize; 2]>,
    /// By host, the messages that it sends and receives in the step.
    passing: Vec<[usize; 2]>,
}

impl<'p> Within<'p> {
    fn new(processes: &'p Processes) -> Self {
        let (hosts, ranks) = (processes.hosts.len(), processes.ranks());
        let pairs = (0..ranks * ranks).map(|pair| [pair / ranks, pair % ranks]);
        let waiting = vec![pairs.filter(|[p, q]| p != q).collect(); hosts];
        let (busy, passing) = (vec![[0; 2]; hosts * ranks], vec![[0; 2]; hosts]);
        Within { processes, waiting, busy, passing }
    }

    /// Of a message between hosts, by how many ranks those that send and receive it come after the ranks whose turn it is.
    fn next(&mut self, hosts: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|end| {
            let passing = &mut self.passing[hosts[end]][end];
            *passing += 1;
            (*passing - 1) / self.processes.at_once[end]
        })
    }

    /// Begins another step of the hosts.
    fn forget(&mut self) {
        self.passing.fill([0; 2]);
    }

    /// Tells the processes, by host and rank, at the ends of a message of the step.
    fn tell(&mut self, ends: [(usize, usize); 2]) {
        let ranks = self.processes.ranks();
        for (end, (host, rank)) in ends.into_iter().enumerate() {
            self.busy[host * ranks + rank][end] += 1;
        }
    }

    fn waits(&self) -> bool {
        self.waiting.iter().any(|pairs| !pairs.is_empty())
    }

    /// Adds messages within the hosts to the step, as far as processes are not busy, and ends the step.
    fn add(&mut self, step: &mut Step) {
        let Within { processes, waiting, busy, .. } = self;
        let [sends, receives] = processes.at_once;
        let ranks = processes.ranks();
        for (h, pairs) in waiting.iter_mut().enumerate() {
            let busy = &mut busy[h * ranks..(h + 1) * ranks];
            pairs.retain(|&[from, to]| {
                let is_free = busy[from][0] < sends && busy[to][1] < receives;
                if is_free {
                    busy[from][0] += 1;
                    busy[to][1] += 1;
                    let links = [processes.hosts[h][from][0], processes.hosts[h][to][1]];
                    step.push(processes.message([(h, from), (h, to)]), links);
                }
                !is_free
            });
        }
        busy.fill([0; 2]);
    }
}

/// The hosts, several processes on each and as many on all; none if they differ, or if the problem is no total exchange of
/// whole messages that stop nowhere and may take any route.
fn hubs_alike(problem: &Problem) -> Option<Vec<Hub>> {
    let shape = problem.collective().shape();
    let is_total = shape.content.is_personal() && shape.roots == Roots::All;
    let is_plain = problem.request().pairs.is_none() && problem.pieces() == 1;
    if !is_total || !is_plain || problem.switching().stores() || problem.has_fixed_routes() {
        return None;
    }
    let hubs = hubs(problem)?;
    let kind = |hub: &Hub| (hub.both(), hub.sends, hub.receives);
    let are_alike = hubs.iter().all(|hub| kind(hub) == kind(&hubs[0]));
    (hubs.len() > 1 && hubs[0].both() > 1 && are_alike).then_some(hubs)
}

/// The problem of the hosts, and by channel of it that of the whole problem. A host sends and receives no more at once
/// than its processes together.
fn among_hosts(problem: &Problem, hubs: &[Hub]) -> Option<(Problem, Vec<ChannelId>)> {
    let is_hub = |v| hubs.binary_search_by_key(&v, |hub| hub.switch).is_ok();
    let bare = Bare::new(problem.network(), is_hub);
    let terminals: Vec<VertexId> = hubs.iter().map(|hub| bare.vertex(hub.switch)).collect();
    let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
    let demand = |(message, (source, destination))| Demand { message, source, destination };
    let demands = (0..).zip(pairs.filter(|(from, to)| from != to)).map(demand).collect();
    let together = hubs[0].both() * hubs[0].sends.min(hubs[0].receives);
    let ports = Ports((width(problem, hubs) > together).then_some(together as u32));
    let (switching, routing) = (problem.switching(), problem.routing());
    let request = Request { switching, ports, routing, ..Request::new(problem.collective()) };
    let [senders, receivers, processes] = [0; 3].map(|_| terminals.clone());
    let among = Participants { root: None, senders, receivers, processes, demands };
    Some((Problem::on(bare.builder.build().ok()?, request, among), bare.channels))
}

/// The place of a message among those of `hosts` with `ranks` each, by the host and rank of its ends.
fn turn((hosts, ranks): (usize, usize), [from, to]: [(usize, usize); 2]) -> usize {
    ((from.0 * hosts + to.0) * ranks + from.1) * ranks + to.1
}

/// The most messages that the links of a host to others carry in a step and direction.
fn width(problem: &Problem, hubs: &[Hub]) -> usize {
    let network = problem.network();
    let width = |channels: &[ChannelId], end: fn(&Channel) -> VertexId| -> usize {
        let channels = channels.iter().map(|&c| network.channel(c));
        channels.filter(|c| !network.is_terminal(end(c))).map(|c| c.capacity as usize).sum()
    };
    let of_hub = |hub: &Hub| {
        let (out, into) = (network.outgoing(hub.switch), network.incoming(hub.switch));
        width(out, |c| c.to).max(width(into, |c| c.from))
    };
    hubs.iter().map(of_hub).max().unwrap_or_default()
}

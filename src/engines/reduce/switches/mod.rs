//! Switches for their hosts, in all-to-all scatters.
//!
//! Hosts of one switch differ in their own links only. Together they are one sender and one
//! receiver, with links as wide as all of theirs, and one message to another switch for each pair
//! of hosts. Every schedule of the hosts is one of this problem, and every schedule of this problem
//! becomes one of the hosts (apart.rs). So both have the same least number of steps, and a search
//! need not decide which host sends which message: it has fewer places to choose from, and loses
//! none because one host of several is busy.

mod apart;
mod graph;
mod hubs;
#[cfg(test)]
mod tests;

use super::Reduction;
use crate::Method;
use ccsched_model::problem::{Collective, Demand, Participants, Problem, Request, Roots, Routing};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use graph::Graph;
pub(super) use hubs::{Hub, hubs};
use std::sync::Arc;

/// A problem, and the same problem with the hosts of every switch as one.
#[derive(Debug)]
pub struct Switches {
    /// The problem of the hosts.
    hosts: Arc<Problem>,
    inner: Arc<Problem>,
    hubs: Vec<Hub>,
    /// By channel of `inner` between two switches, the channel of `hosts`.
    channels: Vec<ChannelId>,
    /// Messages of `inner` with the same ends, in their order.
    bundles: Vec<Bundle>,
}

/// The messages from the hosts of one switch to those of one switch.
#[derive(Clone, Copy, Debug)]
struct Bundle {
    /// Index of the switch from which they come.
    from: usize,
    /// Index of the switch to which they go.
    to: usize,
    /// Number of messages.
    messages: usize,
}

impl Switches {
    /// The problem with the hosts of every switch as one; none if it is no all-to-all scatter, if a
    /// terminal is no host of a switch, if no switch has several hosts, or if hosts of one switch
    /// have fixed routes of their own.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let shape = problem.collective().shape();
        let is_total = shape.content.is_personal() && shape.roots == Roots::All;
        if !is_total || problem.request().pairs.is_some() || problem.pieces() > 1 {
            return None;
        }
        let hubs = hubs(problem)?;
        let bundles = bundles(&hubs);
        let mut graph = Graph::new(problem, &hubs);
        let routing = if problem.has_fixed_routes() { Routing::Static } else { problem.routing() };
        if problem.has_fixed_routes() {
            graph.add_routes(problem, &hubs, &bundles)?;
        }
        let network = graph.bare.builder.build().ok()?;
        let ends = |bundle: &Bundle| Demand {
            message: 0,
            source: graph.out[bundle.from],
            destination: graph.into[bundle.to],
        };
        let all = bundles.iter().flat_map(|b| std::iter::repeat_n(ends(b), b.messages));
        let demands: Vec<Demand> =
            (0..).zip(all).map(|(message, demand)| Demand { message, ..demand }).collect();
        let processes = network.terminals().collect();
        let switching = problem.switching();
        let request = Request { switching, routing, ..Request::new(Collective::Traffic) };
        let (senders, receivers) = (graph.out, graph.into);
        let among = Participants { root: None, senders, receivers, processes, demands };
        let inner = Problem::on(network, request, among);
        Some(Switches {
            hosts: problem.clone(),
            inner: Arc::new(inner),
            channels: graph.bare.channels,
            hubs,
            bundles,
        })
    }
}

impl Reduction for Switches {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        self.told_apart(&inner)
    }

    fn method(&self, method: Method) -> Method {
        Method::Together(Box::new(method))
    }
}

/// All bundles, by switch of the senders, then of the receivers.
fn bundles(hubs: &[Hub]) -> Vec<Bundle> {
    let pairs = (0..hubs.len()).flat_map(|from| (0..hubs.len()).map(move |to| (from, to)));
    let bundle = |(from, to): (usize, usize)| {
        let pairs = hubs[from].senders.len() * hubs[to].receivers.len();
        let own = if from == to { hubs[from].both() } else { 0 };
        Bundle { from, to, messages: pairs - own }
    };
    pairs.map(bundle).filter(|bundle| bundle.messages > 0).collect()
}

//! What the steps of an algorithm cost on a network with one route for each pair of ranks. Sends of a
//! step share the links on their routes evenly.
//!
//! ```text
//! time of a step = t0 * starts + longest route + t1 * bytes of a block * blocks
//! ```
//!
//! `blocks` is the largest load of a link or port of the step, in blocks for each unit of capacity, and
//! at least the largest send, as one message fills no more than one unit. `starts` is the most sends
//! that one rank begins, or ends, one after the other: its sends over its ports. A route takes the delays of its
//! channels, tr for those without one. t0 and tr are in
//! microseconds, t1 in nanoseconds a byte, as in the time of a schedule (schedule/time.rs), whose steps
//! have one start and a load of one. This is the model of Hockney, t0 + bytes * t1, with the load that
//! the routes cause as a factor.

use super::algorithms::{Send, Step};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Problem, Request, Routing, Switching};
use ccsched_model::schedule::TimeModel;
use ccsched_network::faults::Fault;
use ccsched_network::tables::{Left, Table};
use ccsched_network::{ChannelId, Delay, Network, VertexId};

/// The table of routes where the routing leaves paths free: that of the smallest loads.
const FREE: &str = "balanced";

/// The ranks of a job, with the route of each pair.
pub struct Roads {
    /// The all-to-all of all ranks over these routes.
    problem: Problem,
}

/// The cost of all steps of an algorithm, whatever the length of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Sends that are begun one after the other.
    pub starts: usize,
    /// Microseconds of the longest routes: the delays of their channels.
    pub paths_us: f64,
    /// Blocks that pass the fullest links.
    pub blocks: f64,
}

impl Cost {
    /// Microseconds with blocks of the model's length of messages.
    pub fn us(&self, model: &TimeModel) -> f64 {
        let bytes = self.blocks * model.message_bytes as f64;
        model.startup_us * self.starts as f64 + self.paths_us + model.byte_ns * 1e-3 * bytes
    }
}

impl Roads {
    /// The ranks and routes of a request. Where it leaves paths free, these are the routes that load
    /// links least. Routes are improved no longer than some time is left.
    ///
    /// # Errors
    /// As [`Request::pose`]; ranks that only send or only receive.
    pub fn of(
        request: &Request,
        network: &Network,
        faults: &[Fault],
        left: Left<'_>,
    ) -> Result<Self> {
        let free = || Table::find(FREE).map_or(Routing::Static, Routing::Table);
        let routing = if request.routing.is_fixed() { request.routing } else { free() };
        let request = Request { collective: Collective::Aas, routing, ..request.clone() };
        let problem = request.pose_within(network.clone(), faults.to_vec(), left)?;
        let one_way = problem
            .processes()
            .iter()
            .find(|v| !problem.senders().contains(v) || !problem.receivers().contains(v));
        if let Some(&v) = one_way {
            let name = problem.network().vertex_name(v);
            let why = format!("'{name}' only sends or only receives, and every rank does both");
            return Err(Error::problem(why));
        }
        Ok(Roads { problem })
    }

    /// The all-to-all of the ranks over the routes.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.problem.processes().len() as u32
    }

    /// The route of a pair.
    pub fn route(&self, from: VertexId, to: VertexId) -> &[ChannelId] {
        self.problem.fixed_route(from, to).unwrap_or_default()
    }

    /// Calls `each` for every link and port that a transfer along a route uses.
    pub fn uses(&self, route: &[ChannelId], mut each: impl FnMut(usize)) {
        let (resources, network) = (self.problem.resources(), self.problem.network());
        resources.uses(network, Switching::Wormhole, route, |resource, _| each(resource as usize));
    }

    /// The cost of an algorithm, with the tr of channels without a delay of their own.
    pub fn cost(&self, steps: &[Step], tr_us: f64) -> Cost {
        let mut load = vec![0.0; self.problem.resources().capacities().len()];
        let mut ends = vec![[0usize; 2]; self.problem.processes().len()];
        let mut cost = Cost::default();
        for step in steps {
            let longest = self.add(step, &mut load, &mut ends, &mut cost);
            let model = TimeModel { hop_us: tr_us, ..TimeModel::default() };
            let us = |route: &[ChannelId]| {
                let channel = |&c: &ChannelId| self.problem.network().channel(c);
                model.path_us(route.iter().map(|c| channel(c).delay.map(Delay::ns)))
            };
            cost.paths_us += longest.into_iter().map(us).fold(0.0, f64::max);
        }
        cost
    }

    /// Adds the cost of a step but for its routes, which are returned. The loads of links, and the sends that begin and end at ranks, are 0
    /// before and after.
    fn add(
        &self,
        step: &Step,
        load: &mut [f64],
        ends: &mut [[usize; 2]],
        cost: &mut Cost,
    ) -> Vec<&[ChannelId]> {
        let vertex = |rank: u32| self.problem.processes()[rank as usize];
        let (mut routes, mut blocks) = (Vec::with_capacity(step.len()), 0.0f64);
        for &Send { from, to, blocks: sent } in step {
            let route = self.route(vertex(from), vertex(to));
            self.uses(route, |resource| load[resource] += sent);
            ends[from as usize][0] += 1;
            ends[to as usize][1] += 1;
            routes.push(route);
            blocks = blocks.max(sent);
        }
        let capacities = self.problem.resources().capacities();
        let mut starts = 0;
        for &Send { from, to, .. } in step {
            self.uses(self.route(vertex(from), vertex(to)), |resource| {
                let of_each = load[resource] / f64::from(capacities[resource]);
                blocks = blocks.max(of_each);
                load[resource] = 0.0;
            });
            let sends = std::mem::take(&mut ends[from as usize][0]);
            let receives = std::mem::take(&mut ends[to as usize][1]);
            starts = starts.max(sends.div_ceil(self.problem.sends_at_once(vertex(from)).max(1)));
            starts =
                starts.max(receives.div_ceil(self.problem.receives_at_once(vertex(to)).max(1)));
        }
        cost.starts += starts;
        cost.blocks += blocks;
        routes
    }
}

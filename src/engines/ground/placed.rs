//! The plan that first fit makes, transfer by transfer. It shares the routes of a table if they are long.

use ccsched_model::problem::{Demand, Problem};
use ccsched_model::schedule::{Plan, PlanBuilder};
use ccsched_network::{ChannelId, Routes};

/// The transfers so far.
#[derive(Clone, Debug)]
pub struct Placed<'p> {
    /// The routes that all messages take, if they are shared.
    routes: Option<&'p Routes>,
    builder: PlanBuilder,
}

impl<'p> Placed<'p> {
    /// No transfers yet.
    pub fn new(problem: &'p Problem) -> Self {
        Self::beside(problem, PlanBuilder::default())
    }

    /// Transfers beside others.
    pub fn beside(problem: &'p Problem, builder: PlanBuilder) -> Self {
        Placed { routes: problem.routes().filter(|routes| routes.paths().are_long()), builder }
    }

    /// Adds the transfer of a demand to a step, along a path that is its route if it has one.
    pub fn push(&mut self, step: u32, demand: &Demand, path: &[ChannelId]) {
        let Demand { message, source, destination } = *demand;
        let route =
            |routes: &'p Routes| Some((routes.paths(), routes.number(source, destination)?));
        match self.routes.and_then(route) {
            Some((all, route)) => {
                self.builder.push_part(step, message, all.walk(), all.place(route));
            }
            None => self.builder.push(step, message, path),
        }
    }

    /// Adds the transfers of another one.
    pub fn append(&mut self, other: Placed<'_>) {
        self.builder.append(other.builder);
    }

    /// The plan, without empty steps.
    pub fn build(self) -> Plan {
        self.builder.build()
    }
}

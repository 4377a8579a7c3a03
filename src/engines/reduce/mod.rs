//! Reductions, as a presolver has them: a neighbouring problem that is easier to solve, and the way back from its
//! schedules to those of the whole problem. Reductions compose: the inner problem may have a reduction of its own.

mod bare;
mod full_duplex;
mod hop_by_hop;
mod hosts;
mod lifted;
mod mended;
mod merged;
mod ports_and_routes;
mod processes;
mod repeated;
mod rest;
mod reversed;
mod switches;
#[cfg(test)]
mod tests;
pub mod tiers;
mod turns;
mod whole;

pub use hosts::Hosts;
pub use lifted::Lifted;
pub use merged::{Merged, factor};
pub use processes::Processes;
pub use repeated::Repeated;
pub use rest::{Rest, missing};
pub use switches::Switches;

use super::{Method, policy};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// A neighbouring problem, and the way back.
pub trait Reduction: Send + Sync {
    /// The neighbouring problem.
    fn inner(&self) -> &Arc<Problem>;

    /// The schedule of the whole problem that follows from one of the inner problem. It lacks the messages of a scatter
    /// that cannot be carried back.
    fn plan(&self, inner: Plan) -> Plan;

    /// The most messages that it may lack: with more of them, other methods need fewer steps.
    fn may_leave(&self) -> usize {
        0
    }

    /// Maps a step target of the whole problem to one of the inner problem, at least 1.
    fn steps(&self, whole: u32) -> u32 {
        whole.max(1)
    }

    /// The method of the whole schedule, from that of the inner one.
    fn method(&self, inner: Method) -> Method;
}

/// A reduction, as constructions use it.
pub struct Reducer {
    /// The name of its schedules, or of the reduction if they keep that of the inner one.
    pub name: &'static str,
    /// The reduction of a problem, if it applies.
    pub of: fn(&Arc<Problem>) -> Option<Box<dyn Reduction>>,
    /// The reductions that may serve the inner problem.
    pub over: &'static [&'static Reducer],
    /// Whether first fit may serve the inner problem.
    pub fits: bool,
}

/// Boxes a reduction.
fn boxed(reduction: impl Reduction + 'static) -> Box<dyn Reduction> {
    Box::new(reduction)
}

/// The reversed network.
pub static REVERSED: Reducer = Reducer {
    name: "reversed network",
    of: |p| reversed::Reversed::of(p).map(boxed),
    over: &[],
    fits: false,
};

/// Smaller capacities.
pub static MERGED: Reducer = Reducer {
    name: "merged steps",
    of: |p| Merged::of(p).map(boxed),
    over: &[&FULL_DUPLEX],
    fits: false,
};

/// Full-duplex links.
pub static FULL_DUPLEX: Reducer = Reducer {
    name: full_duplex::NAME,
    of: |p| full_duplex::FullDuplex::of(p).map(boxed),
    over: &[],
    fits: false,
};

/// All ports, and no route of its own for a pair.
pub static PORTS_AND_ROUTES: Reducer = Reducer {
    name: ports_and_routes::NAME,
    of: |p| ports_and_routes::PortsAndRoutes::of(p).map(boxed),
    over: &[&MERGED, &FULL_DUPLEX],
    fits: false,
};

/// Routers for their hosts. Of scatters with store-and-forward switching, routers would send many messages at a time that
/// their hosts send one by one: those go hop by hop.
pub static HOSTS: Reducer = Reducer {
    name: "routers for hosts",
    of: |p| {
        let is_even = p.switching().holds_paths() || p.collective().content().is_common();
        is_even.then(|| Hosts::of(p))?.map(boxed)
    },
    over: &[&MERGED, &FULL_DUPLEX, &PORTS_AND_ROUTES],
    fits: false,
};

/// One process for all of its host.
pub static PROCESSES: Reducer = Reducer {
    name: processes::NAME,
    of: |p| Processes::of(p).map(boxed),
    over: &[&MERGED, &FULL_DUPLEX, &PORTS_AND_ROUTES, &HOSTS],
    fits: false,
};

/// The network before its faults.
pub static MENDED: Reducer = Reducer {
    name: mended::NAME,
    of: |p| mended::Mended::of(p).map(boxed),
    over: &[&MERGED, &FULL_DUPLEX, &PORTS_AND_ROUTES, &HOSTS, &PROCESSES],
    fits: false,
};

/// Wormhole switching.
pub static HOP_BY_HOP: Reducer = Reducer {
    name: hop_by_hop::NAME,
    of: |p| hop_by_hop::HopByHop::of(p).filter(|_| !p.resources().have_ports()).map(boxed),
    over: &[&MENDED, &MERGED, &FULL_DUPLEX, &PORTS_AND_ROUTES, &HOSTS],
    fits: false,
};

/// The same with limited ports: messages that stop at every vertex hardly keep to steps of which the transfers that
/// violate the limit are dropped.
pub static HOP_BY_HOP_WITH_PORTS: Reducer = Reducer {
    name: hop_by_hop::NAME,
    of: |p| hop_by_hop::HopByHop::of(p).filter(|_| p.resources().have_ports()).map(boxed),
    over: &[&MERGED, &FULL_DUPLEX],
    fits: false,
};

/// All ports and full-duplex links, with store-and-forward switching.
pub static TURNS: Reducer = Reducer {
    name: turns::NAME,
    of: |p| turns::Turns::of(p).map(boxed),
    over: &[&HOP_BY_HOP],
    fits: true,
};

/// The tier that joins boxes.
pub static TIERS: Reducer =
    Reducer { name: tiers::NAME, of: |p| tiers::Tiers::of(p).map(boxed), over: &[], fits: false };

/// Messages that are not cut.
pub static WHOLE: Reducer = Reducer {
    name: whole::NAME,
    of: |p| whole::Whole::of(p).map(boxed),
    over: &[
        &REVERSED,
        &MERGED,
        &FULL_DUPLEX,
        &PORTS_AND_ROUTES,
        &TURNS,
        &HOP_BY_HOP,
        &HOP_BY_HOP_WITH_PORTS,
        &HOSTS,
    ],
    fits: false,
};

/// The first reduction of a problem to one that has a shortest schedule of the same, or nearly the same, number of steps:
/// searches and first fit use it.
pub fn exact(problem: &Arc<Problem>) -> Option<Arc<dyn Reduction>> {
    let processes = || Some(Arc::new(Processes::of_narrow(problem)?) as Arc<dyn Reduction>);
    let switches = || Some(Arc::new(Switches::of(problem)?) as Arc<dyn Reduction>);
    let repeated = || Some(Arc::new(Repeated::of(problem)?) as Arc<dyn Reduction>);
    let is_wormhole = problem.switching().holds_paths();
    let hosts = || Some(Arc::new(Hosts::of(problem)?) as Arc<dyn Reduction>);
    let turns = policy::takes_turns(problem).then(processes).flatten();
    turns.or_else(switches).or_else(repeated).or_else(|| is_wormhole.then(hosts)?)
}

/// The schedule of a problem, which is made for the innermost problem of its exact reductions.
pub fn solved(problem: &Arc<Problem>, solve: &mut dyn FnMut(&Arc<Problem>) -> Plan) -> Plan {
    match exact(problem) {
        Some(reduction) => {
            let inner = solved(reduction.inner(), solve);
            reduction.plan(inner)
        }
        None => solve(problem),
    }
}

//! Refutation: a satisfiability solver shows that no broadcast schedule has so few steps, where no
//! bound by counting does. It is told no more than every schedule obeys, so what it cannot satisfy
//! cannot be scheduled; what it can satisfy might still be impossible where paths may be longer than
//! the shortest. How long it may try is said in conflicts, never in seconds: the same
//! problem has the same answer everywhere.

mod clauses;
mod knowledge;
mod stored;
mod wormhole;

use crate::network::metrics::{UNREACHABLE, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Problem, Switching};
use clauses::Clauses;

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No schedule has so few steps.
    Impossible,
    /// The solver sees nothing that speaks against such a schedule.
    Possible,
    /// The conflicts allowed were not enough, or somebody has stopped it.
    Open,
}

/// More variables than this are not worth while: there will be more conflicts than anybody allows.
const MOST_VARIABLES: usize = 250_000;

/// Whether broadcasts can be attempted in `steps` steps at all: others, and larger ones, are not.
pub fn is_worthwhile(problem: &Problem, steps: u32) -> bool {
    if !problem.collective.is_broadcast() {
        return false;
    }
    let channels = problem.network.channels().len();
    let lanes = match problem.switching {
        Switching::Wormhole => problem.messages() * problem.network.terminals().count(),
        Switching::StoreAndForward => problem.messages(),
    };
    // Toward a receiver lead half of all channels.
    lanes.saturating_mul(channels / 2 + 1).saturating_mul(steps as usize) <= MOST_VARIABLES
}

/// Tries to show that no schedule has at most `steps` steps. Gives up after so many conflicts of
/// the solver, or when `stop` says so.
pub fn refute(problem: &Problem, steps: u32, conflicts: u64, stop: &dyn Fn() -> bool) -> Verdict {
    if !is_worthwhile(problem, steps) {
        return Verdict::Open;
    }
    let mut clauses = Clauses::new(conflicts, stop);
    match problem.switching {
        Switching::Wormhole => wormhole::tell(problem, steps, &mut clauses),
        Switching::StoreAndForward => stored::tell(problem, steps, &mut clauses),
    }
    clauses.solve()
}

/// The channels that a transfer to `v` may take: each brings it nearer, or farther by no more than
/// the routing allows.
fn channels_toward(problem: &Problem, v: VertexId) -> Vec<ChannelId> {
    let distance = distances_to(&problem.network, v);
    let slack = u64::from(problem.routing.slack());
    let leads_there = |&c: &ChannelId| {
        let ends = problem.network.channel(c);
        let [from, to] = [ends.from, ends.to].map(|u| distance[u as usize]);
        ends.from != v && to != UNREACHABLE && u64::from(to) < u64::from(from) + slack
    };
    (0..problem.network.channels().len() as ChannelId).filter(leads_there).collect()
}

//! Every decision of `auto`: with what it opens, which search it runs for which problem and on which
//! island, what runs beside it, and from which size on.
//!
//! The other files hold the methods and ask here; this file knows the problem alone, so that all of
//! them may ask. Which constructor is for which problem stands in the rows of
//! [`construct`](super::construct). docs/method.md lists the same decisions.

use super::Method;
use ccsched_model::problem::{Content, Problem, Routing, Switching};
use ccsched_network::VertexId;

// Sizes.

/// Deliveries, and vertices, from which on a problem is large: bounds and searches take seconds
/// there, a constructor does not.
const LARGE_DELIVERIES: usize = 5_000;
const LARGE_VERTICES: usize = 400;
/// Deliveries from which on step packing and relay scheduling beat guided ejection.
const MANY_DELIVERIES: usize = 20_000;
/// Deliveries up to which guided ejection finds shorter schedules than step packing, and sooner.
const MOST_EJECTED: usize = 100_000;
/// Deliveries from which on a search for the switches takes messages in blocks: one by one, a pass
/// takes minutes. With fixed routes it is from [`MANY_DELIVERIES`] on.
const IN_BLOCKS: usize = 500_000;
/// Most repetitions of a step in blocks.
const MOST_REPEATED: usize = 6;
/// The load of fixed routes, for each repetition of a step beyond the first: a schedule in blocks is longer by less
/// than these repetitions.
const LOAD: u32 = 100;
/// Messages from which on processes of a host take turns in a search.
const IN_TURNS: usize = 20_000;
/// Deliveries from which on islands pack one schedule as a team: a pass by one of them takes minutes.
const BY_TEAM: usize = 2_000_000;
/// Cells of the tables over sources and vertices of step packing; more do not fit into memory.
const MOST_CELLS: usize = 100_000_000;

/// Whether a run begins with a schedule at once, before bounds that take long and before any search.
pub fn is_large(problem: &Problem) -> bool {
    problem.demands().len() >= LARGE_DELIVERIES
        || problem.network().vertices().len() >= LARGE_VERTICES
}

/// Whether there are too many deliveries for searches that look at each of them often.
pub fn has_many_messages(problem: &Problem) -> bool {
    problem.demands().len() >= MANY_DELIVERIES
}

// The opening of a run on a large problem.

/// Ratio of an opening to the lower bound up to which no slower constructor is tried: it gains less
/// than the search that begins later.
const CLOSE: f64 = 1.03;

/// Deliveries up to which first fit takes a moment, and up to which it takes seconds at most.
const FITTED: (usize, usize) = (20_000, 200_000);
/// Ratio of a schedule to the lower bound up to which it is not worth seconds.
const NEAR: f64 = 1.01;

/// Whether a constructor's schedule of some steps is compared with that of first fit, if `least` steps are known to be
/// needed: of a scatter that is not so large that the run opens noticeably later.
pub fn compares(problem: &Problem, steps: usize, least: u32) -> bool {
    let messages = problem.demands().len();
    let ratio = if messages <= FITTED.0 { 1.0 } else { NEAR };
    problem.collective().content().is_personal()
        && messages <= FITTED.1
        && steps as f64 > ratio * f64::from(least)
}

/// What follows an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reopening {
    /// A constructor that takes longer.
    Slower,
    /// Justification of the schedule at hand.
    Justified,
}

/// What is tried after an opening of `steps` steps, in order; nothing at the bound, and nothing after
/// justification.
pub fn reopenings(steps: usize, method: &Method, bound: u32) -> &'static [Reopening] {
    match method {
        Method::Justified(_) => &[],
        _ if steps <= bound as usize => &[],
        Method::Construction(_) | Method::Mended(_) if steps as f64 > CLOSE * f64::from(bound) => {
            &[Reopening::Slower, Reopening::Justified]
        }
        _ => &[Reopening::Justified],
    }
}

// Reductions before the search. Both are for scatters; the first that applies is taken, because the
// rest of a construction is searched among hosts.

/// Whether the search is for the messages alone that a construction leaves: its own steps are full.
/// Fewer messages are searched as a whole, which can be shorter.
pub fn keeps_construction(problem: &Problem) -> bool {
    has_many_messages(problem)
}

/// Whether a search is for the hosts of processes that take turns: its steps are repeated as a whole, so that the
/// number of steps is a multiple, but it has far fewer messages.
pub fn takes_turns(problem: &Problem) -> bool {
    problem.demands().len() >= IN_TURNS
}

/// The most messages of a pair that a search for the switches takes in a block; 1 if it takes them one by one.
pub fn most_repeated(problem: &Problem) -> usize {
    if problem.has_fixed_routes() && has_many_messages(problem) {
        MOST_REPEATED.min(1 + (problem.static_duration() / LOAD) as usize)
    } else if problem.demands().len() >= IN_BLOCKS {
        MOST_REPEATED
    } else {
        1
    }
}

// The search.

/// The search of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Ejection chains on a tree: one message to all.
    Chains,
    /// Flood and repair: many messages to all.
    Flood,
    /// A race of the search under groups of automorphisms with that of [`whole`]: one message a pair.
    Race,
}

/// The search of a problem.
pub fn search(problem: &Problem) -> Search {
    match problem.collective().content() {
        Content::Personal => Search::Race,
        Content::Common if problem.messages() == 1 => Search::Chains,
        Content::Common => Search::Flood,
    }
}

/// A search for a scatter on the whole network, without a group of automorphisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Guided ejection.
    Ejection,
    /// Step packing.
    Packing,
    /// Relay scheduling.
    Relay,
}

/// The search for a scatter on the whole network. Where two searches are about equally good, odd
/// islands run the second.
pub fn whole(problem: &Problem, island: usize) -> Whole {
    let (senders, receivers) = (problem.senders().len(), problem.receivers().len());
    let fits = problem.network().vertices().len() * senders.max(receivers) <= MOST_CELLS;
    if !has_many_messages(problem) || !fits {
        return Whole::Ejection;
    }
    match (problem.switching(), is_odd(island)) {
        (Switching::Wormhole | Switching::Hosts, true) if problem.has_fixed_routes() => {
            Whole::Ejection
        }
        (Switching::Wormhole | Switching::Hosts, _) => Whole::Packing,
        (Switching::StoreAndForward, false) if relays(problem) => Whole::Relay,
        (Switching::StoreAndForward, _) => Whole::Packing,
    }
}

/// Whether guided ejection searches for many messages too, in place of step packing: where no group of
/// automorphisms helps. On all islands, because a team waits at every exchange for islands that do
/// something else.
pub fn ejects_many(problem: &Problem, has_groups: bool) -> bool {
    let is_many = has_many_messages(problem) && problem.demands().len() <= MOST_EJECTED;
    is_many && !has_groups && problem.switching().holds_paths() && !problem.has_fixed_routes()
}

/// Deliveries up to which routes longer than shortest paths are planned one by one.
const MOST_DETOURS: usize = 200_000;

/// Channels by which paths are longer than shortest ones, if any paths are allowed and a transfer
/// holds all of its path.
pub const SLACK: u32 = 2;

/// Whether a search over longer paths runs beside that over shortest paths: with store-and-forward
/// switching over planned routes. With wormhole switching, paths within a slack are searched at once.
pub fn searches_longer_paths(problem: &Problem) -> bool {
    let are_longer = match (problem.routing(), problem.switching()) {
        (Routing::Slack(slack), Switching::StoreAndForward) => slack > 0,
        (Routing::Any, Switching::StoreAndForward) => true,
        (Routing::Any, Switching::Wormhole) => !has_many_messages(problem),
        (Routing::Slack(_), Switching::Wormhole) => false,
        (Routing::Slack(_) | Routing::Any, Switching::Hosts) => false,
        (Routing::Minimal | Routing::Static | Routing::Lgl | Routing::Table(_), _) => false,
    };
    let is_scatter = problem.collective().content().is_personal();
    are_longer && is_scatter && problem.demands().len() <= MOST_DETOURS
}

/// Whether relay scheduling is a match for packed steps: unless every sender hangs on one switch, by
/// a link that is nearly as loaded as those between switches, if not more.
fn relays(problem: &Problem) -> bool {
    let is_host = |&v: &VertexId| problem.network().outgoing(v).len() == 1;
    !problem.senders().iter().all(is_host)
}

fn is_odd(island: usize) -> bool {
    island % 2 == 1
}

/// Whether an island may search for one schedule with others where [`ejects_many`] does not hold. Races under groups take turns of their own:
/// an island with such a race searches alone.
pub fn searches_with_others(problem: &Problem, island: usize, has_groups: bool) -> bool {
    let races = has_groups && races(problem, island);
    !races
        && match whole(problem, island) {
            Whole::Packing => true,
            Whole::Ejection => !has_many_messages(problem),
            Whole::Relay => false,
        }
}

/// Whether islands pack the steps of one schedule as a team, if several may. If each packs its own, the
/// best of them is a little better, but comes later.
pub fn is_team(messages: usize, islands: usize) -> bool {
    islands > 1 && messages >= BY_TEAM
}

/// Iterations of guided ejection at one number of steps, from which on a search is stuck around a few
/// transfers, and as how many members it then takes turns on one island.
const TURNS: (u64, usize) = (300, MOST_MEMBERS);
/// Most members that take turns.
pub const MOST_MEMBERS: usize = 8;

/// Members of the team as which a search on one island takes turns, by the number of iterations at one
/// number of steps.
pub fn members(iterations: u64) -> usize {
    if iterations < TURNS.0 { 1 } else { TURNS.1 }
}

// The race under groups of automorphisms.

/// Orbits of messages that are not too many to search.
pub const MOST_ORBITS: usize = 100_000;
/// The groups that race, by the rank of their order: 0 is the largest.
pub const RACING: [usize; 6] = [0, 1, 0, 2, 0, 1];
/// Orbits, each in every step, with which all searches of a race but one begin: to begin takes as long
/// as some iterations, and others wait.
pub const MOST_BEGUN: usize = 20_000_000;
/// A search under a group with chains may seek fewer steps than asked for, at most by one in this many.
pub const SPARED: u32 = 128;
/// Iterations of a turn in the first race; each later race starts with half as many again.
pub const FIRST_TURN: u64 = 30;
/// Factor by which a turn on the whole network, the last of a round, is longer.
pub const WHOLE_TURN: u64 = 4;
/// Iterations at one number of steps, and the deliveries from which on they are fewer in proportion:
/// an iteration then takes longer.
const PATIENCE: (u64, u64) = (2000, 2000);
const LEAST_PATIENCE: u64 = 100;
/// Of many messages, guided ejection makes some ten moves for each before it has placed all; messages
/// for each iteration of its patience.
const PER_ITERATION: u64 = 64;

/// Whether an island searches under groups at all: of many messages, odd islands search on the whole
/// network alone, because neither is always better.
pub fn races(problem: &Problem, island: usize) -> bool {
    !(has_many_messages(problem) && is_odd(island))
}

/// Iterations of a race at one number of steps.
pub fn patience(problem: &Problem) -> u64 {
    let messages = problem.demands().len() as u64;
    (PATIENCE.0 * PATIENCE.1 / messages.max(PATIENCE.1)).max(LEAST_PATIENCE)
}

/// Iterations of guided ejection of many messages at one number of steps.
pub fn patience_of_many(problem: &Problem) -> u64 {
    problem.demands().len() as u64 / PER_ITERATION
}

/// Waiting transfers below which a schedule is nearly complete.
pub const NEARLY: usize = 64;

/// Whether guided ejection on one island relocates placed transfers between ejections, and may be
/// stuck. A schedule of many messages that is not nearly complete has free places without relocations,
/// which take as long as the ejections.
pub fn relocates(problem: &Problem, waiting: usize) -> bool {
    !has_many_messages(problem) || waiting < NEARLY
}

// The annealer beside a search.

/// Iterations of the search in which the annealer makes as many moves as there are genes: it rarely
/// wins, and should cost little where it does not.
const STRIDE: u64 = 16;
/// The same where each move is followed by relocations, which cost as much again.
const EJECTING_STRIDE: u64 = 400;
/// Iterations of its first round of cooling: a temperature needs as many moves as elsewhere.
pub const ROUND: u64 = 100;

/// Whether an annealer runs beside the search on each island: it lives by crossing over with others.
pub fn anneals(problem: &Problem) -> bool {
    !is_large(problem)
}

/// Iterations of the search in which the annealer makes as many moves as there are genes.
pub fn stride(ejects: bool) -> u64 {
    if ejects { EJECTING_STRIDE } else { STRIDE }
}

// Refutation.

/// Attempts to refute a shorter schedule: the iterations without success after which each begins,
/// those after which its verdict counts, and the conflicts that it may take. Short ones first, because
/// most proofs are short.
pub const REFUTATIONS: [(u64, u64, u64); 3] =
    [(200, 200, 2_000), (2_000, 4_000, 20_000), (20_000, 40_000, 200_000)];
/// Bytes below which an attempt is made whatever memory is free.
pub const LITTLE_MEMORY: u64 = 64 << 20;

// What a user is told before a run.

/// Bytes of one schedule below which the memory of a search has no limit of its own.
pub const SMALL_SCHEDULE: u64 = 64 << 20;
/// Deliveries from which on time and memory of a schedule are told: it takes seconds.
pub const FORECAST: usize = 2_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

    fn posed(topology: &str, collective: Collective, switching: Switching) -> Problem {
        let request = Request { switching, ..Request::new(collective) };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    /// The list of docs/method.md.
    #[test]
    fn searches_are_those_of_the_list() {
        use Switching::{StoreAndForward, Wormhole};
        let search = |collective| search(&posed("torus:4x4", collective, Wormhole));
        assert_eq!(search(Collective::Oab), Search::Chains);
        assert_eq!(search(Collective::Aab), Search::Flood);
        assert_eq!(search(Collective::Aas), Search::Race);
        for (topology, switching, islands, races) in [
            ("torus:8x8", Wormhole, [Whole::Ejection; 2], [true; 2]),
            ("torus:13x13", Wormhole, [Whole::Packing; 2], [true, false]),
            ("torus:13x13", StoreAndForward, [Whole::Relay, Whole::Packing], [true, false]),
            ("fat-tree:256", StoreAndForward, [Whole::Packing; 2], [true, false]),
        ] {
            let problem = posed(topology, Collective::Aas, switching);
            assert_eq!([0, 1].map(|island| whole(&problem, island)), islands, "{topology}");
            assert_eq!([0, 1].map(|island| super::races(&problem, island)), races, "{topology}");
        }
        for (topology, switching, ejects) in [
            ("random-regular:100,3,3", Wormhole, false),
            ("random-regular:200,4,1", Wormhole, true),
            ("random-regular:200,4,1", StoreAndForward, false),
            ("random-regular:330,4,1", Wormhole, false),
        ] {
            let problem = posed(topology, Collective::Aas, switching);
            assert_eq!(ejects_many(&problem, false), ejects, "{topology}");
            assert!(!ejects_many(&problem, true), "{topology}");
        }
    }

    #[test]
    fn slower_constructors_follow_openings_far_above_the_bound_alone() {
        let constructed = Method::Construction("any".into());
        let both = [Reopening::Slower, Reopening::Justified];
        assert_eq!(reopenings(104, &constructed, 100), both);
        assert_eq!(reopenings(103, &constructed, 100), [Reopening::Justified]);
        assert_eq!(reopenings(100, &constructed, 100), []);
        assert_eq!(reopenings(104, &Method::Justified(constructed.into()), 100), []);
    }
}

//! Constructors return a schedule without search where they know the structure of the problem. Each
//! is a row: a name, which the summary and the schedule file show, the problems it is for, and how
//! near to a bound its schedules are. Rows are tried by their guarantee; those without one come after
//! the schedules of neighbouring problems ([`reduce`](super::reduce)). Their order carries no other
//! meaning: rows of equal guarantee need equally many steps, or are for different problems.

mod allgather;
mod broadcast;
mod closed;
mod draft;
pub mod first_fit;
pub(crate) mod grid;
mod groups;
mod order;
pub mod over_ranks;
mod packed_trees;
mod recoloured;
mod router;
mod row;
mod stored_scatter;
mod through;
mod tiers;
mod timetable;
mod translations;

use super::Method;
use super::ground::in_step::taken;
use super::reduce::{
    FULL_DUPLEX, HOP_BY_HOP, HOP_BY_HOP_WITH_PORTS, HOSTS, MENDED, MERGED, Merged,
    PORTS_AND_ROUTES, PROCESSES, REVERSED, Reducer, Reduction, Rest, TURNS, WHOLE,
};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::{MessageId, Problem, Switching};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::VertexId;
use closed::{affine, leaf_spine, moebius, permutations};
pub(crate) use groups::in_whole;
use row::Guarantee::{About, AtBound, Compared, Within};
use row::{Asked, Build, Domain, Links, Posed, RoutesAsked, Size};
pub use row::{Guarantee, Row};
use std::collections::BTreeSet;
use std::sync::Arc;
pub use through::through;
use through::{compared, through_to};
use translations::{commuting, translated_fit};

const AFFINE: &str = "all-to-all construction: affine plane";

const WORMHOLE: Option<Switching> = Some(Switching::Wormhole);
const STORED: Option<Switching> = Some(Switching::StoreAndForward);
/// Total exchanges by wormhole switching.
const EXCHANGE: Domain = Domain { switching: WORMHOLE, ..Domain::of(Asked::Exchange) };
/// The same for rows that use each link once a step.
const NARROW: Domain = Domain { is_narrow: true, ..EXCHANGE };
/// Networks whose symmetry may yield a schedule.
const SYMMETRIC: Domain = Domain { routes: RoutesAsked::Free, is_direct: true, ..EXCHANGE };

/// Scatters of many messages.
const MANY_MESSAGES: Domain = Domain { size: Size::Large, ..Domain::of(Asked::Personal) };

/// The rows but for those of grids.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("broadcast construction: wormhole tree", Domain { switching: WORMHOLE, ..Domain::of(Asked::OneMessage) },
        About(10), |p, _| Some(broadcast::wormhole(p))),
    row("broadcast construction: stored tree", Domain { switching: STORED, ..Domain::of(Asked::OneMessage) },
        About(10), |p, _| Some(broadcast::stored(p))),
    row("scatter construction: stored tree", Domain { switching: STORED, routes: RoutesAsked::Free, ..Domain::of(Asked::OneRoot) },
        Within(10), |p, _| Some(stored_scatter::plan(p))),
    row("all-gather construction: translated trees",
        Domain { routes: RoutesAsked::Free, is_direct: true, size: Size::Vertices(2), ..Domain::of(Asked::AllGather) },
        AtBound, allgather::translates),
    row("all-gather construction: ring", Domain { switching: WORMHOLE, ..Domain::of(Asked::Messages) },
        AtBound, allgather::ring),
    PACKED_TREES,
    row("gossip", Domain { routes: RoutesAsked::Free, size: Size::Large, ..Domain::of(Asked::Messages) },
        About(10), allgather::gossip),
    row(AFFINE, Domain { routes: RoutesAsked::FreeOrLgl, ..NARROW },
        AtBound, |p, _| affine::plan(p)),
    row("all-to-all construction: most of an affine plane", Domain { routes: RoutesAsked::FreeOrLgl, ..NARROW },
        Within(15), |p, rng| finished(p, rng)),
    row("all-to-all construction: Moebius ladder", Domain { is_narrow: true, ..SYMMETRIC },
        Within(17), |p, _| moebius::plan(p)),
    row("all-to-all construction: permutations", NARROW,
        AtBound, |p, rng| permutations::plan(p, rng)),
    row("all-to-all construction: leaves and spines", Domain { routes: RoutesAsked::Free, links: Links::FullDuplex, ..EXCHANGE },
        AtBound, |p, _| leaf_spine::plan(p)),
    row("all-to-all construction: translated hops", Domain { switching: STORED, links: Links::FullDuplex, ..SYMMETRIC },
        Within(5), |p, rng| commuting::plan(p, rng)),
    row("all-to-all construction: translated fit", Domain { size: Size::Large, ..SYMMETRIC },
        About(5), |p, rng| translated_fit::plan(p, rng)),
    Row {
        slower: &[FIRST_FIT],
        ..row("groups side by side", Domain { size: Size::Large, ..Domain::of(Asked::Groups) },
            About(10), groups::plan)
    },
    TIERS[0],
    TIERS[1],
    FIRST_FIT,
];

/// Boxes with a fast inside.
const TIERS: [Row; 2] = [
    row(
        "all-gather construction: two tiers",
        Domain { routes: RoutesAsked::Free, ..Domain::of(Asked::AllGather) },
        Compared,
        tiers::plan,
    ),
    row(
        "all-to-all construction: two tiers",
        Domain { routes: RoutesAsked::Free, ..Domain::of(Asked::Personal) },
        Compared,
        tiers::plan,
    ),
];

/// All-gathers in pieces.
const PACKED_TREES: Row = row(
    "all-gather construction: packed trees",
    Domain { routes: RoutesAsked::Free, links: Links::FullDuplex, ..Domain::of(Asked::AllGather) },
    About(20),
    packed_trees::plan,
);

/// The first step for every message in which it fits.
const FIRST_FIT: Row = Row {
    slower: &[row("first fit by loads", MANY_MESSAGES, About(20), first_fit::plan_by_loads)],
    ..row("first fit", MANY_MESSAGES, About(30), first_fit::plan)
};

/// The reductions in the order in which they are tried, each with rows that take longer and may need
/// fewer steps; the first of these that has a schedule is taken.
static REDUCED: &[(&Reducer, &[Row])] = &[
    (&MENDED, &[FIRST_FIT]),
    (&WHOLE, &[]),
    (&REVERSED, &[]),
    (&MERGED, &[]),
    (&FULL_DUPLEX, &[]),
    (&PORTS_AND_ROUTES, &[]),
    (
        &TURNS,
        &[
            row("timetable of ports", Domain::of(Asked::Personal), About(10), timetable::plan),
            FIRST_FIT,
        ],
    ),
    (&HOP_BY_HOP, &[]),
    (&HOP_BY_HOP_WITH_PORTS, &[]),
    (&HOSTS, &[]),
    (&PROCESSES, &[]),
];

const fn row(
    name: &'static str,
    domain: Domain,
    guarantee: Guarantee,
    of: fn(&Arc<Problem>, &mut Rng) -> Option<Plan>,
) -> Row {
    Row { name, domain, guarantee, of: Build::Problem(of), slower: &[] }
}

/// All rows, in any order.
pub fn rows() -> Vec<Row> {
    [grid::ROWS, ROWS].concat()
}

/// Of a vertex of a grid with three dimensions: with more of them, paths are short, or have many ways
/// around corners.
const MOST_NEIGHBOURS: usize = 6;

/// The purpose of the random generator: islands use 0, the master 1.
const PURPOSE: usize = 2;

/// The steps that are known to be needed, where none are.
const UNKNOWN: u32 = 0;

/// A schedule, its method, and rows that take longer and may need fewer steps.
pub type Made = (Plan, Method, &'static [Row]);

/// The schedule of the first row that has one, or through a reduction, and the method.
pub fn plan(problem: &Arc<Problem>, seed: u64) -> Option<(Plan, Method)> {
    let (plan, method, _) = made(&rows(), problem, UNKNOWN, seed)?;
    Some((plan, method))
}

/// The same by rows in some order: rows with a guarantee, the best guarantee first; then reductions;
/// then the other rows. If it is of more than `least` steps, which are known to be needed, it is compared with
/// first fit.
pub fn made(rows: &[Row], problem: &Arc<Problem>, least: u32, seed: u64) -> Option<Made> {
    made_with(rows, problem, least, &rng_of(seed, 0, PURPOSE))
}

/// The same with a generator. Reductions are for collectives that stand alone.
fn made_with(rows: &[Row], problem: &Arc<Problem>, least: u32, rng: &Rng) -> Option<Made> {
    let posed = &Posed::new(problem);
    let (proven, others) = sorted(rows);
    let of_row = |row: &Row| Some((of_row(row, posed, rng)?, row.guarantee == AtBound));
    let through_one = |&(reducer, slower): &(&Reducer, &'static [Row])| {
        let (plan, method) = through_to(least, reducer, problem, rng)?;
        Some(((plan, method, slower), false))
    };
    let reducers = if problem.is_plain() { REDUCED } else { &[] };
    let reduced = || reducers.iter().find_map(through_one);
    let answer = proven.iter().find_map(of_row).or_else(reduced);
    let answer = answer.or_else(|| others.iter().find_map(of_row));
    if let Some((made, true)) = answer {
        return Some(made);
    }
    let beside = rows.iter().filter(|row| row.guarantee == Compared);
    let beside = beside.filter_map(of_row).map(|(made, _)| made);
    let all = answer.into_iter().map(|(made, _)| made).chain(beside);
    let (plan, method, slower) = all.min_by_key(|(plan, ..)| plan.len())?;
    let (plan, method) = compared((plan, method), (problem, least), rng);
    Some((plan, method, slower))
}

/// The schedule of the first of some rows that has one.
pub fn slower(problem: &Arc<Problem>, rows: &[Row], seed: u64) -> Option<Made> {
    let rng = &rng_of(seed, 0, PURPOSE);
    let posed = &Posed::new(problem);
    rows.iter().find_map(|row| of_row(row, posed, rng))
}

fn of_row(row: &Row, posed: &Posed<'_>, rng: &Rng) -> Option<Made> {
    let (plan, method) = row.made(posed, rng)?;
    Some((plan, method, row.slower))
}

/// All reductions of [`plan`], in the order in which they are tried.
pub fn reducers() -> impl Iterator<Item = &'static Reducer> {
    REDUCED.iter().map(|&(reducer, _)| reducer)
}

/// The rows with a guarantee, and the others but for those that are compared, both in the order in which they are
/// tried.
fn sorted(rows: &[Row]) -> (Vec<Row>, Vec<Row>) {
    let mut rows = rows.to_vec();
    rows.retain(|row| row.guarantee != Compared);
    rows.sort_by_key(|row| row.guarantee);
    rows.into_iter().partition(|row| !matches!(row.guarantee, About(_)))
}

/// The names of all rows and reductions, each once.
pub fn names() -> BTreeSet<&'static str> {
    rows().iter().map(|row| row.name).chain(reducers().map(|reducer| reducer.name)).collect()
}

/// The schedule of the row, or through the reduction, of this name.
pub fn named(name: &str, problem: &Arc<Problem>, rng: &Rng) -> Option<Plan> {
    match rows().iter().find(|row| row.name == name) {
        Some(row) => row.plan(problem, rng),
        None => {
            let mut named = reducers().filter(|reducer| reducer.name == name);
            Some(named.find_map(|reducer| through(reducer, problem, rng))?.0)
        }
    }
}

/// The schedule of a problem whose messages stop at terminals but not at switches, if a row is for such.
pub fn between_hosts(problem: &Arc<Problem>, seed: u64) -> Option<(Plan, Method)> {
    let (posed, rng) = (&Posed::new(problem), &rng_of(seed, 0, PURPOSE));
    let rows = [PACKED_TREES, TIERS[0], TIERS[1]];
    let made = rows.iter().filter_map(|row| row.made(posed, rng));
    made.min_by_key(|(plan, _)| plan.len())
}

/// The schedule of an all-reduce in boxes with a fast inside, if there are such.
pub fn sums_in_tiers(problem: &Arc<Problem>, seed: u64) -> Option<(Plan, Method)> {
    tiers::made(problem, &mut rng_of(seed, 0, PURPOSE))
}

/// The shortest schedule by construction of a collective whose messages join, and the method.
pub fn joined(problem: &Problem, seed: u64) -> Option<(Plan, Method)> {
    let cut = (problem.pieces() > 1).then(|| problem.of_whole_messages());
    let whole = cut.as_ref().unwrap_or(problem);
    // One piece after the other begins with another dimension.
    let lines = grid::sums_of_lines(whole, problem.pieces());
    let lines = pieces(problem, &lines).map(|plan| (plan, "sums of lines"));
    let most = match &lines {
        Some((plan, _)) if cut.is_none() => plan.len() - 1,
        _ => usize::MAX,
    };
    let over_ranks = over_ranks::over_ranks(whole, most, &mut rng_of(seed, 0, PURPOSE));
    let over_ranks = over_ranks.and_then(|(plan, name)| Some((pieces(problem, &[plan])?, name)));
    // Of equal ones that along lines.
    let all = lines.into_iter().chain(over_ranks);
    let (plan, name) = all.min_by_key(|(plan, _)| plan.len())?;
    Some((plan, Method::Construction(name.into())))
}

/// The steps of a constructor that leaves some of the messages to a search.
pub fn unfinished(problem: &Problem) -> Option<Rest> {
    let domain = Domain { routes: RoutesAsked::FreeOrLgl, ..EXCHANGE };
    if !domain.has(problem) {
        return None;
    }
    let part = match Merged::of(problem) {
        Some(merged) => merged.plan(affine::part(merged.inner())?),
        None => affine::part(problem)?,
    };
    Rest::new(problem, part, AFFINE)
}

/// The same, with the rest by first fit.
fn finished(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let rest = unfinished(problem)?;
    Some(rest.plan(first_fit::fitted(rest.inner(), rng)))
}

/// Whether the paths of the schedule are parts of one walk: on lines, rings, grids of few dimensions,
/// and Moebius ladders.
pub fn shares_paths(problem: &Problem) -> bool {
    let network = problem.network();
    // First, because it rules out most other networks quickly.
    let mut vertices = 0..network.vertices().len() as VertexId;
    let is_narrow = vertices.all(|v| network.outgoing(v).len() <= MOST_NEIGHBOURS);
    is_narrow
        && SYMMETRIC.has(problem)
        && (grid::shares_paths(problem) || moebius::applies(problem))
}

// The pieces of an all-reduce of one part beside each other, each by a schedule for the whole part: every
// step of it, as a whole, takes the first step after the one before that has room. Schedules that use
// other channels in each step, as those that begin with another dimension, fill one another's gaps.

/// The schedule, whose pieces take some schedules for whole messages in turn; none without such.
pub fn pieces(problem: &Problem, whole: &[Plan]) -> Option<Plan> {
    if problem.pieces() == 1 || whole.is_empty() {
        return whole.first().cloned();
    }
    let capacities = problem.resources().capacities();
    // By schedule, then step, what its transfers take together.
    let of_step = |step: &Step| taken(problem, step.joined(1).into_iter().map(|(path, _)| path));
    let needs: Vec<Vec<_>> = whole.iter().map(|plan| plan.steps().map(of_step).collect()).collect();
    let mut used: Vec<Vec<u32>> = Vec::new();
    let mut plan = Plan::default();
    for piece in 0..problem.pieces() {
        let kind = piece as usize % whole.len();
        let mut at = 0;
        for (step, needs) in whole[kind].steps().zip(&needs[kind]) {
            let has_room =
                |used: &Vec<u32>| needs.iter().all(|&(r, count)| used[r] + count <= capacities[r]);
            while used.get(at).is_some_and(|used| !has_room(used)) {
                at += 1;
            }
            used.resize_with(used.len().max(at + 1), || vec![0; capacities.len()]);
            needs.iter().for_each(|&(r, count)| used[at][r] += count);
            for t in step.iter() {
                plan.push(at, t.message * problem.pieces() as MessageId + piece, t.channels);
            }
            at += 1;
        }
    }
    plan.tidy();
    Some(plan)
}

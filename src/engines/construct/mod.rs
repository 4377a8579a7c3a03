//! Constructors return a schedule without search where they know the structure of the problem. Each
//! has a name, which the summary and the schedule file show.

mod allgather;
mod alltoall;
mod broadcast;
mod channel_classes;
mod closed;
mod draft;
pub mod first_fit;
mod grid;
mod order;
mod port_graph;
mod router;
mod sample;
mod stored_scatter;
mod timetable;
mod translations;

pub use alltoall::shares_paths;

use super::reduce::Rest;
use crate::problem::Problem;
use crate::rng::{Rng, rng_of};
use crate::schedule::Plan;
use std::sync::Arc;

/// A constructor.
#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    /// The collective it constructs, and the method.
    pub name: &'static str,
    /// The schedule of a problem, if the constructor applies.
    pub plan: fn(&Arc<Problem>, &mut Rng) -> Option<Plan>,
}

const AFFINE: &str = "all-to-all construction: affine plane";
const HALF_DUPLEX: &str = "all-to-all construction: half duplex";
const WITHIN_LIMITS: &str = "all-to-all construction: within limits";
const HOP_BY_HOP: &str = "all-to-all construction: hop by hop";
const CHANNEL_CLASSES: &str = "channel classes";
const FIRST_FIT: &str = "first fit";
const BY_LOADS: &str = "first fit by loads";
const TIMETABLE: &str = "timetable of ports";

/// All constructors, in the order in which they are tried.
pub const CONSTRUCTORS: &[Constructor] = &[
    Constructor { name: "broadcast construction: wormhole tree", plan: broadcast::wormhole },
    Constructor { name: "broadcast construction: stored tree", plan: broadcast::stored },
    Constructor { name: "scatter construction: stored tree", plan: |p, _| stored_scatter::plan(p) },
    Constructor { name: "all-gather construction: translated trees", plan: allgather::translates },
    Constructor { name: "all-gather construction: ring", plan: allgather::ring },
    Constructor { name: AFFINE, plan: alltoall::affine },
    Constructor { name: "all-to-all construction: hypercube", plan: alltoall::hypercube },
    Constructor { name: "all-to-all construction: torus", plan: alltoall::torus },
    Constructor { name: "all-to-all construction: ring", plan: alltoall::ring },
    Constructor { name: "all-to-all construction: Moebius ladder", plan: alltoall::moebius },
    Constructor { name: "all-to-all construction: rounds", plan: alltoall::rounds },
    Constructor { name: "all-to-all construction: tilings", plan: alltoall::tilings },
    Constructor { name: "all-to-all construction: circuits", plan: alltoall::circuits },
    Constructor { name: "all-to-all construction: odd square", plan: alltoall::odd_square },
    Constructor { name: "all-to-all construction: odd cube", plan: alltoall::odd_cube },
    Constructor { name: "all-to-all construction: near square", plan: alltoall::near_square },
    Constructor { name: "all-to-all construction: two rings", plan: alltoall::two_rings },
    Constructor { name: "all-to-all construction: product", plan: alltoall::product },
    Constructor { name: "all-to-all construction: twice odd", plan: alltoall::twice_odd },
    Constructor { name: "all-to-all construction: boxes", plan: alltoall::boxes },
    Constructor { name: "all-to-all construction: permutations", plan: alltoall::permutations },
    Constructor { name: "all-to-all construction: phases of lines", plan: alltoall::phases },
    Constructor { name: "all-to-all construction: translated hops", plan: alltoall::commuting },
    Constructor { name: HALF_DUPLEX, plan: alltoall::half_duplex },
    Constructor { name: WITHIN_LIMITS, plan: alltoall::limits },
    Constructor { name: CHANNEL_CLASSES, plan: |p, rng| channel_classes::plan(p, rng) },
    Constructor { name: HOP_BY_HOP, plan: alltoall::stored },
    Constructor { name: "all-to-all construction: translated fit", plan: alltoall::translated_fit },
    Constructor { name: FIRST_FIT, plan: first_fit::plan },
    Constructor { name: "gossip", plan: allgather::gossip },
];

/// The purpose of the random generator: islands use 0, the master 1.
const PURPOSE: usize = 2;

/// The schedule of the first constructor that applies, and its name.
pub fn plan(problem: &Arc<Problem>, seed: u64) -> Option<(Plan, &'static str)> {
    let rng = &mut rng_of(seed, 0, PURPOSE);
    first(problem, rng)
}

/// The schedule of a constructor that takes longer than the one of this name and may need fewer steps; and its name.
pub fn slower(problem: &Arc<Problem>, name: &str, seed: u64) -> Option<(Plan, &'static str)> {
    let rng = &mut rng_of(seed, 0, PURPOSE);
    match name {
        CHANNEL_CLASSES => match timetable::plan(problem, rng) {
            Some(plan) => Some((plan, TIMETABLE)),
            None => Some((first_fit::plan(problem, rng)?, FIRST_FIT)),
        },
        FIRST_FIT => Some((first_fit::plan_by_loads(problem, rng)?, BY_LOADS)),
        _ => None,
    }
}

/// The schedule of the first constructor that applies, with these random numbers.
fn first(problem: &Arc<Problem>, rng: &mut Rng) -> Option<(Plan, &'static str)> {
    CONSTRUCTORS.iter().find_map(|c| Some(((c.plan)(problem, rng)?, c.name)))
}

/// The schedule of the first of the constructors before one of them that applies: it changes the schedules of those.
fn plan_before(name: &str, problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    CONSTRUCTORS.iter().take_while(|c| c.name != name).find_map(|c| (c.plan)(problem, rng))
}

/// The steps of a constructor that leaves some of the messages to a search.
pub fn unfinished(problem: &Problem) -> Option<Rest> {
    Rest::new(problem, alltoall::affine_part(problem)?, AFFINE)
}

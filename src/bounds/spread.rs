//! Cut and spread. A message enters a region over the few channels into it, and then needs further
//! steps to spread there: by growth and, with store-and-forward switching, by distance. So the last
//! message from outside has to enter that many steps before the end; with store-and-forward,
//! distant messages cannot enter early. If several disjoint regions need the same number of steps,
//! at least one vertex in each must have the message that many steps before the end, but growth
//! limits how many vertices are informed by then. What a region needs follows in the same way from
//! regions inside it. In a full binary tree this is why a broadcast from a leaf takes longer than
//! growth says.
//!
//! The regions tried are the sides of the cuts that `cut` tries, such as subtrees of trees;
//! disjoint ones are chosen greedily.

use super::cut::{Side, sides};
use super::holders::Holders;
use super::region::{Area, Region};
use super::{Bound, Evidence};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use std::collections::HashSet;

/// With more vertices there are too many cuts.
const MOST_VERTICES: usize = 512;
/// Regions examined; those that are hardest to enter come first.
const MOST_REGIONS: usize = 400;
/// Sources whose messages are examined one by one.
const MOST_SOURCES: usize = 16;

/// An examined region.
struct Known<'p> {
    area: Area<'p>,
    need: u32,
    /// Indices of its parts among the known regions.
    parts: Vec<usize>,
}

pub fn bound(problem: &Problem) -> Option<Bound> {
    let n = problem.network().vertices().len();
    if n > MOST_VERTICES || problem.collective().content().is_personal() {
        return None;
    }
    let holders = Holders::of(problem);
    let known = survey(&holders);
    // Messages that join enter a region together.
    let joins = problem.collective().joins();
    let cut = if joins { None } else { best_cut(&known) };
    let sources = problem.messages() / problem.pieces() as usize;
    let senders: &[VertexId] = match sources {
        ..=MOST_SOURCES => problem.senders(),
        _ if joins => &problem.senders()[..MOST_SOURCES],
        _ => &[],
    };
    let from = senders.iter().filter_map(|&source| from_source(&holders, &known, source));
    let (steps, source, chosen) = cut.into_iter().chain(from).max_by_key(|(steps, ..)| *steps)?;
    let regions = chosen.iter().map(|&i| region(&known, i)).collect();
    Some(Bound { name: "spread", steps, evidence: Evidence::Spread { source, regions } })
}

/// The regions to try and the steps that each needs, smaller ones first.
fn survey<'h>(holders: &'h Holders<'h>) -> Vec<Known<'h>> {
    let problem = holders.problem;
    let mut seen = HashSet::new();
    // There may be 100,000, of which few are examined.
    let mut sides: Vec<(usize, Side)> = sides(problem.network())
        .flat_map(|side| [side.reverse(), side].into_iter().rev())
        .filter(|side| seen.insert(side.clone()))
        .filter(|side| problem.receivers().iter().any(|&v| side.has(v)))
        .map(|side| (holders.inflow(&side), side))
        .collect();
    sides.sort_by_cached_key(|(inflow, side)| (*inflow, side.vertices().count()));
    sides.truncate(MOST_REGIONS);
    let areas = sides.into_iter().map(|(inflow, side)| Area::new(holders, side, inflow));
    let mut areas: Vec<Area> = areas.collect();
    areas.sort_by_key(|area| (area.vertices.len(), area.inflow));
    let mut known: Vec<Known> = Vec::with_capacity(areas.len());
    for area in areas {
        let inside = |smaller: &Area| smaller.vertices.iter().all(|&v| area.has(v));
        let within: Vec<usize> = (0..known.len()).filter(|&i| inside(&known[i].area)).collect();
        let Some(alone) = area.need() else { continue };
        let steps_to = |parts: &[usize]| area.growth().steps_to(parts.len());
        let (need, parts) = divided(problem, &known, &within, steps_to).unwrap_or((0, Vec::new()));
        let better = need > alone;
        let parts = if better { parts } else { Vec::new() };
        known.push(Known { area, need: need.max(alone), parts });
    }
    known
}

/// The largest number of steps that disjoint regions among `within` prove, with these regions;
/// `steps_to` gives the steps until all of some regions can have been entered.
fn divided(
    problem: &Problem,
    known: &[Known<'_>],
    within: &[usize],
    steps_to: impl Fn(&[usize]) -> Option<u32>,
) -> Option<(u32, Vec<usize>)> {
    let mut levels: Vec<u32> = within.iter().map(|&i| known[i].need).filter(|&n| n > 0).collect();
    levels.sort_unstable();
    levels.dedup();
    let of_level = |level: u32| {
        let parts = disjoint(problem, known, within, level);
        Some((level - 1 + steps_to(&parts)?, parts))
    };
    levels.into_iter().filter_map(of_level).max_by_key(|(steps, _)| *steps)
}

/// Disjoint regions that need at least `need` steps each, smaller ones first.
fn disjoint(problem: &Problem, known: &[Known<'_>], within: &[usize], need: u32) -> Vec<usize> {
    let mut taken = vec![false; problem.network().vertices().len()];
    let mut parts = Vec::new();
    for &i in within.iter().filter(|&&i| known[i].need >= need) {
        let vertices = &known[i].area.vertices;
        if vertices.iter().all(|&v| !taken[v as usize]) {
            vertices.iter().for_each(|&v| taken[v as usize] = true);
            parts.push(i);
        }
    }
    parts
}

type Claim = (u32, Option<VertexId>, Vec<usize>);

/// The region with the largest bound on messages from outside.
fn best_cut(known: &[Known<'_>]) -> Option<Claim> {
    let steps = |k: &Known| {
        let last = last_entry(&k.area.distances_of_messages(), k.area.inflow);
        if last == 0 { 0 } else { last + k.need - 1 }
    };
    let best = (0..known.len()).rev().max_by_key(|&i| steps(&known[i]))?;
    Some((steps(&known[best]), None, vec![best]))
}

/// The earliest step in which the last of some messages can enter a region, given the distance of
/// each and the number that can enter in a step.
fn last_entry(distances: &[u32], inflow: usize) -> u32 {
    // `late` other messages have at least this distance to go.
    let waits =
        |(late, &distance): (usize, &u32)| distance - 1 + (late + 1).div_ceil(inflow.max(1)) as u32;
    distances.iter().enumerate().map(waits).max().unwrap_or(0)
}

/// The bound that regions of the whole network prove for the message of one source.
fn from_source(holders: &Holders<'_>, known: &[Known<'_>], source: VertexId) -> Option<Claim> {
    let within: Vec<usize> = (0..known.len()).filter(|&i| !known[i].area.has(source)).collect();
    let steps_to = |parts: &[usize]| {
        // The source has the message, too.
        holders.growth(source).steps_to(parts.len() + 1)
    };
    let (steps, parts) = divided(holders.problem, known, &within, steps_to)?;
    Some((steps, Some(source), parts))
}

fn region(known: &[Known<'_>], i: usize) -> Region {
    Region {
        vertices: known[i].area.vertices.clone(),
        parts: known[i].parts.iter().map(|&part| region(known, part)).collect(),
    }
}

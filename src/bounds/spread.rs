//! Cut and spread. A message enters a region over the few channels into it, and then needs some steps
//! more to spread there: by growth, in store-and-forward networks by distance, too. So the last of all
//! messages from outside, which in store-and-forward networks come from more or less far away, has to
//! enter that much before the end. And if several disjoint regions need
//! so long each, then somebody in each of them must have the message that long before the end; but
//! by then growth has informed only so many. What a region needs is found in the same way from regions
//! in it. In a full binary tree this is why a broadcast from a leaf takes longer than growth says.
//!
//! Regions to try are the sides of the cuts that `cut` tries, so subtrees of trees; of disjoint ones
//! a greedy choice is taken.

use super::cut::sides;
use super::region::{Area, Growth, Region};
use super::{Bound, Evidence};
use crate::network::VertexId;
use crate::problem::{Content, Problem};
use std::collections::HashSet;

/// Beyond this many vertices there are too many cuts.
const MOST_VERTICES: usize = 512;
/// Regions looked at, those first that are hardest to enter.
const MOST_REGIONS: usize = 400;

/// A region that was looked at.
struct Known<'p> {
    area: Area<'p>,
    need: u32,
    /// Which of the known ones are its parts.
    parts: Vec<usize>,
}

pub fn bound(problem: &Problem) -> Option<Bound> {
    let n = problem.network.vertices().len();
    if n > MOST_VERTICES || problem.collective.content() == Content::Personal {
        return None;
    }
    let known = survey(problem);
    let cut = best_cut(&known);
    let senders: &[VertexId] = if problem.messages() <= 16 { &problem.senders } else { &[] };
    let from = senders.iter().filter_map(|&source| from_source(problem, &known, source));
    let (steps, source, chosen) = cut.into_iter().chain(from).max_by_key(|(steps, ..)| *steps)?;
    let regions = chosen.iter().map(|&i| region(&known, i)).collect();
    Some(Bound { name: "spread", steps, evidence: Evidence::Spread { source, regions } })
}

/// The regions to try with what they need, smaller ones first.
fn survey(problem: &Problem) -> Vec<Known<'_>> {
    let mut seen = HashSet::new();
    let mut areas: Vec<Area> = sides(&problem.network)
        .filter(|side| seen.insert(side.clone()))
        .map(|side| Area::new(problem, side))
        .filter(|area| !area.receivers.is_empty())
        .collect();
    areas.sort_by_key(|area| (area.inflow, area.vertices.len()));
    areas.truncate(MOST_REGIONS);
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

/// The most steps that disjoint regions among `within` show to be needed, where `steps_to` says how
/// long it takes until every one of some regions can have been entered.
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

/// Disjoint regions that need at least so many steps each, smaller ones first.
fn disjoint(problem: &Problem, known: &[Known<'_>], within: &[usize], need: u32) -> Vec<usize> {
    let mut taken = vec![false; problem.network.vertices().len()];
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

/// The region that messages from outside enter last.
fn best_cut(known: &[Known<'_>]) -> Option<Claim> {
    let steps = |k: &Known| {
        let last = last_entry(&k.area.distances_of_senders(), k.area.inflow);
        if last == 0 { 0 } else { last + k.need - 1 }
    };
    let best = (0..known.len()).rev().max_by_key(|&i| steps(&known[i]))?;
    Some((steps(&known[best]), None, vec![best]))
}

/// The earliest step in which the last of some messages can enter a region, if so many can in a step
/// and every one has so far to go.
fn last_entry(distances: &[u32], inflow: usize) -> u32 {
    // `late` others have as far to go, or farther.
    let waits =
        |(late, &distance): (usize, &u32)| distance - 1 + (late + 1).div_ceil(inflow.max(1)) as u32;
    distances.iter().enumerate().map(waits).max().unwrap_or(0)
}

/// What the regions in the whole network show for the message of one source.
fn from_source(problem: &Problem, known: &[Known<'_>], source: VertexId) -> Option<Claim> {
    let within: Vec<usize> = (0..known.len()).filter(|&i| !known[i].area.has(source)).collect();
    let steps_to = |parts: &[usize]| {
        // The source, too, has the message.
        Growth::from_source(problem, source).steps_to(parts.len() + 1)
    };
    let (steps, parts) = divided(problem, known, &within, steps_to)?;
    Some((steps, Some(source), parts))
}

fn region(known: &[Known<'_>], i: usize) -> Region {
    Region {
        vertices: known[i].area.vertices.clone(),
        parts: known[i].parts.iter().map(|&part| region(known, part)).collect(),
    }
}

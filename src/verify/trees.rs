//! Copies and sums in switches. A tree is written as paths: the transfers of one message that leave a
//! vertex in one step, with hosts switching over one channel. If no vertex is entered over two channels
//! of theirs they are one transfer, and each of their channels counts once; otherwise each counts by
//! itself. Transfers that hand over parts of one sum are read backwards: those that come to a vertex
//! are one if no vertex is left over two channels. And where some vertices exchange all of a sum over
//! one vertex, into which their paths lead as a tree and out of which they lead as a tree, the exchange
//! is one transfer.

use super::plan::Plan;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the transfers of a tree have in common: the message and its piece, whether a part of a sum is
/// handed over, the end from which it is a tree, and the channel there where that matters.
type Key = (usize, u32, bool, usize, Option<u32>);

/// The transfers of a step in lists, each of which is one transfer.
pub(super) fn of_step(plan: &Plan<'_>, step: Range<usize>) -> Vec<Vec<usize>> {
    let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
    let (rest, mut units) = exchanges(plan, step);
    for id in rest {
        by_key.entry(key(plan, id)).or_default().push(id);
    }
    for (key, ids) in by_key {
        match ids.len() == 1 || is_tree(plan, &ids, key.2) {
            true => units.push(ids),
            false => units.extend(ids.into_iter().map(|id| vec![id])),
        }
    }
    units.sort_unstable();
    units
}

/// Whether a transfer hands over a part of a sum, so that its tree is read backwards.
fn hands_over(plan: &Plan<'_>, id: usize) -> bool {
    plan.demand.sums && !plan.gathers(id)
}

fn key(plan: &Plan<'_>, id: usize) -> Key {
    let (m, path) = (plan.at(id), plan.path(id));
    let is_sum = hands_over(plan, id);
    let (end, channel) = if is_sum { (m.to, path.last()) } else { (m.from, path.first()) };
    // With wormhole switching the router of the end copies as well.
    (m.source, m.copy, is_sum, end, channel.copied().filter(|_| plan.demand.hosts))
}

/// Whether the union of some paths is a tree: out of their common start, or into their common end.
fn is_tree(plan: &Plan<'_>, ids: &[usize], backwards: bool) -> bool {
    let mut over: HashMap<usize, u32> = HashMap::new();
    let [from, to] = plan.stops(ids[0]);
    let root = if backwards { to } else { from };
    ids.iter().flat_map(|&id| plan.path(id)).all(|&c| {
        let Some(&(a, b)) = plan.graph.ends.get(c as usize) else { return false };
        let v = if backwards { a } else { b };
        v != root && *over.entry(v).or_insert(c) == c
    })
}

/// The exchanges of a step that are one transfer each, and the other transfers.
fn exchanges(plan: &Plan<'_>, step: Range<usize>) -> (Vec<usize>, Vec<Vec<usize>>) {
    if !plan.demand.gathers {
        return (step.collect(), Vec::new());
    }
    let mut by_sum: HashMap<(usize, u32), Vec<usize>> = HashMap::new();
    let mut rest = Vec::new();
    for id in step {
        match hands_over(plan, id) {
            true => {
                let m = plan.at(id);
                by_sum.entry((m.source, m.copy)).or_default().push(id);
            }
            false => rest.push(id),
        }
    }
    let mut units = Vec::new();
    for ids in by_sum.into_values() {
        let pairs: Vec<[usize; 2]> = ids.iter().map(|&id| plan.stops(id)).collect();
        let among = members(&pairs);
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            ids.into_iter().partition(|&id| plan.stops(id).iter().all(|v| among.contains(v)));
        match inside.len() > 2 && leads_over_one(plan, &inside) {
            true => units.push(inside),
            false => rest.extend(inside),
        }
        rest.extend(outside);
    }
    (rest, units)
}

/// The vertices of an exchange: each of at least two sends once to each other one. Empty if there is none.
pub(super) fn members(pairs: &[[usize; 2]]) -> HashSet<usize> {
    let there: HashSet<[usize; 2]> = pairs.iter().copied().collect();
    let is_mutual = |&&[from, to]: &&[usize; 2]| there.contains(&[to, from]);
    // Twice the same pair is no exchange.
    let mutual: Vec<[usize; 2]> = pairs.iter().filter(is_mutual).copied().collect();
    let members: HashSet<usize> = mutual.iter().map(|pair| pair[0]).collect();
    let each_to_each = members.len() * members.len().saturating_sub(1);
    let once: HashSet<[usize; 2]> = mutual.iter().copied().collect();
    match mutual.len() == each_to_each && once.len() == each_to_each {
        true => members,
        false => HashSet::new(),
    }
}

/// Whether some paths visit one vertex, into which they lead as a tree and out of which they lead as a
/// tree.
fn leads_over_one(plan: &Plan<'_>, ids: &[usize]) -> bool {
    let visited = |id: usize| {
        let ends = |&c: &u32| plan.graph.ends.get(c as usize).map(|ends| ends.1);
        let mut all = vec![Some(plan.stops(id)[0])];
        all.extend(plan.path(id).iter().map(ends));
        all
    };
    let first = visited(ids[0]);
    let mut common: Vec<usize> = first.into_iter().flatten().collect();
    for &id in &ids[1..] {
        let all = visited(id);
        common.retain(|&v| all.contains(&Some(v)));
    }
    common.into_iter().any(|hub| {
        let (mut into, mut out) = (HashMap::new(), HashMap::new());
        // By channel, whether it is one of the tree into the vertex.
        let mut side: HashMap<u32, bool> = HashMap::new();
        let is_one_way = |side: &HashMap<u32, bool>| {
            let excluded = |c: &u32| plan.graph.excludes.get(*c as usize).copied().flatten();
            side.keys().filter_map(excluded).all(|other| !side.contains_key(&(other as u32)))
        };
        let fits = ids.iter().all(|&id| {
            let mut is_before = plan.stops(id)[0] != hub;
            plan.path(id).iter().all(|&c| {
                let Some(&(a, b)) = plan.graph.ends.get(c as usize) else { return false };
                let fits = match is_before {
                    true => *into.entry(a).or_insert(c) == c,
                    false => *out.entry(b).or_insert(c) == c,
                };
                let is_of_one = *side.entry(c).or_insert(is_before) == is_before;
                is_before &= b != hub;
                fits && is_of_one
            })
        });
        // What takes a half-duplex link both ways takes it twice.
        fits && is_one_way(&side)
    })
}

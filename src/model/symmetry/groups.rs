//! Groups of automorphisms for a problem. A group acts freely on the demands if its elements fix at
//! most one terminal, since a demand has two. If its elements fix a chain, it acts freely on all
//! other demands (group.rs).

use super::automorphisms::{Automorphisms, Permutation};
use super::group::{Freedom, Rest, bundles};
use super::translations::translations;
use super::{Group, Lookup};
use ccsched_base::rng::Rng;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::IndexedRandom;
use std::collections::HashSet;
use std::sync::Arc;

/// Number of searches for random automorphisms.
const SAMPLES: usize = 96;
/// Attempts to generate a group.
const ATTEMPTS: usize = 160;
/// The largest number of groups kept.
const MOST_GROUPS: usize = 48;
/// Demands with fixed routes up to which automorphisms that keep the routes are searched for.
const MOST_ROUTED: usize = 20_000;
/// Searches in vain after which there are no more of them.
const MOST_IN_VAIN: usize = 24;
/// Approximate limit on the vertices that are mapped to generate groups.
const MOST_WORK: usize = 300_000_000;

/// Groups of automorphisms for a problem that act freely on the terminals, the largest first. Empty if
/// there is no symmetry.
pub fn groups(lookup: &Lookup, rng: &mut Rng) -> Vec<Arc<Group>> {
    let translations = translations_of(lookup, rng);
    generated(lookup, (Rest::Nothing, translations), &sampled(lookup, rng), rng)
}

/// Groups of automorphisms for a problem that act freely on the demands, the largest first: those
/// that move every terminal, or if there is none, those that fix one terminal at most, and those
/// that fix a chain.
pub fn groups_of_demands(lookup: &Lookup, rng: &mut Rng) -> Vec<Arc<Group>> {
    let translations = translations_of(lookup, rng);
    let sampled = sampled(lookup, rng);
    let mut all = generated(lookup, (Rest::Nothing, translations), &sampled, rng);
    if all.is_empty() {
        all = generated(lookup, (Rest::One, None), &sampled, rng);
        all.extend(with_chains(lookup, &sampled, rng));
        all.sort_by_key(|group| (std::cmp::Reverse(group.order()), group.has_chains));
    }
    all
}

/// Groups whose elements fix the demands along chains, and no others.
fn with_chains(lookup: &Lookup, sampled: &[Permutation], rng: &mut Rng) -> Vec<Arc<Group>> {
    let (switching, routing, resources) =
        (lookup.problem().switching(), lookup.problem().routing(), lookup.problem().resources());
    // A bundle has one path in one step, and its demands begin and end on the way.
    let is_bundled = switching.holds_paths() && lookup.is_plain();
    let has_routes = lookup.problem().has_fixed_routes();
    if !is_bundled || routing.slack() > 0 || resources.have_ports() || has_routes {
        return Vec::new();
    }
    let mut groups = generated(lookup, (Rest::Chain, None), sampled, rng);
    groups.retain(|group| bundles(lookup, group).is_some_and(|(bundles, _)| !bundles.is_empty()));
    groups.iter_mut().for_each(|group| Arc::make_mut(group).has_chains = true);
    groups
}

/// Whether automorphisms are searched for.
fn has_symmetry(lookup: &Lookup) -> bool {
    let problem = lookup.problem();
    !problem.has_fixed_routes() || problem.demands().len() <= MOST_ROUTED
}

/// The group of translations, if it keeps the demands.
fn translations_of(lookup: &Lookup, rng: &mut Rng) -> Option<Group> {
    let network = lookup.problem().network();
    let first = network.terminals().next().filter(|_| has_symmetry(lookup))?;
    translations(network, rng)
        .filter(|elements| elements.iter().all(|g| lookup.keeps_demands(g)))
        .filter(|elements| keep_routes(lookup, elements))
        .map(|elements| Group::of(network, elements, first))
}

/// Whether the elements of a group of translations keep fixed routes: generators are looked at.
fn keep_routes(lookup: &Lookup, elements: &[Permutation]) -> bool {
    // An element follows from the image of the first vertex.
    let mut is_reached = vec![false; elements.len()];
    is_reached[0] = true;
    let mut reached = vec![0];
    let mut generators: Vec<&Permutation> = Vec::new();
    for g in elements {
        if is_reached[g[0] as usize] {
            continue;
        }
        if !lookup.keeps_routes(g) {
            return false;
        }
        generators.push(g);
        let mut done = 0;
        while let Some(&v) = reached.get(done) {
            done += 1;
            for image in generators.iter().map(|g| g[v as usize]) {
                if !std::mem::replace(&mut is_reached[image as usize], true) {
                    reached.push(image);
                }
            }
        }
    }
    true
}

/// The group of translations and those that some automorphisms generate, of a freedom.
fn generated(
    lookup: &Lookup,
    (rest, translations): (Rest, Option<Group>),
    sampled: &[Permutation],
    rng: &mut Rng,
) -> Vec<Arc<Group>> {
    let network = lookup.problem().network();
    let Some(first) = network.terminals().next() else { return Vec::new() };
    let terminals = network.terminals().count();
    let mut found: Vec<Group> = translations.into_iter().collect();
    let freedom = Freedom { network, rest };
    let pool = pool(lookup, freedom, sampled);
    let fixed = |&v: &VertexId| pool.iter().filter(|g| g[v as usize] == v).count();
    let base = network.terminals().min_by_key(fixed).unwrap_or(first);
    let identity = (0..network.vertices().len() as VertexId).collect();
    let trivial = Group::of(network, vec![identity], base);
    // Hashes suffice: a collision only loses one of two groups.
    let mut seen: HashSet<u64> = found.iter().map(Group::key).collect();
    let mut work = 0;
    for attempt in 0..ATTEMPTS {
        if pool.is_empty() || work > MOST_WORK {
            break;
        }
        // Attempts vary the largest order, so that groups of smaller orders are found too.
        let most = terminals >> (attempt % 4);
        let mut group = trivial.clone();
        for _ in 0..24 {
            let Some(new) = pool.choose(rng) else { break };
            work += network.vertices().len() * group.order();
            if let Some(larger) = group.with(freedom, new, most) {
                work += network.vertices().len() * larger.order() * 4;
                group = larger;
            }
            if group.order() == most || (group.order() > 1 && rng.random_range(0..12) == 0) {
                break;
            }
        }
        if group.order() > 1 && seen.insert(group.key()) {
            found.push(group);
        }
    }
    found.sort_by_key(|group| std::cmp::Reverse(group.order()));
    found.truncate(MOST_GROUPS);
    found.into_iter().map(Arc::new).collect()
}

/// The powers of some automorphisms that keep the demands and generate groups of a freedom.
fn pool(lookup: &Lookup, freedom: Freedom<'_>, sampled: &[Permutation]) -> Vec<Permutation> {
    let mut seen = HashSet::new();
    let powers = sampled.iter().flat_map(|g| freedom.powers(g));
    powers.filter(|power| lookup.keeps_demands(power) && seen.insert(power.clone())).collect()
}

/// Automorphisms of the network, found at random.
fn sampled(lookup: &Lookup, rng: &mut Rng) -> Vec<Permutation> {
    let network = lookup.problem().network();
    if !has_symmetry(lookup) || network.terminals().next().is_none() {
        return Vec::new();
    }
    if lookup.problem().has_fixed_routes() {
        return sampled_with_routes(lookup, rng);
    }
    let search = Automorphisms::new(network);
    let first = search.first();
    let terminals: Vec<VertexId> = network.terminals().collect();
    let near = network.heads(first);
    let far = (0..SAMPLES / 3).map(|_| terminals[rng.random_range(0..terminals.len())]);
    let mut even: Vec<VertexId> = near.chain(far).filter(|&v| v != first).collect();
    even.sort_unstable();
    even.dedup();
    let mut found: Vec<Permutation> =
        even.into_iter().filter_map(|target| search.find(target, true, rng)).collect();
    let alike: Vec<VertexId> = terminals.into_iter().filter(|&v| search.is_like_first(v)).collect();
    for _ in 0..SAMPLES {
        let target = *alike.choose(rng).expect("the first is like itself");
        found.extend(search.find(target, false, rng));
    }
    let mut seen = HashSet::new();
    found.retain(|g| seen.insert(g.clone()));
    found
}

/// The same, of those that keep the fixed routes.
fn sampled_with_routes(lookup: &Lookup, rng: &mut Rng) -> Vec<Permutation> {
    let network = lookup.problem().network();
    let routes = |from, to| lookup.problem().fixed_route(from, to);
    let search = Automorphisms::keeping(network, Some(&routes));
    let all = 0..network.vertices().len() as VertexId;
    let alike: Vec<VertexId> = all.filter(|&v| search.is_like_first(v)).collect();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for attempt in 0..SAMPLES {
        if found.is_empty() && attempt == MOST_IN_VAIN {
            break;
        }
        let target = *alike.choose(rng).expect("the first is like itself");
        let new = search.find(target, false, rng).filter(|g| seen.insert(g.clone()));
        found.extend(new.filter(|g| lookup.keeps_routes(g)));
    }
    found
}

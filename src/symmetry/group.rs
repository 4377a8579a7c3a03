//! Groups of automorphisms in which nobody but the identity leaves a terminal where it is.

use super::Lookup;
use super::automorphisms::{Automorphisms, Permutation};
use super::translations::translations;
use crate::network::{Network, VertexId};
use crate::rng::Rng;
use rand::RngExt;
use rand::seq::IndexedRandom;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Random automorphisms looked for.
const SAMPLES: usize = 96;
/// Groups tried to make.
const ATTEMPTS: usize = 160;
/// Groups kept.
const MOST_GROUPS: usize = 48;
/// Vertices moved in making groups, roughly.
const MOST_WORK: usize = 300_000_000;

/// A group that acts freely on the terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Where every element takes every vertex; the identity first.
    elements: Vec<Permutation>,
    /// The terminal whose image tells which element it is.
    base: VertexId,
    /// Element by image of the base, where there is one.
    by_image: Vec<Option<u32>>,
    /// Elements of which all are products, where more may come.
    generators: Vec<Permutation>,
}

impl Group {
    /// Of all its elements, the identity first; none without terminals.
    fn of(network: &Network, elements: Vec<Permutation>) -> Option<Self> {
        let base = network.terminals().next()?;
        let mut by_image = vec![None; network.vertices().len()];
        (0..)
            .zip(&elements)
            .for_each(|(g, element)| by_image[element[base as usize] as usize] = Some(g));
        Some(Group { elements, base, by_image, generators: Vec::new() })
    }

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// Where an element takes every vertex.
    pub fn element(&self, g: usize) -> &[VertexId] {
        &self.elements[g]
    }

    /// The element that does first `b`, then `a`.
    pub fn product(&self, a: usize, b: usize) -> usize {
        let image = self.elements[a][self.elements[b][self.base as usize] as usize];
        self.by_image[image as usize].expect("products are elements") as usize
    }

    /// The element that undoes another.
    pub fn inverse(&self, g: usize) -> usize {
        let origin = self.elements[g].iter().position(|&v| v == self.base);
        let element = origin.and_then(|origin| self.by_image[origin]);
        element.expect("what leads back is an element") as usize
    }

    /// A number that tells groups apart, nearly always.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.by_image.iter().flatten().for_each(|&g| self.elements[g as usize].hash(&mut hasher));
        hasher.finish()
    }

    /// This group with another element and all products, at most so many; none if that is too many
    /// or moves not every terminal.
    fn with(&self, network: &Network, new: &Permutation, most: usize) -> Option<Group> {
        let mut group = self.clone();
        group.generators.push(new.clone());
        let mut done = 0;
        while done < group.elements.len() {
            for i in 0..group.generators.len() {
                let generator = &group.generators[i];
                let product: Permutation =
                    group.elements[done].iter().map(|&v| generator[v as usize]).collect();
                let image = product[self.base as usize];
                match group.by_image[image as usize] {
                    Some(known) if group.elements[known as usize] == product => {}
                    Some(_) => return None,
                    None => {
                        let rests = |v: VertexId| product[v as usize] == v;
                        if group.order() == most || network.terminals().any(rests) {
                            return None;
                        }
                        group.by_image[image as usize] = Some(group.elements.len() as u32);
                        group.elements.push(product);
                    }
                }
            }
            done += 1;
        }
        Some(group)
    }
}

/// Groups of automorphisms for a problem, the largest first. Empty where there is no symmetry.
pub fn groups(lookup: &Lookup, rng: &mut Rng) -> Vec<Arc<Group>> {
    let network = &lookup.problem().network;
    // What keeps the network need not keep its routes.
    if lookup.problem().has_fixed_routes() || !lookup.is_plain() {
        return Vec::new();
    }
    let identity = (0..network.vertices().len() as VertexId).collect();
    let Some(trivial) = Group::of(network, vec![identity]) else { return Vec::new() };
    let terminals = network.terminals().count();
    let mut found: Vec<Group> = translations(network, rng)
        .filter(|elements| elements.iter().all(|g| lookup.keeps_demands(g)))
        .and_then(|elements| Group::of(network, elements))
        .into_iter()
        .collect();
    let pool = pool(lookup, rng);
    // By its hash: two groups in one place cost but one of them.
    let mut seen: HashSet<u64> = found.iter().map(Group::key).collect();
    let mut work = 0;
    for attempt in 0..ATTEMPTS {
        if pool.is_empty() || work > MOST_WORK {
            break;
        }
        // All orders get their chance.
        let most = terminals >> (attempt % 4);
        let mut group = trivial.clone();
        for _ in 0..24 {
            let Some(new) = pool.choose(rng) else { break };
            work += network.vertices().len() * group.order();
            if let Some(larger) = group.with(network, new, most) {
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

/// Automorphisms that move every terminal and keep the demands, and so do their powers.
fn pool(lookup: &Lookup, rng: &mut Rng) -> Vec<Permutation> {
    let network = &lookup.problem().network;
    let search = Automorphisms::new(network);
    let first = search.first();
    let terminals: Vec<VertexId> = network.terminals().collect();
    let mut pool: Vec<Permutation> = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |found: Option<Permutation>| {
        for power in found.iter().flat_map(free_powers(network)) {
            if lookup.keeps_demands(&power) && seen.insert(power.clone()) {
                pool.push(power);
            }
        }
    };
    let near = network.heads(first);
    let far = (0..SAMPLES / 3).map(|_| terminals[rng.random_range(0..terminals.len())]);
    let mut even: Vec<VertexId> = near.chain(far).filter(|&v| v != first).collect();
    even.sort_unstable();
    even.dedup();
    for target in even {
        add(search.find(target, true, rng));
    }
    for _ in 0..SAMPLES {
        let target = *terminals.choose(rng).expect("there are terminals");
        add(search.find(target, false, rng));
    }
    pool
}

/// The powers of an automorphism that generate a group which moves every terminal.
fn free_powers(network: &Network) -> impl Fn(&Permutation) -> Vec<Permutation> {
    let terminals: Vec<VertexId> = network.terminals().collect();
    move |g| {
        let mut powers = vec![g.clone()];
        loop {
            let last = powers.last().expect("it has one");
            let next: Permutation = last.iter().map(|&v| g[v as usize]).collect();
            let is_identity = (0..).zip(last).all(|(v, &image)| v == image);
            if is_identity || powers.len() > 4 * terminals.len() {
                break;
            }
            powers.push(next);
        }
        let order = powers.len();
        let rests = |power: &Permutation| terminals.iter().any(|&v| power[v as usize] == v);
        let is_free = |step: usize| {
            let generated = (1..).map(|k| k * step % order).take_while(|&k| k != 0);
            generated.map(|k| &powers[k - 1]).all(|power| !rests(power))
        };
        let divisors = (1..order).filter(|step| order % step == 0);
        divisors.filter(|&step| is_free(step)).map(|step| powers[step - 1].clone()).collect()
    }
}

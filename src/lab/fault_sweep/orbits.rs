//! Classes of equal fault sets: an automorphism of the whole network maps one set to the other, and
//! the root of the collective to its root. Automorphisms are sampled, so two equal sets may count as
//! different, but different sets never count as equal. The schedule of one set is carried over to an equal
//! one by the automorphism between them.

use super::sets::FaultSet;
use ccsched_base::rng::rng_of;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::automorphisms::{Automorphisms, Permutation};
use ccsched_model::symmetry::lookup::CarriedChannels;
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::{HashMap, HashSet};

/// Samples of automorphisms that fix the first vertex, or the root.
const RESTING: usize = 24;
/// Samples, for every other vertex, of automorphisms that map the first vertex to it.
const MOVING: usize = 3;
/// Samples of automorphisms with a property, in all.
const MOST_SAMPLES: usize = 2_000;

/// Sampled automorphisms of a network.
pub struct Symmetry<'n> {
    network: &'n Network,
    channels: CarriedChannels,
    automorphisms: Vec<Permutation>,
}

/// Equal cases: the index of each, and an automorphism that maps the first case to it. The first is solved.
pub type Class = Vec<(usize, Permutation)>;

/// A fault set, and the root if the collective has one root.
pub type Case = (FaultSet, Option<VertexId>);

impl<'n> Symmetry<'n> {
    /// Samples automorphisms, and more of those that fix `root`.
    pub fn sample(network: &'n Network, root: Option<VertexId>, seed: u64) -> Self {
        let channels = CarriedChannels::new(network);
        let search = Automorphisms::new(network);
        let mut rng = rng_of(seed, 0, 3);
        let mut found: HashSet<Permutation> = HashSet::new();
        for target in 0..network.vertices().len() as VertexId {
            let is_base = target == search.first() || Some(target) == root;
            let samples = if is_base { RESTING } else { MOVING };
            let there: Vec<Permutation> =
                (0..samples).filter_map(|_| search.find(target, false, &mut rng)).collect();
            // One automorphism to the target after the inverse of another fixes the target.
            if let Some(back) = there.first().map(inverse).filter(|_| is_base) {
                found.extend(there.iter().map(|p| after(p, &back)));
            }
            found.extend(there);
        }
        found.retain(|p| is_kept_by(network, &channels, p));
        let mut automorphisms: Vec<Permutation> = found.into_iter().collect();
        automorphisms.sort_unstable();
        Symmetry { network, channels, automorphisms }
    }

    /// Samples automorphisms with a property that holds for one after another and for inverses, more of
    /// them on a small network.
    pub fn keeping(
        network: &'n Network,
        seed: u64,
        keeps: impl Fn(&Symmetry<'n>, &[VertexId]) -> bool,
    ) -> Self {
        let mut symmetry = Symmetry::none(network);
        let search = Automorphisms::new(network);
        let vertices = network.vertices().len();
        let samples = (MOST_SAMPLES / vertices.max(1)).clamp(2, RESTING);
        let mut rng = rng_of(seed, 0, 3);
        let mut found: HashSet<Permutation> = HashSet::new();
        for target in 0..vertices as VertexId {
            for sample in 0..samples {
                // Such as translations, which move all vertices equally far.
                let Some(p) = search.find(target, sample % 2 == 0, &mut rng) else { continue };
                if !found.contains(&p)
                    && is_kept_by(network, &symmetry.channels, &p)
                    && keeps(&symmetry, &p)
                {
                    found.insert(p);
                }
            }
        }
        symmetry.automorphisms = found.into_iter().collect();
        symmetry.automorphisms.sort_unstable();
        symmetry
    }

    /// No automorphisms: every case is a class of its own.
    pub fn none(network: &'n Network) -> Self {
        Symmetry { network, channels: CarriedChannels::new(network), automorphisms: Vec::new() }
    }

    /// The image of a channel under an automorphism.
    pub fn channel(&self, c: ChannelId, automorphism: &[VertexId]) -> ChannelId {
        self.channels.image(c, automorphism).expect("automorphisms map channels to channels")
    }

    fn image(&self, (set, root): &Case, p: &[VertexId]) -> Case {
        let mut channels: Vec<ChannelId> =
            set.channels.iter().map(|&c| self.channel(c, p)).collect();
        let mut vertices: Vec<VertexId> = set.vertices.iter().map(|&v| p[v as usize]).collect();
        channels.sort_unstable();
        vertices.sort_unstable();
        (FaultSet { channels, vertices }, root.map(|root| p[root as usize]))
    }
}

/// Groups equal cases into classes, in the order of their first members.
pub fn classes(symmetry: &Symmetry<'_>, cases: &[Case]) -> Vec<Class> {
    let index: HashMap<&Case, usize> = cases.iter().zip(0..).collect();
    let identity: Permutation = (0..symmetry.network.vertices().len() as VertexId).collect();
    let mut seen = vec![false; cases.len()];
    let mut classes = Vec::new();
    for first in 0..cases.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut members = vec![(first, identity.clone())];
        let mut done = 0;
        while done < members.len() {
            let (at, from_first) = members[done].clone();
            done += 1;
            for p in &symmetry.automorphisms {
                if let Some(&other) = index.get(&symmetry.image(&cases[at], p))
                    && !std::mem::replace(&mut seen[other], true)
                {
                    members.push((other, after(p, &from_first)));
                }
            }
        }
        classes.push(members);
    }
    classes
}

/// The composition: first `b`, then `a`.
fn after(a: &Permutation, b: &Permutation) -> Permutation {
    b.iter().map(|&v| a[v as usize]).collect()
}

fn inverse(p: &Permutation) -> Permutation {
    let mut inverse = vec![0; p.len()];
    (0..).zip(p).for_each(|(v, &to): (VertexId, _)| inverse[to as usize] = v);
    inverse
}

/// Whether a permutation maps links to links of the same kind, and terminals to terminals.
fn is_kept_by(network: &Network, channels: &CarriedChannels, p: &[VertexId]) -> bool {
    let is_kept = |c: ChannelId| {
        let Some(image) = channels.image(c, p) else { return false };
        let (a, b) = (network.channel(c), network.channel(image));
        let reverse = a.reverse.map(|reverse| channels.image(reverse, p));
        (a.exclusive, a.capacity) == (b.exclusive, b.capacity) && reverse == b.reverse.map(Some)
    };
    (0..network.channels().len() as ChannelId).all(is_kept)
        && (0..).zip(p).all(|(v, &to)| network.is_terminal(v) == network.is_terminal(to))
}

/// The image of a schedule for `from` under an automorphism of the whole network, as a schedule for
/// `to`; none if the automorphism does not map one fault set to the other.
pub fn carry_over(
    symmetry: &Symmetry<'_>,
    whole: &Network,
    (from, plan, old): (&FaultSet, &Plan, &Problem),
    automorphism: &[VertexId],
    (to, new): (&FaultSet, &Problem),
) -> Option<Plan> {
    let back = channels_left(whole, from);
    let there: HashMap<ChannelId, ChannelId> =
        channels_left(whole, to).into_iter().zip(0..).collect();
    let vertex = |v: VertexId| {
        let image = automorphism[whole.find(old.network().vertex_name(v))? as usize];
        new.network().find(whole.vertex_name(image))
    };
    let message = |id| new.find_message(&old.message(id).mapped(vertex)?);
    let messages: Vec<_> = (0..old.messages() as MessageId).map(message).collect();
    let channel = |&c: &ChannelId| {
        there.get(&symmetry.channel(*back.get(c as usize)?, automorphism)).copied()
    };
    let mut carried = Plan::new(plan.len() as u32);
    for (number, step) in plan.steps().enumerate() {
        for t in step {
            let channels = t.channels.iter().map(channel).collect::<Option<Vec<_>>>()?;
            carried.push(number, messages[t.message as usize]?, channels);
        }
    }
    carried.tidy();
    Some(carried)
}

/// The channels of the whole network that remain, in the order of the remaining network, which holds
/// both channels of a two-way link at the place of the lower one.
fn channels_left(whole: &Network, set: &FaultSet) -> Vec<ChannelId> {
    let broken = |v: VertexId| set.vertices.contains(&v);
    let is_left = |c: ChannelId| {
        let ends = whole.channel(c);
        !broken(ends.from) && !broken(ends.to) && !set.channels.contains(&c)
    };
    let mut left = Vec::new();
    for c in (0..whole.channels().len() as ChannelId).filter(|&c| is_left(c)) {
        match whole.channel(c).reverse.filter(|&reverse| is_left(reverse)) {
            Some(reverse) if reverse < c => {}
            Some(reverse) => left.extend([c, reverse]),
            None => left.push(c),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault_sweep::{link_sets, vertex_sets};
    use ccsched_network::spec;

    /// Sizes of the classes of single faults, with or without a root.
    fn sizes(spec: &str, nodes: bool, root: Option<VertexId>) -> Vec<usize> {
        let network = spec::parse(spec).unwrap();
        let sets = if nodes { vertex_sets(&network, 1) } else { link_sets(&network, 1) };
        let cases: Vec<Case> = sets.into_iter().map(|set| (set, root)).collect();
        let symmetry = Symmetry::sample(&network, root, 1);
        let classes = classes(&symmetry, &cases);
        for class in &classes {
            let (first, _) = class[0];
            for (other, automorphism) in class {
                assert_eq!(symmetry.image(&cases[first], automorphism), cases[*other]);
            }
        }
        let mut sizes: Vec<usize> = classes.iter().map(|class| class.len()).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn equal_faults_are_one_class() {
        assert_eq!(sizes("hypercube:3", false, None), [12]);
        assert_eq!(sizes("hypercube:3", true, None), [8]);
        assert_eq!(sizes("petersen", false, None), [15]);
        // Classes by distance from the root.
        assert_eq!(sizes("hypercube:3", true, Some(5)), [1, 1, 3, 3]);
        assert_eq!(sizes("ring:6", false, Some(0)), [2, 2, 2]);
        // Corners, sides, inner vertices.
        assert_eq!(sizes("mesh:4x4", true, None), [4, 4, 8]);
    }
}

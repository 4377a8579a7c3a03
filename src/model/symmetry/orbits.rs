//! The transfers of a quotient: one for every orbit of demands, and *bundles* for demands that some
//! elements fix.
//!
//! A transfer in a step has as many images as the group has elements, G, if the group permutes the
//! steps freely. A demand that h elements fix has G / h images only, so it cannot fill these places alone. If the
//! terminals that those elements fix are a chain (chain.rs), a bundle does: its transfer follows
//! the whole chain. h of its images follow the chain itself, in h steps, and so it is with
//! the images of the chain. Each of them carries some demands between terminals of the chain, in the
//! same step as long as they use different parts of it. As intervals on a line, these need as many images as
//! the busiest part has demands; that number divided by h is the number of bundles. On mesh:5x5x5 a
//! third of a turn about a diagonal fixes its five terminals; six demands pass each side of the centre
//! in either direction, which makes two bundles.

use super::chain::Chain;
use super::{Group, Lookup};
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;

/// The transfers of a quotient.
#[derive(Clone, Debug, Default)]
pub struct Orbits {
    order: usize,
    /// By orbit, element: the demand.
    demands: Vec<u32>,
    bundles: Vec<Bundle>,
}

/// A transfer along a chain.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    /// The demand from the first to the last vertex of the chain.
    whole: u32,
    route: Vec<ChannelId>,
    /// By element, what that image carries: demands, and their parts of the route.
    carried: Vec<Vec<(u32, Range<usize>)>>,
}

impl Orbits {
    /// The transfers; none if a demand has an image that is none, or if there are no bundles for it.
    pub fn of(lookup: &Lookup, group: &Group) -> Option<Self> {
        let count = lookup.problem().demands().len();
        let (bundles, mut seen) = bundles(lookup, group)?;
        let bundled = seen.iter().filter(|&&seen| seen).count();
        let mut demands = Vec::with_capacity(count - bundled);
        for first in 0..count {
            if seen[first] {
                continue;
            }
            for g in 0..group.order() {
                let image = lookup.demand(first, group.element(g))?;
                seen[image] = true;
                demands.push(image as u32);
            }
        }
        let is_partition = demands.len() + bundled == count;
        is_partition.then_some(Orbits { order: group.order(), demands, bundles })
    }

    /// Number of transfers.
    pub fn transfers(&self) -> usize {
        self.demands.len() / self.order + self.bundles.len()
    }

    /// A demand with the ends of a transfer.
    pub fn demand(&self, transfer: u32) -> u32 {
        match self.bundle_of(transfer) {
            Some(bundle) => bundle.whole,
            None => self.demands[transfer as usize * self.order],
        }
    }

    /// The route of a transfer, if it must follow one.
    pub fn route(&self, transfer: u32) -> Option<&[ChannelId]> {
        self.bundle_of(transfer).map(|bundle| &bundle.route[..])
    }

    /// The demands, and their hops, that the image of a transfer of `hops` hops under an element
    /// carries.
    pub fn carried(&self, transfer: u32, g: usize, hops: usize) -> Vec<(u32, Range<usize>)> {
        match self.bundle_of(transfer) {
            Some(bundle) => bundle.carried[g].clone(),
            None => vec![(self.demands[transfer as usize * self.order + g], 0..hops)],
        }
    }

    fn bundle_of(&self, transfer: u32) -> Option<&Bundle> {
        let orbits = self.demands.len() / self.order;
        (transfer as usize).checked_sub(orbits).map(|bundle| &self.bundles[bundle])
    }
}

/// The bundles of all chains, and by demand whether a bundle carries it; none if the terminals that elements
/// fix are no chain of which they fix all or at most one, or if an image would carry nothing.
pub(super) fn bundles(lookup: &Lookup, group: &Group) -> Option<(Vec<Bundle>, Vec<bool>)> {
    let problem = lookup.problem();
    let mut bundles = Vec::new();
    let mut seen = vec![false; problem.demands().len()];
    for g in 1..group.order() {
        let rests = |&v: &VertexId| group.element(g)[v as usize] == v;
        let resting: Vec<VertexId> = problem.network().terminals().filter(rests).collect();
        for &from in &resting {
            for &to in resting.iter().filter(|&&to| to != from) {
                if !seen[lookup.demand_between(from, to)?] {
                    bundles.extend(bundles_along(lookup, group, [from, to], &mut seen)?);
                }
            }
        }
    }
    Some((bundles, seen))
}

/// The bundles of the chain that has these ends of a demand.
fn bundles_along(
    lookup: &Lookup,
    group: &Group,
    ends: [VertexId; 2],
    seen: &mut [bool],
) -> Option<Vec<Bundle>> {
    let problem = lookup.problem();
    let rests = |g: &&[VertexId], v: VertexId| g[v as usize] == v;
    let elements: Vec<&[VertexId]> = (0..group.order()).map(|g| group.element(g)).collect();
    let fixing: Vec<&[VertexId]> =
        elements.iter().filter(|g| ends.iter().all(|&v| rests(g, v))).copied().collect();
    let terminals = problem.network().terminals();
    let fixed = terminals.filter(|&v| fixing.iter().all(|g| rests(g, v))).collect();
    let chain = Chain::of(problem.network(), fixed, (ends[0], ends[1]))?;
    // Another element must not fix a part of the chain.
    let together = |g: &&[VertexId]| chain.vertices.iter().filter(|&&v| rests(g, v)).count();
    if elements.iter().any(|g| (2..chain.vertices.len()).contains(&together(g))) {
        return None;
    }
    let (route, places) = chain.route(problem.network());
    let find = |g: &[VertexId], from: usize, to: usize| {
        let [from, to] = [from, to].map(|i| g[chain.vertices[i] as usize]);
        lookup.demand_between(from, to)
    };
    let last = chain.vertices.len() - 1;
    let whole = find(elements[0], 0, last)? as u32;
    let intervals = layers(last);
    // Images that carry nothing would waste what a search at its bound needs.
    if !intervals.len().is_multiple_of(fixing.len()) {
        return None;
    }
    let mut carried = vec![vec![Vec::new(); elements.len()]; intervals.len() / fixing.len()];
    for (g, element) in elements.iter().enumerate() {
        let is_alike = |other: &&&[VertexId]| {
            chain.vertices.iter().all(|&v| other[v as usize] == element[v as usize])
        };
        // Which of the images that follow the same image of the chain this one is.
        let rank = elements[..g].iter().filter(is_alike).count();
        for (bundle, carried) in carried.iter_mut().enumerate() {
            for &(from, to) in intervals.get(bundle * fixing.len() + rank).into_iter().flatten() {
                let demand = find(element, from, to)?;
                seen[demand] = true;
                carried[g].push((demand as u32, places[from]..places[to]));
            }
        }
    }
    let bundle = |carried| Bundle { whole, route: route.clone(), carried };
    Some(carried.into_iter().map(bundle).collect())
}

/// All intervals of a line from 0 to `last`, in as few layers as possible so that those of a layer do not
/// overlap.
fn layers(last: usize) -> Vec<Vec<(usize, usize)>> {
    let mut layers: Vec<Vec<(usize, usize)>> = Vec::new();
    for from in 0..last {
        for to in from + 1..=last {
            let is_free =
                |layer: &&mut Vec<(usize, usize)>| layer.last().is_none_or(|&(_, end)| end <= from);
            match layers.iter_mut().find(is_free) {
                Some(layer) => layer.push((from, to)),
                None => layers.push(vec![(from, to)]),
            }
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_needs_as_many_layers_as_its_middle_has_intervals() {
        for last in 1..9 {
            let layers = layers(last);
            assert_eq!(layers.len(), (last + 1) * (last + 1) / 4);
            let all: usize = layers.iter().map(Vec::len).sum();
            assert_eq!(all, last * (last + 1) / 2);
            for layer in layers {
                assert!(layer.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{layer:?}");
            }
        }
    }
}

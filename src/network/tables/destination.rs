//! `destination`: as balanced, but the next channel depends on the vertex and the destination alone, as
//! in the forwarding tables of switches. The routes to a destination form a tree. Round after round
//! each tree is built anew at the prices of the loads: from the farthest vertices inwards, every
//! vertex chooses its next channel for all messages that come through it.

use super::floor::floor;
use super::loads::Loads;
use super::walks::{self, NONE};
use super::{Flow, by_destination, dimension_order, dmodk};
use crate::buckets;
use crate::network::metrics::{UNREACHABLE, distances_to};
use crate::network::{ChannelId, Network, PathList, VertexId};
use crate::rng::{Rng, rng_of};
use rand::RngExt;
use std::convert::Infallible;

/// Rounds without a smaller largest load after which the search ends.
const PATIENCE: u32 = 20;
/// The search on large networks ends after the round in which it has looked at this many channels.
const MOST_WORK: u64 = 60_000_000;
/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    Ok(find(network, flows).0)
}

/// The routes and their largest load: those of the search, or of a routing for such networks that
/// does no worse.
pub(super) fn find(network: &Network, flows: &[Flow]) -> (PathList, u32) {
    match known(network, flows) {
        Some(Known { found, load, is_least: true }) => (found, load),
        known => searched(network, flows, known),
    }
}

/// The same, where the search may do better than that routing.
pub(super) fn searched(network: &Network, flows: &[Flow], known: Option<Known>) -> (PathList, u32) {
    let searched = search(network, flows);
    let known = known.filter(|known| known.load <= searched.1);
    known.map_or(searched, |known| (known.found, known.load))
}

/// The routes of a routing for such networks.
pub(super) struct Known {
    pub found: PathList,
    /// Their largest load.
    pub load: u32,
    /// Whether no table has a smaller one.
    pub is_least: bool,
}

/// The routes of the routing for such networks with the smallest largest load, which are by destination.
pub(super) fn known(network: &Network, flows: &[Flow]) -> Option<Known> {
    let makes = [dmodk::routes, dimension_order::routes];
    let known = makes.into_iter().filter_map(|make| {
        let found = make(network, flows).ok().filter(|f| are_shortest(network, flows, f))?;
        let loads = Loads::of(network, flows, &found);
        let load = loads.largest();
        let is_least = load <= floor(network, flows, &loads);
        Some(Known { found, load, is_least })
    });
    known.min_by_key(|known| known.load)
}

/// Whether routes are shortest paths.
fn are_shortest(network: &Network, flows: &[Flow], found: &PathList) -> bool {
    let mut routes = found.iter();
    by_destination(flows).all(|group| {
        let distance = distances_to(network, group[0].to);
        let is_shortest = |(flow, route): (&Flow, &[ChannelId])| {
            route.len() == distance[flow.from as usize] as usize
        };
        group.iter().zip(routes.by_ref()).all(is_shortest)
    })
}

/// The shortest paths to one destination.
struct Paths {
    /// The vertices with a path, nearest first, without the destination.
    order: Vec<VertexId>,
    /// The channels that lead nearer, with their ends; those of one vertex of `order` after the other.
    nearer: Vec<(ChannelId, VertexId)>,
    /// Where those of each begin; at the end their number.
    starts: Vec<usize>,
}

impl Paths {
    fn to(network: &Network, to: VertexId) -> Self {
        let distance = distances_to(network, to);
        let others: Vec<VertexId> = (0..distance.len() as VertexId)
            .filter(|&v| v != to && distance[v as usize] != UNREACHABLE)
            .collect();
        let mut order = vec![0; others.len()];
        let keys = others.iter().map(|&v| distance[v as usize]);
        buckets::sort(keys, |item, at| order[at] = others[item]);
        let (mut nearer, mut starts) = (Vec::with_capacity(order.len()), vec![0]);
        for &v in &order {
            let ways = network.outgoing(v).iter().map(|&c| (c, network.channel(c).to));
            nearer.extend(ways.filter(|(_, u)| distance[*u as usize] < distance[v as usize]));
            starts.push(nearer.len());
        }
        Paths { order, nearer, starts }
    }

    /// Every vertex with its channels that lead nearer, nearest first.
    fn ways(&self) -> impl DoubleEndedIterator<Item = (usize, &[(ChannelId, VertexId)])> {
        let ways = self.starts.windows(2).map(|ends| &self.nearer[ends[0]..ends[1]]);
        self.order.iter().map(|&v| v as usize).zip(ways)
    }
}

/// The tree of one destination.
struct Tree {
    /// Kept if the tree is built again.
    paths: Option<Paths>,
    /// By vertex: the next channel, and the messages that come through.
    next: Vec<ChannelId>,
    through: Vec<u32>,
}

fn search(network: &Network, flows: &[Flow]) -> (PathList, u32) {
    let groups: Vec<&[Flow]> = by_destination(flows).collect();
    let (mut hops, mut per_round) = (0, 0u64);
    for group in &groups {
        let distance = distances_to(network, group[0].to);
        let of = |f: &Flow| u64::from(distance[f.from as usize]) * u64::from(f.messages);
        hops += group.iter().map(of).sum::<u64>();
        per_round += network.channels().len() as u64;
    }
    let mut loads = Loads::new(network, hops);
    let mut rng = rng_of(0, 0, 1);
    let n = network.vertices().len();
    let mut trees: Vec<Tree> = groups
        .iter()
        .map(|_| Tree { paths: None, next: vec![NONE; n], through: vec![0; n] })
        .collect();
    let is_repeated = per_round <= MOST_WORK;
    let (mut best, mut least, mut idle, mut work) = (PathList::default(), u32::MAX, 0, 0);
    while idle < PATIENCE {
        for (tree, group) in trees.iter_mut().zip(&groups) {
            let paths = tree.paths.take().unwrap_or_else(|| Paths::to(network, group[0].to));
            tree.build(&paths, group, &mut loads, &mut rng);
            tree.paths = Some(paths).filter(|_| is_repeated);
        }
        idle += 1;
        work += per_round;
        if loads.largest() < least {
            (best, least, idle) = (routes_of(network, &trees, &groups), loads.largest(), 0);
        }
        if least <= loads.even() || work > MOST_WORK {
            break;
        }
        loads.follow();
    }
    (best, least)
}

impl Tree {
    /// Builds the tree anew.
    fn build(&mut self, paths: &Paths, group: &[Flow], loads: &mut Loads, rng: &mut Rng) {
        for (&c, &through) in self.next.iter().zip(&self.through).filter(|(_, t)| **t > 0) {
            if c != NONE {
                loads.remove(c, through);
            }
        }
        self.through.fill(0);
        group.iter().for_each(|f| self.through[f.from as usize] += f.messages);
        // The price of the cheapest way from every vertex.
        let mut rest = vec![0.0f64; self.next.len()];
        for (v, ways) in paths.ways() {
            let prices = ways.iter().map(|&(c, to)| loads.price(c) + rest[to as usize]);
            rest[v] = prices.fold(f64::INFINITY, f64::min);
        }
        for (v, ways) in paths.ways().rev() {
            let through = self.through[v];
            let (mut chosen, mut least) = ((NONE, 0), f64::INFINITY);
            for &(c, to) in ways.iter().filter(|_| through > 0) {
                let price = loads.price_with(c, through) + rest[to as usize];
                if chosen.0 == NONE || price < least || price == least && rng.random() {
                    (chosen, least) = ((c, to), price);
                }
            }
            let (c, to) = chosen;
            self.next[v] = c;
            if c != NONE {
                loads.add(c, through);
                self.through[to as usize] += through;
            }
        }
        self.through[group[0].to as usize] = 0;
    }
}

/// The routes of all flows.
fn routes_of(network: &Network, trees: &[Tree], groups: &[&[Flow]]) -> PathList {
    let (mut routes, mut found) = (walks::Tree::new(network), PathList::default());
    for (tree, group) in trees.iter().zip(groups) {
        let next = |v: VertexId| Ok::<_, Infallible>(tree.next[v as usize]);
        let Ok(()) = routes.add(group, next, &mut found);
    }
    found
}

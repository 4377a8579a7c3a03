//! `dmodk`: on fat trees, up by the number of the destination, then down (Zahavi, "D-Mod-K routing
//! providing non-blocking traffic for shift permutations on real life fat trees", 2010). The level of
//! a switch is its distance from the nearest terminal; every link joins neighbouring levels. Where
//! a route has several channels up, it takes the one whose place is the number of the destination,
//! divided by the switches to choose from on each level below, modulo the number of places. The places
//! go round the switches above, and each has as many as its channels have capacity. Down, a route
//! passes the switches that the destination's own way up passes, where it can.

use super::{Flow, walks};
use crate::metrics::{UNREACHABLE, distances_from_any};
use crate::{ChannelId, Network, PathList, VertexId};
use std::collections::BTreeSet;

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let tree = Tree::find(network).map_err(|why| {
        format!(
            "dmodk is for fat trees and leaf-spine networks, such as fat-tree:16, and {} is none: \
             {why}; updown works on every network of two-way links",
            network.name()
        )
    })?;
    let towards = |to| {
        let (hops, tree) = (tree.hops(network, to), &tree);
        move |at| tree.next(network, &hops, at, to).ok_or(())
    };
    walks::routes(network, flows, towards).map_err(|(flow, ())| {
        let [from, to] = [flow.from, flow.to].map(|v| network.vertex_name(v));
        format!(
            "dmodk goes up and then down, and so no route leads from '{from}' to '{to}'; \
             balanced works on every network"
        )
    })
}

/// A network whose links join neighbouring levels.
struct Tree {
    /// By vertex.
    level: Vec<u32>,
    /// All vertices, lowest first.
    order: Vec<VertexId>,
    /// By terminal, its number: terminals of the same leaf have consecutive ones.
    number: Vec<u64>,
    /// By level: the product of the switches to choose from on each level below.
    ways: Vec<u64>,
}

/// The hops of every vertex to a destination, going down alone, and going up first.
struct Hops {
    down: Vec<u32>,
    up: Vec<u32>,
    /// By level: the vertex on the way up from the destination by its own number.
    own: Vec<VertexId>,
}

impl Tree {
    fn find(network: &Network) -> Result<Tree, String> {
        let n = network.vertices().len();
        let level = distances_from_any(network, network.terminals().collect());
        let is_apart =
            |c: &&crate::Channel| level[c.from as usize].abs_diff(level[c.to as usize]) != 1;
        if let Some(c) = network.channels().iter().find(is_apart) {
            let [from, to] = [c.from, c.to].map(|v| network.vertex_name(v));
            return Err(format!(
                "the link from '{from}' to '{to}' does not join neighbouring levels above the \
                 terminals"
            ));
        }
        let mut order: Vec<VertexId> = (0..n as VertexId).collect();
        order.sort_by_key(|&v| level[v as usize]);
        let mut terminals: Vec<VertexId> = network.terminals().collect();
        terminals.sort_by_key(|&v| network.heads(v).next());
        let mut number = vec![0; n];
        (0..).zip(&terminals).for_each(|(place, &v)| number[v as usize] = place);
        let levels = level.iter().filter(|&&l| l != UNREACHABLE).max().map_or(0, |&l| l as usize);
        let mut widest = vec![1; levels + 1];
        for &v in &order {
            let here = level[v as usize];
            let is_up = |c: &&ChannelId| level[network.channel(**c).to as usize] > here;
            let up = network.outgoing(v).iter().filter(is_up);
            let above: BTreeSet<VertexId> = up.map(|&c| network.channel(c).to).collect();
            let width = above.len() as u64;
            if let Some(widest) = widest.get_mut(here as usize) {
                *widest = width.max(*widest);
            }
        }
        let mut ways = vec![1u64; levels + 1];
        for l in 1..=levels {
            ways[l] = ways[l - 1].saturating_mul(widest[l - 1]);
        }
        Ok(Tree { level, order, number, ways })
    }

    /// The hops to a destination: every vertex asks its neighbours below, then those above.
    fn hops(&self, network: &Network, to: VertexId) -> Hops {
        let n = self.level.len();
        let own = self.own(network, to);
        let mut hops = Hops { down: vec![UNREACHABLE; n], up: vec![UNREACHABLE; n], own };
        hops.down[to as usize] = 0;
        for &v in &self.order {
            let below = network.heads(v).filter(|&w| self.is_above(v, w));
            let least = below.map(|w| hops.down[w as usize].saturating_add(1)).min();
            let down = &mut hops.down[v as usize];
            *down = least.map_or(*down, |least| least.min(*down));
        }
        for &v in self.order.iter().rev() {
            let above = network.heads(v).filter(|&w| self.is_above(w, v));
            let least = above.map(|w| hops.best(w).saturating_add(1)).min();
            hops.up[v as usize] = least.unwrap_or(UNREACHABLE);
        }
        hops
    }

    /// The way up from a destination by its own number.
    fn own(&self, network: &Network, to: VertexId) -> Vec<VertexId> {
        let up = |&v: &VertexId| {
            let is_up = |c: &&ChannelId| self.is_above(network.channel(**c).to, v);
            let choices: Vec<ChannelId> =
                network.outgoing(v).iter().filter(is_up).copied().collect();
            let level = self.level[v as usize] as usize;
            let chosen = pick(network, &choices, self.number[to as usize] / self.ways[level])?;
            Some(network.channel(chosen).to)
        };
        std::iter::successors(Some(to), up).collect()
    }

    fn is_above(&self, v: VertexId, w: VertexId) -> bool {
        self.level[v as usize] > self.level[w as usize]
    }

    /// The next channel of a vertex on the way to a destination.
    fn next(
        &self,
        network: &Network,
        hops: &Hops,
        at: VertexId,
        to: VertexId,
    ) -> Option<ChannelId> {
        let (down, left) = (hops.down[at as usize], hops.best(at));
        if left == UNREACHABLE {
            return None;
        }
        let leads = |c: &&ChannelId| {
            let next = network.channel(**c).to;
            if down != UNREACHABLE {
                self.is_above(at, next) && hops.down[next as usize].checked_add(1) == Some(down)
            } else {
                self.is_above(next, at) && hops.best(next).checked_add(1) == Some(left)
            }
        };
        let choices: Vec<ChannelId> = network.outgoing(at).iter().filter(leads).copied().collect();
        let number = self.number[to as usize];
        let level = self.level[at as usize] as usize;
        if down == UNREACHABLE {
            return pick(network, &choices, number / self.ways[level]);
        }
        // Parallel ways down divide the destinations as the ways up to this level do.
        let below = level.saturating_sub(1);
        let leads_home = |c: &&ChannelId| Some(&network.channel(**c).to) == hops.own.get(below);
        let home: Vec<ChannelId> = choices.iter().filter(leads_home).copied().collect();
        match home.is_empty() {
            true => pick(network, &choices, number / self.ways[below]),
            false => pick(network, &home, number / self.ways[level]),
        }
    }
}

impl Hops {
    /// The hops of a vertex: it goes down as soon as it can.
    fn best(&self, v: VertexId) -> u32 {
        match self.down[v as usize] {
            UNREACHABLE => self.up[v as usize],
            down => down,
        }
    }
}

/// One of some channels by a number. The places go round the vertices behind them.
fn pick(network: &Network, choices: &[ChannelId], number: u64) -> Option<ChannelId> {
    let capacity = |c: &ChannelId| u64::from(network.channel(*c).capacity);
    let places: u64 = choices.iter().map(capacity).sum();
    let mut place = number.checked_rem(places)?;
    let mut behind: Vec<(VertexId, u64)> = Vec::new();
    for c in choices {
        let to = network.channel(*c).to;
        match behind.iter_mut().find(|(v, _)| *v == to) {
            Some((_, places)) => *places += capacity(c),
            None => behind.push((to, capacity(c))),
        }
    }
    // Rounds in which the same vertices have places.
    let mut round = 0;
    let (to, mut place) = loop {
        behind.retain(|(_, places)| *places > round);
        let (count, end) = (behind.len() as u64, behind.iter().map(|(_, places)| *places).min()?);
        let here = (end - round) * count;
        if place < here {
            break (behind[(place % count) as usize].0, round + place / count);
        }
        (place, round) = (place - here, end);
    };
    choices.iter().copied().filter(|&c| network.channel(c).to == to).find(|c| {
        let is_here = place < capacity(c);
        place = place.wrapping_sub(capacity(c));
        is_here
    })
}

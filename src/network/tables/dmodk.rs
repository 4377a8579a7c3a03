//! `dmodk`: on fat trees, up by the number of the destination, then down (Zahavi, "D-Mod-K routing
//! providing non-blocking traffic for shift permutations on real life fat trees", 2010). The level of
//! a switch is its distance from the nearest terminal; every link joins neighbouring levels. Where
//! a route has several channels to choose from, in order of their ids and each as often as it has
//! capacity, it takes the one whose place is the number of the destination, divided by the ways up
//! from a terminal to this level, modulo their number.

use super::{Flow, walks};
use crate::network::metrics::{UNREACHABLE, distances_from_any};
use crate::network::{ChannelId, Network, PathList, VertexId};

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
    /// By level: the ways up from a terminal.
    ways: Vec<u64>,
}

/// The hops of every vertex to a destination, going down alone, and going up first.
struct Hops {
    down: Vec<u32>,
    up: Vec<u32>,
}

impl Tree {
    fn find(network: &Network) -> Result<Tree, String> {
        let n = network.vertices().len();
        let level = distances_from_any(network, network.terminals().collect());
        let is_apart = |c: &&crate::network::Channel| {
            level[c.from as usize].abs_diff(level[c.to as usize]) != 1
        };
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
            let width: u64 = up.map(|&c| u64::from(network.channel(c).capacity)).sum();
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
        let mut hops = Hops { down: vec![UNREACHABLE; n], up: vec![UNREACHABLE; n] };
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
        // Parallel ways down divide the destinations as the ways up to the other end do.
        let below = u32::from(down != UNREACHABLE);
        let level = self.level[at as usize].saturating_sub(below) as usize;
        pick(network, &choices, self.number[to as usize] / self.ways[level])
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

/// One of some channels, each of which has as many places as capacity, by a number.
fn pick(network: &Network, choices: &[ChannelId], number: u64) -> Option<ChannelId> {
    let capacity = |&c: &ChannelId| u64::from(network.channel(c).capacity);
    let places: u64 = choices.iter().map(capacity).sum();
    let mut place = number.checked_rem(places)?;
    choices.iter().copied().find(|c| {
        let is_here = place < capacity(c);
        place = place.wrapping_sub(capacity(c));
        is_here
    })
}

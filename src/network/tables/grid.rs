//! Recognises meshes, tori and hypercubes of any dimension in a network, whatever its name. Routers,
//! in order of their ids, are numbered with the last coordinate fastest, and every channel between
//! them changes one coordinate by one, or from the last to the first. Routers are the switches, and
//! each terminal is attached to one; without switches, all vertices.

use crate::network::{ChannelId, Network, VertexId};
use std::collections::{BTreeSet, HashMap};

/// A network that is a grid.
pub(super) struct Grid {
    /// The sizes of the dimensions.
    pub sizes: Vec<usize>,
    /// By dimension: whether some channel leads forwards, backwards, and from end to end.
    pub forwards: Vec<bool>,
    pub backwards: Vec<bool>,
    pub wraps: Vec<bool>,
    /// By vertex: its router.
    pub router: Vec<usize>,
    /// The vertices of routers.
    pub vertices: Vec<VertexId>,
    /// By terminal at a switch: the channels to and from it.
    pub links: HashMap<VertexId, (ChannelId, ChannelId)>,
    /// The channels from one router to another.
    between: HashMap<(usize, usize), Vec<ChannelId>>,
}

impl Grid {
    /// The grid, or why the network is none.
    pub fn find(network: &Network) -> Result<Grid, String> {
        let all = 0..network.vertices().len() as VertexId;
        let switches: Vec<VertexId> = all.clone().filter(|&v| !network.is_terminal(v)).collect();
        let is_direct = switches.is_empty();
        let vertices = if is_direct { all.collect() } else { switches };
        let mut router = vec![usize::MAX; network.vertices().len()];
        vertices.iter().enumerate().for_each(|(r, &v)| router[v as usize] = r);
        let mut links = HashMap::new();
        for v in network.terminals().filter(|_| !is_direct) {
            let ([out], [into]) = (network.outgoing(v), network.incoming(v)) else {
                return Err(hangs(network, v));
            };
            let (to, from) = (network.channel(*out).to, network.channel(*into).from);
            if to != from || network.is_terminal(to) {
                return Err(hangs(network, v));
            }
            router[v as usize] = router[to as usize];
            links.insert(v, (*out, *into));
        }
        let mut between: HashMap<(usize, usize), Vec<ChannelId>> = HashMap::new();
        for (id, c) in (0..).zip(network.channels()) {
            let (a, b) = (router[c.from as usize], router[c.to as usize]);
            if a != b {
                between.entry((a, b)).or_default().push(id);
            }
        }
        let apart: BTreeSet<usize> = between.keys().map(|&(a, b)| a.abs_diff(b)).collect();
        let mut grids = Vec::new();
        divide(vertices.len(), 1, &apart, &mut Vec::new(), &mut grids);
        let fits = |sizes: &Vec<usize>| between.keys().all(|&pair| hop(sizes, pair).is_some());
        let Some(sizes) = grids.into_iter().find(fits) else {
            return Err("its links do not join neighbours of a grid".into());
        };
        let no = vec![false; sizes.len()];
        let (mut forwards, mut backwards, mut wraps) = (no.clone(), no.clone(), no);
        for &pair in between.keys() {
            let Some((dimension, forward, wrap)) = hop(&sizes, pair) else { continue };
            wraps[dimension] |= wrap;
            // In a dimension of two a channel leads both ways.
            forwards[dimension] |= forward || sizes[dimension] == 2;
            backwards[dimension] |= !forward || sizes[dimension] == 2;
        }
        Ok(Grid { sizes, forwards, backwards, wraps, router, vertices, links, between })
    }

    /// The coordinates of a router.
    pub fn place(&self, router: usize) -> Vec<usize> {
        place(&self.sizes, router)
    }

    /// The router at these coordinates.
    pub fn at(&self, place: &[usize]) -> usize {
        place.iter().zip(&self.sizes).fold(0, |number, (&c, &size)| number * size + c)
    }

    /// The channels from one router to another.
    pub fn channels(&self, from: usize, to: usize) -> &[ChannelId] {
        self.between.get(&(from, to)).map_or(&[], Vec::as_slice)
    }
}

fn hangs(network: &Network, v: VertexId) -> String {
    let name = network.vertex_name(v);
    format!("terminal '{name}' is not attached to one switch by one link")
}

fn place(sizes: &[usize], mut router: usize) -> Vec<usize> {
    let mut place = vec![0; sizes.len()];
    for (c, size) in place.iter_mut().zip(sizes).rev() {
        (*c, router) = (router % size, router / size);
    }
    place
}

/// The dimension of a hop, whether it leads forwards, and whether it leads from end to end; none if
/// the routers are no neighbours.
fn hop(sizes: &[usize], (from, to): (usize, usize)) -> Option<(usize, bool, bool)> {
    let (a, b) = (place(sizes, from), place(sizes, to));
    let mut differ = (0..sizes.len()).filter(|&i| a[i] != b[i]);
    let (Some(i), None) = (differ.next(), differ.next()) else { return None };
    match a[i].abs_diff(b[i]) {
        1 => Some((i, a[i] < b[i], false)),
        ends if ends + 1 == sizes[i] => Some((i, a[i] > b[i], true)),
        _ => None,
    }
}

/// All sizes of grids of `left` routers, each `stride` from the next, whose neighbours can be
/// `apart` by these numbers; the last dimension first.
fn divide(
    left: usize,
    stride: usize,
    apart: &BTreeSet<usize>,
    sizes: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if left == 1 {
        if !sizes.is_empty() {
            found.push(sizes.iter().rev().copied().collect());
        }
        return;
    }
    if !apart.contains(&stride) {
        return;
    }
    for size in (2..=left).filter(|size| left.is_multiple_of(*size)) {
        sizes.push(size);
        divide(left / size, stride * size, apart, sizes, found);
        sizes.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;

    #[test]
    fn grids_are_recognised_by_their_links() {
        let found = |name: &str| Grid::find(&spec::parse(name).unwrap()).map(|grid| grid.sizes);
        assert_eq!(found("mesh:3x4"), Ok(vec![3, 4]));
        assert_eq!(found("torus:5x2x3"), Ok(vec![5, 2, 3]));
        assert_eq!(found("torus:4x4x4"), Ok(vec![4, 4, 4]));
        assert_eq!(found("hypercube:3"), Ok(vec![2, 2, 2]));
        assert_eq!(found("ring:9"), Ok(vec![9]));
        for other in ["petersen", "complete:6", "fat-tree:8", "chordal-ring:8,4", "omega:4"] {
            assert!(found(other).is_err(), "{other}");
        }
    }
}

//! Joints: vertices without which a connected network falls into parts, whatever the direction of its links
//! (articulation points; Hopcroft and Tarjan, Efficient algorithms for graph manipulation, 1973).

use crate::{Network, VertexId};

/// In place of the parent of a vertex where a search starts.
const NONE: VertexId = VertexId::MAX;

/// More visits of vertices and channels take too long to find the parts at every joint.
const MOST_VISITS: usize = 300_000_000;

/// Whether each vertex is a joint.
fn joints(net: &Network) -> Vec<bool> {
    let mut search = DepthFirst { net, found: vec![None; net.vertices().len()] };
    let mut joints = vec![false; net.vertices().len()];
    for start in 0..net.vertices().len() as VertexId {
        if search.found[start as usize].is_none() {
            search.run(start, &mut joints);
        }
    }
    joints
}

/// The joints of a network, to find the parts at each; none if that takes too long.
pub fn joints_to_part_at(network: &Network) -> Vec<VertexId> {
    let is_joint = joints(network);
    let all = (0..is_joint.len() as VertexId).filter(|&v| is_joint[v as usize]);
    let size = is_joint.len() + network.channels().len();
    if all.clone().count().saturating_mul(size) > MOST_VISITS {
        return Vec::new();
    }
    all.collect()
}

/// Numbers the parts of a network without one of its vertices, from 1: `part` becomes the number by vertex, 0 for that
/// one. Returns the sizes of the parts.
pub fn parts_without(network: &Network, without: VertexId, part: &mut [usize]) -> Vec<usize> {
    part.fill(usize::MAX);
    part[without as usize] = 0;
    let mut sizes = Vec::new();
    let mut queue = Vec::new();
    for start in 0..part.len() {
        if part[start] != usize::MAX {
            continue;
        }
        let number = sizes.len() + 1;
        part[start] = number;
        queue.push(start as VertexId);
        let mut size = 0;
        while let Some(u) = queue.pop() {
            size += 1;
            // Whatever the direction of a link.
            let back = network.incoming(u).iter().map(|&c| network.channel(c).from);
            for w in network.heads(u).chain(back) {
                if part[w as usize] == usize::MAX {
                    part[w as usize] = number;
                    queue.push(w);
                }
            }
        }
        sizes.push(size);
    }
    sizes
}

/// A search in depth.
struct DepthFirst<'n> {
    net: &'n Network,
    /// By vertex, when it was found, and the first that was found of those that a link joins to it or to what was
    /// found from it.
    found: Vec<Option<(u32, u32)>>,
}

impl DepthFirst<'_> {
    /// Searches from a vertex on.
    fn run(&mut self, start: VertexId, joints: &mut [bool]) {
        let (mut time, mut branches) = (0, 0);
        // Each vertex on the way with the one before it and the number of its neighbours that were looked at.
        let mut way = vec![(start, NONE, 0)];
        self.found[start as usize] = Some((0, 0));
        while let Some((v, before, looked_at)) = way.last_mut() {
            let (v, before) = (*v, *before);
            let Some(next) = self.neighbour(v, *looked_at) else {
                way.pop();
                if before != NONE {
                    let (own, low) = self.times(before);
                    let (_, of_branch) = self.times(v);
                    self.found[before as usize] = Some((own, low.min(of_branch)));
                    branches += u32::from(before == start);
                    joints[before as usize] |= before != start && of_branch >= own;
                }
                continue;
            };
            *looked_at += 1;
            match self.found[next as usize] {
                None => {
                    time += 1;
                    self.found[next as usize] = Some((time, time));
                    way.push((next, v, 0));
                }
                Some((when, _)) => {
                    let (own, low) = self.times(v);
                    self.found[v as usize] = Some((own, low.min(when)));
                }
            }
        }
        joints[start as usize] = branches > 1;
    }

    /// The times of a vertex that was found.
    fn times(&self, v: VertexId) -> (u32, u32) {
        self.found[v as usize].unwrap_or_default()
    }

    /// The neighbours of a vertex, some of them twice, by number.
    fn neighbour(&self, v: VertexId, number: usize) -> Option<VertexId> {
        let (out, into) = (self.net.outgoing(v), self.net.incoming(v));
        match number.checked_sub(out.len()) {
            None => Some(self.net.channel(out[number]).to),
            Some(number) => into.get(number).map(|&c| self.net.channel(c).from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn joints_are_what_holds_parts_together() {
        for topology in ["ring:6", "petersen", "mesh:3x4", "kautz:2,3", "hypercube:3"] {
            let network = spec::parse(topology).unwrap();
            assert!(!joints(&network).contains(&true), "{topology}");
        }
        let count = |topology: &str| {
            let network = spec::parse(topology).unwrap();
            joints(&network).into_iter().filter(|&is_joint| is_joint).count()
        };
        // All but the leaves; the ends of a line are none.
        assert_eq!(count("full-binary-tree:15"), 7);
        assert_eq!(count("mesh:5"), 3);
    }

    #[test]
    fn parts_are_what_a_joint_leaves() {
        let network = spec::parse("full-binary-tree:15").unwrap();
        let mut part = vec![0; 15];
        let mut sizes = parts_without(&network, 1, &mut part);
        sizes.sort_unstable();
        assert_eq!((sizes, part[1]), (vec![3, 3, 8], 0));
        assert!(part[3] != part[4] && part[4] != part[0] && part[0] == part[14]);
        let network = spec::parse("ring:6").unwrap();
        assert_eq!(parts_without(&network, 2, &mut [9; 6]), [5]);
    }
}

//! Sets of faults of a network.

use crate::network::faults::{Fault, apply};
use crate::network::{ChannelId, Network, VertexId};

/// What is broken at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaultSet {
    /// Channels, ascending; those of broken vertices are not among them.
    pub channels: Vec<ChannelId>,
    /// Vertices, ascending.
    pub vertices: Vec<VertexId>,
}

/// The links of a network, each as the first of its channels.
pub fn links(network: &Network) -> Vec<ChannelId> {
    let first = |&c: &ChannelId| network.channel(c).reverse.is_none_or(|reverse| c < reverse);
    (0..network.channels().len() as ChannelId).filter(first).collect()
}

/// All sets of so many links. A link is broken in both directions if it has two.
pub fn link_sets(network: &Network, size: usize) -> Vec<FaultSet> {
    let links = links(network);
    let both = |c: ChannelId| std::iter::once(c).chain(network.channel(c).reverse);
    let set = |chosen: Vec<ChannelId>| {
        let mut channels: Vec<ChannelId> = chosen.into_iter().flat_map(both).collect();
        channels.sort_unstable();
        FaultSet { channels, vertices: vec![] }
    };
    subsets(&links, size).into_iter().map(set).collect()
}

/// All sets of so many vertices, switches too.
pub fn vertex_sets(network: &Network, size: usize) -> Vec<FaultSet> {
    let all: Vec<VertexId> = (0..network.vertices().len() as VertexId).collect();
    let set = |vertices| FaultSet { channels: vec![], vertices };
    subsets(&all, size).into_iter().map(set).collect()
}

/// How many sets of so many of some things there are; none if the number is beyond counting.
pub fn number_of_sets(things: usize, size: usize) -> Option<u64> {
    (0..size).try_fold(1u64, |sets, i| {
        let left = things.saturating_sub(i) as u64;
        // A product of so many consecutive numbers is divisible.
        Some(sets.checked_mul(left)? / (i as u64 + 1))
    })
}

/// All ascending choices of `size` of some things.
fn subsets(things: &[u32], size: usize) -> Vec<Vec<u32>> {
    if size > things.len() {
        return vec![];
    }
    if size == 0 {
        return vec![vec![]];
    }
    let with_first = |(i, &first): (usize, &u32)| {
        let rest = subsets(&things[i + 1..], size - 1);
        rest.into_iter().map(move |rest| [&[first][..], &rest].concat())
    };
    things.iter().enumerate().flat_map(with_first).collect()
}

impl FaultSet {
    /// As schedule files hold it.
    pub fn records(&self, network: &Network) -> Vec<Fault> {
        let name = |v| network.vertex_name(v).to_string();
        let link = |&c: &ChannelId| {
            let ends = network.channel(c);
            Fault::Link(name(ends.from), name(ends.to))
        };
        let vertices = self.vertices.iter().map(|&v| Fault::Vertex(name(v)));
        self.channels.iter().map(link).chain(vertices).collect()
    }

    /// For people: `link 01-10`, `node 12`, `none`; several are joined by plus signs.
    pub fn label(&self, network: &Network) -> String {
        let mut parts = Vec::new();
        for &c in &self.channels {
            let ends = network.channel(c);
            if ends.reverse.is_none_or(|reverse| c < reverse) {
                let parallel = network.outgoing(ends.from).iter();
                let alike: Vec<ChannelId> =
                    parallel.copied().filter(|&d| network.channel(d).to == ends.to).collect();
                let number = match alike.iter().position(|&d| d == c) {
                    Some(i) if alike.len() > 1 => format!("#{}", i + 1),
                    _ => String::new(),
                };
                let [from, to] = [ends.from, ends.to].map(|v| network.vertex_name(v));
                parts.push(format!("link {from}-{to}{number}"));
            }
        }
        parts.extend(self.vertices.iter().map(|&v| format!("node {}", network.vertex_name(v))));
        if parts.is_empty() { "none".into() } else { parts.join(" + ") }
    }

    /// What is left of the network.
    ///
    /// # Errors
    /// No terminal is left.
    pub fn rest(&self, network: &Network) -> crate::Result<Network> {
        apply(network, &self.channels, &self.vertices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;

    #[test]
    fn sets_are_counted_as_they_should() {
        let count = |spec: &str, size| {
            let network = spec::parse(spec).unwrap();
            (link_sets(&network, size).len(), vertex_sets(&network, size).len())
        };
        assert_eq!(count("mesh:4x4", 1), (24, 16));
        assert_eq!(count("mesh:4x4", 2), (24 * 23 / 2, 16 * 15 / 2));
        // One-way links.
        assert_eq!(count("kautz:3,2", 1).1, 12);
        assert_eq!(count("ring:5,simplex", 1), (5, 5));
    }

    #[test]
    fn labels_name_a_link_once() {
        let network = spec::parse("mesh:2x2").unwrap();
        let labels: Vec<String> =
            link_sets(&network, 1).iter().map(|set| set.label(&network)).collect();
        assert_eq!(labels.len(), 4);
        assert!(labels.contains(&"link 00-01".to_string()), "{labels:?}");
        assert_eq!(FaultSet::default().label(&network), "none");
    }
}

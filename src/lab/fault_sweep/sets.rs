//! Fault sets: links and vertices of a network that fail together. A sweep goes through every set of K links,
//! or of K vertices.

use ccsched_base::{Error, Result};
use ccsched_network::faults::{Fault, apply, record};
use ccsched_network::{ChannelId, Network, VertexId};

/// The label of the empty set.
pub(super) const NO_FAULT: &str = "none";

/// Links and vertices that fail together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaultSet {
    /// Channels of failed links, ascending; channels of failed vertices are left out.
    pub channels: Vec<ChannelId>,
    /// Failed vertices, ascending.
    pub vertices: Vec<VertexId>,
}

impl FaultSet {
    /// The set as schedule files hold it.
    pub fn records(&self, network: &Network) -> Vec<Fault> {
        let name = |v| network.vertex_name(v).to_string();
        let link = |&c: &ChannelId| record(network, c, &self.channels);
        let vertices = self.vertices.iter().map(|&v| Fault::Vertex(name(v)));
        self.channels.iter().map(link).chain(vertices).collect()
    }

    /// The set in text: `link 01-10`, `node 12`, `none`; plus signs join several faults.
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
        if parts.is_empty() { NO_FAULT.into() } else { parts.join(" + ") }
    }

    /// The network without the set.
    ///
    /// # Errors
    /// No terminal is left.
    pub fn rest(&self, network: &Network) -> ccsched_base::Result<Network> {
        apply(network, &self.channels, &self.vertices)
    }
}

/// The most fault sets of one kind in a sweep. All of them are held in memory at once.
pub const MOST_SETS: u64 = 1_000_000;

/// The empty set, then all sets of `of_links` links, then all sets of `of_nodes` vertices.
///
/// # Errors
/// Sizes of which there are no sets or too many, and so many vertices that fewer than two terminals
/// could be left.
pub fn fault_sets(
    network: &Network,
    of_links: Option<u8>,
    of_nodes: Option<u8>,
) -> Result<Vec<FaultSet>> {
    let [of_links, of_nodes] = [of_links, of_nodes].map(|size| size.map(usize::from));
    let terminals = network.terminals().count();
    if let Some(size) = of_nodes.filter(|&size| size + 2 > terminals) {
        let why = format!(
            "without {size} vertices fewer than two of the {terminals} terminals of {} may be left; a \
             collective needs two",
            network.name(),
        );
        return Err(Error::field("fail_nodes", why));
    }
    let mut sets = vec![FaultSet::default()];
    if let Some(size) = of_links {
        check_number("fail_links", (network, "links", links(network).len()), size)?;
        sets.extend(link_sets(network, size));
    }
    if let Some(size) = of_nodes {
        check_number("fail_nodes", (network, "vertices", network.vertices().len()), size)?;
        sets.extend(vertex_sets(network, size));
    }
    Ok(sets)
}

/// Refuses a size if the number of its sets is 0 or beyond [`MOST_SETS`].
fn check_number(
    field: &'static str,
    (network, things, all): (&Network, &str, usize),
    size: usize,
) -> Result<()> {
    let number = number_of_sets(all, size);
    if number.is_some_and(|number| (1..=MOST_SETS).contains(&number)) {
        return Ok(());
    }
    let number = number.map_or("too large to count".into(), |number| number.to_string());
    let name = network.name();
    let why = format!(
        "{name} has {all} {things}; the number of sets of {size} of them is {number}, and a sweep takes \
         from 1 to {MOST_SETS} sets"
    );
    Err(Error::field(field, why))
}

/// The links of a network, each as the lower of its channels.
pub(crate) fn links(network: &Network) -> Vec<ChannelId> {
    let first = |&c: &ChannelId| network.channel(c).reverse.is_none_or(|reverse| c < reverse);
    (0..network.channels().len() as ChannelId).filter(first).collect()
}

/// All sets of `size` links. A two-way link fails in both directions.
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

/// All sets of `size` vertices, switches included.
pub fn vertex_sets(network: &Network, size: usize) -> Vec<FaultSet> {
    let all: Vec<VertexId> = (0..network.vertices().len() as VertexId).collect();
    let set = |vertices| FaultSet { channels: vec![], vertices };
    subsets(&all, size).into_iter().map(set).collect()
}

/// The binomial coefficient of `things` and `size`; none if its computation overflows.
fn number_of_sets(things: usize, size: usize) -> Option<u64> {
    if size > things {
        return Some(0);
    }
    (0..size).try_fold(1u64, |sets, i| {
        let left = (things - i) as u64;
        // The product of i + 1 consecutive numbers is divisible by i + 1.
        Some(sets.checked_mul(left)? / (i as u64 + 1))
    })
}

/// All subsets of `size` things, each in ascending order.
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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn labels_name_a_link_once() {
        let network = spec::parse("mesh:2x2").unwrap();
        let labels: Vec<String> =
            link_sets(&network, 1).iter().map(|set| set.label(&network)).collect();
        assert_eq!(labels.len(), 4);
        assert!(labels.contains(&"link 00-01".to_string()), "{labels:?}");
        assert_eq!(FaultSet::default().label(&network), "none");
    }

    #[test]
    fn every_set_is_listed_once() {
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
    fn sizes_without_sets_or_with_too_many_are_refused() {
        let refused = |spec: &str, links, nodes| {
            let network = spec::parse(spec).unwrap();
            fault_sets(&network, links, nodes).unwrap_err().to_string()
        };
        assert!(refused("ring:4", Some(9), None).starts_with("fail_links: ring:4 has 4 links"));
        assert!(refused("torus:8x8", Some(5), None).contains("is 264566400, and"));
        assert!(refused("mesh:9x9", Some(99), None).contains("too large to count"));
        assert!(refused("ring:4", None, Some(3)).starts_with("fail_nodes: without 3 vertices"));
        let network = spec::parse("ring:4").unwrap();
        assert_eq!(fault_sets(&network, Some(1), Some(2)).unwrap().len(), 1 + 4 + 6);
    }
}

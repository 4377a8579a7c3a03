//! Which fault sets a sweep goes through: every set of K links, every set of K vertices.

use super::FaultSet;
use ccsched_base::{Error, Result};
use ccsched_network::{ChannelId, Network, VertexId};

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
fn links(network: &Network) -> Vec<ChannelId> {
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

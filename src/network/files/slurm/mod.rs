//! The networks of Slurm's configuration: `topology.conf` and, in newer versions, `topology.yaml`.
//! Both say the same things: trees of switches, blocks, rings, and the YAML file tori.
//!
//! `conf` and `yaml` read the files, `layout` is what they say, `tree`, `groups` and `torus` make
//! networks.

pub mod conf;
mod groups;
mod layout;
#[cfg(feature = "yaml")]
mod torus;
mod tree;
#[cfg(feature = "yaml")]
mod yaml;

use super::Source;
use super::mistake::{Wrong, wrong};
use crate::Network;
use ccsched_base::Result;
use layout::Layout;

/// Reads `topology.conf`.
pub fn read_conf(source: &Source) -> Result<Network> {
    let layout = conf::layout(source.text);
    let net = layout.and_then(|layout| network(source, layout));
    net.map_err(|wrong| wrong.in_file(source.path, source.text))
}

/// Whether a text begins like `topology.yaml`.
pub fn is_yaml(text: &str) -> bool {
    let first = super::lines::full(text, &['#', '%']).find(|line| *line != "---");
    first.is_some_and(|line| line.trim_start_matches(['-', ' ']).starts_with("topology:"))
}

/// Reads `topology.yaml`.
#[cfg(feature = "yaml")]
pub fn read_yaml(source: &Source) -> Result<Network> {
    let layout = yaml::layout(source.text);
    let net = layout.and_then(|layout| network(source, layout));
    net.map_err(|wrong| wrong.in_file(source.path, source.text))
}

/// The library alone has no reader of YAML.
#[cfg(not(feature = "yaml"))]
pub fn read_yaml(source: &Source) -> Result<Network> {
    let why = "YAML is read by builds with the feature 'cli'; give the topology.conf".into();
    Err(Wrong { at: 0, why }.in_file(source.path, source.text))
}

/// The network of a layout.
fn network(source: &Source, layout: Layout) -> Result<Network, Wrong> {
    let (name, uplinks) = (source.name(), source.how.uplinks);
    match layout {
        Layout::Tree(switches) => tree::network(source, switches),
        Layout::Blocks(mut blocks) => {
            let first = blocks.first().map_or(0, |block| block.at);
            // Places in the plan of a machine that has fewer nodes.
            for empty in blocks.iter().filter(|block| block.nodes.is_empty()) {
                source.notices.add("empty block", empty.at, || {
                    format!("the block '{}' has no nodes and is left out", empty.name)
                });
            }
            blocks.retain(|block| !block.nodes.is_empty());
            match blocks.is_empty() {
                true => wrong(first, "no block has nodes; a list of nodes is like n[1-8]"),
                false => groups::blocks(name, blocks, uplinks),
            }
        }
        Layout::Ring(ring) if ring.nodes.is_empty() => wrong(ring.at, "the ring has no nodes"),
        Layout::Ring(ring) => groups::ring(name, ring),
        #[cfg(feature = "yaml")]
        Layout::Torus(torus) => torus::network(name, torus),
    }
}

//! A fault set: links and vertices of a network that fail together.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault_sweep::link_sets;
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
}

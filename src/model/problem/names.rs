//! The ends of messages in files of pairs, matrices and groups: a name of a vertex, or the number of a rank.

use ccsched_base::table::short;
use ccsched_network::{Network, VertexId, faults};
use std::collections::HashMap;

/// What is wrong with a name that no vertex has, if more is known than that.
type Absent<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The vertices that names stand for. A number is that of a rank, from 0, in a network of which no vertex has a
/// number for a name: elsewhere one of the two would be taken for the other.
pub struct Names<'n> {
    network: &'n Network,
    vertices: HashMap<&'n str, VertexId>,
    ranks: Vec<VertexId>,
    by_number: bool,
    absent: Absent<'n>,
}

impl<'n> Names<'n> {
    /// The names of a network, with the terminals of the ranks in their order.
    pub fn new(network: &'n Network, ranks: Vec<VertexId>, absent: Absent<'n>) -> Self {
        let names = (0..).zip(network.vertices()).map(|(v, vertex)| (&*vertex.name, v));
        let vertices: HashMap<&str, VertexId> = network.aliases().chain(names).collect();
        let by_number = !vertices.keys().any(|name| name.bytes().all(|b| b.is_ascii_digit()));
        Names { network, vertices, ranks, by_number, absent }
    }

    /// The ranks in the order of the terminals.
    pub fn of(network: &'n Network) -> Self {
        Names::new(network, network.terminals().collect(), &|_| None)
    }

    /// The network.
    pub fn network(&self) -> &'n Network {
        self.network
    }

    /// The terminals of the ranks.
    pub fn ranks(&self) -> &[VertexId] {
        &self.ranks
    }

    /// The name of a vertex.
    pub fn name(&self, v: VertexId) -> String {
        self.network.vertex_name(v).to_string()
    }

    /// The vertex of a name, whatever it is.
    pub fn vertex(&self, text: &str) -> Option<VertexId> {
        self.vertices.get(text).copied()
    }

    /// The terminal of a name or of a rank.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn terminal(&self, text: &str) -> Result<VertexId, String> {
        match self.vertex(text) {
            Some(v) if self.network.is_terminal(v) => Ok(v),
            Some(_) => {
                Err(format!("'{}' is a switch; only terminals send and receive", short(text)))
            }
            None => self.rank(text).unwrap_or_else(|| {
                let unknown = || faults::unknown(self.network, text);
                Err((self.absent)(text).unwrap_or_else(unknown))
            }),
        }
    }

    /// The terminal of a rank, if the text is a number and numbers are ranks.
    pub fn rank(&self, text: &str) -> Option<Result<VertexId, String>> {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let place = || text.parse::<usize>().ok().and_then(|rank| self.ranks.get(rank)).copied();
        let unknown = || {
            let last = self.ranks.len().saturating_sub(1);
            format!("there is no rank {}; ranks are 0 to {last}", short(text))
        };
        (is_number && self.by_number).then(|| place().ok_or_else(unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::{LinkKind, NetworkBuilder};

    fn star(hub: &str, leaves: [&str; 2]) -> Network {
        let mut net = NetworkBuilder::new("star");
        let hub = net.switch(hub);
        for leaf in leaves {
            let v = net.terminal(leaf);
            net.link(v, hub, LinkKind::FullDuplex);
        }
        net.build().unwrap()
    }

    #[test]
    fn numbers_are_ranks_where_no_vertex_is_a_number() {
        let net = star("hub", ["p", "q"]);
        let names = Names::of(&net);
        assert_eq!(["p", "q", "0", "1"].map(|text| names.terminal(text)), [1, 2, 1, 2].map(Ok));
        for (text, part) in [
            ("2", "ranks are 0 to 1"),
            ("hub", "a switch"),
            ("r", "'r'"),
            ("", "''"),
            ("-1", "'-1'"),
        ] {
            assert!(names.terminal(text).is_err_and(|why| why.contains(part)), "{text}");
        }
        let turned = Names::new(&net, vec![2, 1], &|name| (name == "r").then(|| "gone".into()));
        assert_eq!((turned.terminal("0"), turned.terminal("r")), (Ok(2), Err("gone".into())));
        // Counted from 1: what 0 and 1 are is not known.
        let net = star("hub", ["1", "2"]);
        let names = Names::of(&net);
        assert_eq!((names.terminal("1"), names.terminal("0").is_err()), (Ok(1), true));
    }
}

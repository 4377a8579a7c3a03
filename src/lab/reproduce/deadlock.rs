//! Dependencies of channels (hgsa-store-and-forward, table 1 and figure 2). The routing table of the
//! paper is a drawing; here it is an up*/down* table.

use ccsched_base::{Error, Result};
use ccsched_model::routing::PathTable;
use ccsched_network::metrics::dependency_cycle;
use ccsched_network::tables::up_and_down;
use ccsched_network::{ChannelId, Network, VertexId};

/// A network with the up*/down* routes of all pairs.
///
/// # Errors
/// The network has one-way links.
pub fn routes(network: &Network) -> Result<(Network, Vec<Routed>)> {
    let terminals: Vec<VertexId> = network.terminals().collect();
    let others = |&from: &VertexId| terminals.iter().map(move |&to| (from, to));
    let pairs = terminals.iter().flat_map(others).filter(|(from, to)| from != to);
    let routes = up_and_down(network, pairs).map_err(Error::problem)?;
    let routes = routes.iter().map(|(from, to, route)| ((from, to), route.to_vec()));
    Ok((network.clone(), routes.collect()))
}

/// A pair with its route.
pub type Routed = ((VertexId, VertexId), Vec<ChannelId>);

/// 1 if the dependencies of channels have a cycle, else 0.
pub fn cycles((network, routes): &(Network, Vec<Routed>)) -> f64 {
    let routes = routes.iter().map(|(_, route)| route.as_slice());
    f64::from(u8::from(dependency_cycle(network.channels().len(), routes).is_some()))
}

/// The number of other shortest routes of one pair that close a cycle.
pub fn closing_changes((network, routes): &(Network, Vec<Routed>)) -> f64 {
    let pairs: Vec<(VertexId, VertexId)> = routes.iter().map(|(pair, _)| *pair).collect();
    let paths = PathTable::find(network, &pairs, 0, 1);
    let mut closing = 0.0;
    for pair in 0..pairs.len() {
        for path in paths.of_pair(pair) {
            let mut changed = routes.clone();
            changed[pair].1 = paths.channels(path).to_vec();
            closing += cycles(&(network.clone(), changed));
        }
    }
    closing
}

//! `balanced`: one shortest path for every pair, with a small largest load. No table of shortest
//! paths that other routings make has a smaller one.

use super::ways::Ways;
use super::{Flow, Found, balance, destination};
use crate::network::Network;

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<Found, String> {
    let (found, load) =
        balance::balance(network, &mut Ways::new(network, None), flows).map_err(|flow| {
            let [from, to] = [flow.from, flow.to].map(|v| network.vertex_name(v));
            format!("no path leads from '{from}' to '{to}'")
        })?;
    let (by_destination, other) = destination::find(network, flows);
    // Routes by destination spread the messages of a step better.
    Ok(if other <= load { by_destination } else { found })
}

//! `balanced`: one shortest path for every pair, with a small largest load. No table of shortest
//! paths that other routings make has a smaller one.

use super::ways::Ways;
use super::{Flow, balance, destination};
use crate::cores;
use crate::network::{Network, PathList};

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let known = match destination::known(network, flows) {
        Some(known) if known.is_least => return Ok(known.found),
        known => known,
    };
    let by_pair = || balance::balance(network, &Ways::new(network, None), flows, || false);
    let (by_pair, (by_destination, other)) =
        cores::both(by_pair, || destination::searched(network, flows, known));
    let (found, load) = by_pair.map_err(|flow| {
        let [from, to] = [flow.from, flow.to].map(|v| network.vertex_name(v));
        format!("no path leads from '{from}' to '{to}'")
    })?;
    // Routes by destination spread the messages of a step better.
    Ok(if other <= load { by_destination } else { found })
}

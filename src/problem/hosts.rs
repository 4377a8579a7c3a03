//! Hosts by name: a list in Slurm's notation, and the terminals that it means.

use crate::limits::HOSTS;
use crate::network::faults::unknown;
use crate::network::hostlist::expand;
use crate::network::{Network, VertexId};
use std::collections::HashSet;

/// The terminals that a list of hosts means, each once, in its order: the host itself, or all of its
/// processes where hosts have several (`host/1`, `host/2`, ...).
///
/// # Errors
/// What is wrong: brackets, unknown names, switches.
pub fn terminals(network: &Network, list: &str) -> Result<Vec<VertexId>, String> {
    let names = expand(list, &mut HOSTS.clone()).map_err(|(_, why)| why)?;
    let mut all = Vec::new();
    for name in &names {
        match network.find(name) {
            Some(v) if network.is_terminal(v) => all.push(v),
            other => {
                let of_host = processes(network, name);
                if of_host.is_empty() {
                    let is_switch = || format!("'{name}' is a switch, and no host");
                    return Err(other.map_or_else(|| unknown(network, name), |_| is_switch()));
                }
                all.extend(of_host);
            }
        }
    }
    if all.is_empty() {
        return Err("the list has no hosts".into());
    }
    let mut seen = HashSet::new();
    all.retain(|&v| seen.insert(v));
    Ok(all)
}

/// The processes of a host, in the order of their numbers.
fn processes(network: &Network, host: &str) -> Vec<VertexId> {
    // An alias names the host, and processes have its own name.
    let host = network.find(host).map_or(host, |v| network.vertex_name(v));
    let process = |number: u32| network.find(&format!("{host}/{number}"));
    (1..).map_while(process).take_while(|&v| network.is_terminal(v)).collect()
}

//! Hosts by name: a list in Slurm's notation, and the terminals that it means.

use super::names::Names;
use ccsched_base::limits::HOSTS;
use ccsched_network::faults::unknown;
use ccsched_network::hostlist::{expand, items, unquoted};
use ccsched_network::{Network, VertexId};
use std::collections::HashSet;

/// The names of a list: a vertex of the network as it is written, in quotes if it has a comma, else in Slurm's
/// notation, n[1-8], or as a range of numbers, 0-3.
///
/// # Errors
/// What is wrong: brackets, quotes, too many names.
pub fn names(network: &Network, list: &str) -> Result<Vec<String>, String> {
    let (mut left, mut names) = (HOSTS, Vec::new());
    for item in items(list).map_err(|(_, why)| why)? {
        let word = unquoted(item);
        if word.is_empty() && !list.trim().is_empty() {
            return Err(format!("'{list}': a name is missing between commas"));
        }
        if network.find(word).is_some() {
            names.push(word.to_string());
            continue;
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_range = word.split_once('-').is_some_and(|(a, b)| is_number(a) && is_number(b));
        let range = is_range.then(|| format!("[{word}]"));
        names.extend(expand(range.as_deref().unwrap_or(item), &mut left).map_err(|(_, why)| why)?);
    }
    Ok(names)
}

/// The terminals that a list of hosts means, each once, in its order: the host itself, or all of its
/// processes where hosts have several (`host/1`, `host/2`, ...).
///
/// # Errors
/// What is wrong: brackets, unknown names, switches.
pub fn terminals(network: &Network, list: &str) -> Result<Vec<VertexId>, String> {
    terminals_of(network, &names(network, list)?, |_| None)
}

/// The same, in which numbers may be those of ranks.
///
/// # Errors
/// As [`terminals`].
pub fn members(known: &Names, list: &str) -> Result<Vec<VertexId>, String> {
    let network = known.network();
    terminals_of(network, &names(network, list)?, |name| known.rank(name))
}

/// The terminals of names; `rank` knows those of numbers.
pub(super) fn terminals_of(
    network: &Network,
    names: &[String],
    rank: impl Fn(&str) -> Option<Result<VertexId, String>>,
) -> Result<Vec<VertexId>, String> {
    let mut all = Vec::new();
    for name in names {
        match network.find(name) {
            Some(v) if network.is_terminal(v) => all.push(v),
            other => {
                let of_host = processes(network, name);
                if !of_host.is_empty() {
                    all.extend(of_host);
                    continue;
                }
                all.push(match (other, rank(name)) {
                    (Some(_), _) => return Err(format!("'{name}' is a switch, and no host")),
                    (None, Some(rank)) => rank?,
                    (None, None) => return Err(unknown(network, name)),
                });
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

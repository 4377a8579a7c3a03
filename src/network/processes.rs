//! Several processes on every host: the host becomes a switch, and its processes are the terminals.
//! Messages between processes of a host use only the links of these two.

use super::terminals::with_terminals;
use super::{ChannelId, LinkKind, MAX_CAPACITY, Network, VertexId};
use crate::{Error, Result};

/// More terminals are a mistake rather than a machine.
const MOST_TERMINALS: u64 = 1_000_000;
/// More static routes do not fit into memory.
const MOST_ROUTES: u64 = 8_000_000;

/// The processes of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerNode {
    /// How many there are.
    pub processes: u32,
    /// Messages that the link between a process and its host carries in a step and direction.
    pub width: u32,
}

/// The network in which every terminal is a host with these processes, named `host/1`, `host/2`, ...
/// A static route between two hosts becomes the route of all their processes.
///
/// # Errors
/// Numbers out of range, too many terminals or routes, names used twice.
pub fn place(net: &Network, per_node: PerNode) -> Result<Network> {
    let PerNode { processes, width } = per_node;
    let wrong = |why: String| Err(Error::field("per_node", why));
    if processes == 0 || !(1..=MAX_CAPACITY).contains(&width) {
        return wrong(format!(
            "{processes} processes with links of width {width}: both must be at least 1, the width \
             at most {MAX_CAPACITY}"
        ));
    }
    let hosts: Vec<VertexId> = net.terminals().collect();
    let terminals = hosts.len() as u64 * u64::from(processes);
    let pairs = u64::from(processes).pow(2);
    let routes = pairs.saturating_mul(net.routes().iter().count() as u64);
    if terminals > MOST_TERMINALS || routes > MOST_ROUTES {
        return wrong(format!(
            "{terminals} terminals and {routes} static routes are too many; at most \
             {MOST_TERMINALS} and {MOST_ROUTES} are possible"
        ));
    }
    let mut changed = with_terminals(net, |_| false);
    // By host, its first process and the first channel of it; each has one up and one down.
    let mut first = vec![None; net.vertices().len()];
    let mut channel = net.channels().len() as ChannelId;
    for &host in &hosts {
        for number in 1..=processes {
            let v = changed.terminal(format!("{}/{number}", net.vertex_name(host)));
            if number == 1 {
                first[host as usize] = Some((v, channel));
            }
            changed.wide_link(v, host, LinkKind::FullDuplex, width);
            channel += 2;
        }
    }
    for (from, to, route) in net.routes().iter() {
        let (Some(a), Some(b)) = (first[from as usize], first[to as usize]) else { continue };
        for p in 0..processes {
            for q in 0..processes {
                let mut whole = Vec::new();
                // A route that a fault has broken stays broken.
                if !route.is_empty() {
                    whole.push(a.1 + 2 * p);
                    whole.extend_from_slice(route);
                    whole.push(b.1 + 2 * q + 1);
                }
                changed.route(a.0 + p, b.0 + q, whole);
            }
        }
    }
    if !net.routes().is_empty() {
        for &(v, up) in first.iter().flatten() {
            for (p, q) in (0..processes).flat_map(|p| (0..processes).map(move |q| (p, q))) {
                if p != q {
                    changed.route(v + p, v + q, vec![up + 2 * p, up + 2 * q + 1]);
                }
            }
        }
    }
    changed.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;

    #[test]
    fn hosts_become_switches_with_their_processes() {
        let net = spec::parse("fat-tree:4").unwrap();
        let two = place(&net, PerNode { processes: 2, width: 1 }).unwrap();
        assert_eq!(two.terminals().count(), 8);
        assert_eq!(two.vertices().len(), net.vertices().len() + 8);
        assert_eq!(two.channels().len(), net.channels().len() + 16);
        let host = net.terminals().next().unwrap();
        let process = two.find(&format!("{}/2", net.vertex_name(host))).unwrap();
        assert_eq!(two.heads(process).collect::<Vec<_>>(), [host]);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let net = spec::parse("ring:4").unwrap();
        for (processes, width) in [(0, 1), (1, 0), (1, MAX_CAPACITY + 1), (u32::MAX, 1)] {
            let why = place(&net, PerNode { processes, width }).unwrap_err().to_string();
            assert!(why.contains("at"), "{why}");
        }
    }
}

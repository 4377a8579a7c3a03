//! The ports of the channels of a network that was read from a fabric. Such a network may have lost
//! broken parts, and hosts may have processes; but its vertices have the names that the fabric gives,
//! and parallel cables are in the order of the fabric.

use super::fabric::{Fabric, PortId};
use crate::faults::Fault;
use crate::{ChannelId, Network};
use std::collections::{BTreeMap, HashMap};

/// By channel, the port that it leaves and the port that it enters; none for the links inside hosts.
pub type Ports = Vec<Option<[PortId; 2]>>;

/// Channels by the names of their ends.
type Named<'n> = BTreeMap<[&'n str; 2], Vec<ChannelId>>;

/// The ports of the channels of a network; which of parallel cables are broken, the faults say.
///
/// # Errors
/// The first channel that is no cable of the fabric.
pub fn ports(fabric: &Fabric, network: &Network, faults: &[Fault]) -> Result<Ports, String> {
    let whole = fabric.network().map_err(|error| error.to_string())?;
    let cables: HashMap<ChannelId, [PortId; 2]> = fabric.cables().collect();
    let theirs = named(&whole);
    let mut ports = vec![None; network.channels().len()];
    for ([from, to], channels) in named(network) {
        let Some(same) = theirs.get(&[from, to]) else {
            match is_process(&whole, from, to) || is_process(&whole, to, from) {
                true => continue,
                false => {
                    return Err(format!(
                        "the fabric has no cable from '{from}' to '{to}'; it must be the file that the \
                         network of the schedule was read from"
                    ));
                }
            }
        };
        let broken = numbers(faults, from, to);
        let left: Vec<ChannelId> =
            (1..).zip(same).filter(|(n, _)| !broken.contains(n)).map(|(_, &c)| c).collect();
        let same = if left.len() == channels.len() { &left } else { same };
        if same.len() != channels.len() {
            let (cables, links) = (same.len(), channels.len());
            let s = if links == 1 { "" } else { "s" };
            return Err(format!(
                "{cables} cables lead from '{from}' to '{to}', and the schedule has {links} link{s} there, \
                 so that routes do not say which cable they take; read the fabric with separate \
                 cables, and name a broken one of them by its number: --fail A-B#2"
            ));
        }
        for (&channel, cable) in channels.iter().zip(same) {
            ports[channel as usize] = cables.get(cable).copied();
        }
    }
    Ok(ports)
}

/// The numbers of the parallel channels from one vertex to another that faults have broken.
fn numbers(faults: &[Fault], from: &str, to: &str) -> Vec<u32> {
    let number = |fault: &Fault| match fault {
        Fault::Parallel(a, b, number) if (a.as_str(), b.as_str()) == (from, to) => *number,
        _ => None,
    };
    faults.iter().filter_map(number).collect()
}

/// The channels of a network by the names of their ends, parallel ones in their order.
fn named(network: &Network) -> Named<'_> {
    let mut named = Named::new();
    for (id, channel) in (0..).zip(network.channels()) {
        let ends = [channel.from, channel.to].map(|v| network.vertex_name(v));
        named.entry(ends).or_default().push(id);
    }
    named
}

/// Whether a vertex is a process of a host of the fabric, `host/1`.
fn is_process(fabric: &Network, name: &str, host: &str) -> bool {
    let number = name.strip_prefix(host).and_then(|rest| rest.strip_prefix('/'));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
        && fabric.find(name).is_none()
        && fabric.find(host).is_some()
}

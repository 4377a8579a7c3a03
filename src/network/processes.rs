//! Several processes on every host: the host becomes a switch, and its processes are the terminals.
//! Messages between processes of a host use only the links of these two.

use super::terminals::with_terminals;
use super::{ChannelId, LinkKind, MAX_CAPACITY, Network, NetworkBuilder, VertexId};
use ccsched_base::limits::{PROCESSES, ROUTES};
use ccsched_base::{Error, Result};

/// The processes of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerNode {
    /// How many there are.
    pub processes: u32,
    /// Messages that the link between a process and its host carries in a step and direction.
    pub width: u32,
}

/// The processes of a host in the changed network.
#[derive(Clone, Copy)]
struct Ends {
    /// The first process; the others follow.
    process: VertexId,
    /// The first channel of their links; one after the other, to the host first.
    channel: ChannelId,
    /// Channels of each link.
    each: u32,
}

impl Ends {
    /// The channel from a process to the host.
    fn up(&self, process: u32) -> ChannelId {
        self.channel + self.each * process
    }

    /// The channel from the host to a process.
    fn down(&self, process: u32) -> ChannelId {
        self.channel + self.each * process + self.each - 1
    }
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
    let routes = u64::from(processes).pow(2).saturating_mul(net.routes().iter().count() as u64);
    if terminals > PROCESSES || routes > ROUTES as u64 {
        return wrong(format!(
            "{terminals} terminals and {routes} static routes are too many; at most \
             {PROCESSES} and {ROUTES} are possible"
        ));
    }
    let pairs = || (0..processes).flat_map(|p| (0..processes).map(move |q| (p, q)));
    let mut changed = with_terminals(net, |_| false);
    let mut ends = vec![None; net.vertices().len()];
    for &host in &hosts {
        let [sends, receives] =
            [net.outgoing(host), net.incoming(host)].map(|channels| !channels.is_empty());
        ends[host as usize] = Some(Ends {
            process: changed.vertices(),
            channel: changed.channels(),
            // Hosts that only send, or only receive, stay so.
            each: if sends && receives { 2 } else { 1 },
        });
        for number in 1..=processes {
            let v = changed.terminal(format!("{}/{number}", net.vertex_name(host)));
            match (sends, receives) {
                (true, false) => changed.wide_link(v, host, LinkKind::OneWay, width),
                (false, true) => changed.wide_link(host, v, LinkKind::OneWay, width),
                _ => changed.wide_link(v, host, LinkKind::FullDuplex, width),
            }
        }
    }
    for (from, to, route) in net.routes().iter() {
        let (Some(a), Some(b)) = (ends[from as usize], ends[to as usize]) else { continue };
        for (p, q) in pairs() {
            // A route that a fault has broken stays broken.
            let whole = match route {
                [] => vec![],
                _ => [&[a.up(p)], route, &[b.down(q)]].concat(),
            };
            changed.route(a.process + p, b.process + q, &whole);
        }
    }
    let both_ways = |ends: &&Ends| ends.each == 2 && !net.routes().is_empty();
    for host in ends.iter().flatten().filter(both_ways) {
        for (p, q) in pairs().filter(|(p, q)| p != q) {
            changed.route(host.process + p, host.process + q, &[host.up(p), host.down(q)]);
        }
    }
    changed.build()
}

/// The way back: the network in which a switch is the one terminal for the terminals that have no other neighbour,
/// without static routes, and by vertex the number of terminals that it stands for.
///
/// # Errors
/// As [`NetworkBuilder::build`].
pub fn merged(net: &Network) -> Result<(Network, Vec<u32>)> {
    let host = |v: VertexId| {
        let out = net.outgoing(v).iter().map(|&c| net.channel(c).to);
        let mut all = out.chain(net.incoming(v).iter().map(|&c| net.channel(c).from));
        let first = all.next().filter(|&u| net.is_terminal(v) && !net.is_terminal(u))?;
        all.all(|u| u == first).then_some(first)
    };
    let hosts: Vec<Option<VertexId>> = (0..net.vertices().len() as VertexId).map(host).collect();
    let mut of_vertex: Vec<u32> =
        (0..net.vertices().len() as VertexId).map(|v| net.is_terminal(v).into()).collect();
    hosts.iter().flatten().for_each(|&host| of_vertex[host as usize] += 1);
    let mut rest = NetworkBuilder::new(net.name());
    let mut ids = vec![None; net.vertices().len()];
    let mut numbers = Vec::new();
    for (v, vertex) in net.vertices().iter().enumerate().filter(|&(v, _)| hosts[v].is_none()) {
        ids[v] = Some(rest.vertex(vertex.name.clone(), of_vertex[v] > 0));
        numbers.push(of_vertex[v]);
    }
    for (id, channel) in (0..).zip(net.channels()) {
        let ends = [channel.from, channel.to].map(|v| ids[v as usize]);
        // The channels of a link were added together.
        let is_first = channel.reverse.is_none_or(|reverse| id < reverse);
        if let ([Some(from), Some(to)], true) = (ends, is_first) {
            rest.wide_link(from, to, channel.kind(), channel.capacity);
            rest.delay(net.delays_of(id));
        }
    }
    Ok((rest.build()?, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

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
    fn processes_are_merged_into_their_hosts() {
        for topology in ["ring:5", "dragonfly:2,2,1", "kautz:2,2", "mesh:3x2,half"] {
            let net = spec::parse(topology).unwrap();
            let (back, numbers) =
                merged(&place(&net, PerNode { processes: 3, width: 1 }).unwrap()).unwrap();
            assert_eq!(back.channels(), net.channels(), "{topology}");
            let own = (0..).zip(net.vertices()).map(|(v, _)| 3 * u32::from(net.is_terminal(v)));
            assert!(numbers.into_iter().eq(own), "{topology}");
        }
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

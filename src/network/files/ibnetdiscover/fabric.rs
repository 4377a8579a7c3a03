//! The network of a fabric. Switches and routers are switches. A host with one port is a terminal.
//! A host with several is a terminal with a switch for every port, so that a path through the host
//! is longer than one through the fabric: adapters do not forward.
//!
//! Without routes the cables between two vertices are one link with the sum of their capacities,
//! which has the same schedules and fewer paths to search. With routes they stay apart.

use super::cables::Cable;
use super::hosts::Host;
use super::names::{Wish, names};
use super::records::{Kind, Node};
use crate::files::mistake::Wrong;
use crate::terminals::Pattern;
use crate::{ChannelId, LinkKind, MAX_CAPACITY, Network, NetworkBuilder, VertexId};
use std::collections::{BTreeMap, HashMap};

/// A port by its node and its index there.
pub type PortId = (usize, usize);

/// A pair of hosts and the channels of its route.
pub type Route = (VertexId, VertexId, Vec<ChannelId>);

/// A fabric on its way to a network.
pub struct Fabric<'t> {
    pub net: NetworkBuilder,
    pub nodes: Vec<Node<'t>>,
    /// By node and port, the channel out of it and the port at its end; empty if cables are merged.
    out: HashMap<PortId, (ChannelId, PortId)>,
    pub hosts: Vec<Station>,
    /// Other names, each with the vertices that have it.
    aliases: BTreeMap<String, Vec<VertexId>>,
}

/// A host in the network.
pub struct Station {
    pub name: String,
    pub vertex: VertexId,
    pub ports: Vec<Entry>,
}

/// A port of a host.
pub struct Entry {
    pub port: PortId,
    /// Its address.
    pub lid: Option<u32>,
    /// The channels between the host and the switch of the port, if it has one: out, in.
    pub inside: Option<[ChannelId; 2]>,
}

impl<'t> Fabric<'t> {
    /// The fabric of these records; `capacities` are those of the cables.
    pub fn new(
        name: String,
        nodes: Vec<Node<'t>>,
        cables: &[Cable],
        capacities: &[u32],
        hosts: &[Host<'t>],
        merge: bool,
    ) -> Self {
        let both = |(cable, &capacity): (&Cable, &u32)| cable.ends.map(|end| (end, capacity));
        let wires: HashMap<PortId, u32> = cables.iter().zip(capacities).flat_map(both).collect();
        let mut fabric = Fabric {
            net: NetworkBuilder::new(name),
            nodes,
            out: HashMap::new(),
            hosts: Vec::new(),
            aliases: BTreeMap::new(),
        };
        let ends = fabric.vertices(hosts, &wires);
        if merge {
            fabric.merged(cables, capacities, &ends);
        } else {
            fabric.apart(cables, capacities, &ends);
        }
        fabric
    }

    /// Adds all vertices, and the links inside hosts. Returns the vertex of every port.
    fn vertices(
        &mut self,
        hosts: &[Host<'t>],
        wires: &HashMap<PortId, u32>,
    ) -> HashMap<PortId, VertexId> {
        let nodes = std::mem::take(&mut self.nodes);
        let is_switch = |&i: &usize| nodes[i].kind != Kind::Adapter;
        let switches: Vec<usize> = (0..nodes.len()).filter(is_switch).collect();
        let ports_of = |host: &Host| -> Vec<PortId> {
            let all =
                host.adapters.iter().flat_map(|&i| (0..nodes[i].ports.len()).map(move |p| (i, p)));
            all.filter(|port| wires.contains_key(port)).collect()
        };
        let hosts: Vec<(&Host, Vec<PortId>)> = hosts
            .iter()
            .map(|host| (host, ports_of(host)))
            .filter(|(_, ports)| !ports.is_empty())
            .collect();
        let mut names = names(&wishes(&nodes, &switches, &hosts)).into_iter();
        let mut name = || names.next().unwrap_or_default();
        let mut ends = HashMap::new();
        for i in switches {
            let v = self.net.switch(name());
            ends.extend((0..nodes[i].ports.len()).map(|p| ((i, p), v)));
            self.name_node(&nodes[i], v);
        }
        for (host, ports) in hosts {
            let name_of_host = name();
            let vertex = self.net.terminal(name_of_host.clone());
            let mut entries = Vec::new();
            for &(i, p) in &ports {
                let port = &nodes[i].ports[p];
                let (mut end, mut inside) = (vertex, None);
                if ports.len() > 1 {
                    end = self.net.switch(name());
                    let out = self.net.channels();
                    self.net.wide_link(vertex, end, LinkKind::FullDuplex, wires[&(i, p)]);
                    inside = Some([out, out + 1]);
                }
                port.guid.into_iter().for_each(|guid| self.alias(number(guid), end));
                entries.push(Entry { port: (i, p), lid: port.lid, inside });
                ends.insert((i, p), end);
            }
            host.adapters.iter().for_each(|&i| self.name_node(&nodes[i], vertex));
            self.hosts.push(Station { name: name_of_host, vertex, ports: entries });
        }
        self.nodes = nodes;
        ends
    }

    /// Adds the cables between two vertices as one link.
    fn merged(&mut self, cables: &[Cable], capacities: &[u32], ends: &HashMap<PortId, VertexId>) {
        let mut place: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        let mut links: Vec<(VertexId, VertexId, u32)> = Vec::new();
        for (cable, &capacity) in cables.iter().zip(capacities) {
            let [a, b] = cable.ends.map(|end| ends[&end]);
            let key = (a.min(b), a.max(b));
            let link = place.get(&key).map(|&i| &mut links[i]);
            match link.filter(|(_, _, sum)| *sum + capacity <= MAX_CAPACITY) {
                Some((_, _, sum)) => *sum += capacity,
                None => {
                    place.insert(key, links.len());
                    links.push((a, b, capacity));
                }
            }
        }
        let add = |(a, b, sum)| self.net.wide_link(a, b, LinkKind::FullDuplex, sum);
        links.into_iter().for_each(add);
    }

    /// Adds every cable as a link of its own, and notes where each port leads.
    fn apart(&mut self, cables: &[Cable], capacities: &[u32], ends: &HashMap<PortId, VertexId>) {
        for (cable, &capacity) in cables.iter().zip(capacities) {
            let [a, b] = cable.ends;
            let id = self.net.channels();
            self.net.wide_link(ends[&a], ends[&b], LinkKind::FullDuplex, capacity);
            self.out.insert(a, (id, b));
            self.out.insert(b, (id + 1, a));
        }
    }

    /// The channel out of a port, and the port at its end.
    pub fn behind(&self, port: PortId) -> Option<(ChannelId, PortId)> {
        self.out.get(&port).copied()
    }

    /// The cables as channels, each with the port that it leaves and the port that it enters.
    pub fn cables(&self) -> impl Iterator<Item = (ChannelId, [PortId; 2])> {
        self.out.iter().map(|(&port, &(channel, end))| (channel, [port, end]))
    }

    /// The network without routes and other names, while the fabric is still needed.
    pub fn network(&self) -> ccsched_base::Result<Network> {
        self.net.clone().build()
    }

    /// The hosts that a pattern names, or all.
    pub fn chosen(&self, pattern: Option<&Pattern>) -> Vec<&Station> {
        let Some(pattern) = pattern else { return self.hosts.iter().collect() };
        let mut aliases: HashMap<VertexId, Vec<&str>> = HashMap::new();
        for (alias, vertices) in &self.aliases {
            vertices.iter().for_each(|&v| aliases.entry(v).or_default().push(alias));
        }
        let is_named = |host: &&Station| {
            let others = aliases.get(&host.vertex).into_iter().flatten().copied();
            pattern.matches(others.chain([&*host.name]))
        };
        self.hosts.iter().filter(is_named).collect()
    }

    /// The network without routes.
    pub fn build(self) -> Result<Network, Wrong> {
        self.with(Vec::new())
    }

    /// The network with routes.
    pub fn with(mut self, routes: Vec<Route>) -> Result<Network, Wrong> {
        // An alias of several vertices names none of them.
        for (alias, vertices) in self.aliases {
            if let [v] = vertices[..] {
                self.net.alias(alias, v);
            }
        }
        routes.into_iter().for_each(|(from, to, route)| self.net.route(from, to, &route));
        self.net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
    }

    /// The other names of a node.
    fn name_node(&mut self, node: &Node, v: VertexId) {
        self.alias(node.id.to_string(), v);
        node.guid.into_iter().for_each(|guid| self.alias(number(guid), v));
        if !node.about.is_empty() {
            self.alias(node.about.to_string(), v);
        }
    }

    fn alias(&mut self, alias: String, v: VertexId) {
        let all = self.aliases.entry(alias).or_default();
        if !all.contains(&v) {
            all.push(v);
        }
    }
}

/// The preferred names of the vertices: those of switches, then of every host and its ports.
fn wishes<'t>(
    nodes: &[Node<'t>],
    switches: &[usize],
    hosts: &[(&Host<'t>, Vec<PortId>)],
) -> Vec<Wish<'t>> {
    let mut wishes = Vec::new();
    for &i in switches {
        wishes.push(Wish::of(nodes[i].about, nodes[i].id));
    }
    for (host, ports) in hosts {
        wishes.push(Wish::of(host.name, nodes[host.adapters[0]].id));
        for &(i, p) in ports.iter().filter(|_| ports.len() > 1) {
            let (node, number) = (&nodes[i], nodes[i].ports[p].number);
            let single = node.ports.len() == 1 && node.about != host.name;
            let port = |text: &str| format!("{text} port {number}");
            let name = if single { node.about.to_string() } else { port(node.about) };
            let long = port(&format!("{} {}", node.about, node.id)).trim().to_string();
            wishes.push(Wish { name: name.into(), long });
        }
    }
    wishes
}

/// A number of a node or port, as InfiniBand's tools print it.
fn number(guid: u64) -> String {
    format!("0x{guid:016x}")
}

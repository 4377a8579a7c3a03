//! Routes from forwarding tables: a message for an address leaves every switch through the port
//! that the table of the switch gives for it. Loops and missing entries are named.

use super::fabric::{Entry, Fabric, PortId, Route, Station};
use super::records::Kind;
use super::tables::{Table, Tables, UNREACHABLE};
use crate::ChannelId;
use crate::files::mistake::{Wrong, wrong};
use ccsched_base::limits::ROUTES;

/// The routes of all pairs of hosts. Between hosts with several ports, the pairs take the ports in
/// turn: the first sum of the hosts' numbers the first ports, the next the second ones.
pub fn routes(
    fabric: &Fabric,
    tables: &Tables,
    hosts: &[&Station],
    file: &str,
) -> Result<Vec<Route>, Wrong> {
    let pairs = hosts.len().saturating_mul(hosts.len().saturating_sub(1));
    if pairs > ROUTES {
        let why = format!(
            "{} hosts have {pairs} routes; the most are {ROUTES}: choose fewer terminals",
            hosts.len()
        );
        return wrong(0, why);
    }
    let by_node: Vec<Option<&Table>> =
        fabric.nodes.iter().map(|node| node.guid.and_then(|guid| tables.get(&guid))).collect();
    let mut walk =
        Walk { fabric, tables: by_node, file, met: vec![0; fabric.nodes.len()], number: 0 };
    let mut routes = Vec::with_capacity(pairs);
    for (j, to) in hosts.iter().enumerate() {
        for (i, from) in hosts.iter().enumerate().filter(|&(i, _)| i != j) {
            let turn = (i + j) % from.ports.len().min(to.ports.len()).max(1);
            let channels = walk.route(from, &from.ports[turn], to, &to.ports[turn])?;
            routes.push((from.vertex, to.vertex, channels));
        }
    }
    Ok(routes)
}

/// What all walks share.
struct Walk<'a, 't> {
    fabric: &'a Fabric<'t>,
    /// By node.
    tables: Vec<Option<&'a Table>>,
    /// The file of the fabric, for messages.
    file: &'a str,
    /// By node, the number of the last walk that met it.
    met: Vec<u32>,
    number: u32,
}

impl Walk<'_, '_> {
    /// The channels from a port of one host to a port of another.
    fn route(
        &mut self,
        from: &Station,
        out: &Entry,
        to: &Station,
        into: &Entry,
    ) -> Result<Vec<ChannelId>, Wrong> {
        let pair = format_args!("from '{}' to '{}'", from.name, to.name);
        let Some(lid) = into.lid.filter(|&lid| lid > 0) else {
            let why = format!("no route {pair}: '{}' has no lid in {}", to.name, self.file);
            return wrong(0, why);
        };
        self.number += 1;
        let mut channels: Vec<ChannelId> = out.inside.iter().map(|[out, _]| *out).collect();
        let mut path: Vec<usize> = Vec::new();
        let mut port: PortId = out.port;
        let mut at = 0;
        let lost =
            |at: usize, why: String| wrong(at, format!("no route {pair} (lid {lid}): {why}"));
        loop {
            let Some((channel, end)) = self.fabric.behind(port) else {
                let node = &self.fabric.nodes[port.0];
                let number = node.ports[port.1].number;
                return lost(at, format!("port {number} of {} has no cable", self.say(port.0)));
            };
            channels.push(channel);
            let node = &self.fabric.nodes[end.0];
            if end == into.port {
                channels.extend(into.inside.iter().map(|[_, back]| *back));
                return Ok(channels);
            }
            if node.kind != Kind::Switch {
                return lost(at, format!("it ends at {}, which does not forward", self.say(end.0)));
            }
            path.push(end.0);
            let Some(table) = self.tables[end.0] else {
                return lost(0, format!("{} has no table in this file", self.say(end.0)));
            };
            at = table.at;
            if std::mem::replace(&mut self.met[end.0], self.number) == self.number {
                let first = path.iter().position(|&v| v == end.0).unwrap_or(0);
                let names: Vec<String> = path[first..].iter().map(|&v| self.say(v)).collect();
                return lost(at, format!("it is a loop: {}", names.join(" - ")));
            }
            let next = match table.port(lid) {
                Some(0) => Err("delivers it to itself".to_string()),
                Some(UNREACHABLE) => Err("drops it (port 255)".to_string()),
                Some(number) => node.port(u32::from(number)).ok_or_else(|| {
                    format!("sends it to port {number}, which has no cable in {}", self.file)
                }),
                None => Err("has no entry for it".to_string()),
            };
            match next {
                Ok(index) => port = (end.0, index),
                Err(why) => return lost(at, format!("{} {why}", self.say(end.0))),
            }
        }
    }

    /// A node for a message.
    fn say(&self, node: usize) -> String {
        let node = &self.fabric.nodes[node];
        match node.kind {
            Kind::Switch => format!("switch '{}' ({})", node.about, node.id),
            Kind::Adapter => format!("adapter '{}' ({})", node.about, node.id),
            Kind::Router => format!("router '{}' ({})", node.about, node.id),
        }
    }
}

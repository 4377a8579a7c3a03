//! The cables of a fabric. Every cable stands in the file twice, once at each end, and both must
//! agree about where it leads; a file that was cut short is noticed here.

use super::records::{Kind, Node, Port};
use super::speeds::Speed;
use crate::files::Source;
use crate::files::mistake::{Wrong, line, place, wrong};
use std::collections::HashMap;

/// A cable between two ports, each given by the index of its node and its index there.
#[derive(Debug)]
pub struct Cable {
    pub ends: [(usize, usize); 2],
    /// The speed; none if the file does not say it.
    pub rate: Option<Speed>,
}

/// All cables, in the order of their first ends, without those of aggregation nodes and those from
/// a node to itself.
pub fn cables(source: &Source, nodes: &[Node]) -> Result<Vec<Cable>, Wrong> {
    let text = source.text;
    let mut ids: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        if let Some(first) = ids.insert(node.id, i) {
            let first = line(text, place(text, nodes[first].id));
            let why = format!("a second record of '{}'; the first is in line {first}", node.id);
            return wrong(place(text, node.id), why);
        }
    }
    let mut cables = Vec::new();
    for (a, node) in nodes.iter().enumerate() {
        for (p, port) in node.ports.iter().enumerate() {
            let b = *ids.get(port.peer).ok_or_else(|| dangling(text, node, port))?;
            let back = nodes[b].port(port.peer_port);
            let q = back.filter(|&q| leads_back(node, port, &nodes[b].ports[q]));
            let Some(q) = q else { return Err(one_sided(text, node, port, &nodes[b])) };
            let dropped = nodes[a].is_aggregation() || nodes[b].is_aggregation() || a == b;
            let first = (a, p) < (b, q);
            if first && dropped {
                source.notices.add("dropped cable", place(text, port.peer), || {
                    let why =
                        if a == b { "leads back to it" } else { "is for reductions in switches" };
                    format!("a cable of '{}' that {why} is left out", node.title())
                });
            }
            if first && !dropped {
                let rates = [port.rate, nodes[b].ports[q].rate];
                let rate = rates.into_iter().flatten().min();
                if rates[0] != rates[1] || rate.is_none() {
                    tell_speeds(source, [node, &nodes[b]], port, rate.is_none());
                }
                cables.push(Cable { ends: [(a, p), (b, q)], rate });
            }
        }
    }
    Ok(cables)
}

/// Warns of a cable whose speed is unknown, or not the same at both ends.
fn tell_speeds(source: &Source, ends: [&Node; 2], port: &Port, unknown: bool) {
    if source.how.equal_links {
        return;
    }
    let at = place(source.text, port.peer);
    let [a, b] = ends.map(Node::title);
    let cable =
        format!("the cable from port {} of '{a}' to port {} of '{b}'", port.number, port.peer_port);
    match unknown {
        true => source.notices.add("unknown speed", at, || {
            format!("{cable} has no known speed: it counts as the slowest one of the fabric")
        }),
        false => source.notices.add("ends differ", at, || {
            format!("{cable} has not the same speed at both ends: the slower one counts")
        }),
    }
}

/// Whether a port is the other end of a cable, and not the same end.
fn leads_back(node: &Node, port: &Port, other: &Port) -> bool {
    other.peer == node.id && other.peer_port == port.number && !std::ptr::eq(port, other)
}

/// A port whose other end has no record.
fn dangling(text: &str, node: &Node, port: &Port) -> Wrong {
    let what = if node.kind == Kind::Switch { "switch" } else { "adapter" };
    let why = format!(
        "port {} of {what} '{}' leads to '{}', which has no record: the file is not complete",
        port.number, node.id, port.peer
    );
    Wrong { at: place(text, port.peer), why }
}

/// A cable of which one end says something else.
fn one_sided(text: &str, node: &Node, port: &Port, other: &Node) -> Wrong {
    let there = match other.port(port.peer_port) {
        Some(q) => {
            let Port { peer, peer_port, .. } = &other.ports[q];
            let at = line(text, place(text, peer));
            format!("line {at} says that it leads to port {peer_port} of '{peer}'")
        }
        None => format!("that port is not listed at '{}'", other.id),
    };
    let why = format!(
        "port {} of '{}' leads to port {} of '{}', but {there}",
        port.number, node.id, port.peer_port, port.peer
    );
    Wrong { at: place(text, port.peer), why }
}

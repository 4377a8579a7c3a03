//! BookSim's anynet files: a line a router or node, with what is attached to it and, after each,
//! the latency of that link if it is not 1. A link between routers may be listed at one end or at
//! both. Latencies are cycles, whose time the file does not say, and are left out.

use super::Source;
use super::lines::{full, short};
use super::mistake::{Wrong, place, wrong};
use crate::{LinkKind, Network, NetworkBuilder};
use ccsched_base::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Whether the first line begins with a router or a node.
pub fn recognises(text: &str) -> bool {
    let Some(first) = full(text, &[]).next() else { return false };
    let mut words = first.split_whitespace();
    matches!(words.next(), Some("router" | "node"))
        && words.next().is_some_and(|word| word.parse::<u64>().is_ok())
        && matches!(words.next(), None | Some("router" | "node"))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

/// What a file has.
#[derive(Default)]
struct Lists {
    routers: BTreeSet<u32>,
    /// The router of every node.
    nodes: BTreeMap<u32, u32>,
    /// Pairs of routers, the smaller first.
    links: BTreeSet<(u32, u32)>,
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let mut lists = Lists::default();
    for row in full(text, &[]) {
        let mut words = row.split_whitespace().peekable();
        let head = item(text, row, &mut words)?;
        if let (false, number) = head
            && words.peek().is_none()
        {
            return wrong(place(text, row), format!("node {number} has no router"));
        }
        if let (true, number) = head {
            lists.routers.insert(number);
        }
        while let Some(&word) = words.peek() {
            let at = place(text, word);
            let other = item(text, row, &mut words)?;
            let latency = words.next_if(|word| word.bytes().all(|b| b.is_ascii_digit()));
            if let Some(latency) = latency.filter(|latency| *latency != "1") {
                source.notices.add("latency", place(text, latency), || {
                    "latencies are left out: they count cycles, whose time the file does not say".into()
                });
            }
            lists.join(head, other).map_err(|why| Wrong { at, why })?;
        }
    }
    if lists.nodes.is_empty() {
        return wrong(0, "the file has no nodes, only routers");
    }
    if let Some((expected, _)) = (0..).zip(lists.nodes.keys()).find(|(i, node)| i != *node) {
        let why = format!("node {expected} is missing; nodes are numbered from 0 without gaps");
        return wrong(text.len(), why);
    }
    lists.network(source.name())
}

/// A router (true) or node and its number.
fn item<'t>(
    text: &str,
    row: &'t str,
    words: &mut impl Iterator<Item = &'t str>,
) -> Result<(bool, u32), Wrong> {
    let word = words.next().unwrap_or("");
    let at = if word.is_empty() { place(text, row) } else { place(text, word) };
    let kind = match word {
        "router" => true,
        "node" => false,
        _ => {
            let why = format!(
                "'{}' is neither 'router' nor 'node'; a line is like: router 0 node 0 router 1 5",
                short(word)
            );
            return wrong(at, why);
        }
    };
    match words.next().and_then(|number| number.parse().ok()) {
        Some(number) => Ok((kind, number)),
        None => wrong(at, format!("'{word}' needs a number: {word} 0")),
    }
}

impl Lists {
    /// Adds a link.
    fn join(
        &mut self,
        (a_routes, a): (bool, u32),
        (b_routes, b): (bool, u32),
    ) -> Result<(), String> {
        let (router, node) = match (a_routes, b_routes) {
            (true, true) if a == b => return Err(format!("router {a} is linked to itself")),
            (true, true) => {
                self.routers.extend([a, b]);
                self.links.insert((a.min(b), a.max(b)));
                return Ok(());
            }
            (true, false) => (a, b),
            (false, true) => (b, a),
            (false, false) => {
                return Err(format!("nodes {a} and {b}: a node is linked to a router only"));
            }
        };
        self.routers.insert(router);
        match self.nodes.insert(node, router) {
            Some(other) if other != router => {
                Err(format!("node {node} is at router {router} and at router {other}"))
            }
            _ => Ok(()),
        }
    }

    /// The network: nodes, then routers, each in the order of their numbers.
    fn network(self, name: String) -> Result<Network, Wrong> {
        let mut net = NetworkBuilder::new(name);
        let (nodes, links) = (self.nodes.len(), self.links.len());
        net.reserve(nodes + self.routers.len(), 2 * (nodes + links));
        // What has become part of the network is dropped before the network is built.
        let at: Vec<u32> = self.nodes.values().copied().collect();
        self.nodes.into_keys().for_each(|number| {
            net.terminal(format!("node{number}"));
        });
        let routers: Vec<u32> = self.routers.into_iter().collect();
        let first = at.len() as u32;
        routers.iter().for_each(|router| {
            net.switch(format!("router{router}"));
        });
        let vertex = |number: u32| {
            let place = routers.binary_search(&number).expect("routers of links are routers");
            first + place as u32
        };
        for (v, &router) in (0..).zip(&at) {
            net.link(v, vertex(router), LinkKind::FullDuplex);
        }
        for (a, b) in self.links {
            net.link(vertex(a), vertex(b), LinkKind::FullDuplex);
        }
        drop((at, routers));
        net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
    }
}

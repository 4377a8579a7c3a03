//! The records of a file: a line for a switch, an adapter or a router, then one for each of its
//! ports that has a cable.

use super::scan::{Scan, hex};
use super::speeds::Speed;
use crate::files::lines::{lines, short};
use crate::files::mistake::{Wrong, place, wrong};

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A switch.
    Switch,
    /// An adapter of a host.
    Adapter,
    /// A router between subnets; for a schedule it is a switch.
    Router,
}

/// The words of a record's first line.
const KINDS: [(&str, Kind); 4] =
    [("Switch", Kind::Switch), ("Ca", Kind::Adapter), ("Hca", Kind::Adapter), ("Rt", Kind::Router)];

/// The exponent of the addresses of a port has 3 bits.
const MOST_LMC: u32 = 7;

/// The ports of a node: InfiniBand has numbers of 8 bits.
const MOST_PORTS: u32 = 255;

/// Lines that say nothing about cables. `ibnetdiscover -g` prints some of them without a line
/// break before the next `vendid`.
const IGNORED: [&str; 10] = [
    "#",
    "vendid=",
    "devid=",
    "sysimgguid=",
    "switchguid=",
    "caguid=",
    "rtguid=",
    "Chassis",
    "Non-Chassis",
    "Hostname:",
];

/// A record.
pub struct Node<'t> {
    pub kind: Kind,
    /// `S-`, `H-` or `R-` and the number of the node.
    pub id: &'t str,
    /// The number of the node.
    pub guid: Option<u64>,
    /// Its description; several nodes may have the same.
    pub about: &'t str,
    /// The address of the node itself (switches).
    pub lid: Option<u32>,
    /// The largest number of a port.
    most: u32,
    /// Its ports, ascending.
    pub ports: Vec<Port<'t>>,
}

/// A port with a cable.
pub struct Port<'t> {
    pub number: u32,
    /// The number of the port itself (adapters and routers).
    pub guid: Option<u64>,
    /// The other end of the cable.
    pub peer: &'t str,
    pub peer_port: u32,
    /// The address of the port (adapters and routers).
    pub lid: Option<u32>,
    /// The port has 2 to the power of this addresses, the first of which is `lid`.
    pub lmc: u32,
    /// The speed; none if the file does not say it.
    pub rate: Option<Speed>,
}

impl Node<'_> {
    /// Adapters inside switches, which reduce messages on their way, are no hosts.
    pub fn is_aggregation(&self) -> bool {
        self.kind == Kind::Adapter && self.about.contains("Aggregation Node")
    }

    /// What people call it.
    pub fn title(&self) -> &str {
        if self.about.is_empty() { self.id } else { self.about }
    }

    /// The index of a port by its number.
    pub fn port(&self, number: u32) -> Option<usize> {
        self.ports.binary_search_by_key(&number, |port| port.number).ok()
    }
}

/// Whether a text has the first line of a record.
pub fn recognises(text: &str) -> bool {
    lines(text).filter_map(head).any(|(_, mut rest)| {
        rest.number();
        rest.blanks().0.starts_with('"')
    })
}

/// The kind of a record, and its first line after the number of ports.
fn head(line: &str) -> Option<(Kind, Scan<'_>)> {
    let (_, kind) = KINDS.iter().find(|(word, _)| {
        line.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    })?;
    let mut rest = Scan(line);
    rest.word(|c| !c.is_whitespace());
    let before = *rest.blanks();
    rest.number().is_some().then_some((*kind, before))
}

/// All records.
pub fn nodes(text: &str) -> Result<Vec<Node<'_>>, Wrong> {
    let mut nodes: Vec<Node> = Vec::new();
    for line in lines(text) {
        let start = line.trim_start();
        let is_ignored = IGNORED.iter().any(|word| start.starts_with(word));
        if start.is_empty() || is_ignored || is_complaint(start) {
            continue;
        }
        let at = place(text, line);
        if start.starts_with('[') {
            let Some(node) = nodes.last_mut() else {
                return wrong(at, "a port before the first switch or adapter");
            };
            add(node, port(text, start, node.kind)?, at)?;
        } else if let Some((kind, rest)) = head(start) {
            nodes.push(node(text, kind, rest)?);
        } else {
            let why = format!(
                "'{}' is neither a switch, an adapter (Ca), a router (Rt) nor a port [1]",
                short(start)
            );
            return wrong(at, why);
        }
    }
    Ok(nodes)
}

/// Whether a line is a message of the program itself, or of its libraries, in a file that has both of
/// its outputs: `ibwarn: [7] mad_rpc: ..`, `src/query_smp.c:195; umad ..`.
fn is_complaint(line: &str) -> bool {
    let is_place = |word: &str| {
        word.strip_suffix(';').and_then(|word| word.rsplit_once(':')).is_some_and(|(file, line)| {
            file.ends_with(".c") && line.bytes().all(|b| b.is_ascii_digit())
        })
    };
    ["ibwarn:", "ibdebug:"].iter().any(|word| line.starts_with(word))
        || line.split_whitespace().next().is_some_and(is_place)
}

/// The lines that are messages of the program.
pub fn complaints(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter(|line| is_complaint(line.trim_start()))
}

/// The first line of a record, from the number of ports on.
fn node<'t>(text: &'t str, kind: Kind, mut rest: Scan<'t>) -> Result<Node<'t>, Wrong> {
    let at = place(text, rest.0);
    let most = rest.number();
    let (Some(most), Some(id)) = (most, rest.blanks().quoted()) else {
        return wrong(at, "a record begins like: Switch 36 \"S-0002c90200417670\" # \"leaf 1\"");
    };
    if most > MOST_PORTS {
        return wrong(at, format!("{most} ports; a node has at most {MOST_PORTS}"));
    }
    if id.is_empty() || id.contains(char::is_control) {
        return wrong(at, "a record needs a number, such as \"S-0002c90200417670\"");
    }
    rest.blanks().take("#");
    let about = rest.blanks().quoted().unwrap_or("");
    let about = if about.contains(char::is_control) { "" } else { about.trim() };
    let guid = id.get(2..).and_then(hex);
    // A switch goes on with: enhanced port 0 lid 4 lmc 0
    rest.blanks().word(|c| c.is_ascii_alphabetic());
    let is_switch = rest.blanks().take("port 0") && kind == Kind::Switch;
    let lid = if is_switch { rest.after("lid") } else { None };
    Ok(Node { kind, id, guid, about, lid, most, ports: Vec::new() })
}

/// The line of a port.
fn port<'t>(text: &'t str, line: &'t str, kind: Kind) -> Result<Port<'t>, Wrong> {
    let at = place(text, line);
    let mut rest = Scan(line);
    let number = rest.bracketed();
    external(&mut rest);
    let guid = rest.guid();
    let peer = rest.blanks().quoted();
    let peer_port = rest.bracketed();
    let (Some(number), Some(peer), Some(peer_port)) = (number, peer, peer_port) else {
        return wrong(at, "the line of a port begins like: [3] \"S-0002c90200417670\"[12]");
    };
    external(&mut rest);
    rest.guid();
    rest.blanks().take("#");
    // An adapter's own address stands first.
    let lid = if kind == Kind::Switch { None } else { rest.after("lid") };
    let lmc = lid.and_then(|_| rest.after("lmc")).filter(|&lmc| lmc <= MOST_LMC).unwrap_or(0);
    let last = rest.0.rsplit(['"', ' ', '\t']).find(|word| !word.is_empty());
    let rate = last.and_then(Speed::read);
    Ok(Port { number, guid, peer, peer_port, lid, lmc, rate })
}

/// Skips the number of a port on the outside of its chassis: `[ext 7]`.
fn external(rest: &mut Scan) {
    let mut inside = *rest;
    if inside.blanks().take("[ext") && inside.0.contains(']') {
        inside.word(|c| c != ']');
        inside.take("]");
        *rest = inside;
    }
}

/// Adds a port to its record, in order.
fn add<'t>(node: &mut Node<'t>, port: Port<'t>, at: usize) -> Result<(), Wrong> {
    let (number, most) = (port.number, node.most);
    if !(1..=most).contains(&number) {
        let why = format!("port {number} of '{}', which has ports 1 to {most}", node.id);
        return wrong(at, why);
    }
    match node.ports.binary_search_by_key(&number, |port| port.number) {
        Ok(_) => wrong(at, format!("port {number} of '{}' is listed twice", node.id)),
        Err(place) => {
            node.ports.insert(place, port);
            Ok(())
        }
    }
}

//! Forwarding tables as OpenSM writes them to `opensm-lfts.dump`, and reads them back: `opensm -R
//! file -U tables`. A row is an address, a port, and the end that has the address. OpenSM finds ends
//! by the numbers of their ports, so the tables of hosts survive a change of addresses.

use super::forward::Tables;
use super::records::{Kind, Node};
use crate::files::lines::short;
use std::collections::HashMap;
use std::fmt::Write;

/// The tables as text.
pub fn text(nodes: &[Node], tables: &Tables) -> String {
    let ends = ends(nodes);
    let last = tables.iter().flatten().map(|&(lid, _)| lid).max().unwrap_or(0);
    let mut text = String::new();
    for (node, table) in nodes.iter().zip(tables) {
        let Some(guid) = node.guid.filter(|_| !table.is_empty()) else { continue };
        let about = short(node.about);
        let lid = node.lid.unwrap_or(0);
        let _ = writeln!(
            text,
            "Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{about}'):"
        );
        for (lid, port) in table {
            let end = ends.get(lid).map_or("", String::as_str);
            let _ = writeln!(text, "0x{lid:04x} {port:03} # {end}");
        }
        let _ = writeln!(text, "{} lids dumped", table.len());
    }
    text
}

/// The ends of all addresses.
fn ends(nodes: &[Node]) -> HashMap<u32, String> {
    let mut ends = HashMap::new();
    for node in nodes {
        let about = short(node.about);
        if let Some(lid) = node.lid {
            ends.insert(lid, format!("Switch : '{about}'"));
        }
        let what = if node.kind == Kind::Router { "Router" } else { "Channel Adapter" };
        for port in &node.ports {
            let Some(lid) = port.lid else { continue };
            let guid = port.guid.map_or(String::new(), |guid| format!(" portguid 0x{guid:016x}"));
            for lid in lid..lid.saturating_add(1 << port.lmc) {
                ends.insert(lid, format!("{what}{guid}: '{about}'"));
            }
        }
    }
    ends
}

//! Forwarding tables from routes: a switch sends all messages for an address through one port. Two
//! routes that leave a switch for the same address through different ports have no table.
//!
//! `opensm -R file` forgets every address that the table of a switch does not have, those of switches
//! and of hosts that take no part included. So the tables get these too: from a switch without an
//! entry, a message goes to the nearest switch that has one.

use super::fabric::{Fabric, PortId};
use super::records::Kind;
use super::wiring::Ports;
use crate::{ChannelId, Network, VertexId};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// The ends of a route and its channels.
pub type Route<'r> = (VertexId, VertexId, &'r [ChannelId]);

/// By node, addresses with their numbers of ports, ascending; nothing for what is no switch.
pub type Tables = Vec<Vec<(u32, u32)>>;

/// The largest address of one port.
const LAST_LID: u32 = 0xbfff;

/// What has addresses: a switch, or a port of another node.
struct Goal {
    /// Where messages for it arrive: the switch, and the number of the port that they leave it by.
    last: (usize, u32),
    lid: u32,
    /// Number of addresses.
    count: u32,
    /// For messages.
    name: String,
}

/// The entry of a switch for an address that a route needs.
struct Need {
    port: u32,
    /// The first route that needs it.
    route: usize,
}

/// The tables of all switches that the network has.
///
/// # Errors
/// The first two routes that no tables hold; nodes without addresses, addresses of two nodes.
pub fn tables(
    fabric: &Fabric,
    network: &Network,
    ports: &Ports,
    routes: &[Route],
) -> Result<Tables, String> {
    let links = links(fabric, ports);
    let mut wired = vec![false; fabric.nodes.len()];
    ports.iter().flatten().flatten().for_each(|port| wired[port.0] = true);
    let goals = goals(fabric, &wired)?;
    let needs = needs(fabric, network, ports, routes)?;
    let mut tables = vec![Vec::new(); fabric.nodes.len()];
    for (number, goal) in goals.iter().enumerate() {
        for (node, port) in tree(goal, number, &links, &needs) {
            tables[node].extend((goal.lid..goal.lid + goal.count).map(|lid| (lid, port)));
        }
    }
    Ok(tables)
}

/// By switch, the cables that lead to it from other switches: the switch and the number of its port.
fn links(fabric: &Fabric, ports: &Ports) -> Vec<Vec<(usize, u32)>> {
    let mut links = vec![Vec::new(); fabric.nodes.len()];
    for &[out, into] in ports.iter().flatten() {
        if [out, into].iter().all(|port| fabric.nodes[port.0].kind == Kind::Switch) {
            links[into.0].push((out.0, number(fabric, out)));
        }
    }
    links
}

/// All that has an address and is behind a switch of the network, by address.
fn goals(fabric: &Fabric, wired: &[bool]) -> Result<Vec<Goal>, String> {
    let ids: HashMap<&str, usize> = fabric.nodes.iter().map(|node| node.id).zip(0..).collect();
    let mut goals = Vec::new();
    for (i, node) in fabric.nodes.iter().enumerate() {
        let name = format!("'{}' ({})", node.about, node.id);
        if let (Kind::Switch, Some(lid), true) = (node.kind, node.lid, wired[i]) {
            goals.push(Goal { last: (i, 0), lid, count: 1, name });
            continue;
        }
        for port in &node.ports {
            let Some(lid) = port.lid else { continue };
            let switch = ids.get(port.peer).copied().filter(|&peer| wired[peer]);
            let switch = switch.filter(|&peer| fabric.nodes[peer].kind == Kind::Switch);
            if let Some(switch) = switch {
                let (last, name) =
                    ((switch, port.peer_port), format!("port {} of {name}", port.number));
                goals.push(Goal { last, lid, count: 1 << port.lmc, name });
            }
        }
    }
    goals.retain(|goal| goal.lid > 0);
    goals.sort_by_key(|goal| goal.lid);
    if let Some(goal) = goals.iter().find(|g| g.lid > LAST_LID || g.lid + g.count > LAST_LID + 1) {
        return Err(format!("{} has lid {}; the largest is {LAST_LID}", goal.name, goal.lid));
    }
    match goals.windows(2).find(|two| two[0].lid + two[0].count > two[1].lid) {
        Some(two) => {
            Err(format!("{} and {} both have lid {}", two[0].name, two[1].name, two[1].lid))
        }
        None => Ok(goals),
    }
}

/// What the routes need, by switch and address.
fn needs(
    fabric: &Fabric,
    network: &Network,
    ports: &Ports,
    routes: &[Route],
) -> Result<HashMap<(usize, u32), Need>, String> {
    let pair = |route: usize| {
        let [from, to] = [routes[route].0, routes[route].1].map(|v| network.vertex_name(v));
        format!("from '{from}' to '{to}'")
    };
    let mut needs: HashMap<(usize, u32), Need> = HashMap::new();
    for (route, (_, _, channels)) in routes.iter().enumerate() {
        let cables = || channels.iter().filter_map(|&c| ports[c as usize]);
        // Processes of one host send each other messages without a cable; a broken route has none.
        let Some([_, last]) = cables().next_back() else { continue };
        let node = &fabric.nodes[last.0];
        let lid = if node.kind == Kind::Switch { node.lid } else { node.ports[last.1].lid };
        let Some(lid) = lid.filter(|&lid| lid > 0) else {
            return Err(format!(
                "no table for the route {}: '{}' has no lid",
                pair(route),
                node.about
            ));
        };
        for (place, [out, _]) in cables().enumerate() {
            let node = &fabric.nodes[out.0];
            if node.kind != Kind::Switch {
                if place > 0 {
                    let what = "does not forward; tables are those of switches";
                    return Err(format!("the route {}: '{}' {what}", pair(route), node.about));
                }
                continue;
            }
            let port = number(fabric, out);
            match needs.entry((out.0, lid)) {
                Entry::Vacant(free) => {
                    free.insert(Need { port, route });
                }
                Entry::Occupied(need) if need.get().port == port => {}
                Entry::Occupied(need) => {
                    let Need { port: other, route: first } = need.get();
                    return Err(format!(
                        "no table holds the routes {} and {}: at switch '{}' ({}) one leaves through \
                         port {other} and the other through port {port}; solve with routes by \
                         destination, such as those of the routing 'destination'",
                        pair(*first),
                        pair(route),
                        node.about,
                        node.id
                    ));
                }
            }
        }
    }
    Ok(needs)
}

/// The ports of all switches for the first address of a goal. The entries of routes lead to the
/// goal; a search from the goal outwards gives one to every other switch.
fn tree(
    goal: &Goal,
    turn: usize,
    links: &[Vec<(usize, u32)>],
    needs: &HashMap<(usize, u32), Need>,
) -> Vec<(usize, u32)> {
    let mut met = vec![false; links.len()];
    let mut found = vec![goal.last];
    let mut queue = VecDeque::from([goal.last.0]);
    met[goal.last.0] = true;
    while let Some(node) = queue.pop_front() {
        // Other goals begin with other cables, so that parallel ones share what is added.
        let cables = &links[node];
        for &(from, port) in
            cables.iter().cycle().skip(turn % cables.len().max(1)).take(cables.len())
        {
            let is_next = needs.get(&(from, goal.lid)).is_none_or(|need| need.port == port);
            if is_next && !std::mem::replace(&mut met[from], true) {
                found.push((from, port));
                queue.push_back(from);
            }
        }
    }
    found
}

/// The number of a port.
fn number(fabric: &Fabric, (node, port): PortId) -> u32 {
    fabric.nodes[node].ports[port].number
}

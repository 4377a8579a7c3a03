//! The problems behind a printed cell: one, or one for each fault that the cell stands for.

use super::printed::{Cell, Printed};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Ports, Problem, Request, Roots, Routing, Switching};
use ccsched_network::faults::{Fault, apply, parse_link, parse_vertex};
use ccsched_network::{ChannelId, LinkKind, Network, VertexId, spec};

/// The word for all links, or vertices, that the other rows of a table do not name.
const OTHERS: &str = "other ";

/// The broken parts of a problem.
#[derive(Clone, Debug, Default, PartialEq)]
struct Broken {
    channels: Vec<ChannelId>,
    vertices: Vec<VertexId>,
}

/// Poses the problems of a cell.
///
/// # Errors
/// A cell that no network, fault or collective fits.
pub fn problems(cell: &Cell, printed: &Printed) -> Result<Vec<Problem>> {
    let network = spec::parse(&cell.topology)?;
    let request = request(cell);
    let sets = match cell.fault.as_deref() {
        None => vec![Broken::default()],
        Some(fault) => match fault.strip_prefix(OTHERS) {
            None => vec![broken(&network, fault)?],
            Some(kind) => others(cell, kind, &network, printed)?,
        },
    };
    sets.iter().map(|broken| pose(&request, &network, broken)).collect()
}

/// The options of `ccsched solve` that pose the problem of a cell, or one of several.
pub fn options(cell: &Cell) -> String {
    let mut options = format!("-t {} -c {}", cell.topology, cell.collective);
    let mut add = |flag: &str, value: Option<String>| {
        if let Some(value) = value {
            options += &format!(" --{flag} {value}");
        }
    };
    add("switching", cell.switching.map(|s| s.to_string()));
    add("ports", cell.ports.map(|p| p.to_string()));
    // The papers' paths are shortest ones.
    let is_stored = cell.switching.is_some_and(Switching::stores);
    let longer = is_stored && !cell.collective.content().is_common();
    let routing = cell.routing.or(longer.then_some(Routing::Minimal));
    add("routing", routing.map(|r| r.to_string()));
    add("source", cell.source.clone());
    match cell.fault.as_deref().map(|fault| (fault, fault.strip_prefix("vertex "))) {
        None => {}
        Some((_, Some(vertex))) => add("fail-node", Some(vertex.into())),
        Some((fault, None)) if fault.starts_with(OTHERS) => {}
        Some((fault, None)) => add("fail-link", Some(fault.into())),
    }
    options
}

fn request(cell: &Cell) -> Request {
    Request {
        source: cell.source.clone(),
        switching: cell.switching.unwrap_or(Switching::Wormhole),
        ports: cell.ports.unwrap_or(Ports(None)),
        routing: cell.routing.unwrap_or(Routing::Minimal),
        ..Request::new(cell.collective)
    }
}

/// The part that the text of a cell names.
fn broken(network: &Network, fault: &str) -> Result<Broken> {
    Ok(match fault.strip_prefix("vertex ") {
        Some(name) => Broken { vertices: vec![parse_vertex(network, name)?], ..Broken::default() },
        None => Broken { channels: parse_link(network, fault)?, ..Broken::default() },
    })
}

/// Every link or vertex that no other row of the table names; the source does not break.
fn others(cell: &Cell, kind: &str, network: &Network, printed: &Printed) -> Result<Vec<Broken>> {
    let named = printed.cells_of(&cell.id).filter_map(|other| other.fault.as_deref());
    let named = named.filter(|fault| !fault.starts_with(OTHERS));
    let named: Vec<Broken> = named.map(|f| broken(network, f)).collect::<Result<_>>()?;
    let all: Vec<Broken> = match kind {
        "links" => links(network),
        "vertices" => network.terminals().map(|v| of_vertices(vec![v])).collect(),
        _ => return Err(Error::problem(format!("'{OTHERS}{kind}': other links or vertices"))),
    };
    let source = match cell.collective.roots() {
        Roots::One => cell.source.as_ref().and_then(|name| network.find(name)),
        Roots::All | Roots::Listed => None,
    };
    let stays = |set: &Broken| source.is_none_or(|s| !set.vertices.contains(&s));
    Ok(all.into_iter().filter(|set| !named.contains(set) && stays(set)).collect())
}

/// Every link: both channels of a two-way link, the channel of a one-way link.
fn links(network: &Network) -> Vec<Broken> {
    let channels = network.channels().iter().zip(0..);
    let link = channels.filter_map(|(channel, id)| match (channel.kind(), channel.reverse) {
        (LinkKind::OneWay, _) | (_, None) => Some(of_channels(vec![id])),
        (_, Some(reverse)) => (id < reverse).then(|| of_channels(vec![id, reverse])),
    });
    link.collect()
}

fn of_channels(channels: Vec<ChannelId>) -> Broken {
    Broken { channels, ..Broken::default() }
}

fn of_vertices(vertices: Vec<VertexId>) -> Broken {
    Broken { vertices, ..Broken::default() }
}

fn pose(request: &Request, network: &Network, broken: &Broken) -> Result<Problem> {
    let name = |v: VertexId| network.vertex_name(v).to_string();
    let link = |&c: &ChannelId| {
        let ends = network.channel(c);
        Fault::Link(name(ends.from), name(ends.to))
    };
    let links = broken.channels.iter().map(link);
    let faults = links.chain(broken.vertices.iter().map(|&v| Fault::Vertex(name(v)))).collect();
    request.pose(apply(network, &broken.channels, &broken.vertices)?, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(id: &str, row: &str) -> usize {
        let printed = Printed::all().unwrap();
        let cell = printed.cells_of(id).find(|cell| cell.row == row).unwrap();
        problems(cell, &printed).unwrap().len()
    }

    #[test]
    fn other_parts_are_all_that_no_row_names() {
        assert_eq!(count("dd-t5", "All other"), 36 - 13);
        assert_eq!(count("ft-t4", "All other"), 24 - 2);
        // The first cell is a broadcast, whose source 00 does not break.
        assert_eq!(count("ft-t5", "All other"), 16 - 3);
        assert_eq!(count("ft-t5", "01"), 1);
    }

    #[test]
    fn options_repeat_a_cell() {
        let printed = Printed::all().unwrap();
        let of = |id: &str, place: usize| options(printed.cells_of(id).nth(place).unwrap());
        assert_eq!(of("dd-t6", 0), "-t ring:8,half -c oab --ports 1");
        assert_eq!(of("dd-t5", 4), "-t kautz:3,2 -c oab --source 01 --fail-link 01:10");
        assert_eq!(of("ft-t5", 4), "-t mesh:4x4 -c oab --source 00 --fail-node 01");
        assert_eq!(of("hgsa-t2", 0), "-t hypercube:3 -c oab --switching store-and-forward");
    }
}

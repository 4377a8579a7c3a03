//! The routes of a problem whose routing fixes one for every pair: the network's own, those of a
//! dragonfly, a table.

use super::{Collective, Content, Demand, Routing};
use ccsched_base::{Error, Result};
use ccsched_network::faults::Fault;
use ccsched_network::tables::{Left, Table};
use ccsched_network::{Dragonfly, LglRoutes, Network, Routes};
use std::sync::Arc;

/// More faults are counted, not named.
const MOST_NAMED: usize = 8;

/// The routes of a dragonfly, and those of a table.
type Fixed = (Option<Arc<LglRoutes>>, Option<Arc<Routes>>);

/// The routes that the routing needs besides those of the network: a table that was made before, or one
/// that is made while time is left.
pub(super) fn routes(
    routing: Routing,
    network: &Network,
    (collective, demands): (Collective, &[Demand]),
    made: std::result::Result<Routes, Left<'_>>,
) -> Result<Fixed> {
    if matches!(routing, Routing::Lgl | Routing::Table(_)) {
        check_personal(routing, collective)?;
    }
    Ok(match (routing, made) {
        (Routing::Lgl, _) => (Some(Arc::new(lgl(network)?)), None),
        (Routing::Table(table), Err(left)) => {
            (None, Some(Arc::new(make(table, network, demands, left)?)))
        }
        (Routing::Table(_), Ok(made)) => (None, Some(Arc::new(given(made, network, demands)?))),
        _ => (None, None),
    })
}

/// The error of a routing on a network with faults: which parts are missing, and what is left.
pub(super) fn around(error: Error, faults: &[Fault], network: &Network) -> Error {
    let Error::Field { field: "routing", why } = error else { return error };
    let part = |fault: &Fault| match fault {
        Fault::Vertex(v) => format!("vertex {v}"),
        Fault::Link(a, b) => format!("link {a}-{b}"),
        Fault::Parallel(a, b, None) => format!("a link {a}-{b}"),
        Fault::Parallel(a, b, Some(number)) => format!("link {a}-{b}#{number}"),
    };
    if faults.is_empty() {
        return Error::field("routing", why);
    }
    let mut missing: Vec<String> = faults.iter().take(MOST_NAMED).map(part).collect();
    if faults.len() > MOST_NAMED {
        missing.push(format!("{} more", faults.len() - MOST_NAMED));
    }
    let is_two_way = network.channels().iter().all(|c| c.reverse.is_some());
    let updown = if is_two_way { "updown, " } else { "" };
    Error::field(
        "routing",
        format!(
            "without {} of {} there is no route for every pair by this rule: {why}. Left are minimal \
             and, with one route a pair, {updown}balanced and destination",
            missing.join(", "),
            network.name()
        ),
    )
}

/// Checks that a routing with one route a pair gets messages with one destination.
fn check_personal(routing: Routing, collective: Collective) -> Result<()> {
    let whose =
        if routing == Routing::Static { ", the default of a network that has them," } else { "" };
    match collective.content() {
        Content::Personal => Ok(()),
        Content::Common => Err(Error::field(
            "routing",
            format!(
                "{routing} routes{whose} lead each message to one destination, and {collective} is a {}; \
                 minimal works for every collective",
                if collective.is_reduction() { "reduction" } else { "broadcast" }
            ),
        )),
    }
}

/// The routes of a dragonfly.
fn lgl(network: &Network) -> Result<LglRoutes> {
    let dragonfly = Dragonfly::find(network).map_err(|why| {
        let name = network.name();
        Error::field(
            "routing",
            format!(
                "lgl is for dragonflies, such as dragonfly:4,2,2, and {name} is none: {why}; \
                 minimal works on every network"
            ),
        )
    })?;
    Ok(dragonfly.routes(network))
}

/// The routes of a table that is made for the network.
fn make(table: Table, network: &Network, demands: &[Demand], left: Left<'_>) -> Result<Routes> {
    let pairs = demands.iter().map(|d| (d.source, d.destination));
    table.routes_within(network, pairs, left).map_err(|why| Error::field("routing", why))
}

/// A table that was made before, if it has the routes of all demands.
fn given(made: Routes, network: &Network, demands: &[Demand]) -> Result<Routes> {
    match demands.iter().find(|d| made.get(d.source, d.destination).is_none()) {
        None => Ok(made),
        Some(d) => {
            let [from, to] = [d.source, d.destination].map(|v| network.vertex_name(v));
            let why = format!("no route from '{from}' to '{to}' is given; every pair needs one");
            Err(Error::field("routing", why))
        }
    }
}

/// Checks that every pair has a static route.
pub(super) fn check_static(
    network: &Network,
    collective: Collective,
    demands: &[Demand],
) -> Result<()> {
    check_personal(Routing::Static, collective)?;
    let routes = network.routes();
    let without = |d: &&Demand| routes.get(d.source, d.destination).is_none();
    let Some(lost) = demands.iter().find(without) else { return Ok(()) };
    let why = match () {
        () if routes.is_empty() => {
            format!("{} has no static routes; add [routes] to its file", network.name())
        }
        () if routes.is_broken(lost.source, lost.destination)
            && network.idle().next().is_some() =>
        {
            "the route is broken by a fault, or passes a terminal that takes no part and does not \
             relay"
                .to_string()
        }
        () if routes.is_broken(lost.source, lost.destination) => {
            "the route is broken by a fault, and static routes are not recomputed".to_string()
        }
        () => "the network has no static route for this pair".to_string(),
    };
    let [from, to] = [lost.source, lost.destination].map(|v| network.vertex_name(v));
    Err(Error::field(
        "routing",
        format!("static, from '{from}' to '{to}': {why}; minimal needs no static routes"),
    ))
}

//! InfiniBand fabrics: the output of `ibnetdiscover`, optionally with the forwarding tables of
//! OpenSM, which become the static routes of every pair of hosts.
//!
//! `records` reads the lines, `cables` checks that both ends of every cable agree, `hosts` groups
//! adapters to hosts and names everything, `speeds` turns widths and speeds into capacities,
//! `fabric` makes the network. `tables` reads forwarding tables, `follow` follows them.
//!
//! The other way: `wiring` finds the ports of the channels of a schedule's network, `forward` turns
//! routes into forwarding tables, `dump` writes them as OpenSM does.

mod cables;
mod dump;
mod fabric;
mod follow;
mod forward;
mod hosts;
mod names;
mod records;
mod scan;
mod speeds;
pub mod tables;
mod wiring;

use super::mistake::{Wrong, place, wrong};
use super::{Reading, Source, rates};
use crate::faults::Fault;
use crate::{ChannelId, Network, VertexId};
use ccsched_base::{Error, Result};
use fabric::Fabric;
use std::path::Path;

pub use records::recognises;

/// Reads a fabric, with its tables if there are some.
pub fn read(source: &Source) -> Result<Network> {
    let in_file = |wrong: Wrong| wrong.in_file(source.path, source.text);
    let fabric = fabric(source).map_err(in_file)?;
    let Some(path) = &source.how.routes else { return fabric.build().map_err(in_file) };
    let (name, pattern) = (source.path.display().to_string(), source.how.terminals.as_ref());
    // Names do not matter in tables.
    let (text, _) = super::text(path)?;
    with_routes(fabric, path, &text, &name, pattern)
}

/// The forwarding tables that route messages over a fabric as these routes do, for `opensm -R file`.
/// `network` is that of the fabric in the file, perhaps without broken parts, which `faults` name, or with
/// other terminals.
///
/// # Errors
/// A file that is no fabric, a network that is not that of the file, routes that no tables hold.
pub fn tables_of(
    path: &Path,
    (network, faults): (&Network, &[Fault]),
    routes: &[(VertexId, VertexId, &[ChannelId])],
) -> Result<String> {
    let (text, _) = super::text(path)?;
    if !recognises(&text) {
        let what = match super::of(&text) {
            Some(format) => format!("this is a file of the format {}", format.name),
            None => super::looks::like(&text),
        };
        let why = format!("{what}; a fabric is a file as ibnetdiscover prints it");
        return Err(Error::File { path: path.to_path_buf(), line: 1, why });
    }
    let how = Reading { separate_cables: true, equal_links: true, ..Reading::default() };
    let source = Source::new(path, &text, &how);
    let fabric = fabric(&source).map_err(|wrong| wrong.in_file(path, &text))?;
    let ports = wiring::ports(&fabric, network, faults).map_err(Error::Problem)?;
    let tables = forward::tables(&fabric, network, &ports, routes).map_err(Error::Problem)?;
    Ok(dump::text(&fabric.nodes, &tables))
}

/// The fabric of the file, without routes.
fn fabric<'t>(source: &Source<'t>) -> Result<Fabric<'t>, Wrong> {
    let nodes = records::nodes(source.text)?;
    for line in records::complaints(source.text) {
        source.notices.add("complaint", place(source.text, line), || {
            let line = super::lines::short(line.trim());
            format!(
                "'{line}': messages of ibnetdiscover are left out; the fabric may be incomplete"
            )
        });
    }
    let cables = cables::cables(source, &nodes)?;
    let hosts = hosts::hosts(&nodes);
    if hosts.is_empty() {
        return wrong(source.text.len(), "the file has no hosts, only switches");
    }
    // A route takes one of parallel cables, so cables stay channels of their own.
    let merge = source.how.routes.is_none() && !source.how.separate_cables;
    let speeds: Vec<_> = cables.iter().map(|cable| cable.rate).collect();
    let (capacities, rate) = speeds::capacities(&speeds, source.how.equal_links);
    rates::tell(&source.notices, 0, &capacities);
    let mut fabric = Fabric::new(source.name(), nodes, &cables, &capacities, &hosts, merge);
    fabric.net.rate(rate);
    Ok(fabric)
}

/// The network with the routes of a file of tables.
fn with_routes(
    fabric: Fabric,
    path: &Path,
    text: &str,
    fabric_file: &str,
    pattern: Option<&crate::terminals::Pattern>,
) -> Result<Network> {
    let in_file = |wrong: Wrong| wrong.in_file(path, text);
    if !tables::recognises(text) {
        let why = format!(
            "{}; routes are forwarding tables as dump_lfts, ibroute or OpenSM write them",
            super::looks::like(text)
        );
        return Err(Error::File { path: path.to_path_buf(), line: 1, why });
    }
    let tables = tables::read(text).map_err(in_file)?;
    let hosts = fabric.chosen(pattern);
    let routes = follow::routes(&fabric, &tables, &hosts, fabric_file).map_err(in_file)?;
    fabric.with(routes).map_err(in_file)
}

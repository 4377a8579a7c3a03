//! InfiniBand fabrics: the output of `ibnetdiscover`, optionally with the forwarding tables of
//! OpenSM, which become the static routes of every pair of hosts.
//!
//! `records` reads the lines, `cables` checks that both ends of every cable agree, `hosts` groups
//! adapters to hosts and names everything, `speeds` turns widths and speeds into capacities,
//! `fabric` makes the network. `tables` reads forwarding tables, `follow` follows them.

mod cables;
mod fabric;
mod follow;
mod hosts;
mod names;
mod records;
mod scan;
mod speeds;
pub mod tables;

use super::Source;
use super::mistake::{Wrong, wrong};
use crate::network::Network;
use crate::{Error, Result};
use fabric::Fabric;
use std::path::Path;

pub use records::recognises;

/// Reads a fabric, with its tables if there are some.
pub fn read(source: &Source) -> Result<Network> {
    let in_file = |wrong: Wrong| wrong.in_file(source.path, source.text);
    let fabric = fabric(source).map_err(in_file)?;
    let Some(path) = &source.how.routes else { return fabric.build().map_err(in_file) };
    let (name, pattern) = (source.path.display().to_string(), source.how.terminals.as_ref());
    let text = super::text(path)?;
    with_routes(fabric, path, &text, &name, pattern)
}

/// The fabric of the file, without routes.
fn fabric<'t>(source: &Source<'t>) -> Result<Fabric<'t>, Wrong> {
    let nodes = records::nodes(source.text)?;
    let cables = cables::cables(source.text, &nodes)?;
    let hosts = hosts::hosts(&nodes);
    if hosts.is_empty() {
        return wrong(source.text.len(), "the file has no hosts, only switches");
    }
    // A route takes one of parallel cables, so cables stay channels of their own.
    let merge = source.how.routes.is_none() && !source.how.separate_cables;
    let capacities = speeds::capacities(&cables, source.how.equal_links);
    Ok(Fabric::new(source.name(), nodes, &cables, &capacities, &hosts, merge))
}

/// The network with the routes of a file of tables.
fn with_routes(
    fabric: Fabric,
    path: &Path,
    text: &str,
    fabric_file: &str,
    pattern: Option<&crate::network::terminals::Pattern>,
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

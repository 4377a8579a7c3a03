//! `balanced`: one shortest path for every pair, with a small largest load. The paths of a table by destination are
//! annealed one by one. No table of shortest paths that other routings make has a smaller load.

use super::anneal::{Core, Pairs, anneal};
use super::floor::{evenly, floor};
use super::loads::Loads;
use super::{Flow, Left, destination};
use crate::{Network, PathList};

/// The routes.
pub(super) fn routes(
    network: &Network,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<PathList, String> {
    let (table, load) = destination::find(network, flows, &|| 2.0 * left() - 1.0);
    let core = Core::of(network);
    let least = floor(network, flows, &Loads::of(network, flows, &table));
    let least = least.max(evenly(&core, flows));
    let annealed =
        (load > least && left() > 0.0).then(|| Pairs::of(&core, flows, &table, least)).flatten();
    let best = annealed.map(|pairs| anneal(&[pairs], least, left));
    // Routes by destination spread the messages of a step better.
    Ok(best.map(|pairs| pairs.routes(&core, flows)).unwrap_or(table))
}

//! The routes of a schedule as forwarding tables of an InfiniBand fabric, which OpenSM loads: `opensm
//! -R file -U tables`. A schedule file knows no ports and addresses, so the fabric's file is needed too.

use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_network::files::tables_of;
use ccsched_network::{ChannelId, VertexId};

/// Writes the tables.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let Some(fabric) = &settings.fabric else {
        let why = "lft needs the fabric that the network of the schedule was read from, the file that \
                   ibnetdiscover has written";
        return Err(Error::field("fabric", why));
    };
    if subject.problem.switching().stores() {
        let why = "switches of InfiniBand do not store messages; use a wormhole schedule";
        return Err(Error::problem(format!("lft: {why}")));
    }
    let tables = tables_of(fabric, (subject.network(), subject.problem.faults()), &routes(subject));
    tables.map(Output::File).map_err(|error| match error {
        Error::Problem(why) => Error::problem(format!("lft: {why}")),
        other => other,
    })
}

/// The route of every pair if the schedule has such, else the paths of its transfers.
fn routes(subject: &Subject) -> Vec<(VertexId, VertexId, &[ChannelId])> {
    let table = subject.network().routes();
    if subject.problem.has_fixed_routes() && !table.is_empty() {
        return table.iter().collect();
    }
    let steps = 0..subject.steps();
    steps.flat_map(|step| subject.step(step)).map(|t| (t.from, t.to, t.channels)).collect()
}

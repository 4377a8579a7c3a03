//! Schedules in formats of other programs. Each format is judged by a reader of its own, written from
//! the grammar, and by the program that reads it where this is installed.

mod chakra;
mod csv;
mod dot;
mod goal;
mod lft;
mod mpi_c;
mod msccl_xml;
mod mscclpp;
mod preload;
mod settings;
mod simgrid;
mod sized;
mod slots;
mod slots_since;

use crate::support::search::found_soon;
use crate::support::small::{NAMES, get};
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::schedule::ScheduleFile;

/// The schedule of a collective on a network, found in a moment.
pub fn solved(network: &str, collective: Collective, switching: Switching) -> ScheduleFile {
    let request = Request { switching, ..Request::new(collective) };
    found_soon(&request, spec::parse(network).unwrap())
}

/// Schedules of all collectives with both ways of switching, capacities, half duplex, switches, and
/// limited ports.
pub fn samples() -> Vec<ScheduleFile> {
    let small = NAMES.map(|name| serde_json::from_value(get(name)).unwrap());
    let (wormhole, stored) = (Switching::Wormhole, Switching::StoreAndForward);
    let found = [
        solved("petersen", Collective::Aas, wormhole),
        solved("hypercube:3,width=2", Collective::Aas, wormhole),
        solved("ring:6,half", Collective::Aab, stored),
        solved("fat-tree:8", Collective::Aog, wormhole),
        solved("mesh:3x3", Collective::Aas, stored),
        solved("kautz:3,2", Collective::Oab, wormhole),
    ];
    small.into_iter().chain(found).collect()
}

/// What a format makes of a schedule.
pub fn exported(schedule: &ScheduleFile, format: &str, settings: &Settings) -> Output {
    let subject = Subject::of(schedule).unwrap();
    export::write(export::find(format).unwrap(), &subject, settings).unwrap()
}

/// The text of a format that is one file.
pub fn text(schedule: &ScheduleFile, format: &str) -> String {
    match exported(schedule, format, &Settings::default()) {
        Output::File(text) => text,
        _ => panic!("{format} is several files"),
    }
}

//! Schedules in the formats of other programs. The table below has a row for each format, whose
//! writer has a file of its own. Writers read a [`Subject`], a schedule that `verify` has accepted.

#[cfg(feature = "deploy")]
mod chakra;
mod csv;
mod dot;
mod goal;
mod gpus;
mod lft;
mod moves;
mod mpi_c;
mod msccl_xml;
mod mscclpp;
pub mod preload;
mod ranks;
mod simgrid;
mod slots;
mod subject;

pub use subject::{Subject, Transfer};

use ccsched_base::{Error, Result, similar};
use ccsched_model::problem::{Joining, Problem};
use std::path::PathBuf;

/// What a user can choose about an export. A setting that the format does not use is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// One step alone, from 1.
    pub step: Option<usize>,
    /// The length of messages that have none.
    pub bytes: Option<u64>,
    /// What ends a step.
    pub sync: Option<Synchronisation>,
    /// Messages are in the buffer of the results from the beginning, so that none is copied.
    pub in_place: bool,
    /// The file of the InfiniBand fabric that the network was read from.
    pub fabric: Option<PathBuf>,
    /// GPUs of a node, in the order of the ranks; none if all are in one.
    pub gpus_per_node: Option<usize>,
    /// One vertex alone.
    pub node: Option<String>,
    /// A file for each vertex, in a folder.
    pub folder: bool,
    /// An older schedule: what has changed since, in place of all.
    pub since: Option<PathBuf>,
    /// The lengths of messages that the schedule is for, the second the greatest; none if all longer ones.
    pub lengths: Option<(u64, Option<u64>)>,
}

/// What ends a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronisation {
    /// A clock or a barrier for all.
    #[default]
    Clock,
    /// A rank goes on when its own transfers are complete.
    Local,
}

impl std::str::FromStr for Synchronisation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "clock" => Ok(Synchronisation::Clock),
            "local" => Ok(Synchronisation::Local),
            _ => Err(Error::field("sync", format!("'{text}' is neither clock nor local"))),
        }
    }
}

impl Settings {
    /// The settings that are given, by name.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("step", self.step.is_some()),
            ("bytes", self.bytes.is_some()),
            ("sync", self.sync.is_some()),
            ("in_place", self.in_place),
            ("fabric", self.fabric.is_some()),
            ("gpus_per_node", self.gpus_per_node.is_some()),
            ("node", self.node.is_some()),
            ("since", self.since.is_some()),
            ("lengths", self.lengths.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// What a writer makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The text of one file.
    File(String),
    /// The files of a folder, each with its name and its text.
    Folder(Vec<(String, String)>),
    /// The files of a folder that are no text.
    Binary(Vec<(String, Vec<u8>)>),
}

/// A format that is written.
pub struct Format {
    /// The name for users.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// The settings that it uses, by their names in [`Settings`].
    pub settings: &'static [&'static str],
    /// Whether it carries messages in pieces.
    pub pieces: bool,
    /// Whether it carries timed schedules.
    pub timed: bool,
    /// Whether nothing of the delays of links is lost: it says them, or predicts no times.
    pub delays: bool,
    /// What it carries of messages that join in one transfer: sums (an all-reduce of one part), signals
    /// (a barrier).
    pub joins: &'static [Joining],
    /// Whether it carries trees, which switches copy or add up.
    pub multicast: bool,
    /// Whether it carries sums of groups side by side, each of which has contributors and receivers of its own.
    pub sums_of_groups: bool,
    /// Whether its programs store messages at terminals and pass through switches: schedules for it are
    /// made with hosts switching, unless another one is asked for.
    pub hosts: bool,
    /// Writes a schedule. The error says what the format cannot express.
    pub write: fn(&Subject, &Settings) -> Result<Output>,
    /// Writes several schedules together, where the format carries them.
    pub several: Option<Several>,
}

/// Writes several schedules into a folder.
pub type Several = fn(&[preload::Entry<'_>]) -> Result<Vec<(String, String)>>;

/// The file by which the folder of a deployment is known.
pub const DEPLOYED: &str = "deploy.json";

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "csv",
        about: "a transfer a line, with the vertices of its path",
        settings: &[],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: true,
        timed: true,
        delays: true,
        multicast: true,
        hosts: false,
        write: csv::write,
        several: None,
    },
    Format {
        name: "slots",
        about: "tables of slots: what each vertex injects, forwards from input to output, and ejects in each step; with -o FOLDER/ a table for each router",
        settings: &["node", "since"],
        pieces: false,
        joins: &[],
        sums_of_groups: true,
        timed: false,
        delays: true,
        multicast: false,
        hosts: false,
        write: slots::write,
        several: None,
    },
    Format {
        name: "dot",
        about: "Graphviz: a picture of the network for each step, its transfers in colour",
        settings: &["step"],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: true,
        timed: false,
        delays: true,
        multicast: true,
        hosts: false,
        write: dot::write,
        several: None,
    },
    Format {
        name: "mpi-c",
        about: "one C file with a function for MPI, ccsched_alltoall(send, receive, bytes, comm); with lengths ccsched_alltoallv",
        settings: &[],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: false,
        timed: true,
        delays: true,
        multicast: false,
        hosts: true,
        write: mpi_c::write,
        several: None,
    },
    Format {
        name: "goal",
        about: "GOAL of LogGOPSim: sends and receives of every rank, and what each requires",
        settings: &["bytes", "sync"],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: true,
        timed: true,
        delays: false,
        multicast: false,
        hosts: false,
        write: goal::write,
        several: None,
    },
    Format {
        name: "simgrid",
        about: "a folder for SimGrid: platform, time-independent trace, and a script that replays it",
        settings: &["bytes", "sync"],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: true,
        timed: true,
        delays: false,
        multicast: false,
        hosts: false,
        write: simgrid::write,
        several: None,
    },
    Format {
        name: "msccl-xml",
        about: "the program of an all-gather, all-to-all, reduce, reduce-scatter or all-reduce for GPUs, as RCCL reads it",
        settings: &["in_place", "lengths"],
        pieces: true,
        joins: &[Joining::Sum],
        sums_of_groups: false,
        timed: false,
        delays: true,
        multicast: false,
        hosts: true,
        write: msccl_xml::write,
        several: None,
    },
    Format {
        name: "mscclpp",
        about: "the execution plan of an all-gather, all-to-all, reduce-scatter or all-reduce for GPUs, as MSCCL++ reads it",
        settings: &["in_place", "lengths", "gpus_per_node"],
        pieces: true,
        joins: &[Joining::Sum],
        sums_of_groups: false,
        timed: false,
        delays: true,
        multicast: false,
        hosts: true,
        write: mscclpp::write,
        several: None,
    },
    #[cfg(feature = "deploy")]
    Format {
        name: "chakra",
        about: "a folder of traces for ASTRA-sim: the sends, receives and sums of every rank, as its custom collectives",
        settings: &["bytes"],
        pieces: true,
        joins: &[Joining::Sum],
        sums_of_groups: false,
        timed: false,
        delays: false,
        multicast: false,
        hosts: true,
        write: chakra::write,
        several: None,
    },
    Format {
        name: "lft",
        about: "the routes as forwarding tables of an InfiniBand fabric, which opensm -R file loads",
        settings: &["fabric"],
        pieces: true,
        joins: &[Joining::Sum, Joining::Signal],
        sums_of_groups: false,
        timed: true,
        delays: true,
        multicast: false,
        hosts: false,
        write: lft::write,
        several: None,
    },
    Format {
        name: "preload",
        about: "a folder of C files, from several schedules: a library that an unchanged MPI program preloads",
        settings: &[],
        pieces: true,
        joins: &[Joining::Sum],
        sums_of_groups: false,
        timed: true,
        delays: true,
        multicast: false,
        hosts: false,
        write: preload::write,
        several: Some(preload::files),
    },
];

/// Refuses settings that the format has no use for.
fn refuse_unused(format: &Format, settings: &Settings) -> Result<()> {
    let unused = settings.given().into_iter().find(|name| !format.settings.contains(name));
    if let Some(setting) = unused {
        let uses = |f: &&Format| f.settings.contains(&setting);
        let users: Vec<&str> = FORMATS.iter().filter(uses).map(|f| f.name).collect();
        let why = format!("{} has no use for it; it is for {}", format.name, users.join(", "));
        return Err(Error::field(setting, why));
    }
    Ok(())
}

/// Writes several schedules in a format.
///
/// # Errors
/// [`Error::Field`] for settings that the format has no use for; a format of one schedule; what the
/// format cannot express.
pub fn write_several(
    format: &Format,
    entries: &[preload::Entry<'_>],
    settings: &Settings,
) -> Result<Output> {
    refuse_unused(format, settings)?;
    let several = format.several.ok_or_else(|| {
        let able: Vec<&str> =
            FORMATS.iter().filter(|f| f.several.is_some()).map(|f| f.name).collect();
        let (name, able) = (format.name, able.join(", "));
        Error::problem(format!("{name} carries one schedule; several are carried by: {able}"))
    })?;
    entries.iter().try_for_each(|entry| check_multicast(format, &entry.subject.problem))?;
    several(entries).map(Output::Folder)
}

/// Writes a schedule in a format.
///
/// # Errors
/// [`Error::Field`] for settings that the format has no use for; what the format cannot express.
pub fn write(format: &Format, subject: &Subject, settings: &Settings) -> Result<Output> {
    refuse_unused(format, settings)?;
    check(format, subject)?;
    (format.write)(subject, settings)
}

/// What the times of a format's programs lack, if they lack the delays of links: of steps that is to be told.
pub fn lost_delays(format: &Format, subject: &Subject) -> Option<String> {
    let is_lost = subject.network().has_delays() && !format.delays;
    is_lost.then(|| format!("{} has clocks, and no delays of links", format.name))
}

/// Refuses trees, which switches copy or add up, where the format has none.
fn check_multicast(format: &Format, problem: &Problem) -> Result<()> {
    if !problem.is_multicast() || format.multicast {
        return Ok(());
    }
    let able: Vec<&str> = FORMATS.iter().filter(|f| f.multicast).map(|f| f.name).collect();
    let why = format!(
        "{} has transfers from one terminal to another, and none that switches copy or add up; these \
         formats carry them: {}",
        format.name,
        able.join(", ")
    );
    Err(Error::problem(why))
}

/// Refuses what the format cannot express.
fn check(format: &Format, subject: &Subject) -> Result<()> {
    check_multicast(format, &subject.problem)?;
    if subject.is_timed() && !format.timed {
        let able = |f: &&Format| f.timed;
        let able: Vec<&str> = FORMATS.iter().filter(able).map(|f| f.name).collect();
        let why = format!(
            "{} carries steps, and the schedule is a timed one; these formats carry it: {}",
            format.name,
            able.join(", ")
        );
        return Err(Error::problem(why));
    }
    if let Some(why) = lost_delays(format, subject).filter(|_| subject.is_timed()) {
        return Err(Error::problem(format!("{why}, and the starts are made for them")));
    }
    let named = |able: &dyn Fn(&&Format) -> bool| {
        let able: Vec<&str> = FORMATS.iter().filter(able).map(|f| f.name).collect();
        able.join(", ")
    };
    let (pieces, collective) = (subject.problem.pieces(), subject.problem.collective());
    if pieces > 1 && !format.pieces {
        let why = format!(
            "{} carries whole messages, those of the schedule are in {pieces} pieces; these formats \
             carry pieces: {}",
            format.name,
            named(&|f| f.pieces)
        );
        return Err(Error::problem(why));
    }
    if subject.problem.has_sums_of_groups() && !format.sums_of_groups {
        let why = format!(
            "{} has no sums of groups side by side; these formats carry them: {}",
            format.name,
            named(&|f| f.sums_of_groups)
        );
        return Err(Error::problem(why));
    }
    let joining = collective.joining();
    if collective.joins() && !format.joins.contains(&joining) {
        let why = format!(
            "{} has no {collective}, whose transfers carry several messages as one; these formats \
             carry it: {}",
            format.name,
            named(&|f| f.joins.contains(&joining))
        );
        return Err(Error::problem(why));
    }
    Ok(())
}

/// The format of this name.
///
/// # Errors
/// [`Error::Field`] with all names.
pub fn find(name: &str) -> Result<&'static Format> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let meant = similar::hint(name, known.iter().copied());
        Error::field("to", format!("unknown format '{name}'; known: {}{meant}", known.join(", ")))
    })
}

/// The table as text, one format a line, for `--help`.
pub fn help() -> String {
    let width = FORMATS.iter().map(|format| format.name.len()).max().unwrap_or(0);
    let line = |format: &Format| format!("  {:width$}  {}", format.name, format.about);
    let lines: Vec<String> = FORMATS.iter().map(line).collect();
    format!("Formats:\n{}", lines.join("\n"))
}

//! What a job needs to run its collectives by schedules: schedules by length of call, the sources of the
//! library that is preloaded with the scripts that measure and start, forwarding tables where new ones are
//! asked for, and predicted times beside those of the algorithms of MPI libraries.
//!
//! `algorithms` lists these, `cost` says what they take on the network, `along` lays broadcasts on fixed
//! routes, `part` schedules one collective, `rules` tells Open MPI which algorithm is the fastest, `threshold`
//! finds the length from which on its schedules are used, `text` writes tables, summary and README, `folder`
//! the folder.

pub mod algorithms;
mod along;
pub mod cost;
mod folder;
mod part;
mod rules;
mod text;
mod threshold;

pub use folder::Folder;
pub use part::Part;

use crate::export::Subject;
use crate::export::preload::{Entry, NEVER, files};
use crate::tradeoff::{Point, SizeBook};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Group, Request, Routing};
use ccsched_model::schedule::{ScheduleFile, TimeModel};
use ccsched_network::Network;
use ccsched_network::faults::Fault;
use ccsched_network::files::tables_of;
use ccsched_network::files::toml::write::to_toml;
use ccsched_run::Options;
use ccsched_run::islands::left_for_tables;
use cost::Roads;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The ranks and the rules; its collective does not matter.
    pub request: Request,
    /// The collectives.
    pub collectives: Vec<Collective>,
    /// The network.
    pub network: Network,
    /// The faults that were taken out of it.
    pub faults: Vec<Fault>,
    /// The file of the InfiniBand fabric that the network was read from, if it is one.
    pub fabric: Option<PathBuf>,
    /// Lengths of calls, ascending: the count times the size of its type.
    pub sizes: Vec<u64>,
    /// The modelled time.
    pub model: TimeModel,
    /// Where its start-up and transfer time come from.
    pub speeds: Speeds,
    /// The most pieces of a message.
    pub most_pieces: u32,
    /// The algorithms that a schedule must be faster than, by name; all if there are none.
    pub against: Vec<String>,
    /// The least length of calls for which schedules are used, whatever is predicted.
    pub least_bytes: Option<u64>,
    /// How schedules are found; the limit of time is for all of them together.
    pub options: Options,
    /// Ranks on each host that the network has as one terminal; 1 but for [`Asked::hosts`].
    pub each: u32,
    /// Parts of the job whose communicators get schedules of their own, each for its collective.
    pub groups: Vec<Group>,
    /// The same for the hosts alone, where several ranks are on each: schedules between hosts, with MPI's own
    /// functions inside.
    pub hosts: Option<Box<Asked>>,
    /// The command, for the README.
    pub command: String,
}

impl Asked {
    /// The same for the ranks of a group, as if it were alone.
    fn alone(&self, group: &Group) -> Asked {
        let names = || Some(group.members.clone());
        let (senders, receivers, processes) = (names(), names(), names());
        let request = Request { senders, receivers, processes, ..self.request.clone() };
        Asked { request, hosts: None, groups: Vec::new(), ..self.clone() }
    }
}

/// Where start-up and transfer time of a model come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speeds {
    /// Both are given, or the transfer time is that of the network's speeds.
    Known,
    /// They were measured on the hosts.
    Measured,
    /// They are those of no machine.
    Unknown,
}

/// All that a job needs.
pub struct Deployment<'a> {
    /// What was asked for.
    pub asked: &'a Asked,
    /// The ranks and their routes.
    pub roads: Roads,
    /// The collectives.
    pub parts: Vec<Part>,
    /// Those of the hosts alone.
    pub levels: Vec<Part>,
    /// That of each group, as if it were alone.
    pub groups: Vec<Part>,
    /// Forwarding tables, or a network with them: name and text of the file.
    routes: Option<(&'static str, String)>,
    /// The files of the library.
    library: Vec<(String, String)>,
}

/// The content of a file.
enum Content<'a> {
    Text(String),
    Schedule(&'a ScheduleFile),
}

impl<'a> Deployment<'a> {
    /// Schedules all collectives, each with an equal share of the time that is left. `told` hears which
    /// is next. An interrupt leaves those that are scheduled already.
    ///
    /// # Errors
    /// As [`Request::pose`]; collectives and ranks that no library takes; routes that no tables hold;
    /// no schedule within the time.
    pub fn of(asked: &'a Asked, told: &mut dyn FnMut(Collective)) -> Result<Self> {
        let begin = Instant::now();
        let of_groups = asked.groups.iter().map(|group| group.collective);
        for collective in asked.collectives.iter().copied().chain(of_groups) {
            algorithms::title(collective)?;
        }
        algorithms::check(&asked.against)?;
        let time = asked.options.limits.time;
        let left = || match asked.options.is_interrupted() {
            true => 0.0,
            false => left_for_tables(time, begin.elapsed()),
        };
        let roads = Roads::of(&asked.request, &asked.network, &asked.faults, &left)?;
        let routes = routes(asked, &roads)?;
        let levels = 1 + usize::from(asked.hosts.is_some());
        let mut to_do = asked.collectives.len() * levels + asked.groups.len();
        let mut share = || {
            to_do -= 1;
            let left = time.map(|time| time.saturating_sub(begin.elapsed()));
            left.map(|left| left / (to_do as u32 + 1))
        };
        let mut parts = Vec::new();
        for &collective in &asked.collectives {
            told(collective);
            match Part::of(asked, collective, &roads, share()) {
                Err(_) if asked.options.is_interrupted() && !parts.is_empty() => break,
                part => parts.push(part?),
            }
        }
        // An interrupt leaves out what is of a part of the job.
        let mut of_some = |asked: &Asked, collectives: &[Collective]| -> Result<Vec<Part>> {
            let roads = Roads::of(&asked.request, &asked.network, &asked.faults, &left)?;
            let mut found = Vec::new();
            for &collective in collectives {
                match Part::of(asked, collective, &roads, share()) {
                    Err(_) if asked.options.is_interrupted() => break,
                    part => found.push(part?),
                }
            }
            Ok(found)
        };
        let of_hosts = |hosts: &Asked| {
            of_some(hosts, &parts.iter().map(|part| part.collective).collect::<Vec<_>>())
        };
        let levels = asked.hosts.as_deref().map_or(Ok(Vec::new()), of_hosts)?;
        let mut groups = Vec::new();
        for group in &asked.groups {
            // Parts are known by their places: after one that an interrupt has cut off there is none.
            let Some(part) = of_some(&asked.alone(group), &[group.collective])?.pop() else {
                break;
            };
            groups.push(part);
        }
        let library = library(asked, &parts, &levels, &groups)?;
        Ok(Deployment { asked, roads, parts, levels, groups, routes, library })
    }

    /// The collectives that an interrupt has left out.
    pub fn left_out(&self) -> &[Collective] {
        &self.asked.collectives[self.parts.len()..]
    }

    /// Whether some schedule is predicted to be faster than MPI's own functions.
    pub fn is_faster(&self) -> bool {
        let mut all = self.parts.iter().chain(&self.groups);
        all.any(|part| part.least_bytes.is_some())
    }

    /// Writes all files into a folder.
    ///
    /// # Errors
    /// A file of this name that no earlier deployment has written; a file that cannot be written.
    pub fn write(&self, folder: Folder) -> Result<()> {
        let mut files: Vec<(String, Content)> = Vec::new();
        let mut text = |name: &str, text: String| files.push((name.into(), Content::Text(text)));
        text("README.md", self.readme());
        text("times.csv", self.csv());
        let is_open_mpi = self.asked.against.iter().any(|name| name == algorithms::OPEN_MPI);
        if let Some(rules) = rules::rules(&self.parts, self.roads.ranks()).filter(|_| is_open_mpi) {
            text(folder::RULES, rules);
        }
        for (name, content) in self.routes.iter() {
            text(name, content.clone());
        }
        for (name, content) in &self.library {
            text(name, content.clone());
        }
        for part in &self.parts {
            files.extend(self.schedules(part)?);
        }
        let of_groups = of_groups(&self.groups).flat_map(|(whose, part)| fastest(&whose, part));
        for (name, point) in of_hosts(&self.levels).chain(of_groups) {
            files.push((format!("{name}.json"), Content::Schedule(&point.file)));
        }
        folder.write(&self.manifest(), &files)
    }

    /// The schedules of a collective: one, or a folder with a book. A book goes by the length of one kind of
    /// messages, so one for the whole vector of an all-reduce stands beside it.
    fn schedules<'p>(&self, part: &'p Part) -> Result<Vec<(String, Content<'p>)>> {
        let title = algorithms::title(part.collective)?;
        let whole = part.fastest().into_iter().find(|(_, point)| point.parts > 1);
        let mut files: Vec<_> = whole
            .map(|(_, point)| (format!("{title}-one-part.json"), Content::Schedule(&point.file)))
            .into_iter()
            .collect();
        let messages = |bytes: u64| part.model(bytes).message_bytes;
        let mut sizes: Vec<u64> = part.sizes().iter().map(|&bytes| messages(bytes)).collect();
        sizes.dedup();
        let cut: Vec<&Point> = part.points.iter().filter(|point| point.parts == 1).collect();
        let book = SizeBook::of(&cut, &sizes, &self.asked.model, Path::new(title));
        let is_alone = book.sizes.len() == 1;
        if !is_alone {
            files.push((format!("{title}/book.json"), Content::Text(book.text()?)));
        }
        for point in &part.points {
            let file = format!("{}.json", point.name());
            if book.sizes.iter().any(|entry| entry.file == file) {
                let file =
                    if is_alone { format!("{title}.json") } else { format!("{title}/{file}") };
                files.push((file, Content::Schedule(&point.file)));
            }
        }
        Ok(files)
    }
}

/// The file of routes that are made for the network: forwarding tables of a fabric, else the network
/// with its routes.
fn routes(asked: &Asked, roads: &Roads) -> Result<Option<(&'static str, String)>> {
    let (Routing::Table(table), Some(routes)) = (asked.request.routing, roads.problem().routes())
    else {
        return Ok(None);
    };
    let network = roads.problem().network().whole();
    let Some(fabric) = &asked.fabric else {
        return Ok(Some(("network.toml", to_toml(&network.with_routes(routes.clone())?)?)));
    };
    let all: Vec<_> = routes.iter().collect();
    let tables = tables_of(fabric, (&network, &asked.faults), &all);
    let tables = tables.map_err(|why| Error::field("routing", format!("{table}: {why}")))?;
    Ok(Some(("opensm-lfts", tables)))
}

/// The name of a schedule: of which collective and ranks, and from which length on.
fn name_of(part: &Part, whose: &str, bytes: u64) -> String {
    format!("{}{whose}-{}", text::title(part), text::short(bytes))
}

/// The schedules of a collective that are the fastest for some lengths, with their names.
fn fastest<'p>(whose: &str, part: &'p Part) -> Vec<(String, &'p Point)> {
    let name = |(bytes, point)| (name_of(part, whose, bytes), point);
    part.fastest().into_iter().map(name).collect()
}

/// The schedules between hosts with their names.
fn of_hosts(levels: &[Part]) -> impl Iterator<Item = (String, &Point)> {
    levels.iter().flat_map(|part| fastest("-hosts", part))
}

/// The groups, and what the names of their schedules say of them.
fn of_groups(groups: &[Part]) -> impl Iterator<Item = (String, &Part)> {
    (1..).zip(groups).map(|(number, part): (usize, &Part)| (format!("-group{number}"), part))
}

/// The files of the library: schedules that are predicted to be faster from some length on, and those that only
/// a measurement can choose.
fn library(
    asked: &Asked,
    parts: &[Part],
    levels: &[Part],
    groups: &[Part],
) -> Result<Vec<(String, String)>> {
    let each = asked.hosts.as_ref().map_or(1, |hosts| hosts.each);
    let mut subjects = Vec::new();
    let of_all = parts.iter().map(|part| (String::new(), part));
    for (whose, part) in of_all.chain(of_groups(groups)) {
        let used = part.used().into_iter().map(|(least, point)| (least, least, point));
        let unused = part.unused().into_iter().map(|(from, point)| (from, NEVER, point));
        for (from, least, point) in used.chain(unused) {
            subjects.push((Subject::of(&point.file)?, least, 1, name_of(part, &whose, from)));
        }
    }
    // What MPI's functions take inside a host is not predicted.
    for (name, point) in of_hosts(levels) {
        subjects.push((Subject::of(&point.file)?, NEVER, each, name));
    }
    let entries: Vec<Entry<'_>> = subjects
        .iter()
        .map(|(subject, least_bytes, each, name)| Entry {
            subject,
            least_bytes: *least_bytes,
            each: *each,
            name,
        })
        .collect();
    files(&entries)
}

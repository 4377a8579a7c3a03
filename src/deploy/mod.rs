//! What a job needs to run its collectives by schedules: schedules by length of call, the sources of the
//! library that is preloaded, rank file and order of hosts, forwarding tables where new ones are asked
//! for, and predicted times beside those of the algorithms of MPI libraries.
//!
//! `algorithms` lists these, `cost` says what they take on the network, `along` lays broadcasts on fixed
//! routes, `part` schedules one collective, `threshold` finds the length from which on its schedules are
//! used, `text` writes tables, summary and README, `folder` the folder.

pub mod algorithms;
mod along;
pub mod cost;
mod folder;
mod part;
mod text;
mod threshold;

pub use folder::Folder;
pub use part::Part;

use crate::experiments::tradeoff::{Point, SizeBook};
use crate::export::Subject;
use crate::export::preload::{Entry, files};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::network::files::tables_of;
use crate::network::files::toml::write::to_toml;
use crate::problem::{Collective, Request, Routing, host_order, rank_file};
use crate::schedule::{ScheduleFile, TimeModel};
use crate::{Error, Options, Result};
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
    /// The most pieces of a message.
    pub most_pieces: u32,
    /// The algorithms that a schedule must be faster than, by name; all if there are none.
    pub against: Vec<String>,
    /// The least length of calls for which schedules are used, whatever is predicted.
    pub least_bytes: Option<u64>,
    /// How schedules are found; the limit of time is for all of them together.
    pub options: Options,
    /// The command, for the README.
    pub command: String,
}

/// All that a job needs.
pub struct Deployment<'a> {
    /// What was asked for.
    pub asked: &'a Asked,
    /// The ranks and their routes.
    pub roads: Roads,
    /// The collectives.
    pub parts: Vec<Part>,
    /// Forwarding tables, or a network with them: name and text of the file.
    routes: Option<(&'static str, String)>,
    /// The files of the library; none if no schedule is used.
    library: Vec<(String, String)>,
}

/// The content of a file.
enum Content<'a> {
    Text(String),
    Schedule(&'a ScheduleFile),
}

impl<'a> Deployment<'a> {
    /// Schedules all collectives, each with an equal share of the time that is left. `told` hears which
    /// is next.
    ///
    /// # Errors
    /// As [`Request::pose`]; collectives and ranks that no library takes; routes that no tables hold;
    /// no schedule within the time.
    pub fn of(asked: &'a Asked, told: &mut dyn FnMut(Collective)) -> Result<Self> {
        let begin = Instant::now();
        for &collective in &asked.collectives {
            algorithms::title(collective)?;
        }
        algorithms::check(&asked.against)?;
        let roads = Roads::of(&asked.request, &asked.network, &asked.faults)?;
        let routes = routes(asked, &roads)?;
        let mut parts = Vec::new();
        for (place, &collective) in asked.collectives.iter().enumerate() {
            told(collective);
            let left = asked.options.limits.time.map(|time| time.saturating_sub(begin.elapsed()));
            let share = left.map(|left| left / (asked.collectives.len() - place) as u32);
            parts.push(Part::of(asked, collective, &roads, share)?);
        }
        let library = library(&parts)?;
        Ok(Deployment { asked, roads, parts, routes, library })
    }

    /// Whether some schedule is used, so that there is a library.
    pub fn has_library(&self) -> bool {
        !self.library.is_empty()
    }

    /// Writes all files into a folder.
    ///
    /// # Errors
    /// A file of this name that no earlier deployment has written; a file that cannot be written.
    pub fn write(&self, folder: Folder) -> Result<()> {
        let ranks = self.roads.problem();
        let mut files: Vec<(String, Content)> = Vec::new();
        let mut text = |name: &str, text: String| files.push((name.into(), Content::Text(text)));
        text("README.md", self.readme());
        text("times.csv", self.csv());
        text("rankfile", rank_file(ranks));
        text("hosts", host_order(ranks));
        for (name, content) in self.routes.iter() {
            text(name, content.clone());
        }
        for (name, content) in &self.library {
            text(name, content.clone());
        }
        for part in &self.parts {
            files.extend(self.schedules(part)?);
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
    let tables = tables_of(fabric, &network, &all);
    let tables = tables.map_err(|why| Error::field("routing", format!("{table}: {why}")))?;
    Ok(Some(("opensm-lfts", tables)))
}

/// The files of the library of all schedules that are used.
fn library(parts: &[Part]) -> Result<Vec<(String, String)>> {
    let mut subjects = Vec::new();
    for part in parts {
        let title = algorithms::title(part.collective)?;
        for (least, point) in part.used() {
            subjects.push((
                Subject::of(&point.file)?,
                least,
                format!("{title}-{}", text::short(least)),
            ));
        }
    }
    let entries: Vec<Entry<'_>> = subjects
        .iter()
        .map(|(subject, least_bytes, name)| Entry { subject, least_bytes: *least_bytes, name })
        .collect();
    if entries.is_empty() { Ok(Vec::new()) } else { files(&entries) }
}

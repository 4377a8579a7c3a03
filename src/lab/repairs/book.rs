//! The files of a book of repairs, in a folder: `schedule.json`, the running schedule, and
//! `repairs.jsonl`, a line that says what the repairs are of, then a line for each set of faults. Lines
//! are added while the repairs are made, so that a sweep goes on after a break.

use super::RepairSweep;
use crate::fault_sweep::FaultSet;
use crate::journal::{self, Journal};
use ccsched_base::{Error, Result, atomic, input};
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::patch::Patch;
use ccsched_network::Network;
use ccsched_network::faults::Fault;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The format of `repairs.jsonl`, and its version.
const FORMAT: &str = "ccsched-repairs/1";

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    format: String,
    version: String,
    network: String,
    collective: String,
    /// Of the file `schedule.json`.
    crc32: u32,
    /// Steps of the running schedule.
    pub steps: usize,
    target: String,
    /// The seed of each repair.
    pub seed: u64,
    /// Its islands.
    pub islands: usize,
    iterations: u64,
    /// In seconds.
    time_limit: Option<f64>,
}

/// A set of faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The label of the set. It comes first in a line.
    pub fault: String,
    /// The faults, without those of the running schedule.
    pub faults: Vec<Fault>,
    /// The set from which the repair was carried over by symmetry.
    pub like: Option<String>,
    /// Why nothing can be scheduled.
    pub impossible: Option<String>,
    /// The repair, if one was found.
    pub repaired: Option<Repaired>,
}

/// A repair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// Steps of the new schedule.
    pub steps: usize,
    /// The largest lower bound on them.
    pub lower_bound: Option<u32>,
    /// Messages that both schedules have, with other transfers.
    pub changed: usize,
    /// No repair changes fewer.
    pub at_least: usize,
    /// Messages that stay as they were.
    pub kept: usize,
    /// Messages whose ends are broken.
    pub dropped: usize,
    /// What changes.
    pub patch: Patch,
}

impl Entry {
    /// The entry of a set without a repair.
    pub fn of(set: &FaultSet, network: &Network) -> Self {
        let (fault, faults) = (set.label(network), set.records(network));
        Entry { fault, faults, like: None, impossible: None, repaired: None }
    }

    pub(super) fn with(
        self,
        changes: &Changes,
        (at_least, lower_bound): (usize, Option<u32>),
        patch: Patch,
    ) -> Self {
        let repaired = Repaired {
            steps: patch.steps,
            lower_bound,
            changed: changes.changed.len(),
            at_least,
            kept: changes.kept,
            dropped: changes.dropped.len(),
            patch,
        };
        Entry { repaired: Some(repaired), ..self }
    }
}

/// A book to which repairs are added.
pub struct RepairBook {
    path: PathBuf,
    header: Header,
    file: Journal,
    entries: BTreeMap<String, Entry>,
    /// Bytes of `schedule.json`.
    whole: u64,
}

/// The size of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its sets of faults.
    pub entries: usize,
    /// Bytes of the patches, with their heads.
    pub patches: u64,
    /// Bytes of the running schedule.
    pub schedule: u64,
}

impl RepairBook {
    /// The book in a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// A book of another sweep; files that cannot be read or written.
    pub fn open(folder: &Path, sweep: &RepairSweep) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let mut schedule = Vec::new();
        let (own, path) = (folder.join("schedule.json"), folder.join("repairs.jsonl"));
        sweep.old.write_to(&mut schedule).map_err(|e| Error::io(&own, e))?;
        let header = Header::of(sweep, crc32fast::hash(&schedule));
        let mut entries = BTreeMap::new();
        if path.is_file() {
            let text = input::text(&path)?;
            let wrong = |why| Error::problem(format!("{}: {why}", path.display()));
            let kept = header_of(&text).map_err(wrong)?;
            if let Some(what) = journal::difference(&kept, &header) {
                return Err(wrong(format!("this is the book of other repairs: {what}")));
            }
            let read: Vec<Entry> = journal::entries(&text).map_err(wrong)?;
            entries.extend(read.into_iter().map(|entry| (entry.fault.clone(), entry)));
        }
        atomic::write(&own, &schedule)?;
        let whole = schedule.len() as u64;
        let file = Journal::open(&path, &header, entries.values())?;
        Ok(RepairBook { path, header, file, entries, whole })
    }

    /// The entry of a set of faults, by its label.
    pub fn get(&self, fault: &str) -> Option<&Entry> {
        self.entries.get(fault)
    }

    /// Adds an entry, and writes it at once.
    ///
    /// # Errors
    /// The file can no longer be written to.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        self.file.add(&entry)?;
        self.entries.insert(entry.fault.clone(), entry);
        Ok(())
    }

    /// Writes the entries in the order of these labels, then the others: a whole book does not tell
    /// which repair was made first.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn sort(&mut self, labels: &[String]) -> Result<()> {
        let others = self.entries.keys().filter(|label| !labels.contains(label));
        let order: Vec<&Entry> =
            labels.iter().chain(others).filter_map(|label| self.entries.get(label)).collect();
        atomic::write(&self.path, journal::text(&self.header, order))
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let patches =
            self.entries.values().map(|entry| journal::line(entry).len() as u64 + 1).sum();
        Size { entries: self.entries.len(), patches, schedule: self.whole }
    }
}

impl Header {
    fn of(sweep: &RepairSweep, crc32: u32) -> Self {
        let options = &sweep.options;
        Header {
            format: FORMAT.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            network: sweep.old.network.name.clone(),
            collective: sweep.old.model.collective.clone(),
            crc32,
            steps: sweep.old.steps.len(),
            target: format!("{:?}", sweep.target),
            seed: options.seed,
            islands: options.islands(),
            iterations: options.limits.iterations,
            time_limit: options.limits.time.map(|time| time.as_secs_f64()),
        }
    }
}

/// The first line.
fn header_of(text: &str) -> Result<Header, String> {
    let header: Header = journal::head(text, "book of repairs")?;
    match &*header.format {
        FORMAT => Ok(header),
        other => Err(format!("line 1: the format is {other}, this program reads {FORMAT}")),
    }
}

/// The running schedule of the book in a folder.
///
/// # Errors
/// It cannot be read.
pub fn running(folder: &Path) -> Result<ScheduleFile> {
    ScheduleFile::read(folder.join("schedule.json"))
}

/// The entry of a set of faults in the book of a folder, of which no other entry is parsed; none if the
/// book has none.
///
/// # Errors
/// The book cannot be read.
pub fn lookup(folder: &Path, set: &FaultSet, network: &Network) -> Result<(Header, Option<Entry>)> {
    let path = folder.join("repairs.jsonl");
    let text = input::text(&path)?;
    let wrong = |why| Error::problem(format!("{}: {why}", path.display()));
    let header = header_of(&text).map_err(wrong)?;
    let (label, faults) = (set.label(network), set.records(network));
    let start = format!("{{\"fault\":{},", serde_json::Value::from(label));
    let lines = (1..).zip(text.lines()).skip(1);
    for (number, line) in lines.filter(|(_, line)| line.starts_with(&start)) {
        let wrong = |e| wrong(format!("line {number}: {e}"));
        let entry: Entry = serde_json::from_str(line).map_err(wrong)?;
        if entry.faults == faults {
            return Ok((header, Some(entry)));
        }
    }
    Ok((header, None))
}
